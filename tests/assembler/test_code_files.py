"""Objects, listings of disassemblers and bytes become assembly, with findings at their places."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ipu_asm import disassemble, load_isa
from ipu_asm.assembler.code_files import CodeFile, bytes_of_hex, read_code_file
from ipu_asm.assembler.code_text import code_lines
from ipu_asm.assembler.elf_writer import elf_of
from ipu_asm.assembler.machine_code import ABSOLUTE, ObjectCode, Relocation, Section, Symbol
from ipu_asm.assembler.objdump_text import read_objdump
from ipu_asm.cli.assembler import command as assembler
from ipu_asm.cli.lint import command as lint
from ipu_asm.cli.mca import command as mca
from ipu_asm.config.files import FileError, is_code_file
from tests.assembler.toy_code import FORMAT, JUMP, NAME, ToyCode, toy, toy_isa

pytestmark = pytest.mark.usefixtures("toy")
__all__ = ["toy"]

LISTING = """
build/toy.o:\tfile format elf32-toy

Disassembly of section .text:

00000000 <main>:
       0: c2 03 07 05 03   \tlda\t r7, [p0, #0];\t\tmov\tr3, r0
; a line of the source
       5: 04 00 00         \tj\t#0x0
\t\t\t00000005:  R_TOY_JUMP\tfar+0x4
       8: 01           \tnop\t
       9: 01           \tnop\t
       a: 01           \tnop\t
       b: 01           \tnop\t
       c: 01           \tnop\t
\t\t...

00000010 <.Lback>:
      10: 02 05        \tadd\tr5, r5, #1
      12: 06           \tret\tlr
"""


def check_text(code: ObjectCode, *expected: str, has_labels: bool = False) -> None:
    """Some content is written as these lines, but for blank ones."""
    lines = code_lines(code, toy_isa(), ToyCode(), has_labels=has_labels)
    assert [line.text for line in lines if line.text] == [f"// isa: {NAME}", *expected]


def check_code(data: bytes, *expected: str, has_labels: bool = False) -> None:
    """Bytes at address 0 are written as these lines of code."""
    code = ObjectCode((Section(".text", "ax", "progbits", 1, data),), ())
    check_text(code, "    .text", *expected, has_labels=has_labels)


def test_a_unit_is_a_line_with_all_its_instructions() -> None:
    check_code(b"\xc2\3\7\5\1\2\5", "    lda r7, [p0,#0]; mov r1, r0", "    add r5, r5, #1")


def test_targets_are_labels_where_addresses_are_known() -> None:
    data = b"\1\4\0\1\1"
    check_code(data, "    nop", ".L1:", "    j #.L1", "    nop", has_labels=True)
    check_code(data, "    nop", ".L1:", "    j #1", "    nop")


def test_a_target_inside_of_a_unit_is_a_number() -> None:
    check_code(b"\4\0\2", "    j #2", has_labels=True)


def test_bytes_that_are_no_code_are_data() -> None:
    check_code(b"\1\xff\xfe\1", "    nop", "    .byte 0xff,0xfe", "    nop")


def test_what_is_encoded_in_another_way_is_data_with_its_assembly() -> None:
    remark = "    // mov r3, r0 // encoded in another way"
    check_code(b"\5\x83\1", remark, "    .byte 0x05,0x83", "    nop")


def test_symbols_become_directives_and_labels() -> None:
    text = Section(".text.main", "ax", "progbits", 16, b"\4\0\0\1", (Relocation(JUMP, 0, "f", -4),))
    data = Section(".rodata", "aM", "progbits", 4, bytes(8), (Relocation(9, 4, "main"),), (), 0, 4)
    bss = Section(".bss", "aw", "nobits", 8, bytes(40))
    comment = Section(".comment", "", "progbits", 1, b"made by hand")
    symbols = (
        Symbol("a.c", ABSOLUTE, kind="file"),
        Symbol("size", ABSOLUTE, 64, binding="global"),
        Symbol("weird name", ".rodata", 2),
        Symbol("main", ".text.main", 0, 4, "global", "func"),
        Symbol("buffer", ".bss", 8, 32, "weak", "object", "hidden"),
        Symbol("shared", "", 8, 24, "global", "common"),
        Symbol("maybe", "", binding="weak"),
    )
    lines = code_lines(
        ObjectCode((text, data, bss, comment), symbols), toy_isa(), ToyCode(), has_labels=False
    )
    shown = [line.text.strip() for line in lines]
    for expected in (
        "// not loaded, and not shown: .comment",
        '.file "a.c"',
        ".set size, 0x40",
        ".comm shared,24,8",
        ".weak maybe",
        '.section .text.main,"ax",@progbits',
        ".p2align 4",
        ".type main,@function",
        "j #f-4",
        ".size main, 4",
        '.section .rodata,"aM",@progbits,4',
        "// not written: `weird name`, which _weird_name stands for",
        "_weird_name:",
        ".long main",
        '.section .bss,"aw",@nobits',
        ".hidden buffer",
        ".zero 32",
    ):
        assert expected in shown
    assert shown.index("main:") + 1 == shown.index("j #f-4")
    assert shown.index("buffer:") + 1 == shown.index(".zero 32")


def test_data_among_code_is_data_where_a_symbol_says_so() -> None:
    section = Section(".text", "ax", "progbits", 1, b"\1\1\1\1")
    table = Symbol("table", ".text", 1, 2, kind="object")
    lines = code_lines(ObjectCode((section,), (table,)), toy_isa(), ToyCode(), has_labels=False)
    shown = [line.text.strip() for line in lines][2:]
    expected = [".text", ".type table,@object", "nop", "table:", ".byte 0x01,0x01", "nop"]
    assert shown == [*expected, ".size table, 2"]


@pytest.mark.parametrize("name", ['a"\n.zero 9', "\x07", "\u2028", "a\\b"])
def test_names_cannot_write_lines_of_their_own(name: str) -> None:
    section = Section(name, "ax", "progbits", 1, b"\1")
    code = ObjectCode((section,), (Symbol(name, name, 0), Symbol(name, ABSOLUTE, kind="file")))
    lines = code_lines(code, toy_isa(), ToyCode(), has_labels=False)
    assert all(len(line.text.splitlines()) <= 1 for line in lines)


def test_the_python_interface_takes_bytes() -> None:
    assert disassemble(b"\1\6", NAME).splitlines()[2:] == ["    .text", "    nop", "    ret lr"]
    assert "// at address 0x100" in disassemble(b"\1", NAME, address=0x100)
    with pytest.raises(TypeError, match="takes bytes for `toycode`, found list"):
        disassemble([1], NAME)
    with pytest.raises(ValueError, match="addresses have 32 bits, found -1"):
        disassemble(b"", NAME, address=-1)
    with pytest.raises(ValueError, match="bundles of `ipu` are numbered from 0"):
        disassemble([1], address=4)


def test_a_listing_has_code_labels_and_relocations() -> None:
    assert is_code_file(LISTING.encode())
    listing = read_objdump(LISTING, FORMAT.code_relocations)
    (section,) = listing.code.sections
    assert section.data == b"\xc2\3\7\5\3\4\0\0" + b"\1" * 5 + bytes(3) + b"\2\5\6"
    assert section.relocations == (Relocation(JUMP, 5, "far", 4),)
    assert [unit.offset for unit in section.units] == [0, 5, 8, 9, 10, 11, 12, 0x10, 0x12]
    assert listing.code.symbols == (
        Symbol("main", ".text", 0, binding="global", kind="func"),
        Symbol(".Lback", ".text", 0x10),
    )
    shown = [LISTING[unit.span.start : unit.span.end] for unit in listing.units]
    assert shown[1:2] + shown[-2:] == ["j\t#0x0", "add\tr5, r5, #1", "ret\tlr"]


@pytest.mark.parametrize("indent", ["", "    ", "\t"])
@pytest.mark.parametrize("tab", [" ", "   ", "\t\t"])
def test_a_listing_is_read_after_a_page_or_a_terminal_has_changed_its_blanks(
    tab: str, indent: str
) -> None:
    listing = read_objdump(LISTING, FORMAT.code_relocations)
    text = "".join(f"{indent}{line}" for line in LISTING.splitlines(keepends=True))
    copied = read_objdump(text.replace("\t", tab), FORMAT.code_relocations)
    assert (copied.code, copied.mistakes) == (listing.code, ())
    assert is_code_file(text.replace("\t", tab).encode())
    assert [len(each.names) for each in (listing, copied)] == [len(listing.names)] * 2


def test_words_in_a_listing_have_their_lowest_byte_first() -> None:
    text = "Disassembly of section .text:\n   0:\t19e00000 \tnop\n   4:\t00000001\n"
    (section,) = read_objdump(text).code.sections
    assert section.data == bytes.fromhex("0000e01901000000")


def test_the_set_of_a_listing_is_the_one_that_its_bytes_fit() -> None:
    file = read_code_file(LISTING.encode(), "x.txt")
    assert file.isa.name == NAME
    assert "    j #far+4" in [line.text for line in file.lines(has_labels=False)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LISTING.replace("c2 03", "ff 03").replace("06   ", "ff   "), "the nearest set"),
        (LISTING.replace("      10: 02", "       1: 02"), "expected addresses in order"),
        (LISTING.replace("R_TOY_JUMP", "R_TOY_OTHER"), "relocation `R_TOY_OTHER` is unknown"),
        ("Disassembly of section .text:\n  0:\tnop\n", "`--no-show-raw-insn`"),
        (LISTING.replace("      10: 02", "ffffffff: 02"), "expected addresses in order"),
    ],
)
def test_a_listing_with_a_mistake_is_one_line(text: str, message: str) -> None:
    with pytest.raises(FileError) as caught:
        read_code_file(text.encode(), "x.txt")
    assert message in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_hexadecimal_text_is_lines_or_one_run_of_digits() -> None:
    assert bytes_of_hex("c2030701\n0xFF # remark\n\n01 02 // more\n", "x") == bytes.fromhex(
        "c2030701ff0102"
    )
    with pytest.raises(FileError, match=r"x:2: .*found '12g'"):
        bytes_of_hex("00\n12g\n", "x")


def written(tmp_path: Path, name: str, data: bytes | str) -> str:
    """The path of a file with this content."""
    path = tmp_path / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return str(path)


OBJECT = ObjectCode(
    (Section(".text", "ax", "progbits", 4, b"\3\7\2\7\6\1", (Relocation(99, 2, "f"),)),),
    (Symbol("main", ".text", 0, 6, "global", "func"),),
)


def test_ipu_as_disassembles_objects_listings_and_bytes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listing = written(tmp_path, "x.txt", LISTING)
    binary = written(tmp_path, "x.bin", b"\1\0\6")
    digits = written(tmp_path, "x.hex", "01\n06\n")
    for arguments, expected in (
        ([listing], "    lda r7, [p0,#0]; mov r3, r0"),
        ([binary, "--isa", NAME], "    .byte 0x00"),
        ([digits, "--isa", NAME, "--address", "0x20"], "// at address 0x20"),
    ):
        assert assembler.main(["disassemble", *arguments]) == 0
        assert expected in capsys.readouterr().out.splitlines()


def test_relocations_that_cannot_be_written_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, "x.o", elf_of(OBJECT, FORMAT))
    assert assembler.main(["disassemble", path]) == 0
    shown = capsys.readouterr()
    assert "// not written: relocation 99 by f at 0x2" in shown.out
    assert "1 of its names and relocations cannot be written: see the comments" in shown.err


def test_annotations_have_address_bytes_landings_delay_slots_and_findings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, "x.bin", b"\3\7\2\7\1\1\1\1\1\1\4\0\0\1\1")
    assert assembler.main(["disassemble", path, "--isa", NAME, "--annotate"]) == 0
    shown = capsys.readouterr().out
    assert "/*      0: 03 07    */    lda r7, [p0,#0]" in shown
    assert "r7 lands +7 (0x9); loop of 11 up to 0xe" in shown
    assert "nop                                          // delay slot 1 of 5" in shown
    assert "// ^ X102 warning" in shown


def test_words_have_neither_annotations_nor_addresses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, "x.hex", "0x" + "0" * 48)
    assert assembler.main(["disassemble", path, "--annotate"]) == 2
    assert "`ipu` has words of one size, which have no --annotate" in capsys.readouterr().err


def test_ipu_lint_places_findings_in_the_listing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, "x.txt", LISTING)
    row = LISTING[: LISTING.index("ret")].count("\n") + 1
    assert lint.main([path, "--format", "json", "--fix"]) == 1
    (finding,) = json.loads(capsys.readouterr().out)
    assert (finding["code"], finding["location"]) == ("X102", {"row": row, "column": 25})
    assert finding["fix"] is None
    assert Path(path).read_text() == LISTING


def test_ipu_lint_reads_objects(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, "x.o", elf_of(OBJECT, FORMAT))
    assert lint.main([path, "--format", "concise"]) == 1
    assert "X102" in capsys.readouterr().out
    broken = written(tmp_path, "y.o", elf_of(OBJECT, FORMAT)[:200])
    assert lint.main([broken]) == 2
    assert "the table of sections exceeds the file" in capsys.readouterr().err


def test_ipu_mca_reads_objects_and_listings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, "x.txt", LISTING)
    assert mca.main([path, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["bundles"] == 9
    assert mca.main([path]) == 0
    row = LISTING[: LISTING.index("lda\t")].count("\n") + 1
    assert f"main, line {row}:" in capsys.readouterr().out


def test_a_file_for_another_set_is_refused() -> None:
    with pytest.raises(FileError, match="expected an object for `ipu`, found one for `toycode`"):
        read_code_file(elf_of(OBJECT, FORMAT), "x.o", "ipu")
    with pytest.raises(FileError, match="`ipu` has no machine code"):
        read_code_file(LISTING.encode(), "x.txt", "ipu")


def test_the_content_of_an_object_is_that_of_its_file() -> None:
    file = read_code_file(elf_of(OBJECT, FORMAT), "x.o")
    assert isinstance(file, CodeFile)
    assert file.code.sections == OBJECT.sections
    assert file.code.symbols == (*OBJECT.symbols, Symbol("f", binding="global"))
    assert load_isa(NAME).name == file.isa.name

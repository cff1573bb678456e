"""Programs of XDNA as sections, symbols and relocations, as an object and as plain bytes."""

from __future__ import annotations

import struct
from math import inf

import pytest

from ipu_asm import AssemblyError, assemble
from ipu_asm.assembler.code_text import code_lines
from ipu_asm.assembler.elf_writer import elf_of
from ipu_asm.assembler.encode import object_of
from ipu_asm.assembler.machine_code import ObjectCode, Relocation, Section
from ipu_asm.assembler.word_code import machine_code_of
from ipu_asm.isa import load_isa
from ipu_asm.program.line_table import read_effective_program
from ipu_asm.text import SourceFile
from tests.vectors import records

PROGRAM = """\
  .text
  .globl f
  .p2align 4
  .type f,@function
f:
  nopa ; movxm p0, #data+4 ; nopb
  .p2align 4
.L1:
  jl #ext
  nop
  j #.L1
x = 5
  mova r0, #x+1
.Lend:
  .size f, .Lend-f
  .section .rodata.str,"aMS",@progbits,1
s: .asciz "hi\\n\\x41"
  .data
  .p2align 2
data: .long 1, f, s+4
  .byte .Lend-f, . - data
"""


def read(text: str, *, is_final: bool = False) -> ObjectCode:
    source = SourceFile(text, "kernel.aie")
    effective = read_effective_program(load_isa("xdna1"), source)
    return object_of(effective, source, is_final=is_final)


def section(code: ObjectCode, name: str) -> Section:
    return next(each for each in code.sections if each.name == name)


def check_refused(text: str, message: str) -> None:
    with pytest.raises(AssemblyError) as refused:
        assemble(text, isa="xdna1")
    assert message in str(refused.value)


def test_every_bundle_of_the_vendor_is_assembled() -> None:
    for each in records("xdna_words"):
        if "asm" in each:
            found = assemble(each["asm"], isa=each["isa"])
            assert [unit.hex() for unit in found] == [each["bytes"]], each["asm"]


def test_the_address_of_a_symbol_is_a_relocation_that_names_it() -> None:
    text = section(read(PROGRAM), ".text")
    assert text.relocations == (
        Relocation(46, 0, "data", 4),
        Relocation(1, 16, "ext"),
        Relocation(1, 24, ".L1"),
    )
    assert section(read(PROGRAM), ".data").relocations == (
        Relocation(50, 4, "f"),
        Relocation(50, 8, "s", 4),
    )


def test_gaps_in_code_are_filled_and_its_end_is_aligned() -> None:
    text = section(read(PROGRAM), ".text")
    assert [(unit.offset, unit.size) for unit in text.units if unit.bundle < 0] == [
        (12, 4),
        (34, 14),
    ]
    assert text.alignment == 16
    assert len(text.data) % 16 == 0


def test_symbols_have_their_type_size_and_place() -> None:
    symbols = {each.name: each for each in read(PROGRAM).symbols}
    assert (symbols["f"].kind, symbols["f"].binding, symbols["f"].size) == ("func", "global", 34)
    assert (symbols["s"].section, symbols["data"].section) == (".rodata.str", ".data")
    assert (symbols["ext"].section, symbols["ext"].binding) == ("", "global")
    assert symbols[".L1"].value == 16
    assert ".Lend" not in symbols


def test_data_hold_strings_differences_and_the_place_itself() -> None:
    code = read(PROGRAM)
    assert section(code, ".rodata.str").data == b"hi\nA\0"
    assert section(code, ".rodata.str").flags == "aMS"
    assert section(code, ".data").data[12:] == bytes([34, 13])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".byte 1, -1", "01ff"),
        (".short 0x1234", "3412"),
        (".float 1.0", "0000803f"),
        (".float nan, -nan, -inf", "ffffff7fffffffff000080ff"),
        (".double nan", "ffffffffffffff7f"),
        (".space 3, 7", "070707"),
        (".fill 2, 2, 5", "05000500"),
        (".fill 1, 8, -1", "ffffffff00000000"),
        ('.ascii "a;b"', "613b62"),
        (r'.ascii "a" "\"b" , ""', "612262"),
        ('.asciz "a" "b", "c"', "61620063" + "00"),
        (r'.ascii "\b\f\n\r\t\\\"\7\377\x4141"', "080c0a0d095c2207ff41"),
        ("a: .byte 1\n.byte . - a", "0101"),
        (".set n, 3\n.byte n * 2", "06"),
        (".data\n.byte 1\n.p2align 2\n.byte 2", "0100000002"),
        ("a: nop\nnop\nb:\n.byte ((b - a) / 2) - 1", "0100010001"),
        ("nop\n.byte 1\nnop", "0100" + "01" + "00" + "0100"),
    ],
)
def test_directives_place_bytes(text: str, expected: str) -> None:
    assert b"".join(assemble(text, isa="xdna1")).hex() == expected


def test_labels_have_their_addresses_where_no_linker_follows() -> None:
    units = assemble("nop\nl:\n j #l\n j #l+2", isa="xdna1")
    assert [unit.hex() for unit in units] == ["0100", "950000010000", "950000020000"]


def test_sections_return_to_those_before() -> None:
    code = read(
        ".data\n.byte 1\n.pushsection .text\nnop\n.popsection\n.byte 2\n.text\n.previous\n.byte 3"
    )
    assert section(code, ".data").data == bytes([1, 2, 3])


def test_sections_have_entries_of_a_size_and_a_group() -> None:
    text = '.section .text.f,"axG",@progbits,f,comdat\n.weak f\nf: nop\n'
    code = read(text + '.section .rodata.str,"aMS",@progbits,1\n.asciz "a"\n')
    assert section(code, ".text.f").group == "f"
    assert section(code, ".rodata.str").entry_size == 1
    check_refused('.section .text.f,"axG"\nnop', "a section of a group names it")
    check_refused('.section .text.f,"axQ"\nnop', "sections have the flags `awxMSoGTRe`, found `Q`")


def test_common_symbols_are_reserved() -> None:
    code = read(".comm shared, 64, 4\n.lcomm own, 8\nnop")
    symbols = {each.name: each for each in code.symbols}
    assert (symbols["shared"].kind, symbols["shared"].size, symbols["shared"].value) == (
        "common", 64, 4,
    )  # fmt: skip
    assert section(code, ".bss").kind == "nobits"


def test_what_no_bytes_hold_is_an_error_with_its_place() -> None:
    check_refused("jl #ext", "no symbol `ext` in this file; an object leaves it to the linker")
    check_refused("nop\n.data\n.byte 1", "bytes without an object hold one section")
    check_refused('.incbin "x.bin"\nnop', "what `.incbin` puts into an object is not known")
    check_refused("a: nop\n.long a + a", "the value of `a+a` is not known")
    check_refused("nop\n.space n\n.set n, m", "has no value here")


def test_a_symbol_set_to_a_label_is_another_name_of_it() -> None:
    code = read("l: nop\n.set other, l + 2\n.data\n.long other, l")
    assert section(code, ".data").relocations == (
        Relocation(50, 0, "other"),
        Relocation(50, 4, "l"),
    )
    assert {each.name: each.value for each in code.symbols}["other"] == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 0\n.rept 3\n.byte x\nx = x + 1\n.endr\n.byte x\n", [0, 1, 2, 3]),
        (".set q, 3\n.byte q\n.equ q, q * 2\n.byte q\n", [3, 6]),
        (".byte late\nlate = 4\n", [4]),
        (".byte c\nc = b + 1\nb = a + 1\na = 7\n", [9]),
        (
            "a0 = 1\n" + "".join(f"a{n + 1} = a{n} + 1\n" for n in range(150)) + ".byte a150\n",
            [151],
        ),
        ("f: .byte 1, 2\nsize = . - f\n.byte size\nsize = . - f\n.byte size\n", [1, 2, 2, 3]),
    ],
)
def test_a_symbol_has_the_value_that_was_assigned_last(text: str, expected: list[int]) -> None:
    for isa in ("xdna1", "colossus"):
        assert list(b"".join(assemble(f".data\n{text}", isa=isa))) == expected


def test_characters_are_written_with_a_backslash_too() -> None:
    data = "'a', '\\n', ';', '\\'', '\\\\' + x, '\\t'"
    for isa in ("xdna1", "colossus"):
        assert b"".join(assemble(f"x = 1\n.data\n.byte {data}\n", isa=isa)) == b"a\n;']\t"


def test_a_section_of_zeros_takes_data_that_are_zero() -> None:
    code = read('.bss\nx: .long 0, 4 - 4\n.asciz ""\n')
    assert section(code, ".bss").data == bytes(9)
    check_refused(".bss\n.long 1\n", "`.bss` holds zeros only")
    check_refused(".bss\n.long ext\n", "`.bss` holds zeros only")


def test_the_flags_of_a_section_are_the_same_everywhere() -> None:
    read('.section .text,"xa"\n.section .a,"aw"\n.section .a\n.section .a,"wa",@progbits\n')
    check_refused('.section .text,"aw"\n', "`.text` has the flags `ax`, found `aw`")
    check_refused('.section .a,"a"\n.section .a,"aw"\n', "`.a` has the flags `a`, found `aw`")


def test_floats_are_written_as_in_c_and_in_the_gnu_assembler() -> None:
    text = ".float 1.5, -0.0, inf, -infinity, 1.5f, 0f1.5, 0x1.8p1, 2.F"
    expected = struct.pack("<8f", 1.5, -0.0, inf, -inf, 1.5, 1.5, 3.0, 2.0)
    for isa in ("xdna1", "colossus"):
        assert b"".join(assemble(f".data\n{text}\n", isa=isa)) == expected
    check_refused(".data\n.float 1.5x\n", "expected a floating-point number")


def test_an_address_needs_a_relocation_of_its_size() -> None:
    source = SourceFile("f: nop\n.data\n.byte f\n", "kernel.aie")
    with pytest.raises(AssemblyError) as refused:
        object_of(read_effective_program(load_isa("xdna1"), source), source, is_final=False)
    assert "no relocation puts an address into 1 byte" in str(refused.value)


def test_data_ask_for_a_relocation_by_its_name() -> None:
    lines = [
        ".short (bar+4)@relative@16@s2",
        ".short 0",
        ".long (bar+4)@abs18@s2",
        ".long (f)@abs19@s2",
        ".long 0x100@abs18@s2",
    ]
    isa = load_isa("colossus")
    source = SourceFile(".data\nf:\n" + "\n".join(lines) + "\n", "kernel.S")
    code = object_of(read_effective_program(isa, source), source, is_final=False)
    (section,) = (each for each in code.sections if each.name == ".data")
    assert [(each.kind, each.offset, each.addend) for each in section.relocations] == [
        (6, 0, 4),
        (7, 4, 4),
        (8, 8, 0),
    ]
    assert section.data[12:] == bytes([0x40, 0, 0, 0])
    machine_code = machine_code_of(isa)
    assert machine_code is not None
    shown = {line.text.strip() for line in code_lines(code, isa, machine_code)}
    assert shown.issuperset([lines[0], *lines[2:4]])


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (".short a@abs18@s2", "`@abs18@s2` fills 4 bytes, found data of 2 bytes"),
        (".long 3@abs18@s2", "R_COLOSSUS_18_S2 takes a multiple of 4 from 0x0 to 0xffffc"),
        (".long @abs18@s2", "the value of `@abs18@s2` is not known"),
        (".long a@abs20", "the value of `a@abs20` is not known"),
    ],
)
def test_a_relocation_asked_for_fits_the_data(line: str, why: str) -> None:
    source = SourceFile(f".data\n{line}\n", "kernel.S")
    with pytest.raises(AssemblyError) as refused:
        object_of(read_effective_program(load_isa("colossus"), source), source, is_final=False)
    assert why in str(refused.value)


def test_bytes_that_cannot_be_read_are_an_error() -> None:
    check_refused(".data\n.byte '\\x41'\n", "the arguments of `.byte` are not known")


def test_an_alias_of_a_symbol_of_another_file_is_a_relocation() -> None:
    code = read(".set a, ext + 4\n.data\n.long a, a + 1, ext\n")
    found = [(each.symbol, each.addend) for each in section(code, ".data").relocations]
    assert found == [("ext", 4), ("ext", 5), ("ext", 0)]


@pytest.mark.parametrize(
    "text",
    [
        ".set a, ext * 2\n.data\n.long a\n",
        ".set a, b\n.set b, a\n.data\n.long a\n",
        ".set a, a + 1\n.data\n.long a\n",
        ".globl z\n.set z, ext\n",
    ],
)
def test_a_symbol_that_nothing_computes_is_an_error(text: str) -> None:
    check_refused(text, "is not known, and no relocation computes it")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rpt $m0, ((e - b)/8)-1\n.align 8\nb:\n{ nop\n fnop }\ne:",
         ["00a00043", "0000e019", "0000e0990000d09a"]),
        ("1: nop\n bri 1b\n bri 1f\n1: nop", ["0000e019", "00008040", "03008040", "0000e019"]),
        (".set f, 0x40000\n bri f + 4", ["01008140"]),
        ("ldconst $m0, 0x12345678", ["7856041923c10042"]),
        (".macro M a\n setzi $m0, \\a\n.endm\n M 7", ["07000019"]),
    ],
)  # fmt: skip
def test_colossus_is_assembled_word_by_word(text: str, expected: list[str]) -> None:
    assert [unit.hex() for unit in assemble(text, isa="colossus")] == expected


def test_what_expansion_leaves_open_is_an_error() -> None:
    """Otherwise both branches of a condition, or nothing of a macro, would be in the bytes."""
    for text, message in (
        (".if SIZE\n nop\n.else\n nopa\n.endif", "what `.if` expands to is not known"),
        (".data\n.popsection\n nop", "goes back to a `.pushsection`, found none"),
        (".bss\n.long 5", "`.bss` holds zeros only"),
        (".space 600000\n nop", "sections of code have at most 524288 bytes in all"),
        (".data\n.fill 20000000, 1, 1", "sections of data have at most 16777216 bytes in all"),
    ):
        check_refused(text, message)
    with pytest.raises(AssemblyError, match="no macro that is defined here"):
        assemble('#include "absent.h"\n LOAD(1)\n nop', isa="colossus")


def test_sizes_that_only_the_layout_knows_are_checked() -> None:
    before = ".data\na: .byte 1, 2, 3\nb:\n"
    for text, message in (
        (".fill a-b, 4, 1", "expected a number from 0 to 4294967295, found `a-b`, which is -3"),
        (".fill 1, a-b, 1", "expected a number from 0 to 8, found `a-b`, which is -3"),
        (".fill 1, (b-a)*100, 1", "expected a number from 0 to 8"),
        (".space a-b", "expected a number from 0 to 4294967295"),
        (".balign b-a", "an alignment is a power of 2, found `b-a`"),
        (".comm c, 4, b-a", "an alignment is a power of 2, found `b-a`"),
        (".comm c, a-b", "expected a number from 0 to 4294967295"),
        (".lcomm c, 99999999999", "expected a number from 0 to 4294967295"),
    ):
        check_refused(f"{before}{text}", message)


def test_large_alignments_and_many_sections_make_no_large_objects() -> None:
    machine_code = machine_code_of(load_isa("xdna1"))
    assert machine_code is not None
    object_ = read(".p2align 31\nnop\n.globl x\nx = 1 << 40\n.size x, -1")
    assert section(object_, ".text").alignment == 1 << 31
    assert len(elf_of(object_, machine_code.object_format)) < 10_000
    check_refused(".p2align 29\nnop\n.p2align 29\nnop", "sections of code have at most")
    many = "".join(f'.section .data.{n}, "aw"\n.space 1000000\n' for n in range(20))
    with pytest.raises(AssemblyError, match="sections of data have at most"):
        read(many)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".macro m a, b:vararg\n.byte \\b\n.endm\nm 1, 2, 3\nm 1, b=4, 5", "02030405"),
        (".macro m b:vararg\n.irp x, \\b\n.byte \\x\n.endr\n.byte 9\n.endm\nm\nm 1, 2", "09010209"),
    ],
)
def test_macros_take_arguments_as_llvm_does(text: str, expected: str) -> None:
    assert b"".join(assemble(f"{text}\n", isa="xdna1")).hex() == expected

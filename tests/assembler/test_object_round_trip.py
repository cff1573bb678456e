"""Objects of the examples are disassembled to texts that assemble to the same objects."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from ipu_asm.assembler.code_files import read_elf
from ipu_asm.assembler.code_text import code_lines
from ipu_asm.assembler.elf_writer import elf_of
from ipu_asm.assembler.machine_code import ObjectCode, Relocation, Section, Symbol
from ipu_asm.assembler.word_code import machine_code_of
from ipu_asm.cli.assembler import command as assembler
from ipu_asm.config.isa_choice import choose_isa
from ipu_asm.isa import load_isa, manifests

EXAMPLES = sorted(
    path
    for path in (Path(__file__).parents[2] / "examples").rglob("*.*")
    if path.suffix in (".S", ".aie", ".aie2", ".aie2p")
)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_object_comes_back(path: Path, tmp_path: Path) -> None:
    isa = choose_isa(path.read_text(encoding="utf-8"), str(path)).name
    assert manifests()[isa].has_machine_code
    first, second = tmp_path / "first.o", tmp_path / "second.o"
    text = tmp_path / f"text{path.suffix}"
    assemble = ["assemble", "--no-warnings", "--isa", isa, "-o"]
    assert assembler.main([*assemble, str(first), str(path)]) == 0
    assert assembler.main(["disassemble", "-o", str(text), str(first)]) == 0
    assert assembler.main([*assemble, str(second), str(text)]) == 0
    assert first.read_bytes() == second.read_bytes()
    assert ".byte" not in text.read_text(encoding="utf-8")


NAMES = (
    "nop", "a$b", "r0", "sp", "$m0", "$x", "a@plt", ".", ".L1", "a b", "f(int, g<h>)", 'a"b',
    "a_b", "1f", "-4", "a,b", "{", "#define", "//", "a\nb", "é", "x" * 3_000, "x" * 30_000,
)  # fmt: skip


@pytest.mark.parametrize("isa", ["xdna1", "xdna2", "colossus"])
def test_an_object_with_any_names_comes_back_as_the_same_code(isa: str, tmp_path: Path) -> None:
    """Names that the text cannot have are replaced, each by one of its own, and listed."""
    machine_code = machine_code_of(load_isa(isa))
    assert machine_code is not None
    object_format, step = machine_code.object_format, machine_code.step
    word = object_format.data_relocations[4]
    code = Section(".text", "ax", "progbits", 16, machine_code.fill(16)[0] * 4)
    fields = tuple(Relocation(word, number * 4, name) for number, name in enumerate(NAMES))
    data = Section(".data", "aw", "progbits", 4, bytes(4 * len(NAMES)), fields)
    others = [Section(name, "aw", "progbits", 1, b"12") for name in NAMES]
    for section, value in (("", 0), (".text", step), (".data", 3), (".data", 400)):
        symbols = tuple(Symbol(name, section, value, 0, "global") for name in NAMES)
        first = ObjectCode((code, data, *others), symbols)
        first_file, text, second_file = (tmp_path / name for name in ("a.o", "a.s", "b.o"))
        first_file.write_bytes(elf_of(first, object_format))
        assert assembler.main(["disassemble", "-o", str(text), str(first_file)]) == 0
        assert assembler.main(["assemble", "--isa", isa, "-o", str(second_file), str(text)]) == 0
        _, second = read_elf(second_file.read_bytes())
        assert [each.data for each in second.sections] == [each.data for each in first.sections]
        replaced = text.read_text(encoding="utf-8").count("not written: ")
        kept = 0
        for old, new in zip(fields, second.sections[1].relocations, strict=True):
            assert new._replace(symbol=old.symbol) == old
            (symbol,) = (each for each in second.symbols if each.name == new.symbol)
            assert (symbol.section, symbol.value) == (section, value)
            kept += new.symbol == old.symbol
        assert replaced == len(NAMES) - kept
        assert 4 <= kept <= 14


@pytest.mark.parametrize(
    ("name", "flags"),
    [
        *((name, "aw") for name in (".text", ".text.a-b", ".d}ta", "d\udce9", "1", "a b")),
        (".text", "axMS"),
    ],
)
def test_a_symbol_outside_of_any_section_comes_back(name: str, flags: str, tmp_path: Path) -> None:
    machine_code = machine_code_of(load_isa("colossus"))
    assert machine_code is not None
    section = Section(name, flags, "progbits", 1, b"12345678", entry_size=1)
    symbols = (Symbol("beyond", name, 400, 0, "global"),)
    text, file = tmp_path / "a.S", tmp_path / "a.o"
    file.write_bytes(elf_of(ObjectCode((section,), symbols), machine_code.object_format))
    assert assembler.main(["disassemble", "-o", str(text), str(file)]) == 0
    assert assembler.main(["assemble", "--no-warnings", "-o", str(file), str(text)]) == 0
    _, read = read_elf(file.read_bytes())
    (found,) = (each for each in read.symbols if each.name == "beyond")
    (data,) = (each.data for each in read.sections if each.name == found.section)
    assert (data, found.value) == (b"12345678", 400)


def test_a_symbol_of_another_file_that_nothing_uses_comes_back(tmp_path: Path) -> None:
    text, first, second = (tmp_path / name for name in ("a.S", "a.o", "b.o"))
    text.write_text(".globl used\n.globl other\nbri used\n.hidden h\nbri h\n", encoding="utf-8")
    for file in (first, second):
        assert assembler.main(["assemble", "--no-warnings", "-o", str(file), str(text)]) == 0
        assert assembler.main(["disassemble", "-o", str(text), str(file)]) == 0
    one, other = (read_elf(file.read_bytes())[1].symbols for file in (first, second))
    assert {*one} == {*other}
    assert {"used", "other", "h"} <= {each.name for each in one}


def test_many_names_without_a_letter_are_replaced_in_time() -> None:
    symbols = tuple(Symbol(chr(0x4E00 + n), ".text", n % 4, 0, "global") for n in range(20_000))
    section = Section(".text", "ax", "progbits", 16, bytes(4))
    isa = load_isa("colossus")
    machine_code = machine_code_of(isa)
    assert machine_code is not None
    start = time.process_time()
    lines = code_lines(ObjectCode((section,), symbols), isa, machine_code)
    assert time.process_time() - start < 5
    labels = [line.text for line in lines if line.text.endswith(":")]
    assert len(set(labels)) == len(labels) > 0

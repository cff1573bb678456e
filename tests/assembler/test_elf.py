"""Object files: what is written is read again, by us and by other readers, and broken ones too."""

from __future__ import annotations

import shutil
import struct
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.assembler.code_files import ElfError, read_elf
from ipu_asm.assembler.elf_writer import elf_of
from ipu_asm.assembler.machine_code import (
    ABSOLUTE,
    ObjectCode,
    ObjectFormat,
    Relocation,
    Section,
    Symbol,
)

FORMAT = ObjectFormat(264, 2, frozenset({2}), 16, {4: 50})
OTHER = ObjectFormat(264, 3, frozenset({3, 4}), 16, {4: 62})
MASKED = ObjectFormat(248, 0x21, frozenset({1, 2, 0x21}), 4, {}, os_abi=255, flags_mask=0xFF)
FORMATS = {"one": FORMAT, "other": OTHER, "masked": MASKED}
GROUPED = (Relocation(4, 0, "memcpy"),)
CODE = ObjectCode(
    (
        Section(".text", "ax", "progbits", 16, bytes(range(64)), (Relocation(4, 6, "memcpy", 0),)),
        Section(".data", "aw", "progbits", 4, bytes(8), (Relocation(50, 4, "main", -4),)),
        Section(".bss", "aw", "nobits", 32, bytes(100)),
        Section(".comment", "MS", "progbits", 1, b"\0made by hand\0", entry_size=1),
        Section(".text.one", "axG", "progbits", 4, bytes(4), GROUPED, group="one"),
        Section(".data.one", "awG", "progbits", 4, bytes(4), group="one"),
        Section(".text.two", "axG", "progbits", 4, bytes(4), group="main"),
    ),
    (
        Symbol("a.c", ABSOLUTE, kind="file"),
        Symbol(".Lloop", ".text", 16),
        Symbol("size", ABSOLUTE, 64),
        Symbol("main", ".text", 0, 64, "global", "func"),
        Symbol("memcpy", binding="global"),
        Symbol("one", ".text.one", 0, 4, "weak", "func"),
        Symbol("buffer", ".bss", 0, 100, "weak", "object", "hidden"),
        Symbol("shared", "", 8, 24, "global", "common"),
    ),
)

NAMES = st.text("abcXYZ_.$09ä", min_size=1, max_size=6)


@st.composite
def objects(draw: st.DrawFn) -> ObjectCode:
    """Any content of an object, with local symbols first."""
    names = draw(st.lists(NAMES, max_size=6, unique=True))
    symbols = [
        _symbol(draw, f"s{number}{name}", names)
        for number, name in enumerate(draw(st.lists(NAMES, max_size=8)))
    ]
    symbols.sort(key=lambda symbol: symbol.binding != "local")
    known = [symbol.name for symbol in symbols if symbol.kind != "section"]
    sections = (_section(draw, name, known) for name in names)
    return ObjectCode(tuple(sections), tuple(symbols))


def _symbol(draw: st.DrawFn, name: str, sections: list[str]) -> Symbol:
    binding = draw(st.sampled_from(["local", "global", "weak"]))
    kind = draw(st.sampled_from(["notype", "object", "func", "tls", "common"]))
    visibility = draw(st.sampled_from(["default", "hidden", "internal", "protected"]))
    size = draw(st.integers(0, (1 << 32) - 1))
    place = "" if kind == "common" else draw(st.sampled_from(["", ABSOLUTE, *sections]))
    value = draw(st.integers(0, (1 << 32) - 1))
    return Symbol(name, place, value, size, binding, kind, visibility)


def _section(draw: st.DrawFn, name: str, symbols: list[str]) -> Section:
    kind = draw(st.sampled_from(["progbits", "nobits", "note", "init_array"]))
    flags = "".join(letter for letter in "awxMSoTRe" if draw(st.booleans()))
    data = bytes(draw(st.integers(0, 50))) if kind == "nobits" else draw(st.binary(max_size=50))
    relocations: tuple[Relocation, ...] = ()
    if data and symbols:
        one = st.builds(
            Relocation,
            st.integers(0, 255),
            st.integers(0, len(data) - 1),
            st.sampled_from(["", *symbols]),
            st.integers(-(1 << 31), (1 << 31) - 1),
        )
        relocations = tuple(draw(st.lists(one, max_size=4)))
    alignment = 1 << draw(st.integers(0, 8))
    return Section(name, flags, kind, alignment, data, relocations, entry_size=draw(SIZES))


SIZES = st.sampled_from([0, 1, 4])


@given(objects(), st.sampled_from(list(FORMATS)))
def test_what_is_written_is_read_again(code: ObjectCode, name: str) -> None:
    assert read_elf(elf_of(code, FORMATS[name]), FORMATS) == (name, code)


def test_an_object_of_every_kind_of_symbol_is_read_again() -> None:
    assert read_elf(elf_of(CODE, FORMAT), FORMATS) == ("one", CODE)


def test_names_in_relocations_alone_become_symbols() -> None:
    relocations = (Relocation(1, 0, "far"), Relocation(1, 4, ".data"), Relocation(1, 8, ""))
    sections = (
        Section(".text", "ax", "progbits", 16, bytes(16), relocations),
        Section(".data", "aw", "progbits", 1, b""),
    )
    _, read = read_elf(elf_of(ObjectCode(sections, ()), FORMAT), FORMATS)
    assert read.sections == sections
    far = Symbol("far", binding="global")
    assert read.symbols == (Symbol(".data", ".data", kind="section"), far)


def test_names_that_several_have_get_numbers() -> None:
    text, local = Section(".text", "ax", "progbits", 1, bytes(4)), Symbol(".L1", ".text", 2)
    twice = ObjectCode((text, text), (local, local, local._replace(value=3)))
    _, read = read_elf(elf_of(twice, FORMAT), FORMATS)
    assert [section.name for section in read.sections] == [".text", ".text.2"]
    assert [symbol.name for symbol in read.symbols] == [".L1", ".L1.2", ".L1.3"]


def linked(sections: tuple[Section, ...], symbol: int) -> bytes:
    """An executable with these sections, and a symbol at an address of the first."""
    code = ObjectCode(sections, (Symbol("main", sections[0].name, symbol, binding="global"),))
    data = bytearray(elf_of(code, FORMAT))
    data[16:18] = (2).to_bytes(2, "little")
    return bytes(data)


def test_symbols_of_executables_count_from_their_sections() -> None:
    text = Section(".text", "ax", "progbits", 16, bytes(32), address=0x100)
    _, read = read_elf(linked((text,), 0x110), FORMATS)
    assert read == ObjectCode((text,), (Symbol("main", ".text", 0x10, binding="global"),))


def test_an_executable_without_sections_has_its_segments() -> None:
    header = struct.pack(
        "<16sHHIIIIIHHHHHH", b"\x7fELF\1\1\1", 2, 264, 1, 0, 52, 0, 2, 52, 32, 2, 40, 0, 0
    )
    code = struct.pack("<8I", 1, 116, 0x20, 0x20, 4, 4, 5, 16)
    data = struct.pack("<8I", 1, 120, 0x70000, 0x70000, 2, 8, 6, 16)
    _, read = read_elf(header + code + data + b"\1\2\3\4\5\6", FORMATS)
    assert read.sections == (
        Section(".text", "ax", "progbits", 1, b"\1\2\3\4", address=0x20),
        Section(".data", "aw", "progbits", 1, b"\5\6", address=0x70000),
    )


@pytest.mark.parametrize(
    "command",
    [("readelf", "-aW"), ("objdump", "-h", "-t", "-r"), ("llvm-readelf", "-a")],
    ids=lambda command: command[0],
)
@pytest.mark.parametrize("name", FORMATS)
def test_other_readers_have_nothing_to_say(
    command: tuple[str, ...], name: str, tmp_path: Path
) -> None:
    if shutil.which(command[0]) is None:
        return  # neither is needed to build or to test
    path = tmp_path / "code.o"
    path.write_bytes(elf_of(CODE, FORMATS[name]))
    done = subprocess.run([*command, str(path)], capture_output=True, text=True, check=True)
    # GNU readelf does not know the relocations of these machines.
    ours = [line for line in done.stderr.splitlines() if "Don't know about relocations" not in line]
    assert ours == []
    assert "arning" not in done.stdout
    assert "memcpy" in done.stdout


def check_refusal(data: bytes, message: str) -> None:
    """A file is refused with a message of one line that has this in it."""
    with pytest.raises(ElfError) as caught:
        read_elf(data, FORMATS)
    assert message in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def changed(at: int, value: int, size: int = 2) -> bytes:
    """The object above with another number in its header."""
    data = bytearray(elf_of(CODE, FORMAT))
    data[at : at + size] = value.to_bytes(size, "little")
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "expected an ELF file, found an empty file"),
        (b"abcd", "expected an ELF file, found 61 62 63 64"),
        (b"\x7fELF\1\1", "ends in its header, after 6 bytes"),
        (changed(4, 2, 1), "expected ELF of 32 bits, little-endian, found 64 bits"),
        (changed(5, 2, 1), "found 32 bits, big-endian"),
        (changed(16, 4), "expected a relocatable or executable ELF file, found type 4"),
        (changed(18, 62), "no instruction set here has ELF machine 62"),
        (changed(36, 9, 4), "machine 264: expected the flags 0x2 (one), 0x3 (other), 0x4 (other)"),
        (changed(32, 1 << 31, 4), "the table of sections exceeds the file"),
        (changed(48, 0xFFFF), "the table of sections exceeds the file"),
        (changed(48, 0), "too many sections"),
    ],
)
def test_a_broken_header_is_one_line(data: bytes, message: str) -> None:
    check_refusal(data, message)


def test_sections_that_overlap_take_no_more_memory_than_the_file() -> None:
    text = Section(".text", "ax", "progbits", 1, bytes(10_000))
    data = bytearray(elf_of(ObjectCode((text, text), ()), FORMAT))
    table = int.from_bytes(data[32:36], "little")
    data[table + 80 + 16 : table + 80 + 20] = data[table + 40 + 16 : table + 40 + 20]
    data[table + 80 + 20 : table + 80 + 24] = (19_000).to_bytes(4, "little")
    check_refusal(bytes(data), "a section exceeds the file, or others")


def test_sections_without_data_have_a_limit() -> None:
    data = bytearray(elf_of(CODE, FORMAT))
    at = data.index(struct.pack("<I", 100), int.from_bytes(data[32:36], "little"))
    data[at : at + 4] = (0xFFFF_FFFF).to_bytes(4, "little")
    check_refusal(bytes(data), "sections without data take more than")


def test_without_pyelftools_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "elftools.elf.elffile", None)
    check_refusal(elf_of(CODE, FORMAT), "pip install 'ipu-asm[elf]'")


def refusal_of(data: bytes) -> str:
    """Why a file is not read; empty if it is."""
    try:
        read_elf(data, FORMATS)
    except ElfError as error:
        return str(error)
    return ""


def test_any_harm_is_read_or_refused_in_a_line() -> None:
    random, data = Random(1), elf_of(CODE, FORMAT)
    messages = []
    start = time.process_time()
    for _ in range(1_500):
        harmed = bytearray(data)
        for _ in range(random.randint(1, 4)):
            at = random.choice([random.randrange(len(data)), random.randrange(52)])
            harmed[at] = random.choice([0, 1, 0x7F, 0xFF, random.randrange(256)])
        if random.random() < 0.2:
            del harmed[random.randrange(len(harmed)) :]
        messages.append(refusal_of(bytes(harmed)))
    assert sum(map(bool, messages)) > 500
    assert all(len(message.splitlines()) == 1 for message in messages if message)
    assert time.process_time() - start < 20

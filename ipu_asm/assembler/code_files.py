"""Files with machine code: objects and executables, listings of disassemblers, and plain bytes.

pyelftools, which the extra `elf` installs, reads the tables of ELF files. What it would do for
broken files is bounded here: contents together are no longer than the file, and the number and
length of names are limited.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any, Final, Iterator, Mapping

from ipu_asm.assembler.code_text import CodeLine, code_lines
from ipu_asm.assembler.elf_writer import (
    BINDINGS,
    COMDAT,
    GROUP,
    RELOCATION_SIZE,
    SECTION_HEADER_SIZE,
    SECTION_KINDS,
    SYMBOL_KINDS,
    SYMBOL_SIZE,
    VISIBILITIES,
)
from ipu_asm.assembler.listed_source import MIN_SHARE, NO_BYTES, nearest_set
from ipu_asm.assembler.machine_code import (
    ABSOLUTE,
    SECTION_FLAGS,
    MachineCode,
    ObjectCode,
    ObjectFormat,
    Relocation,
    Section,
    Symbol,
)
from ipu_asm.assembler.objdump_text import read_objdump
from ipu_asm.assembler.word_code import machine_code_of
from ipu_asm.config.files import FileError
from ipu_asm.isa import load_isa, manifests, target_module
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import LineIndex

if TYPE_CHECKING:
    from elftools.elf.elffile import ELFFile

MAGIC: Final = b"\x7fELF"
_MISSING = "reading ELF files needs pyelftools (`pip install 'ipu-asm[elf]'`)"
_FILE_HEADER_SIZE = 52
_CLASS_32, _LITTLE_ENDIAN = 1, 1
_TYPES: Final = {1: "ET_REL", 2: "ET_EXEC", 3: "ET_DYN"}
_RELOCATABLE = 1
_EXECUTABLE_SEGMENT, _WRITABLE_SEGMENT = 1, 2
_MAX_EMPTY = 64 << 20  # bytes of all `nobits` sections, which the file does not hold
_MAX_ENTRIES = 200_000  # of all tables of symbols and relocations
_MAX_NAMES = 16 << 20  # characters
_KINDS = {number: name for name, number in SECTION_KINDS.items()}
_SYMTAB, _RELA, _REL = 2, 4, 9
_SYMBOL_KINDS = {f"STT_{name.upper()}": name for name in SYMBOL_KINDS}
_BINDINGS = {f"STB_{name.upper()}": name for name in BINDINGS}
_VISIBILITIES = {f"STV_{name.upper()}": name for name in VISIBILITIES}


class ElfError(Exception):
    """An ELF file that is broken or not supported. The message is one line."""


def read_elf(
    data: bytes, formats: Mapping[str, ObjectFormat] | None = None
) -> tuple[str, ObjectCode]:
    """Return the instruction set and the content of an object or executable.

    Sections without data of the program (symbols, notes of linkers) are left out. Where
    several sections or local symbols have one name, a number is added to all but the first.
    `formats` are those that the set is chosen from, by default of all sets. Raises `ElfError`.
    """
    if not data.startswith(MAGIC):
        raise ElfError(f"expected an ELF file, found {data[:4].hex(' ') or 'an empty file'}")
    _check_header(data)
    formats = _formats() if formats is None else formats
    isa, flags = _isa_of(data, formats), _number(data, 36, 4)
    try:
        from elftools.elf.elffile import ELFFile  # 20 ms, and optional
    except ImportError:
        raise ElfError(_MISSING) from None
    try:
        code = _Reader(data, ELFFile(io.BytesIO(data))).code()
        return isa, code if flags == formats[isa].flags else code._replace(flags=flags)
    except ElfError:
        raise
    except Exception as error:
        # Broken files end in exceptions of many classes, which differ between versions.
        found = f"{type(error).__name__}: {error}".splitlines()[0]
        raise ElfError(f"the ELF file is broken: {found[:200]}") from None


def _number(data: bytes, at: int, size: int) -> int:
    return int.from_bytes(data[at : at + size], "little")


def _check_header(data: bytes) -> None:
    """Check what must hold before any table is read. Raises `ElfError`."""
    if len(data) < _FILE_HEADER_SIZE:
        raise ElfError(f"the ELF file ends in its header, after {len(data)} bytes")
    if data[4] != _CLASS_32 or data[5] != _LITTLE_ENDIAN:
        bits = {1: "32", 2: "64"}.get(data[4], "?")
        order = {1: "little", 2: "big"}.get(data[5], "?")
        raise ElfError(f"expected ELF of 32 bits, little-endian, found {bits} bits, {order}-endian")
    kind = _number(data, 16, 2)
    if kind not in _TYPES:
        raise ElfError(f"expected a relocatable or executable ELF file, found type {kind}")
    start, size, count = _number(data, 32, 4), _number(data, 46, 2), _number(data, 48, 2)
    if start and (size != SECTION_HEADER_SIZE or start + size * max(count, 1) > len(data)):
        raise ElfError("the ELF file is broken: the table of sections exceeds the file")
    if start and not count:
        raise ElfError("the ELF file has too many sections")


def _formats() -> Mapping[str, ObjectFormat]:
    return {
        name: target_module(name, "machine_code").load().object_format
        for name, manifest in manifests().items()
        if manifest.has_machine_code
    }


def _isa_of(data: bytes, formats: Mapping[str, ObjectFormat]) -> str:
    """The instruction set that the machine and flags of a file mean. Raises `ElfError`."""
    machine, flags = _number(data, 18, 2), _number(data, 36, 4)
    found = {name: each for name, each in formats.items() if each.machine == machine}
    for name, each in found.items():
        if flags & each.flags_mask in each.known_flags:
            return name
    if not found:
        raise ElfError(f"no instruction set here has ELF machine {machine}")
    expected = (
        f"{value:#x} ({name})" for name, each in found.items() for value in sorted(each.known_flags)
    )
    raise ElfError(f"machine {machine}: expected the flags {', '.join(expected)}, found {flags:#x}")


class _Table(NamedTuple):
    """A section of the file: its number, its type, and what pyelftools makes of it."""

    number: int
    kind: int
    section: Any


class _Names:
    """Names that are taken. All together are no longer than a limit."""

    def __init__(self) -> None:
        self._characters = _MAX_NAMES
        self._taken: dict[tuple[str, str], int] = {}

    def unique(self, name: str, sort: str) -> str:
        """Return a name as it is, or with a number if it is taken; it is taken then."""
        self.count(name)
        found = name
        while (number := self._taken.get((sort, found), 0)) > 0:
            self._taken[sort, name] = self._taken[sort, name] + 1
            found = f"{name}.{self._taken[sort, name]}"
        self._taken[sort, found] = number + 1
        return found

    def count(self, name: str) -> None:
        """Count the characters of a name. Raises `ElfError`."""
        self._characters -= len(name)
        if self._characters < 0:
            raise ElfError(f"the names in the ELF file exceed {_MAX_NAMES:,} characters")


class _Reader:
    """Reads the tables of a file."""

    def __init__(self, data: bytes, elf: ELFFile) -> None:
        self.data = data
        self.elf = elf
        self.is_relocatable = _number(data, 16, 2) == _RELOCATABLE
        self.budget = len(data)
        self.entries = _MAX_ENTRIES
        self.names = _Names()

    def code(self) -> ObjectCode:
        if not _number(self.data, 32, 4):
            return ObjectCode(tuple(self._segments()), ())
        tables = list(self._tables())
        sections = dict(self._sections(tables))
        symbol_table = next((table for table in tables if table.kind == _SYMTAB), None)
        numbered = dict(self._symbols(symbol_table.section, sections)) if symbol_table else {}
        if self.is_relocatable:
            # Those of executables are applied already.
            self._add_relocations(tables, sections, numbered)
            self._add_groups(tables, sections, numbered)
        return ObjectCode(tuple(sections.values()), tuple(numbered.values()))

    def _tables(self) -> Iterator[_Table]:
        """Yield the sections that are read; pyelftools would parse the contents of some others."""
        for number in range(_number(self.data, 48, 2)):
            header = _number(self.data, 32, 4) + number * SECTION_HEADER_SIZE
            kind = _number(self.data, header + 4, 4)
            if kind in _KINDS or kind in (_SYMTAB, _RELA, _REL, GROUP):
                section = self.elf.get_section(number)
                self.names.count(section.name)
                yield _Table(number, kind, section)

    def _sections(self, tables: list[_Table]) -> Iterator[tuple[int, Section]]:
        empty = 0
        for number, number_of_kind, section in tables:
            if number_of_kind not in _KINDS:
                continue
            size, flags, kind = section["sh_size"], section["sh_flags"], _KINDS[number_of_kind]
            if kind == "nobits":
                empty += size
                if empty > _MAX_EMPTY:
                    raise ElfError(f"sections without data take more than {_MAX_EMPTY:,} bytes")
                data = bytes(size)
            else:
                data = self._content(section["sh_offset"], size)
            alignment = max(section["sh_addralign"], 1)
            if alignment & (alignment - 1):
                raise ElfError(f"the ELF file is broken: an alignment is {alignment}")
            yield (
                number,
                Section(
                    self.names.unique(section.name or ".unnamed", "section"),
                    "".join(letter for letter, bit in SECTION_FLAGS.items() if flags & bit),
                    kind,
                    alignment,
                    data,
                    address=section["sh_addr"],
                    entry_size=section["sh_entsize"],
                ),
            )

    def _content(self, start: int, size: int) -> bytes:
        self.budget -= size
        if start + size > len(self.data) or self.budget < 0:
            raise ElfError("the ELF file is broken: a section exceeds the file, or others")
        return self.data[start : start + size]

    def _segments(self) -> Iterator[Section]:
        """The segments that are loaded, of an executable without sections."""
        for segment in self.elf.iter_segments():
            if segment["p_type"] != "PT_LOAD" or not segment["p_filesz"]:
                continue
            flags = segment["p_flags"]
            is_code = flags & _EXECUTABLE_SEGMENT
            yield Section(
                self.names.unique(".text" if is_code else ".data", "section"),
                "a" + "w" * bool(flags & _WRITABLE_SEGMENT) + "x" * bool(is_code),
                "progbits",
                1,
                self._content(segment["p_offset"], segment["p_filesz"]),
                address=segment["p_vaddr"],
            )

    def _symbols(self, table: Any, sections: dict[int, Section]) -> Iterator[tuple[int, Symbol]]:
        self._check_table(table, SYMBOL_SIZE)
        for number, entry in enumerate(table.iter_symbols()):
            if not number:
                continue
            self.names.count(entry.name)
            place, kind = entry["st_shndx"], _SYMBOL_KINDS.get(entry["st_info"]["type"], "notype")
            section = sections.get(place)
            if section is None and place not in ("SHN_UNDEF", "SHN_ABS", "SHN_COMMON"):
                continue  # of a section that has no data of the program
            value = entry["st_value"]
            if section is not None and not self.is_relocatable:
                value = (value - section.address) % (1 << 32)
            name = section.name if kind == "section" and section is not None else entry.name
            if kind not in ("section", "file"):
                name = self.names.unique(name or f".Lsymbol{number}", "symbol")
            yield (
                number,
                Symbol(
                    name,
                    ABSOLUTE if place == "SHN_ABS" else section.name if section else "",
                    value,
                    entry["st_size"],
                    _BINDINGS.get(entry["st_info"]["bind"], "global"),
                    "common" if place == "SHN_COMMON" else kind,
                    _VISIBILITIES.get(entry["st_other"]["visibility"], "default"),
                ),
            )

    def _add_relocations(
        self, tables: list[_Table], sections: dict[int, Section], symbols: dict[int, Symbol]
    ) -> None:
        for _, kind, table in tables:
            target = sections.get(table["sh_info"])
            if kind not in (_RELA, _REL) or target is None:
                continue
            if kind == _REL:
                raise ElfError(f"expected relocations with addends, found others in {table.name}")
            self._check_table(table, RELOCATION_SIZE)
            relocations = tuple(
                Relocation(
                    entry["r_info_type"],
                    entry["r_offset"],
                    symbols[entry["r_info_sym"]].name if entry["r_info_sym"] else "",
                    entry["r_addend"],
                )
                for entry in table.iter_relocations()
            )
            if any(each.offset >= len(target.data) for each in relocations):
                raise ElfError(f"the ELF file is broken: a relocation is outside of {target.name}")
            sections[table["sh_info"]] = target._replace(
                relocations=target.relocations + relocations
            )

    def _add_groups(
        self, tables: list[_Table], sections: dict[int, Section], symbols: dict[int, Symbol]
    ) -> None:
        """Name the groups of sections of which a linker keeps one."""
        for _, kind, table in tables:
            if kind != GROUP:
                continue
            data = self._content(table["sh_offset"], table["sh_size"])
            words = [_number(data, at, 4) for at in range(0, len(data) - 3, 4)]
            name = symbols[table["sh_info"]].name
            for number in words[1:] if words[:1] == [COMDAT] else ():
                if number in sections:
                    sections[number] = sections[number]._replace(group=name)

    def _check_table(self, table: Any, entry_size: int) -> None:
        """Raise `ElfError` if a table of symbols or relocations has wrong entries or too many."""
        size = table["sh_size"]
        if table["sh_entsize"] != entry_size or size % entry_size:
            found = table["sh_entsize"]
            raise ElfError(f"entries of {table.name} have {entry_size} bytes, found {found}")
        self._content(table["sh_offset"], size)
        self.entries -= size // entry_size
        if self.entries < 0:
            raise ElfError(f"the ELF file has more than {_MAX_ENTRIES:,} symbols and relocations")


MAX_CODE: Final = 1 << 19
"""Bytes in sections of code; 20 s of decoding. Larger programs are not of one tile."""

_HEX_LINE = re.compile(r"(?:0[xX])?((?:[0-9a-fA-F]{2}[ \t]*)+)")
_COMMENT = re.compile(r"(?:#|//).*")
_TEXT = ".text"


class CodeFile(NamedTuple):
    """The machine code of a file."""

    isa: Isa
    machine_code: MachineCode
    code: ObjectCode

    def lines(self, *, has_labels: bool) -> list[CodeLine]:
        """Return its assembly: see `code_lines`."""
        return code_lines(self.code, self.isa, self.machine_code, has_labels=has_labels)

    def text(self, *, has_labels: bool) -> str:
        """Return its assembly as a text: see `code_lines`."""
        return "".join(f"{line.text}\n" for line in self.lines(has_labels=has_labels))


def read_code_file(data: bytes, name: str, isa_name: str | None = None) -> CodeFile:
    """Return the content of an ELF file, or of the text of `objdump -d`. Raises `FileError`.

    The set of a listing is the one whose units its lines are.
    """
    if not data.startswith(MAGIC):
        return _listed(data.decode("utf-8", "surrogateescape"), name, isa_name)
    try:
        found, code = read_elf(data)
    except ElfError as error:
        raise FileError(str(error), name) from None
    if isa_name not in (None, found):
        raise FileError(f"expected an object for `{isa_name}`, found one for `{found}`", name)
    if sum(len(section.data) for section in code.sections if section.is_code) > MAX_CODE:
        raise FileError(f"sections of code have more than {MAX_CODE:,} bytes", name)
    isa = load_isa(found)
    return CodeFile(isa, required_machine_code(isa, name), code)


def required_machine_code(isa: Isa, name: str) -> MachineCode:
    """Return the encoding of a set with objects. Raises `FileError` about `name` without one."""
    found = machine_code_of(isa)
    if found is None or not found.has_objects:
        raise FileError(f"`{isa.name}` has no machine code of that kind", name)
    return found


def code_of_bytes(data: bytes, address: int = 0) -> ObjectCode:
    """Return bytes as a section of code at an address."""
    return ObjectCode((Section(_TEXT, "ax", "progbits", 1, data, address=address),), ())


def bytes_of_hex(text: str, name: str) -> bytes:
    """Return the bytes of hexadecimal digits in memory order. Raises `FileError`.

    Lines are as long as their author likes; they may begin with `0x` and end in comments.
    """
    parts = []
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        digits = _COMMENT.sub("", line).strip()
        match = _HEX_LINE.fullmatch(digits)
        if match is not None:
            parts.append(bytes.fromhex(match[1]))
        elif digits:
            found = digits if len(digits) <= len("0x") * 20 else f"{digits[:40]}..."
            expected = "expected bytes as pairs of hexadecimal digits"
            raise FileError(f"{expected}, found {found!r}", f"{name}:{number}")
    if not parts:
        raise FileError("expected bytes as pairs of hexadecimal digits, found none", name)
    return b"".join(parts)


def _listed(text: str, name: str, isa_name: str | None) -> CodeFile:
    nearest, share = (isa_name, 1.0) if isa_name else nearest_set(text)
    isa = load_isa(nearest)
    machine_code = required_machine_code(isa, name)
    listing = read_objdump(text, machine_code.object_format.code_relocations)
    if listing.mistakes:
        span, message = listing.mistakes[0]
        row = LineIndex.of(text).position(span.start).line + 1
        raise FileError(message, f"{name}:{row}")
    if not listing.units:
        raise FileError(NO_BYTES, name)
    if sum(len(section.data) for section in listing.code.sections) > MAX_CODE:
        raise FileError(f"the listing has more than {MAX_CODE:,} bytes of code", name)
    if share < MIN_SHARE:
        shown = f"{share:.0%} of its lines are units of `{nearest}`, the nearest set"
        raise FileError(f"the instruction set is not clear: {shown}; name it with --isa", name)
    return CodeFile(isa, machine_code, listing.code)

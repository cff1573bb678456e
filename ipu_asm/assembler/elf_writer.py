"""Object files: `ObjectCode` as a relocatable ELF file of 32 bits, little-endian.

Groups are first. After each section with relocations is `.rela.` and its name; the symbol table
and the tables of names are last. Local symbols come first, as ELF requires, otherwise symbols keep
their order.
"""

from __future__ import annotations

import struct
from typing import Iterator, Mapping, Sequence

from ipu_asm.assembler.machine_code import (
    ABSOLUTE,
    SECTION_FLAGS,
    ObjectCode,
    ObjectFormat,
    Relocation,
    Section,
    Symbol,
)
from ipu_asm.named_tuple import NamedTuple

SECTION_KINDS: Mapping[str, int] = {
    "progbits": 1,
    "note": 7,
    "nobits": 8,
    "init_array": 14,
    "fini_array": 15,
    "preinit_array": 16,
}
"""The values of `sh_type` by the words of `.section`."""

SYMBOL_KINDS: Mapping[str, int] = {
    "notype": 0,
    "object": 1,
    "func": 2,
    "section": 3,
    "file": 4,
    "tls": 6,
}
BINDINGS: Mapping[str, int] = {"local": 0, "global": 1, "weak": 2}
VISIBILITIES: Mapping[str, int] = {"default": 0, "internal": 1, "hidden": 2, "protected": 3}

SECTION_HEADER_SIZE, SYMBOL_SIZE, RELOCATION_SIZE = 40, 16, 12
FILE_HEADER_SIZE = 52
INDEX_ABSOLUTE, INDEX_COMMON = 0xFFF1, 0xFFF2
MAX_SECTIONS = 0xFF00 - 5
"""Indices from 0xFF00 on have other meanings, and five sections are the writer's own."""

_FILE_HEADER = struct.Struct("<16sHHIIIIIHHHHHH")
_SECTION_HEADER = struct.Struct("<10I")
_SYMBOL = struct.Struct("<IIIBBH")
_RELOCATION = struct.Struct("<IIi")
_MAGIC = b"\x7fELF\x01\x01\x01"
_RELOCATABLE, _VERSION = 1, 1
_SYMTAB, _STRTAB, _RELA = 2, 3, 4
GROUP, COMDAT = 17, 1
_INFO_LINK = 0x40
_WORD = 4
_PAGE = 4096
"""The largest alignment of contents in the file: objects are not mapped as they are."""


def elf_of(code: ObjectCode, object_format: ObjectFormat) -> bytes:
    """Return a relocatable ELF file.

    Symbols that only relocations name are those of sections, or undefined. Raises `ValueError` for
    more sections than ELF can number.
    """
    with_relocations = sum(bool(section.relocations) for section in code.sections)
    groups = dict.fromkeys(section.group for section in code.sections if section.group)
    if len(code.sections) + with_relocations + len(groups) > MAX_SECTIONS:
        raise ValueError(f"an object has at most {MAX_SECTIONS} sections")
    symbols = _ordered(code)
    places = {symbol.name: number for number, symbol in enumerate(symbols, 1)}
    names = _Names()
    # A group precedes its sections.
    headers: list[_Header] = [_Header(0, 0, b"")] * (1 + len(groups))
    indices: dict[str, int] = {}
    owners: list[tuple[Section, int]] = []
    for section in code.sections:
        indices.setdefault(section.name, len(headers))
        owners.append((section, len(headers)))
        headers.append(_header(section, names))
        headers += [_Header(0, 0, b"")] if section.relocations else []
    symbol_table = len(headers)
    for section, index in owners:
        if section.relocations:
            headers[index + 1] = _relocations(section, index, symbol_table, places, names)
    headers += _symbol_table(symbols, indices, symbol_table, names)
    headers[1 : 1 + len(groups)] = _groups(owners, symbol_table, places, names)
    own_names = names.offset(".shstrtab")
    headers.append(_Header(own_names, _STRTAB, names.table()))
    return _file(headers, object_format, object_format.flags if code.flags is None else code.flags)


class _Header(NamedTuple):
    """A section in the file; `size` where it has no data there."""

    name: int
    kind: int
    data: bytes
    flags: int = 0
    address: int = 0
    size: int | None = None
    link: int = 0
    info: int = 0
    alignment: int = 0
    entry_size: int = 0


class _Names:
    """A table of names: each one once, zero-terminated, after an empty one."""

    def __init__(self) -> None:
        self._offsets = {"": 0}
        self._parts = [b"\0"]
        self._size = 1

    def offset(self, name: str) -> int:
        offset = self._offsets.get(name)
        if offset is None:
            encoded = name.encode("utf-8", "surrogateescape") + b"\0"
            offset = self._offsets[name] = self._size
            self._parts.append(encoded)
            self._size += len(encoded)
        return offset

    def table(self) -> bytes:
        return b"".join(self._parts)


def _ordered(code: ObjectCode) -> list[Symbol]:
    """The symbols, local ones first, with those that only relocations name."""
    known = {"", *(symbol.name for symbol in code.symbols)}
    sections = {section.name for section in code.sections}
    used = [each.symbol for section in code.sections for each in section.relocations]
    used += [section.group for section in code.sections]
    others = (
        Symbol(name, name, kind="section") if name in sections else Symbol(name, binding="global")
        for name in dict.fromkeys(used)
        if name not in known
    )
    return sorted([*code.symbols, *others], key=lambda symbol: symbol.binding != "local")


def _header(section: Section, names: _Names) -> _Header:
    is_empty = section.kind == "nobits"
    return _Header(
        names.offset(section.name),
        SECTION_KINDS[section.kind],
        b"" if is_empty else section.data,
        flags=sum(SECTION_FLAGS[letter] for letter in set(section.flags)),
        address=section.address,
        size=len(section.data),
        alignment=section.alignment,
        entry_size=section.entry_size,
    )


def _relocations(
    section: Section, index: int, symbol_table: int, places: Mapping[str, int], names: _Names
) -> _Header:
    return _Header(
        names.offset(f".rela{section.name}"),
        _RELA,
        b"".join(_relocation(each, places) for each in section.relocations),
        flags=_INFO_LINK | (SECTION_FLAGS["G"] if section.group else 0),
        link=symbol_table,
        info=index,
        alignment=_WORD,
        entry_size=RELOCATION_SIZE,
    )


def _relocation(relocation: Relocation, places: Mapping[str, int]) -> bytes:
    symbol = places[relocation.symbol] if relocation.symbol else 0
    # Addresses have 32 bits: an addend of -4 and one of 2**32 - 4 are the same.
    addend = (relocation.addend + (1 << 31)) % (1 << 32) - (1 << 31)
    return _RELOCATION.pack(relocation.offset, symbol << 8 | relocation.kind, addend)


def _groups(
    owners: Sequence[tuple[Section, int]],
    symbol_table: int,
    places: Mapping[str, int],
    names: _Names,
) -> Iterator[_Header]:
    """Yield the groups of sections of which a linker keeps one, with their relocations."""
    members: dict[str, list[int]] = {}
    for section, index in owners:
        if section.group:
            own = [index, index + 1] if section.relocations else [index]
            members.setdefault(section.group, []).extend(own)
    for group, numbers in members.items():
        yield _Header(
            names.offset(".group"),
            GROUP,
            struct.pack(f"<{1 + len(numbers)}I", COMDAT, *numbers),
            link=symbol_table,
            info=places[group],
            alignment=_WORD,
            entry_size=_WORD,
        )


def _symbol_table(
    symbols: Sequence[Symbol], indices: Mapping[str, int], at: int, names: _Names
) -> Iterator[_Header]:
    """Yield the symbol table, which is section number `at`, and the table of its names."""
    texts = _Names()
    rows = [_SYMBOL.pack(0, 0, 0, 0, 0, 0)]
    for symbol in symbols:
        # A symbol of a section has the name of that section.
        name = 0 if symbol.kind == "section" else texts.offset(symbol.name)
        kind = SYMBOL_KINDS["object" if symbol.kind == "common" else symbol.kind]
        rows.append(
            _SYMBOL.pack(
                name,
                symbol.value % (1 << 32),
                symbol.size % (1 << 32),
                BINDINGS[symbol.binding] << 4 | kind,
                VISIBILITIES[symbol.visibility],
                _section_index(symbol, indices),
            )
        )
    local = 1 + sum(symbol.binding == "local" for symbol in symbols)
    yield _Header(
        names.offset(".symtab"),
        _SYMTAB,
        b"".join(rows),
        link=at + 1,
        info=local,
        alignment=_WORD,
        entry_size=SYMBOL_SIZE,
    )
    yield _Header(names.offset(".strtab"), _STRTAB, texts.table())


def _section_index(symbol: Symbol, indices: Mapping[str, int]) -> int:
    if symbol.kind == "common":
        return INDEX_COMMON
    if symbol.section == ABSOLUTE or symbol.kind == "file":
        return INDEX_ABSOLUTE
    return indices[symbol.section] if symbol.section else 0


def _file(headers: Sequence[_Header], object_format: ObjectFormat, flags: int) -> bytes:
    """The file header, the data of the sections, and the table of their headers."""
    image = bytearray(FILE_HEADER_SIZE)
    rows = []
    for number, header in enumerate(headers):
        alignment = max(header.alignment, 1)
        image += bytes(-len(image) % min(alignment, _PAGE) if header.data else 0)
        rows.append(
            _SECTION_HEADER.pack(
                header.name,
                header.kind,
                header.flags,
                header.address,
                len(image) if number else 0,
                len(header.data) if header.size is None else header.size,
                header.link,
                header.info,
                alignment if number else 0,
                header.entry_size,
            )
        )
        image += header.data
    image += bytes(-len(image) % _WORD)
    image[:FILE_HEADER_SIZE] = _FILE_HEADER.pack(
        _MAGIC + bytes([object_format.os_abi]),
        _RELOCATABLE,
        object_format.machine,
        _VERSION,
        0,
        0,
        len(image),
        flags,
        FILE_HEADER_SIZE,
        0,
        0,
        SECTION_HEADER_SIZE,
        len(headers),
        len(headers) - 1,
    )
    return bytes(image) + b"".join(rows)

"""The text of `llvm-objdump -d`, also with `-r`: the code in it, and the line of each unit.

Lines that are neither code nor a section, a label or a relocation are ignored, such as source lines
and tables of symbols. Bytes that `...` stands for are zeros.
"""

from __future__ import annotations

import re
from typing import Mapping

from ipu_asm.assembler.machine_code import (
    MachineCode,
    ObjectCode,
    Relocation,
    Section,
    Symbol,
    Unit,
)
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import LineIndex, Span

_SECTION = re.compile(r"[ \t]*Disassembly of section (.+):")
_LABEL = re.compile(r"[ \t]*([0-9a-fA-F]{1,8}) <(.+)>:")
# Between bytes and assembly is a tab, of which a page or a terminal makes spaces.
_CODE = re.compile(
    r"[ \t]*([0-9a-fA-F]{1,8}):[ \t]+"
    r"([0-9a-fA-F]{2}(?: [0-9a-fA-F]{2}){0,31}|[0-9a-fA-F]{8}(?: [0-9a-fA-F]{8}){0,7})"
    r"(?:[ \t]*$|[ \t]+(?![0-9a-fA-F]{2}(?:[ ]|$)))(.*)"
)
_RELOCATION = re.compile(
    r"[ \t]+([0-9a-fA-F]{1,16}):[ \t]+(R_\w+)[ \t]+([^\s+*-][^\s+]*?|\*ABS\*)([+-]0x[0-9a-fA-F]+)?"
)
_KIND = re.compile(r"R_\w*_(\d+)")
_MAX_GAP = 16 << 20  # bytes, of all sections
_LOCAL = ".L"


class ListedUnit(NamedTuple):
    """A line of code in a listing: the place of its bytes, the spans of assembly and address."""

    section: str
    offset: int
    size: int
    span: Span
    address: Span


class ObjdumpListing(NamedTuple):
    """A listing: `units` are its lines of code, `mistakes` are spans with messages.

    `names` are the spans of names, by the name and the section.
    """

    code: ObjectCode
    units: tuple[ListedUnit, ...]
    mistakes: tuple[tuple[Span, str], ...] = ()
    names: Mapping[tuple[str, str], Span] = {}


def read_objdump(text: str, kinds: Mapping[int, str] = {}) -> ObjdumpListing:
    """Return the content of a listing. `kinds` are the names of relocations by their numbers.

    Sections that are listed several times have a number after their name.
    """
    reader = _Reader({name: number for number, name in kinds.items()})
    lines = LineIndex.of(text)
    for number in range(len(lines.starts)):
        start, end = lines.line_span(number)
        reader.line(text[start:end].rstrip("\r\n"), start)
    return reader.listing()


def matches(listing: ObjdumpListing, machine_code: MachineCode) -> float:
    """Return the share of lines of code whose bytes are a unit of that size for a set."""
    data = {section.name: section.data for section in listing.code.sections}
    fits = 0
    for unit in listing.units:
        decoded = machine_code.decode(data[unit.section], unit.offset)
        fits += decoded is not None and decoded.size == unit.size
    return fits / max(len(listing.units), 1)


class _Part:
    """A section while it is read; `start` is its address, None before the first line of code."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.start: int | None = None
        self.data = bytearray()
        self.units: list[Unit] = []
        self.relocations: list[Relocation] = []

    def section(self) -> Section:
        return Section(
            self.name,
            "ax",
            "progbits",
            1,
            bytes(self.data),
            tuple(self.relocations),
            tuple(self.units),
            self.start or 0,
        )


class _Reader:
    def __init__(self, kinds: Mapping[str, int]) -> None:
        self._kinds = kinds
        self._parts: list[_Part] = []
        self._symbols: dict[str, Symbol] = {}
        self._units: list[ListedUnit] = []
        self._mistakes: list[tuple[Span, str]] = []
        self._sections: dict[str, int] = {}
        self._names: dict[tuple[str, str], Span] = {}
        self._gaps = 0

    def listing(self) -> ObjdumpListing:
        code = ObjectCode(
            tuple(part.section() for part in self._parts), tuple(self._symbols.values())
        )
        return ObjdumpListing(code, tuple(self._units), tuple(self._mistakes), self._names)

    def line(self, line: str, start: int) -> None:
        if (match := _SECTION.fullmatch(line)) is not None:
            name = match[1]
            count = self._sections[name] = self._sections.get(name, 0) + 1
            self._parts.append(_Part(name if count == 1 else f"{name}.{count}"))
        elif not self._parts:
            return
        elif (match := _LABEL.fullmatch(line)) is not None:
            self._label(match, start)
        elif (match := _CODE.fullmatch(line)) is not None:
            self._code(match, start)
        elif (match := _RELOCATION.fullmatch(line)) is not None:
            self._relocation(match, start)

    def _label(self, match: re.Match[str], start: int) -> None:
        part, address, name = self._parts[-1], int(match[1], 16), match[2]
        self._names[part.name, name] = Span(start + match.start(2), start + match.end(2))
        if part.start is None:
            part.start = address
        is_local = name.startswith(_LOCAL)
        symbol = Symbol(
            name,
            part.name,
            address - part.start,
            binding="local" if is_local else "global",
            kind="notype" if is_local else "func",
        )
        self._symbols.setdefault(name, symbol)

    def _code(self, match: re.Match[str], start: int) -> None:
        part, address, data = self._parts[-1], int(match[1], 16), _bytes_of(match[2])
        span = Span(start + match.start(3), start + match.end(3))
        if not span.end - span.start:
            span = Span(start + match.start(2), start + match.end(2))
        if part.start is None:
            part.start = address
        offset = address - part.start
        gap = offset - len(part.data)
        self._gaps += max(gap, 0)
        if gap < 0 or self._gaps > _MAX_GAP:
            found = f"address {address:#x} after {part.start + len(part.data):#x}"
            self._mistakes.append((span, f"expected addresses in order, found {found}"))
            return
        part.data += bytes(gap)
        part.data += data
        part.units.append(Unit(offset, len(data), -1))
        shown = Span(start + match.start(1), start + match.end(1))
        self._units.append(ListedUnit(part.name, offset, len(data), span, shown))

    def _relocation(self, match: re.Match[str], start: int) -> None:
        part = self._parts[-1]
        kind = self._kinds.get(match[2])
        if kind is None and (number := _KIND.fullmatch(match[2])) is not None:
            kind = int(number[1])
        offset = int(match[1], 16) - (part.start or 0)
        if kind is None or not 0 <= offset < len(part.data):
            span = Span(start + match.start(2), start + match.end(3))
            message = f"relocation `{match[2]}` is unknown, or outside of the code above it"
            self._mistakes.append((span, message))
            return
        symbol = "" if match[3] == "*ABS*" else match[3]
        part.relocations.append(Relocation(kind, offset, symbol, int(match[4] or "0", 16)))


def _bytes_of(digits: str) -> bytes:
    """Bytes in memory order, of single bytes or of words, the lowest byte of which comes first."""
    groups = digits.split()
    return b"".join(
        bytes.fromhex(group)[:: 1 if len(group) == len("00") else -1] for group in groups
    )

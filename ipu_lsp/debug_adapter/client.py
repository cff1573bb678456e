"""The client's side: its capabilities, lines and columns, the sources it shows, and references.

`0x1000` is an address of xmem, `r_acc` a register, `r_acc+0x40` a byte offset in a register.
Registers also have numeric addresses, far beyond xmem, because some clients continue to read and
write at the last address that they received. Addresses of bundles are a separate space: `0x7`.
"""

from __future__ import annotations

import os
import re
from typing import Final, Generic, Hashable, TypeVar
from urllib.parse import urlsplit

from ipu_asm.assembler.kernel import Kernel
from ipu_asm.debugger.breakpoint_resolver import BreakpointResolver
from ipu_asm.debugger.regions import MEMORY, Region, RegionMap
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import SourceLocation
from ipu_asm.text import Span
from ipu_lsp.debug_adapter.requests import SourceArgument
from ipu_lsp.server.convert import Coordinates, Encoding
from ipu_lsp.transport import Json


class DebugClient(NamedTuple):
    """The client's capabilities and conventions that affect our messages."""

    first_line: int = 1
    first_column: int = 1
    sends_uris: bool = False
    has_types: bool = False
    has_progress: bool = False
    has_invalidated: bool = False
    has_memory_events: bool = False
    name: str = ""

    @property
    def shows_words_first(self) -> bool:
        """Whether its disassembly shows the words before the instructions, at any width.

        Those of 24 bytes, in pairs of digits, push the instructions out of sight.
        """
        return self.name == "vscode"

    @property
    def has_menu_contexts(self) -> bool:
        """Whether it takes a context of menus with a variable, which the protocol does not have."""
        return self.name == "vscode"

    def path_to_client(self, path: str) -> str:
        if not self.sends_uris:
            return path
        from urllib.request import pathname2url

        return f"file://{pathname2url(path)}"


def path_of(text: str) -> str:
    """Convert a path or a `file` URI of a client to a path."""
    if text[:5].lower() != "file:":
        return text
    from urllib.request import url2pathname  # few clients need it, and it is slow to load

    try:
        return url2pathname(urlsplit(text).path)
    except ValueError:
        return text  # not a valid URI


class Positions:
    """Converts between offsets in a text and the client's lines and columns (UTF-16 units)."""

    def __init__(self, text: str, client: DebugClient) -> None:
        self._coordinates = Coordinates(text, Encoding.UTF_16)
        self._client = client

    def line(self, line: int) -> int:
        """Convert a line of the client to one counted from 0; negative for an invalid one."""
        return line - self._client.first_line

    def lines(self, first: int, last: int) -> range:
        """Return the existing lines from `first` to `last`, both included, counted from 0."""
        end = min(self.line(last) + 1, len(self._coordinates.lines.starts))
        return range(max(0, self.line(first)), end)

    def column(self, line: int, column: int) -> int:
        """Convert a column of the client to code points from 0; `line` counts from 0."""
        lines = self._coordinates.lines
        if not 0 <= line < len(lines.starts):
            return 0
        character = max(0, column - self._client.first_column)
        offset = self._coordinates.offset(_ClientPosition(line, character))
        return offset - lines.starts[line]

    def start_to_client(self, span: Span) -> Json:
        """Return the start of a span as the fields `line` and `column`."""
        sent = self.to_client(span)
        return {"line": sent["line"], "column": sent["column"]}

    def to_client(self, span: Span) -> Json:
        """Return a span as the fields `line`, `column`, `endLine`, `endColumn`."""
        start, end = (self._coordinates.position(offset) for offset in span)
        return {
            "line": start["line"] + self._client.first_line,
            "column": start["character"] + self._client.first_column,
            "endLine": end["line"] + self._client.first_line,
            "endColumn": end["character"] + self._client.first_column,
        }


class _ClientPosition(NamedTuple):
    line: int
    character: int


def is_same_path(one: str, other: str) -> bool:
    try:
        one, other = (os.path.normcase(os.path.abspath(path)) for path in (one, other))
        return one == other or os.path.samefile(one, other)
    except (OSError, ValueError):
        return False


LISTING: Final = 1
"""`sourceReference` of the disassembly of an image."""
EXPANSION: Final = 2
"""`sourceReference` of the expansion of a template."""


class SourceView(NamedTuple):
    """A text of the program, with the places of its bundles.

    `source` is its DAP `Source`. It has the file `path`, or the `sourceReference` `reference`.
    """

    source: Json
    resolver: BreakpointResolver
    positions: Positions
    client: DebugClient
    path: str = ""
    reference: int = 0

    @property
    def text(self) -> str:
        return self.resolver.table.source.text

    def is_meant(self, argument: SourceArgument) -> bool:
        if self.reference:
            return argument.source_reference == self.reference
        if argument.path is None or argument.source_reference:
            return False
        return is_same_path(path_of(argument.path), self.path)

    def start(self, place: SourceLocation) -> Json:
        return {"source": self.source, **self.positions.start_to_client(place.span)}


def view_of_file(kernel: Kernel, resolver: BreakpointResolver, client: DebugClient) -> SourceView:
    positions, name = Positions(kernel.source.text, client), os.path.basename(kernel.name)
    if kernel.is_image:
        origin = "disassembled"
        source = {"name": f"{name} ({origin})", "sourceReference": LISTING, "origin": origin}
        return SourceView(source, resolver, positions, client, reference=LISTING)
    source = {"name": name, "path": client.path_to_client(kernel.name)}
    return SourceView(source, resolver, positions, client, kernel.name)


def view_of_expansion(
    kernel: Kernel, resolver: BreakpointResolver, client: DebugClient
) -> SourceView:
    assert kernel.expansion is not None
    stem, extension = os.path.splitext(os.path.basename(kernel.name))
    context = kernel.expansion.context
    source = {
        # Editors recognize the language by the extension.
        "name": f"{stem} (expansion){extension}",
        "sourceReference": EXPANSION,
        "origin": f"expansion with {context}" if context else "expansion",
    }
    positions = Positions(kernel.expansion.text, client)
    return SourceView(source, resolver, positions, client, reference=EXPANSION)


_T = TypeVar("_T", bound=Hashable)
REGISTERS_AT: Final = 0x8000_0000
"""Address of the first register."""
DISTANCE: Final = 0x1000
"""Distance between the addresses of consecutive registers."""
_NUMBER: Final = re.compile(r"-?[0-9]{1,20}|0[xX][0-9a-fA-F]{1,16}")
_REFERENCE: Final = re.compile(r"(\w{1,20})(?:\+(\w{1,18}))?", re.ASCII)


class MemoryReference(NamedTuple):
    """A byte of xmem or of a register, from which offsets count. It may be out of range.

    `size` is the size of the memory or register in bytes, `origin` the address of its first byte.
    """

    part: str
    start: int
    size: int
    origin: int

    @property
    def address(self) -> str:
        return shown_address(self.origin + self.start)

    def moved(self, offset: int) -> MemoryReference:
        return self._replace(start=self.start + offset)


def reference_of(region: Region) -> str:
    if region.name == MEMORY:
        return f"{region.start:#x}"
    return f"{region.name}+{region.start:#x}" if region.start else region.name


def read_reference(text: str, regions: RegionMap) -> MemoryReference | None:
    number = _number(text)
    if number is not None:
        return _at_address(number, regions)
    match = _REFERENCE.fullmatch(text)
    if match is None or match[1].lower() not in regions.sizes:
        return None
    offset = _number(match[2] or "0")
    return None if offset is None else _within(match[1].lower(), offset, regions)


def code_address(text: str) -> int | None:
    """Parse the address of a bundle; None if it is invalid.

    The result may be outside of program memory.
    """
    return _number(text)


def shown_address(address: int) -> str:
    """Format an address: hexadecimal, or decimal if negative, as hexadecimal has no sign in DAP."""
    return f"{address:#x}" if address >= 0 else str(address)


def _at_address(address: int, regions: RegionMap) -> MemoryReference:
    number, start = divmod(address - REGISTERS_AT, DISTANCE)
    registers = _registers(regions)
    if 0 <= number < len(registers):
        return _within(registers[number], start, regions)
    return _within(MEMORY, address, regions)


def _within(part: str, start: int, regions: RegionMap) -> MemoryReference:
    origin = 0
    if part != MEMORY:
        origin = REGISTERS_AT + DISTANCE * _registers(regions).index(part)
    return MemoryReference(part, start, regions.sizes[part], origin)


def _registers(regions: RegionMap) -> list[str]:
    return [name for name in regions.sizes if name != MEMORY]


def _number(text: str) -> int | None:
    if not _NUMBER.fullmatch(text):
        return None
    return int(text, 16 if text[:2].lower() == "0x" else 10)


class VariableReferences(Generic[_T]):
    """Numbers for objects. No number is reused in a session, so that a stale one is detected."""

    def __init__(self) -> None:
        self._things: dict[int, _T] = {}
        self._numbers: dict[_T, int] = {}
        self._next = 1

    def number(self, thing: _T) -> int:
        """Return the number of an object, the same one until the machine moves."""
        if thing not in self._numbers:
            self._numbers[thing] = self._next
            self._things[self._next] = thing
            self._next += 1
        return self._numbers[thing]

    def get(self, number: int) -> _T | None:
        return self._things.get(number)

    def was_given(self, number: int) -> bool:
        return 0 < number < self._next

    def clear(self) -> None:
        self._things.clear()
        self._numbers.clear()

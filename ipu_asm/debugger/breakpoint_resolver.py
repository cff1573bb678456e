"""Resolution of breakpoints: source positions, labels and addresses to bundles."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import accumulate
from typing import Iterable, Iterator

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable, SourceLocation
from ipu_asm.source.source_map import MAIN, Frame, FrameKind, SourceRange
from ipu_asm.source.templates import skeleton
from ipu_asm.text import Span


class ResolvedBreakpoint(NamedTuple):
    """The bundles that a requested breakpoint refers to: the first one, and its source location.

    A place in a template has a bundle in each iteration and call: `addresses` are all of
    them. `message` explains that the breakpoint was moved from the requested line, or the number of
    bundles.
    """

    address: int
    place: SourceLocation
    message: str | None = None
    addresses: tuple[int, ...] = ()


class _Entry(NamedTuple):
    """A place where a breakpoint can stand: an instruction, or the call of a template's macro.

    `address` is its bundle, or the first one of the call; `stack` what it is expanded from.
    """

    span: Span
    address: int
    stack: tuple[Frame, ...] = ()
    is_call: bool = False


class BreakpointResolver:
    """Resolves breakpoints in the source of one program. Lines and columns count from 0."""

    def __init__(self, lines: LineTable) -> None:
        self.program = lines.program
        self.table = lines
        self._lines = lines.source.lines
        self._entries = sorted(_entries(lines), key=lambda entry: (entry.span, entry.address))
        # The maximum end so far, because the entries of an expanded program may overlap.
        self._ends = [*accumulate((entry.span.end for entry in self._entries), max)]
        self._line_of = [self._line(address) for address in range(self.program.size)]

    def on_line(self, line: int, column: int | None = None) -> ResolvedBreakpoint | None:
        """Return the bundle of the first instruction on a line, or of the one at a column.

        In a template, there is one for each iteration and call. A line without an instruction gives
        the next bundle. None if no bundle follows, or nothing of the line is in the expansion.
        """
        if not 0 <= line < len(self._lines.starts):
            return None
        here = self._touching(self._lines.line_span(line))
        if not here:
            return None if self._is_left_out(line) else self._moved(line)
        if column is None:
            return self._resolved(_first_of_each_stack(here))
        offset = self._lines.offset(line, column)
        at = next((number for number, each in enumerate(here) if each.span.end > offset), -1)
        # The mark that ends a bundle belongs to that bundle.
        if at > 0 and self.program.bundle_at_address[here[at - 1].address] in self._around(offset):
            at -= 1
        return self._resolved([entry for entry in here if entry.span == here[at].span])

    def reason(self, line: int) -> str:
        """Return why `on_line` has found nothing."""
        if 0 <= line < len(self._lines.starts) and self._is_left_out(line):
            context = self.table.expansion.context if self.table.expansion else ""
            given = f" ({context})" if context else ""
            return (
                f"nothing of this line is in the expansion{given}: "
                "its macro is not called, or its branch is not taken"
            )
        return "no bundle starts on this line or after it"

    def at_label(self, label: str) -> ResolvedBreakpoint | None:
        """Return the bundle of a label; None if the label or the bundle does not exist."""
        address = self.program.label_addresses.get(label)
        return None if address is None else self.at_address(address)

    def at_address(self, address: int) -> ResolvedBreakpoint | None:
        place = self.table.place(address)
        return place and ResolvedBreakpoint(address, place, addresses=(address,))

    def bundles_on_same_line(self, address: int) -> range:
        """Return the addresses of all bundles around a bundle that begin on its line.

        Those of other iterations and calls are not among them.
        """
        if not 0 <= address < len(self._line_of):
            return range(address, address + 1)
        line, start, end = self._line_of[address], address, address + 1
        while start > 0 and self._line_of[start - 1] == line:
            start -= 1
        while end < len(self._line_of) and self._line_of[end] == line:
            end += 1
        return range(start, end)

    def addresses_on(self, line: int) -> set[int]:
        return {entry.address for entry in self._touching(self._lines.line_span(line))}

    def bundles_on(self, first: int, last: int) -> list[Span]:
        """Return the spans of the bundles, or calls, of the possible breakpoints on lines."""
        start, end = self._lines.line_span(first).start, self._lines.line_span(last).end
        touching = self._touching(Span(start, end))
        # The instructions of a bundle have one place.
        places = {entry.span if entry.is_call else entry.address: entry for entry in touching}
        return list(dict.fromkeys(self._place(entry).span for entry in places.values()))

    def _touching(self, within: Span) -> list[_Entry]:
        first = bisect_right(self._ends, within.start)
        end = bisect_left(self._entries, within.end, key=lambda entry: entry.span.start)
        return [entry for entry in self._entries[first:end] if entry.span.end > within.start]

    def _around(self, offset: int) -> set[int]:
        """The bundles of the program that have come from a written character."""
        if self.table.expansion is None:
            return {self.program.bundle_at(offset)}
        offsets = self.table.expansion.source_map.expanded(MAIN, offset)
        return set(map(self.program.bundle_at, offsets))

    def _resolved(self, entries: Iterable[_Entry]) -> ResolvedBreakpoint:
        entries = sorted(entries, key=lambda entry: (entry.span, entry.address))
        addresses = tuple(sorted({entry.address for entry in entries}))
        place = self._place(entries[0])
        message = f"stands on {len(addresses)} bundles" if len(addresses) > 1 else None
        return ResolvedBreakpoint(addresses[0], place, message, addresses)

    def _place(self, entry: _Entry) -> SourceLocation:
        place = self.table.place(entry.address)
        assert place is not None
        if not entry.is_call:
            return place
        first, last = (self._lines.position(offset).line + 1 for offset in entry.span)
        return SourceLocation(entry.span, first, last, place.label, place.distance)

    def _moved(self, line: int) -> ResolvedBreakpoint | None:
        end = self._lines.line_span(line).end
        after = bisect_left(self._entries, end, key=lambda entry: entry.span.start)
        if after == len(self._entries):
            return None
        start = self._entries[after].span.start
        found = self.on_line(self._lines.position(start).line)
        assert found is not None
        which = "next bundle" if found.place.line > line else "bundle around it"
        message = f"line {line + 1} has no instruction; moved to the {which}"
        more = f", which {found.message}" if found.message else ""
        return found._replace(message=f"{message}, line {found.place.line}{more}")

    def _line(self, address: int) -> tuple[str, int, tuple[Frame, ...]]:
        """The line on which a bundle begins, with its file and stack."""
        place = self.table.place(address)
        assert place is not None
        return place.path, place.line, place.stack

    def _is_left_out(self, line: int) -> bool:
        """Whether a line has text besides template tags, and no part of it is in the expansion."""
        if self.table.expansion is None:
            return False
        start, end = self._lines.line_span(line)
        text = self._skeleton[start:end]
        start, end = end - len(text.lstrip()), start + len(text.rstrip())
        written = SourceRange(MAIN, Span(start, end))
        return start < end and not self.table.expansion.source_map.expanded_spans(written)

    @cached_property
    def _skeleton(self) -> str:
        return skeleton(self.table.source.text)


def _entries(lines: LineTable) -> Iterator[_Entry]:
    """Yield the instructions of a program and the calls that they came from, by address."""
    program = lines.program
    open_calls = set[Frame]()
    for address, number in enumerate(program.bundle_at_address):
        bundle, calls = program.bundles[number], dict[Frame, _Entry]()
        for instruction in range(len(bundle.instructions)):
            span = bundle.syntax.instruction_span(instruction)
            path, written = lines.written(address, span)
            stack = lines.stack(address, span)
            if path == MAIN:
                yield _Entry(written, address, stack)
            for depth, frame in enumerate(stack, 1):
                if frame.kind is FrameKind.MACRO and frame.call.path == MAIN:
                    calls[frame] = _Entry(frame.call.span, address, stack[depth:], is_call=True)
        yield from (entry for frame, entry in calls.items() if frame not in open_calls)
        open_calls = set(calls)


def _first_of_each_stack(entries: Iterable[_Entry]) -> list[_Entry]:
    """Return the entries that come first, in each iteration and call that has some of them."""
    first: dict[tuple[Frame, ...], Span] = {}
    entries = list(entries)
    for entry in entries:
        first.setdefault(entry.stack, entry.span)
    return [entry for entry in entries if entry.span == first[entry.stack]]

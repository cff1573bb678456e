"""Resolution of breakpoints: source positions, labels and addresses to bundles."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import NamedTuple

from ipu_asm.program.line_table import LineTable, SourceLocation
from ipu_asm.program.program import Program
from ipu_asm.text import LineIndex, Span


class ResolvedBreakpoint(NamedTuple):
    """The bundle that a requested breakpoint refers to: its address and source location.

    `message` explains that the breakpoint was moved from the requested line.
    """

    address: int
    place: SourceLocation
    message: str | None = None


class BreakpointResolver:
    """Resolves breakpoints in one program. Lines and columns count from 0."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.table = LineTable(program)
        self._lines = LineIndex.of(program.text)
        self._spans: list[Span] = []
        self._addresses: list[int] = []
        self._line_of: list[int] = []
        for address, number in enumerate(program.bundle_at_address):
            bundle = program.bundles[number]
            for instruction in range(len(bundle.instructions)):
                span = bundle.syntax.instruction_span(instruction)
                self._spans.append(program.span(number, span))
                self._addresses.append(address)
            first = program.span(number, bundle.span(0)).start
            self._line_of.append(self._lines.position(first).line)

    def on_line(self, line: int, column: int | None = None) -> ResolvedBreakpoint | None:
        """Return the bundle of the first instruction on a line, or of the one at a column.

        A line without an instruction gives the next bundle; None if no bundle follows.
        """
        if not 0 <= line < len(self._lines.starts):
            return None
        within = self._lines.line_span(line)
        here = self._touching(within)
        if not here:
            return self._moved(bisect_left(self._spans, Span(within.end, 0)), line)
        if column is None:
            return self._resolved(here[0])
        offset = self._lines.offset(line, column)
        at = next((number for number in here if self._spans[number].end > offset), here[-1])
        # The mark that ends a bundle belongs to that bundle.
        around = self.program.bundle_at(offset)
        if at > here[0] and self.program.bundle_at_address[self._addresses[at - 1]] == around:
            at -= 1
        return self._resolved(at)

    def at_label(self, label: str) -> ResolvedBreakpoint | None:
        """Return the bundle of a label; None if the label or the bundle does not exist."""
        address = self.program.label_addresses.get(label)
        place = None if address is None else self.table.place(address)
        return None if address is None or place is None else ResolvedBreakpoint(address, place)

    def at_address(self, address: int) -> ResolvedBreakpoint | None:
        """Return the bundle at an address; None if the program has none there."""
        place = self.table.place(address)
        return None if place is None else ResolvedBreakpoint(address, place)

    def bundles_on_same_line(self, address: int) -> range:
        """Return the addresses of all bundles that begin on the line of a bundle."""
        if not 0 <= address < len(self._line_of):
            return range(address, address + 1)
        line = self._line_of[address]
        return range(bisect_left(self._line_of, line), bisect_right(self._line_of, line))

    def spans_on(self, first: int, last: int) -> list[tuple[int, Span]]:
        """Return the possible breakpoints on lines: address and span of each instruction."""
        within = Span(self._lines.line_span(first).start, self._lines.line_span(last).end)
        return [(self._addresses[at], self._spans[at]) for at in self._touching(within)]

    def _touching(self, within: Span) -> range:
        """The instructions that overlap a span."""
        first = bisect_right(self._spans, within.start, key=lambda span: span.end)
        return range(first, bisect_left(self._spans, within.end, key=lambda span: span.start))

    def _resolved(self, number: int) -> ResolvedBreakpoint:
        address = self._addresses[number]
        place = self.table.place(address)
        assert place is not None
        return ResolvedBreakpoint(address, place)

    def _moved(self, number: int, line: int) -> ResolvedBreakpoint | None:
        if number == len(self._spans):
            return None
        found = self._resolved(number)
        which = "next bundle" if found.place.line > line else "bundle around it"
        message = f"line {line + 1} has no instruction; moved to the {which}"
        return found._replace(message=f"{message}, line {found.place.line}")

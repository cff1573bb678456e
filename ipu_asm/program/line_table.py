"""The source location of the bundle at an address, and the source of its instructions."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.program.program import Program
from ipu_asm.text import LineIndex, Span


class SourceLocation(NamedTuple):
    """The location of a bundle without its label: `span`, and first and last line from 1.

    `label` is the nearest label at or before the bundle, `distance` addresses before it.
    """

    span: Span
    line: int
    end_line: int
    label: str | None = None
    distance: int = 0

    @property
    def name(self) -> str | None:
        """The location for messages: `loop`, `loop+2`; None before the first label."""
        return f"{self.label}+{self.distance}" if self.label and self.distance else self.label


def describe_bundle(address: int, place: SourceLocation | None, line: int | None = None) -> str:
    """Describe a bundle by address, label and line; `line` overrides its first line."""
    if place is None:
        return f"bundle {address}"
    label = f"`{place.name}`, " if place.name else ""
    return f"bundle {address} ({label}line {line or place.line})"


class LineTable:
    """Source locations of a program's bundles, by address."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._lines = LineIndex.of(program.text)
        self._labels = sorted((address, name) for name, address in program.label_addresses.items())

    def place(self, address: int) -> SourceLocation | None:
        """Return the location of a bundle; None if the program has none at that address."""
        bundle = self._bundle(address)
        if bundle is None:
            return None
        number = self.program.bundle_at_address[address]
        last = len(bundle.instructions) - 1
        span = Span(bundle.span(0).start, bundle.syntax.instruction_span(last).end)
        span = self.program.span(number, span)
        lines = self._lines.position(span.start).line, self._lines.position(span.end).line
        label, distance = self._label(address)
        return SourceLocation(span, lines[0] + 1, lines[1] + 1, label, distance)

    def instruction(self, address: int, slot: str, place: int = 0) -> str | None:
        """Return the source of an instruction, with single blanks, by slot and position in it.

        None if the bundle has no such instruction.
        """
        bundle = self._bundle(address)
        written = bundle.instructions_of(slot)[place : place + 1] if bundle else []
        return " ".join(bundle.instructions[written[0]].words) if bundle and written else None

    def _bundle(self, address: int) -> Bundle | None:
        program = self.program
        if not 0 <= address < program.size:
            return None
        return program.bundles[program.bundle_at_address[address]]

    def _label(self, address: int) -> tuple[str | None, int]:
        number = bisect_right(self._labels, address, key=lambda label: label[0]) - 1
        if number < 0:
            return None, 0
        start, name = self._labels[number]
        return name, address - start

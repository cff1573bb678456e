"""Where the bundle at an address stands in its source, and how it is written there."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.program.program import Program
from ipu_asm.text import LineIndex, Span


class Place(NamedTuple):
    """A bundle without its label: `span`, and its first and last line, counted from 1.

    `label` is the nearest one at or before the bundle, which stands `distance` addresses behind it.
    """

    span: Span
    line: int
    end_line: int
    label: str | None = None
    distance: int = 0

    @property
    def name(self) -> str | None:
        """The place as people speak of it: `loop`, `loop+2`; None in front of every label."""
        return f"{self.label}+{self.distance}" if self.label and self.distance else self.label


def describe_bundle(address: int, place: Place | None, line: int | None = None) -> str:
    """A bundle as people speak of it: by address, label and line; `line` outweighs its first."""
    if place is None:
        return f"bundle {address}"
    label = f"`{place.name}`, " if place.name else ""
    return f"bundle {address} ({label}line {line or place.line})"


class LineTable:
    """The places of a program's bundles, by address."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._lines = LineIndex.of(program.text)
        self._labels = sorted((address, name) for name, address in program.label_addresses.items())

    def place(self, address: int) -> Place | None:
        """The place of a bundle; None if the program has none at that address."""
        bundle = self._bundle(address)
        if bundle is None:
            return None
        number = self.program.bundle_at_address[address]
        last = len(bundle.instructions) - 1
        span = Span(bundle.span(0).start, bundle.syntax.instruction_span(last).end)
        span = self.program.span(number, span)
        lines = self._lines.position(span.start).line, self._lines.position(span.end).line
        label, distance = self._label(address)
        return Place(span, lines[0] + 1, lines[1] + 1, label, distance)

    def instruction(self, address: int, slot: str, place: int = 0) -> str | None:
        """An instruction as the source has it, with single blanks; `place` counts those of a slot.

        None if the bundle does not name one there.
        """
        bundle = self._bundle(address)
        written = bundle.named(slot)[place : place + 1] if bundle else []
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

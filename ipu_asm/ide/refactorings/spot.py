"""The bundle at a cursor, and its instruction there."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Severity
from ipu_asm.ide.refactorings.offer import Refused
from ipu_asm.program.program import Program
from ipu_asm.text import Span


class Spot(NamedTuple):
    """A place in a bundle that has instructions; `offset` counts from the start of its text."""

    program: Program
    number: int
    offset: int

    @property
    def bundle(self) -> Bundle:
        """The bundle."""
        return self.program.bundles[self.number]

    @property
    def instruction(self) -> int:
        """The instruction at or before the place; -1 in front of the first."""
        plans = self.bundle.syntax.plan.instructions
        starts = [self.bundle.syntax.spans[plan.mnemonic].start for plan in plans]
        return bisect_right(starts, self.offset) - 1

    @property
    def neighbours(self) -> tuple[int | None, int | None]:
        """The numbers of the bundles at the addresses before and behind."""
        program = self.program
        at, address = program.bundle_at_address, program.addresses[self.number]
        behind = at[address + 1] if address + 1 < program.size else None
        return (at[address - 1] if address else None), behind


def spot_at(program: Program, offset: int) -> Spot | None:
    """The place at an offset of the text; None between bundles."""
    number = program.bundle_at(offset)
    if not program.bundles[number].instructions or offset < _start(program, number):
        if not number or offset > program.starts[number]:
            return None
        # Directly behind the end mark one still means the bundle that it ends.
        number -= 1
    if not program.bundles[number].instructions or program.starts[number] > offset:
        return None
    return Spot(program, number, offset - program.starts[number])


def bundles_in(program: Program, span: Span) -> list[int]:
    """The numbers of the bundles with instructions that a selection, or a cursor, touches."""
    spot = spot_at(program, span.start)
    first = spot.number if spot is not None else program.bundle_at(span.start)
    last = program.bundle_at(span.end)
    return [
        number
        for number in range(first, last + 1)
        if program.bundles[number].instructions
        and (number == first or _start(program, number) < span.end)
        and (spot is not None or number > first or _start(program, number) <= span.end)
    ]


def check_readable(program: Program, *numbers: int) -> None:
    """Raises `Refused` for a bundle with a mistake: who knows what it will be."""
    for number in numbers:
        bundle = program.bundles[number]
        errors = any(finding.severity is Severity.ERROR for finding in bundle.findings)
        if errors or bundle.is_broken or None in bundle.places:
            raise Refused(f"mend the mistake in {program.isa.unit} {program.addresses[number]}")


def _start(program: Program, number: int) -> int:
    return program.span(number, program.bundles[number].first_token).start

"""The result of a refactoring: titled edits, or the reason why it is refused."""

from __future__ import annotations

from bisect import bisect_right
from typing import Callable, Sequence

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Severity
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.text import Span, TextEdit


class RefactoringError(Exception):
    """Raised if a refactoring would change what the program does; the message is shown to users."""


class RefactoringOffer(NamedTuple):
    """A refactoring that applies to the selection.

    If it cannot be done, `refusal_reason` gives the reason and `edits` is empty.
    """

    title: str
    kind: str
    edits: tuple[TextEdit, ...] = ()
    refusal_reason: str = ""


def make_offer(title: str, kind: str, make: Callable[[], Sequence[TextEdit]]) -> RefactoringOffer:
    """Return the offer with the edits of `make`, or with the message of its `RefactoringError`."""
    try:
        return RefactoringOffer(title, kind, tuple(sorted(make())))
    except RefactoringError as error:
        return RefactoringOffer(title, kind, refusal_reason=str(error))


class BundlePosition(NamedTuple):
    """A position in a bundle that has instructions.

    `number` is the number of the bundle, `offset` counts from the start of its text.
    """

    program: Program
    number: int
    offset: int

    @property
    def bundle(self) -> Bundle:
        """Return the bundle."""
        return self.program.bundles[self.number]

    @property
    def instruction(self) -> int:
        """Return the number of the instruction at or before the position; -1 before the first."""
        plans = self.bundle.syntax.plan.instructions
        starts = [self.bundle.syntax.spans[plan.mnemonic].start for plan in plans]
        return bisect_right(starts, self.offset) - 1

    @property
    def neighbours(self) -> tuple[int | None, int | None]:
        """Return the numbers of the previous and the next bundle with an address, or None."""
        program = self.program
        at, address = program.bundle_at_address, program.addresses[self.number]
        behind = at[address + 1] if address + 1 < program.size else None
        return (at[address - 1] if address else None), behind


def bundle_position_at(program: Program, offset: int) -> BundlePosition | None:
    """Return the position at an offset of the program's text; None between bundles."""
    number = program.bundle_at(offset)
    if not program.bundles[number].instructions or offset < _start(program, number):
        if not number or offset > program.starts[number]:
            return None
        # A cursor directly behind an end mark selects the bundle that the mark ends.
        number -= 1
    if not program.bundles[number].instructions or program.starts[number] > offset:
        return None
    return BundlePosition(program, number, offset - program.starts[number])


def bundles_in(program: Program, span: Span) -> list[int]:
    """Return the numbers of the bundles with instructions that a selection or a cursor touches."""
    position = bundle_position_at(program, span.start)
    first = position.number if position is not None else program.bundle_at(span.start)
    last = program.bundle_at(span.end)
    return [
        number
        for number in range(first, last + 1)
        if program.bundles[number].instructions
        and (number == first or _start(program, number) < span.end)
        and (position is not None or number > first or _start(program, number) <= span.end)
    ]


def check_readable(program: Program, *numbers: int) -> None:
    """Raise `RefactoringError` if one of the bundles has an error: its meaning is unknown."""
    for number in numbers:
        bundle = program.bundles[number]
        errors = any(finding.severity is Severity.ERROR for finding in bundle.findings)
        if errors or bundle.has_uncertain_effect:
            raise RefactoringError(
                f"correct the error in {program.isa.unit} {program.addresses[number]} first"
            )


def _start(program: Program, number: int) -> int:
    return program.span(number, program.bundles[number].first_token).start

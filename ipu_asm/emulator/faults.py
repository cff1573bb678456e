"""What stops the machine against the program's will. A fault is a value; errors carry one."""

from __future__ import annotations

from typing import Mapping, NamedTuple, Sequence

from ipu_asm.program.program import Program
from ipu_asm.text import LineIndex, Span


class EmulatorError(Exception):
    """The machine cannot do what it is told to."""


class Refusal(EmulatorError):
    """Raised by the semantics of an instruction that cannot be executed; the text is the cause.

    The machine turns it into an `ExecutionFault`, which knows the place.
    """


class Fault(NamedTuple):
    """Why a bundle could not be executed, and where; the state is that from before it.

    `cycle` counts the bundles executed before it, `word` is the whole bundle, `instruction` the
    culprit as assembly writes it, and `registers` the values of the scalar registers that it names,
    as it saw them. `line` (from 1) and `span` tell where it stands if the source is known.
    """

    pc: int
    cycle: int
    word: int
    slot: str
    instruction: str
    cause: str
    registers: Mapping[str, int]
    line: int | None = None
    span: Span | None = None

    def located(self, program: Program | None, place: int) -> Fault:
        """The fault with its place in a source; `place` counts the instructions of the slot."""
        if program is None or self.pc >= program.size:
            return self
        number = program.bundle_at_address[self.pc]
        bundle = program.bundles[number]
        written = bundle.named(self.slot)[place : place + 1]
        span = bundle.syntax.instruction_span(written[0]) if written else bundle.first_token
        span = program.span(number, span)
        line = LineIndex.of(program.text).position(span.start).line
        return self._replace(line=line + 1, span=span)

    def __str__(self) -> str:
        line = f" (line {self.line})" if self.line is not None else ""
        values = ", ".join(f"{name} = {value:#x}" for name, value in self.registers.items())
        values = f" ({values})" if values else ""
        return (
            f"bundle {self.pc}{line}, cycle {self.cycle}, slot {self.slot}, "
            f"`{self.instruction}`: {self.cause}{values}"
        )


class ExecutionFault(EmulatorError):
    """A bundle could not be executed; `fault` says why."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        super().__init__(str(fault))


class CycleLimitError(EmulatorError):
    """A run took all the cycles that it may take; the state is that after the last of them."""

    def __init__(self, limit: int, pc: int) -> None:
        self.limit = limit
        self.pc = pc
        super().__init__(f"a run may take {limit:,} cycles, found it not halted at bundle {pc}")


class ProgramError(EmulatorError):
    """A program that the machine cannot take; `mistakes` says all that is wrong with it."""

    def __init__(self, mistakes: Sequence[str]) -> None:
        self.mistakes = tuple(mistakes)
        super().__init__("\n".join(mistakes))

"""Errors of the emulator. A fault is a value; exceptions carry it."""

from __future__ import annotations

from typing import Mapping, Sequence

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable
from ipu_asm.text import Span


class EmulatorError(Exception):
    """Base class of errors of the emulator."""


class InstructionError(EmulatorError):
    """Raised by the semantics of an instruction that cannot be executed; the text is the cause.

    `Ipu.run` converts it to an `ExecutionFault`, which has the location.
    """


Refusal = InstructionError
"""The former name of `InstructionError`, which `ipu_asm.emulator` exports as well."""


class Fault(NamedTuple):
    """Cause and location of a bundle that could not be executed; its effects were undone.

    `cycle` counts the bundles executed before it, `word` is the whole bundle, `instruction` the
    failing instruction in assembly syntax, and `registers` the scalar registers that it names, with
    the values that it read; `place` is its index within the slot. `line` (from 1) and `span` are
    its location in the source, if known;
    `levels` are the iterations and calls of a template that it came from: ``for row = 3``.
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
    levels: str = ""
    place: int = 0

    def located(self, lines: LineTable | None, place: int) -> Fault:
        """Return the fault with `place` and its source location."""
        fault = self._replace(place=place)
        found = lines and lines.instruction_place(self.pc, self.slot, place)
        if not found:
            return fault
        return fault._replace(line=found.line, span=found.span, levels=found.levels)

    def __str__(self) -> str:
        levels = f", {self.levels}" if self.levels else ""
        line = f" (line {self.line}{levels})" if self.line is not None else ""
        values = ", ".join(f"{name} = {value:#x}" for name, value in self.registers.items())
        values = f" ({values})" if values else ""
        slot = f", slot {self.slot}" if self.slot else ""
        instruction = f", `{self.instruction}`" if self.instruction else ""
        return (
            f"bundle {self.pc}{line}, cycle {self.cycle}{slot}{instruction}: {self.cause}{values}"
        )


class ExecutionFault(EmulatorError):
    """A bundle could not be executed; `fault` has cause and location."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        super().__init__(str(fault))


class CycleLimitError(EmulatorError):
    """A run reached its cycle limit without halting; the state is that after the last cycle."""

    def __init__(self, limit: int, pc: int) -> None:
        self.limit = limit
        self.pc = pc
        super().__init__(f"the program did not halt within {limit:,} cycles; bundle {pc} is next")


class ProgramError(EmulatorError):
    """A program that the machine cannot execute; `mistakes` has every reason."""

    def __init__(self, mistakes: Sequence[str]) -> None:
        self.mistakes = tuple(mistakes)
        super().__init__("\n".join(mistakes))


class MachineFaultError(EmulatorError):
    """What a program does that the machine has no answer to, such as an access outside memory."""


class UnknownResultError(EmulatorError):
    """An operation whose exact result no public source states; the text is the reason."""

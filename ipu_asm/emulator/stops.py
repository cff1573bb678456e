"""Faults and stops of a machine: values that say why and where, their text, and the exceptions."""

from __future__ import annotations

from enum import Enum
from typing import Mapping, Sequence

from ipu_asm.isa.storage import signed
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable, SourceLocation, describe_bundle
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


class StopReason(Enum):
    """Why a run or a debugger stopped; the values appear in reports."""

    HALTED = "halted"
    BREAK = "break"
    """In front of a bundle whose break slot stops."""
    FAULT = "fault"
    CYCLE_LIMIT = "cycle-limit"
    INTERRUPTED = "interrupted"
    """By Ctrl-C; a debugger has PAUSE instead."""
    UNTIL = "until"
    """In front of a bundle where the user wants the run to end."""
    ENTRY = "entry"
    """At the first cycle, before any bundle was executed."""
    STEP = "step"
    BREAKPOINT = "breakpoint"
    DATA = "data"
    """After a bundle that accessed a data breakpoint's region."""
    BKPT = "halt instruction"
    """After an instruction whose purpose is to halt the machine."""
    ENDED = "ended"
    """The machine halted before and cannot continue."""
    ASSERTION = "assertion"
    """Between two bundles where an assertion does not hold."""
    NAN = "nan"
    OVERFLOW = "overflow"
    PAUSE = "pause"
    START = "start of history"
    """At the beginning of the history, while moving backwards."""


class RunEnd(NamedTuple):
    """The end of a run, or a pause in it.

    `pc` is the next bundle; if the machine has halted, the bundle that halted it (-1 if it was
    halted before the run). `instruction` is the one that halted or stopped the machine, `registers`
    has the scalar registers that the bundle names, with their values.
    """

    reason: StopReason
    pc: int
    instruction: str | None = None
    registers: Mapping[str, int] = {}
    place: SourceLocation | None = None
    fault: Fault | None = None


def describe_stop(stop: RunEnd) -> str:
    """Describe the stop in one line: reason, location, and the registers of the bundle."""
    if stop.fault is not None:
        return f"{summarize_stop(stop)}: {stop.fault.cause}{_registers(stop.fault.registers)}"
    return f"{summarize_stop(stop)}{_registers(stop.registers)}"


def summarize_stop(stop: RunEnd) -> str:
    """Describe reason and location of the stop, without the cause of a fault and registers."""
    line = stop.fault.line if stop.fault is not None else None
    where = describe_bundle(stop.pc, stop.place, line)
    if stop.fault is not None:
        return f"fault in {where}"
    if stop.reason is StopReason.HALTED:
        if stop.pc < 0:
            return "halted before the first bundle"
        if stop.instruction is None:
            return f"halted at the end of program memory: {where} was never loaded"
        return f"halted by `{stop.instruction}` in {where}"
    what = {
        StopReason.BREAK: f"stopped by `{stop.instruction}`",
        StopReason.ASSERTION: "stopped by an assertion",
        StopReason.UNTIL: "stopped by --until",
        StopReason.CYCLE_LIMIT: "stopped at the cycle limit",
        StopReason.PAUSE: "left",
    }.get(stop.reason, stop.reason.value)
    return f"{what} in front of {where}"


def describe_current_bundle(stop: RunEnd) -> str:
    """Describe the bundle of a stop in one line, with the registers that it names."""
    return f"{describe_bundle(stop.pc, stop.place)}{_registers(stop.registers)}"


def describe_word(value: int) -> str:
    """Format a 32-bit register: signed decimal, and hexadecimal where that differs."""
    number = signed(value)
    return str(number) if 0 <= number < 10 else f"{number} ({value:#x})"


def describe_address(value: int) -> str:
    """Format a 32-bit register with an address: hexadecimal, and decimal where that differs."""
    return str(value) if 0 <= value < 10 else f"{value:#x} ({signed(value)})"


def _registers(values: Mapping[str, int]) -> str:
    shown = ", ".join(f"{name} = {describe_word(value)}" for name, value in values.items())
    return f": {shown}" if shown else ""

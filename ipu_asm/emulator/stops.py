"""Why and where a machine stopped, as values and as text for users."""

from __future__ import annotations

from enum import Enum
from typing import Mapping

from ipu_asm.emulator.faults import Fault
from ipu_asm.emulator.words import signed
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import SourceLocation, describe_bundle


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


def _registers(values: Mapping[str, int]) -> str:
    shown = ", ".join(f"{name} = {describe_word(value)}" for name, value in values.items())
    return f": {shown}" if shown else ""

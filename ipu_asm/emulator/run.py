"""Running a program to its end, or under the control of a callback."""

from __future__ import annotations

from enum import Enum, auto
from typing import Any, Callable, Final, TypeAlias

from ipu_asm.emulator.arguments import count
from ipu_asm.emulator.binding import decode_in_order
from ipu_asm.emulator.interrupts import Interrupts
from ipu_asm.emulator.state import AnyState
from ipu_asm.emulator.stops import CycleLimitError, Fault, RunEnd, StopReason
from ipu_asm.emulator.vliw import AnyMachine, scalars_named
from ipu_asm.isa import load_isa
from ipu_asm.program.line_table import LineTable

RUN_MAX_CYCLES: Final = 100_000
"""Limit in bundles of a run by a function of this module, unless it is given another one."""


class DebugAction(Enum):
    """How to continue a run after a stop."""

    CONTINUE = auto()
    """Run to the next break."""
    STEP = auto()
    """Execute one bundle and stop again."""
    QUIT = auto()
    """End the run here."""


DebugCallback: TypeAlias = Callable[[Any, int], DebugAction]
"""Called with the state and the number of bundles executed so far."""


def run_until_complete(machine: AnyMachine, max_cycles: int = RUN_MAX_CYCLES) -> int:
    """Run until the machine halts, ignoring breaks, and return the number of executed bundles.

    Raises `ExecutionFault`, with the state from before the bundle, and `CycleLimitError`.
    """
    limit = count(max_cycles, "`max_cycles`")
    cycles = machine.run(limit)
    check_halted(machine.state, limit)
    return cycles


def run_with_debug(
    machine: AnyMachine, callback: DebugCallback, max_cycles: int = RUN_MAX_CYCLES
) -> int:
    """Run until the machine halts or the callback quits; returns the number of bundles executed.

    The callback is called before a bundle whose break slot stops and, after it returned STEP,
    before every bundle. Raises as `run_until_complete` does, TypeError for another answer.
    """
    if not callable(callback):
        raise TypeError(f"the callback is a function, found {type(callback).__name__}")
    max_cycles = count(max_cycles, "`max_cycles`")
    state, stop = machine.state, machine.break_test()
    cycles, stepping = 0, False
    while not state.is_halted:
        if stepping or machine.stops_at(state.program_counter):
            action = callback(state, cycles)
            if not isinstance(action, DebugAction):
                raise TypeError(f"the callback returns a `DebugAction`, found {action!r}")
            if action is DebugAction.QUIT:
                break
            stepping = action is DebugAction.STEP
        allowed = max_cycles - cycles
        with Interrupts():
            cycles += machine.run(min(allowed, 1) if stepping else allowed, stop)
        if cycles >= max_cycles:
            check_halted(state, max_cycles)
    return cycles


def check_halted(state: AnyState, max_cycles: int) -> None:
    """Raise `CycleLimitError` if the machine has not halted."""
    if not state.is_halted:
        raise CycleLimitError(max_cycles, state.program_counter)


def run_end_of(
    machine: AnyMachine,
    reason: StopReason,
    lines: LineTable | None = None,
    fault: Fault | None = None,
) -> RunEnd:
    """Return the stop of a machine in its current state; `lines` is the source, if there is one."""
    halted = reason is StopReason.HALTED
    state, order = machine.state, machine.execution_order
    pc = machine.snapshot.pc if halted else state.program_counter
    word = state.inst_mem[pc] if 0 <= pc < len(state.inst_mem) else None
    isa = load_isa(state.isa_name)
    instructions = [] if word is None or not order else decode_in_order(isa, order, word)
    slots = {StopReason.HALTED: order[-1] if order else "", StopReason.BREAK: machine.break_slot}
    slot = slots.get(reason)
    culprit = next(
        (instruction for instruction in instructions if instruction.slot.name == slot), None
    )
    instruction = fault.instruction if fault else culprit and str(culprit)
    if halted and not order:
        instruction = machine.end
    active = [each for each in instructions if not each.is_idle]
    registers = {} if halted else scalars_named(state, active)
    place = lines.place(pc) if lines else None
    return RunEnd(reason, pc, instruction, registers, place, fault)

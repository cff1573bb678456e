"""Running a program to its end, or under the control of a callback."""

from __future__ import annotations

from enum import Enum, auto
from typing import Callable, Final, TypeAlias

from ipu_asm.emulator.faults import CycleLimitError
from ipu_asm.emulator.interrupts import Interrupts
from ipu_asm.isa.ipu.machine.ipu import Ipu
from ipu_asm.isa.ipu.machine.state import IpuState

MAX_CYCLES: Final = 100_000


class DebugAction(Enum):
    """How to continue a run after a stop."""

    CONTINUE = auto()
    """Run to the next break."""
    STEP = auto()
    """Execute one bundle and stop again."""
    QUIT = auto()
    """End the run here."""


DebugCallback: TypeAlias = Callable[[IpuState, int], DebugAction]
"""Called with the state and the number of bundles executed so far."""


def run_until_complete(
    state: IpuState, max_cycles: int = MAX_CYCLES, *, ipu: Ipu | None = None
) -> int:
    """Run until the machine halts, ignoring breaks, and return the number of executed bundles.

    `ipu` is the machine to run if it has options or instructions of its own. Raises
    `ExecutionFault`, with the state from before the bundle, and `CycleLimitError`.
    """
    ipu = ipu or Ipu(state)
    cycles = ipu.run(max_cycles)
    check_halted(state, max_cycles)
    return cycles


def run_with_debug(
    state: IpuState,
    callback: DebugCallback,
    max_cycles: int = MAX_CYCLES,
    *,
    ipu: Ipu | None = None,
) -> int:
    """Run until the machine halts or the callback quits; returns the number of bundles executed.

    The callback is called before a bundle whose break slot stops and, after it returned STEP,
    before every bundle. Raises as `run_until_complete` does.
    """
    ipu = ipu or Ipu(state)
    cycles, stepping = 0, False
    while not state.is_halted:
        if stepping or ipu.stops_at(state.program_counter):
            action = DebugAction(callback(state, cycles))
            if action is DebugAction.QUIT:
                break
            stepping = action is DebugAction.STEP
        allowed = max_cycles - cycles
        with Interrupts():
            cycles += ipu.run(min(allowed, 1) if stepping else allowed, ipu.stops_at)
        if cycles >= max_cycles:
            check_halted(state, max_cycles)
    return cycles


def check_halted(state: IpuState, max_cycles: int) -> None:
    """Raise `CycleLimitError` if the machine has not halted."""
    if not state.is_halted:
        raise CycleLimitError(max_cycles, state.program_counter)

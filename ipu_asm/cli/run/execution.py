"""Execution of a program on a machine, in pieces between checks for interrupts."""

from __future__ import annotations

import sys
import time
from typing import Iterable, NamedTuple

from ipu_asm.assembler.kernel import Kernel
from ipu_asm.cli.run.options import RunOptions
from ipu_asm.cli.run.progress import ProgressBar
from ipu_asm.emulator.decode import decode_word
from ipu_asm.emulator.faults import ExecutionFault, Fault
from ipu_asm.emulator.interrupts import Interrupts
from ipu_asm.emulator.machine import StopTest
from ipu_asm.emulator.recording import MAX_BUNDLES_PER_CALL, Recording
from ipu_asm.emulator.stops import RunEnd, StopReason
from ipu_asm.isa.ipu.machine.ipu import Ipu
from ipu_asm.isa.ipu.machine.run_end import run_end_of
from ipu_asm.isa.ipu.machine.state import IpuState
from ipu_asm.isa.model import Isa

# A piece is long enough for its overhead not to matter, and short enough for Ctrl-C and the bar.
_FIRST_PIECE = 2_000
_SECONDS_A_PIECE = 0.1


class RunOutcome(NamedTuple):
    """The result of a run; `recording` is None unless requested."""

    ipu: Ipu
    stop: RunEnd
    seconds: float
    recording: Recording | None

    @property
    def last_bundle(self) -> int | None:
        """Return the bundle that halted the machine; None if none did."""
        is_halted = self.stop.reason is StopReason.HALTED and self.stop.pc >= 0
        return self.stop.pc if is_halted else None

    @property
    def cycles(self) -> int:
        """Return the number of bundles executed."""
        return self.ipu.cycles

    @property
    def cycles_per_second(self) -> float:
        """Return the speed of the emulator."""
        return self.cycles / self.seconds if self.seconds else 0.0


def execute(kernel: Kernel, options: RunOptions, memory: Iterable[tuple[int, bytes]]) -> RunOutcome:
    """Run a program on a machine whose xmem begins with `memory`, pairs of address and bytes.

    Raises `ProgramError` for a program that the machine cannot load.
    """
    ipu = Ipu(_state(kernel, options, memory), options.aaq_shift)
    recording = None
    if options.trace is not None or options.profile is not None:
        recording = Recording(options.trace_limit if options.trace is not None else 0)
    ipu.stops_at(ipu.state.program_counter)  # bind the program before the clock starts
    stop = _break_test(ipu, kernel.isa) if options.breaks else None
    start = time.perf_counter()
    reason, fault = _run(ipu, options, stop, recording)
    seconds = time.perf_counter() - start
    lines = None if kernel.is_image else kernel.lines
    return RunOutcome(ipu, run_end_of(ipu, reason, lines, fault), seconds, recording)


def _state(kernel: Kernel, options: RunOptions, memory: Iterable[tuple[int, bytes]]) -> IpuState:
    state = IpuState()
    state.load_program(kernel.words, None if kernel.is_image else kernel.lines)
    for address, content in memory:
        state.xmem.write_address(address, content)
    for index, value in options.cr.items():
        state.regfile.set_cr(index, value)
    for index, value in options.lr.items():
        state.regfile.set_lr(index, value)
    if options.dtype is not None:
        state.set_cr_dtype(options.dtype)
    return state


def _break_test(ipu: Ipu, isa: Isa) -> StopTest:
    """Return a test whether a break stops at an address; it is cheap for bundles without one."""
    breaks = frozenset(
        address
        for address, word in enumerate(ipu.state.inst_mem)
        if word is not None
        and any(c.slot.name == "break" and not c.is_idle for c in decode_word(isa, word))
    )
    return lambda address: address in breaks and ipu.stops_at(address)


def _run(
    ipu: Ipu, options: RunOptions, stop: StopTest | None, recording: Recording | None
) -> tuple[StopReason, Fault | None]:
    """Run until the program halts, faults, breaks, is interrupted or reaches the cycle limit."""
    state = ipu.state
    piece = _PieceSize()
    progress = ProgressBar(options.max_cycles, sys.stderr)
    try:
        with Interrupts(is_quiet=True) as interrupts:
            while not state.is_halted:
                if interrupts.is_pending:
                    return StopReason.INTERRUPTED, None
                if stop is not None and stop(state.program_counter):
                    return StopReason.BREAK, None
                if ipu.cycles >= options.max_cycles:
                    return StopReason.CYCLE_LIMIT, None
                limit = min(piece.bundles, options.max_cycles - ipu.cycles)
                if recording is None:
                    piece.adapt(ipu.run(limit, stop))
                else:
                    piece.adapt(recording.run(ipu, limit, stop))
                progress.show(ipu.cycles)
    except ExecutionFault as error:
        return StopReason.FAULT, error.fault
    finally:
        progress.clear()
    return StopReason.HALTED, None


class _PieceSize:
    """The number of bundles to execute per piece, adapted to the measured speed."""

    def __init__(self) -> None:
        self.bundles = _FIRST_PIECE
        self._before = time.perf_counter()

    def adapt(self, executed: int) -> None:
        """Update the size from a piece that has just been executed."""
        now = time.perf_counter()
        rate = executed / max(now - self._before, 1e-9)
        self._before = now
        self.bundles = max(_FIRST_PIECE, min(MAX_BUNDLES_PER_CALL, int(rate * _SECONDS_A_PIECE)))

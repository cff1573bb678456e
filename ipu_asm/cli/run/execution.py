"""Execution of a program on a machine, in pieces between checks for interrupts."""

from __future__ import annotations

import sys
import time
from typing import Any, Iterable, Mapping, NamedTuple, Sequence

from ipu_asm.assembler.kernel import Kernel
from ipu_asm.cli.run.host_options import WrongOptionError
from ipu_asm.cli.run.options import RunOptions
from ipu_asm.cli.run.progress import ProgressBar
from ipu_asm.debugger.assertions import AssertionChecks, FailedAssertion
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.emulator.engine import Engine, engine_of
from ipu_asm.emulator.faults import ExecutionFault, Fault
from ipu_asm.emulator.interrupts import Interrupts
from ipu_asm.emulator.machine import SelectiveTest, StopTest
from ipu_asm.emulator.model import decode_word, machine_for
from ipu_asm.emulator.recording import MAX_BUNDLES_PER_CALL, Recording
from ipu_asm.emulator.run_end import run_end_of
from ipu_asm.emulator.run_length import RunLength
from ipu_asm.emulator.state import AnyState
from ipu_asm.emulator.stops import RunEnd, StopReason
from ipu_asm.emulator.vliw import AnyMachine
from ipu_asm.isa.model import Isa

# A piece is long enough for its overhead not to matter, and short enough for Ctrl-C and the bar.
_FIRST_PIECE = 2_000
_SECONDS_A_PIECE = 0.1


class BrokenAssertionsError(Exception):
    """Assertions that the control run refutes before the program is run."""

    def __init__(self, findings: Sequence[Diagnostic]) -> None:
        super().__init__("; ".join(each.message for each in findings))
        self.findings = findings


class RunOutcome(NamedTuple):
    """The result of a run; `recording` is None unless requested.

    `failed` is the assertion that stopped it, if one did.
    """

    machine: AnyMachine
    stop: RunEnd
    seconds: float
    recording: Recording | None
    failed: FailedAssertion | None = None

    @property
    def last_bundle(self) -> int | None:
        """Return the bundle that halted the machine; None if none did."""
        is_halted = self.stop.reason is StopReason.HALTED and self.stop.pc >= 0
        return self.stop.pc if is_halted else None

    @property
    def cycles(self) -> int:
        """Return the number of bundles executed."""
        return self.machine.cycles

    @property
    def cycles_per_second(self) -> float:
        """Return the speed of the emulator."""
        return self.cycles / self.seconds if self.seconds else 0.0


def execute(
    kernel: Kernel,
    options: RunOptions,
    settings: Mapping[str, Any],
    memory: Iterable[tuple[int, bytes]],
) -> RunOutcome:
    """Run a program on a machine whose xmem begins with `memory`, pairs of address and bytes.

    `settings` are host options of the machine. Raises `ProgramError` for a program that the machine
    cannot load, `WrongOptionError` for registers that it does not have, and
    `BrokenAssertionsError`.
    """
    model = machine_for(kernel.isa.name)
    state = model.make_state(settings)
    _load(state, kernel, options, memory)
    machine: AnyMachine = model.make_machine(state, settings)
    recording = None
    if options.trace is not None or options.profile is not None:
        recording = Recording(options.trace_limit if options.trace is not None else 0)
    machine.engine_choice = engine_of(options.engine)
    if machine.engine_choice is Engine.CORE:
        _ = machine.engine  # load the core
    machine.stops_at(machine.state.program_counter)  # bind the program before the clock starts
    lines = None if kernel.is_image else kernel.lines
    assertions = AssertionChecks(machine, kernel.lines) if options.assertions else None
    if assertions is not None and (broken := assertions.broken()):
        raise BrokenAssertionsError(broken)
    breaks = _breaks(machine, kernel.isa) if options.breaks else frozenset[int]()
    stops = _Stops(machine, breaks, assertions)
    length = RunLength(kernel.program, machine.state)
    start = time.perf_counter()
    progress = ProgressBar(options.max_cycles, sys.stderr, length=lambda: length.cycles)
    reason, fault = _run(machine, options, stops, recording, progress)
    seconds = time.perf_counter() - start
    stop = run_end_of(machine, reason, lines, fault)
    return RunOutcome(machine, stop, seconds, recording, stops.failed)


def _load(
    state: AnyState, kernel: Kernel, options: RunOptions, memory: Iterable[tuple[int, bytes]]
) -> None:
    """Load program, memory and registers."""
    state.load_program(kernel.words, None if kernel.is_image else kernel.lines)
    for address, content in memory:
        state.xmem.write_address(address, content)
    files = state.layout.files
    for file, values in (("cr", options.cr), ("lr", options.lr)):
        for index, value in values.items():
            if index >= len(files.get(file, ())):
                known = ", ".join(f"{name} (0 to {len(files[name]) - 1})" for name in files)
                raise WrongOptionError(
                    f"argument --{file}: {kernel.isa.name} has registers {known}, "
                    f"found {file}{index}"
                )
            state.regfile.set_scalar(file, index, value)


def _breaks(machine: AnyMachine, isa: Isa) -> frozenset[int]:
    """Return the addresses of bundles with a break instruction."""
    breaks = machine.break_slot
    return frozenset(
        address
        for address, word in enumerate(machine.state.inst_mem)
        if word is not None
        and any(c.slot.name == breaks and not c.is_idle for c in decode_word(isa, word))
    )


class _Stops:
    """What stops a run between two bundles: breaks, and assertions that do not hold."""

    def __init__(
        self, machine: AnyMachine, breaks: frozenset[int], assertions: AssertionChecks | None
    ) -> None:
        self._machine = machine
        self._breaks = breaks
        self._assertions = assertions
        self.failed: FailedAssertion | None = None

    @property
    def test(self) -> StopTest | None:
        """The test for a run; None if nothing can stop it."""
        before, after = (
            self._assertions.addresses if self._assertions else (frozenset(), frozenset())
        )
        if before or after:
            return SelectiveTest(self._is_reason, before, self._breaks, after)
        return SelectiveTest(self._is_break, at_breaks=self._breaks) if self._breaks else None

    def reason(self, address: int) -> StopReason | None:
        """Return why the run stops in front of a bundle; None if it goes on."""
        assertions = self._assertions
        if assertions is not None and assertions.may_fail(address):
            self.failed = assertions.failed()
            if self.failed is not None:
                return StopReason.ASSERTION
        return StopReason.BREAK if self._is_break(address) else None

    def _is_reason(self, address: int) -> bool:
        return self.reason(address) is not None

    def at_halt(self) -> StopReason:
        """Return why the run has ended after its last bundle."""
        if self._assertions is not None:
            self.failed = self._assertions.failed_after()
        return StopReason.HALTED if self.failed is None else StopReason.ASSERTION

    def _is_break(self, address: int) -> bool:
        return address in self._breaks and self._machine.stops_at(address)


def _run(
    machine: AnyMachine,
    options: RunOptions,
    stops: _Stops,
    recording: Recording | None,
    progress: ProgressBar,
) -> tuple[StopReason, Fault | None]:
    """Run until the program halts, faults, is stopped or reaches the cycle limit."""
    stop = stops.test
    state = machine.state
    piece = _PieceSize()
    try:
        with Interrupts(is_quiet=True) as interrupts:
            while not state.is_halted:
                if interrupts.is_pending:
                    return StopReason.INTERRUPTED, None
                if reason := stops.reason(state.program_counter):
                    return reason, None
                if machine.cycles >= options.max_cycles:
                    return StopReason.CYCLE_LIMIT, None
                limit = min(piece.bundles, options.max_cycles - machine.cycles)
                if recording is None:
                    piece.adapt(machine.run(limit, stop))
                else:
                    piece.adapt(recording.run(machine, limit, stop))
                progress.show(machine.cycles)
    except ExecutionFault as error:
        return StopReason.FAULT, error.fault
    finally:
        progress.clear()
    return stops.at_halt(), None


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

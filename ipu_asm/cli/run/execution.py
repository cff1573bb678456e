"""Execution of a program on a machine, in pieces between checks for interrupts."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from typing import Any, Mapping, Sequence

from ipu_asm.assembler.kernel import Kernel
from ipu_asm.cli.console import ExitStatus, ProgressBar
from ipu_asm.cli.run.host_options import Host, WrongOptionError
from ipu_asm.cli.run.options import RunOptions
from ipu_asm.cli.run.results import PrintedValue, check_printed, printed_values
from ipu_asm.debugger.conditions import ExpressionCondition
from ipu_asm.debugger.expressions import ExpressionError, LiveContext, evaluate_condition
from ipu_asm.debugger.expressions.program_names import check_names, live_context
from ipu_asm.debugger.regions import Accesses
from ipu_asm.debugger.traps import AssertionChecks, FailedAssertion
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.emulator.core.checks import ALWAYS
from ipu_asm.emulator.execution_counts import MAX_BUNDLES_PER_CALL, Recording
from ipu_asm.emulator.interrupts import Interrupts
from ipu_asm.emulator.machine import ChecksByAddress, Engine, SelectiveTest, StopTest, engine_of
from ipu_asm.emulator.model import decode_word, machine_for
from ipu_asm.emulator.run import run_end_of
from ipu_asm.emulator.run_length import RunLength
from ipu_asm.emulator.state import AnyState
from ipu_asm.emulator.stops import ExecutionFault, Fault, RunEnd, StopReason
from ipu_asm.emulator.vliw import AnyMachine
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.testbench.data.memory import (
    Loaded,
    RunSoFar,
    SavedRun,
    digest_of,
    load_pieces,
    restore_state,
)


class Until(NamedTuple):
    """Where a run should end: in front of `addresses`, or where the expression `text` holds.

    The expression can begin to hold `after_if` a check holds after one of these bundles.
    """

    text: str
    addresses: frozenset[int] = frozenset()
    after_if: ChecksByAddress | None = None


class RunStops:
    """What stops one run. `is_resumed`: breaks and `until` do not count in front of the first."""

    def __init__(
        self,
        machine: AnyMachine,
        breaks: frozenset[int],
        assertions: AssertionChecks | None,
        until: Until | None = None,
        context: LiveContext | None = None,
        is_resumed: bool = False,
    ) -> None:
        self._machine = machine
        self._breaks = breaks
        self._assertions = assertions
        self._until = until
        self._context = context
        self._is_resumed = is_resumed
        self._problem = ""
        self.failed: FailedAssertion | None = None

    @property
    def test(self) -> StopTest | None:
        """The test for a run; None if nothing can stop it."""
        test = SelectiveTest(self._is_break, at_breaks=self._breaks)
        until = self._until
        has_conditions = self._assertions is not None and self._assertions.has_conditions
        if until is None and not has_conditions:
            return test if self._breaks else None
        if self._assertions is not None and has_conditions:
            test = test.either(self._assertions.stop_test)
        if until is not None:
            after_if = until.after_if or {}
            test = test.either(SelectiveTest(test, until.addresses, after_if=after_if))
        return replace(test, test=self._is_reason)

    def reason(self, address: int) -> StopReason | None:
        """Return why the run stops in front of a bundle; None if it goes on."""
        assertions = self._assertions
        if assertions is not None and assertions.may_fail(address):
            self.failed = assertions.failed()
            if self.failed is not None:
                return StopReason.ASSERTION
        if self._is_resumed:  # the first question is about the first bundle
            self._is_resumed = False
            return None
        if self._is_break(address):
            return StopReason.BREAK
        return StopReason.UNTIL if self._is_end(address) else None

    def at_halt(self) -> StopReason:
        """Return why the run has ended after its last bundle."""
        if self._assertions is not None:
            self.failed = self._assertions.failed_after()
        return StopReason.HALTED if self.failed is None else StopReason.ASSERTION

    def missed(self) -> str:
        """Return the text of `until` if the machine has halted before it; else an empty one."""
        if self._until is None or self._is_end(-1):
            return ""
        problem = f": {self._problem}" if self._problem else ""
        return f"`{self._until.text}`{problem}"

    def _is_reason(self, address: int) -> bool:
        return self.reason(address) is not None

    def _is_break(self, address: int) -> bool:
        return address in self._breaks and self._machine.stops_at(address)

    def _is_end(self, address: int) -> bool:
        until = self._until
        if until is None or self._context is None:
            return False
        if until.after_if is None:
            return address in until.addresses
        self._context.cycle = self._machine.cycles
        try:
            return evaluate_condition(self._context, until.text)
        except ExpressionError as error:
            self._problem = error.message
            return False


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

    `failed` is the assertion that stopped it, if one did; `loaded` are the data that it began with,
    `printed` the values that were asked for, and `missed` is an end that it should have had.
    `session` is the exit status that the commands of a debug session ask for; None without one.
    """

    machine: AnyMachine
    stop: RunEnd
    seconds: float
    recording: Recording | None
    failed: FailedAssertion | None = None
    host: Host = Host({}, ())
    loaded: Sequence[Loaded] = ()
    printed: Sequence[PrintedValue] = ()
    missed: str = ""
    session: ExitStatus | None = None

    def run_so_far(self, kernel: Kernel) -> RunSoFar:
        """Return the description of the run for a file with the state."""
        before = self.host.saved.run.cycles if self.host.saved else 0
        digest = digest_of(self.machine.state.inst_mem)
        return RunSoFar(self.host.settings, kernel.name, digest, before + self.cycles)

    @property
    def last_bundle(self) -> int | None:
        """Return the bundle that halted the machine; None if none did."""
        is_halted = self.stop.reason is StopReason.HALTED and self.stop.pc >= 0
        return self.stop.pc if is_halted else None

    @property
    def next_bundle(self) -> int:
        """Return the program counter after the run."""
        return int(self.machine.state.program_counter)

    @property
    def is_left(self) -> bool:
        """Return whether a debug session has ended before the program."""
        return self.stop.reason is StopReason.PAUSE

    @property
    def cycles(self) -> int:
        """Return the number of bundles executed."""
        return self.machine.cycles

    @property
    def cycles_per_second(self) -> float:
        """Return the speed of the emulator."""
        return self.cycles / self.seconds if self.seconds else 0.0


def execute(kernel: Kernel, options: RunOptions, host: Host) -> RunOutcome:
    """Run a program on a machine that the host has set up.

    Raises `ProgramError` for a program that the machine cannot load, `WrongOptionError` for
    registers that it does not have, `FileError` for data that it does not take, and
    `BrokenAssertionsError`.
    """
    state, loaded = start_state(kernel, options, host)
    machine: AnyMachine = machine_for(kernel.isa.name).make_machine(state, host.settings)
    recording = None
    if options.is_recorded:
        recording = Recording(options.trace_limit if options.trace is not None else 0)
    machine.engine_choice = engine_of(options.engine)
    if machine.engine_choice is Engine.CORE:
        machine.load_core()  # before the clock starts
    machine.stops_at(machine.state.program_counter)  # bind the program before the clock starts
    lines = None if kernel.is_image else kernel.lines
    assertions = AssertionChecks(machine, kernel.lines) if options.assertions else None
    if assertions is not None and (broken := assertions.broken()):
        raise BrokenAssertionsError(broken)
    context = live_context(kernel.lines, state)
    stops = _stops(kernel, machine, options, assertions, context, host.saved is not None)
    length = RunLength(kernel.program, machine.state)
    start = time.perf_counter()
    progress = ProgressBar(options.max_cycles, sys.stderr, length=lambda: length.cycles)
    reason, fault = _run(machine, options, stops, recording, progress)
    seconds = time.perf_counter() - start
    stop = run_end_of(machine, reason, lines, fault)
    context.cycle = machine.cycles
    printed = printed_values(context, options.prints)
    missed = stops.missed() if reason is StopReason.HALTED else ""
    return RunOutcome(
        machine, stop, seconds, recording, stops.failed, host, loaded, printed, missed
    )


def _stops(
    kernel: Kernel,
    machine: AnyMachine,
    options: RunOptions,
    assertions: AssertionChecks | None,
    context: LiveContext,
    is_resumed: bool,
) -> RunStops:
    """Return what stops the run. Raises `WrongOptionError` for an unusable expression."""
    breaks = break_addresses(machine, kernel.isa) if options.breaks else frozenset[int]()
    name = "--print"
    try:
        check_printed(context, options.prints)
        name = "--until"
        until = None if options.until is None else until_of(machine, context, options.until)
    except ExpressionError as error:
        raise WrongOptionError(f"argument {name}: {error.message}") from None
    return RunStops(machine, breaks, assertions, until, context, is_resumed)


def start_state(
    kernel: Kernel, options: RunOptions, host: Host
) -> tuple[AnyState, Sequence[Loaded]]:
    """Return a state with program, registers and memory, and what was loaded to memory.

    Raises `WrongOptionError` and `FileError`.
    """
    state: AnyState = machine_for(kernel.isa.name).make_state(host.settings)
    state.load_program(kernel.words, None if kernel.is_image else kernel.lines)
    if host.saved is not None:
        _restore(state, host.saved, host.settings)
    _set_registers(state, kernel, options)
    return state, load_pieces(state, host.memory) if host.memory else ()


def _restore(state: AnyState, saved: SavedRun, settings: Mapping[str, Any]) -> None:
    """Restore a saved state; registers that options set take precedence. Raises `FileError`."""
    restore_state(state, saved)
    for option in machine_for(state.isa_name).host_options:
        if option.register and option.name in settings:
            number = option.choices.index(settings[option.name])
            state.regfile.scalars[state.layout.places[option.register]] = number


def _set_registers(state: AnyState, kernel: Kernel, options: RunOptions) -> None:
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


def _run(
    machine: AnyMachine,
    options: RunOptions,
    stops: RunStops,
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
                left = options.max_cycles - machine.cycles
                limit = min(piece.bundles, left)
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


def until_of(machine: AnyMachine, context: LiveContext, text: str) -> Until:
    """Return the end that a label or an expression states. Raises `ExpressionError`."""
    address = context.labels.get(text)
    if address is not None:
        return Until(text, frozenset((address,)))
    check_names(context, text)
    accesses = Accesses(machine)
    condition = ExpressionCondition(lambda: context, text, on_error=lambda error: False)
    check = ALWAYS if accesses.may_write_type else condition.check
    return Until(text, after_if=dict.fromkeys(accesses.writers_of(condition.reads), (check,)))


def break_addresses(machine: AnyMachine, isa: Isa) -> frozenset[int]:
    """Return the addresses of bundles with a break instruction."""
    breaks = machine.break_slot
    return frozenset(
        address
        for address, word in enumerate(machine.state.inst_mem)
        if word is not None
        and any(c.slot.name == breaks and not c.is_idle for c in decode_word(isa, word))
    )

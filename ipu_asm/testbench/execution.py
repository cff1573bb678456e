"""Execution of a kernel on a machine, in legs: between two of them the host may change anything."""

from __future__ import annotations

import warnings
from collections import deque
from operator import index
from typing import Any, Final, Mapping

from ipu_asm.assembler.kernel import Kernel
from ipu_asm.debugger.expressions import Context, ExpressionError, evaluate_condition
from ipu_asm.debugger.expressions.program_names import live_context
from ipu_asm.debugger.traps import AssertionChecks
from ipu_asm.diagnostics.rendering import render, render_place
from ipu_asm.emulator.machine import SelectiveTest, StopTest
from ipu_asm.emulator.run import DebugAction, DebugCallback, check_halted, run_end_of
from ipu_asm.emulator.state import SavedState
from ipu_asm.emulator.stops import (
    CycleLimitError,
    EmulatorError,
    ExecutionFault,
    RunEnd,
    StopReason,
    describe_current_bundle,
    describe_stop,
)
from ipu_asm.emulator.vliw import AnyMachine
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable
from ipu_asm.source.source_map import MAIN
from ipu_asm.text import Span

_MAX_LEGS: Final = 64


class Leg(NamedTuple):
    """A part of a run in which only the kernel changed the state; `first` and `last` are cycles."""

    start: SavedState
    first: int
    last: int


class Execution:
    """A kernel on a machine: what was executed, and where execution stands.

    `settings` are the host options of the machine. `legs` are the last parts of the run, by which a
    debugger can repeat it. `end` describes how the last leg ended.
    """

    def __init__(
        self, kernel: Kernel, machine: AnyMachine, settings: Mapping[str, Any], assertions: bool
    ) -> None:
        self.kernel = kernel
        self.machine = machine
        self.settings = settings
        self.legs: deque[Leg] = deque(maxlen=_MAX_LEGS)
        self.end = "not run yet"
        self._lines = machine.state.lines
        self._checks: AssertionChecks | None = None
        if assertions and self._lines is not None:
            self._checks = AssertionChecks(machine, self._lines)

    @property
    def lines(self) -> LineTable:
        """The source lines of the kernel; those of its disassembly for an image."""
        return self._lines or self.kernel.lines

    def begin(self) -> None:
        """Raise AssertionError for assertions that the scalar registers alone refute."""
        __tracebackhide__ = True
        broken = self._checks.broken() if self._checks else []
        if broken:
            self.end = "not run: an assertion does not hold"
            error = AssertionError("; ".join(finding.message for finding in broken))
            error.add_note("\n\n".join(render(each, self.kernel.source) for each in broken))
            raise error

    def advance(self, limit: int, stop: StopTest | None = None) -> int:
        """Execute up to `limit` bundles, until a halt or until `stop` holds; return their number.

        At least one bundle is executed. Raises `ExecutionFault`, with the state from before the
        bundle, and AssertionError for an assertion that does not hold between two bundles.
        """
        __tracebackhide__ = True
        machine, first = self.machine, self.machine.cycles
        self.end = "interrupted"
        start = machine.state.save()
        checks = self._checks if self._checks and self._checks.has_conditions else None
        failed = checks.failed_before() if checks else None
        try:
            if failed is None:
                machine.run(limit, stop if checks is None else _either(stop, checks))
                failed = checks.failed() if checks else None
        except EmulatorError as error:
            raise self.located(error) from None
        finally:
            self.legs.append(Leg(start, first, machine.cycles))
        if failed is not None:
            self.end = "stopped by an assertion"
            mistake = AssertionError(failed.message)
            if failed.written.path == MAIN:
                self._note_place(mistake, failed.written.span)
            raise mistake
        self.end = self._end_of_leg()
        return machine.cycles - first

    def debug(self, callback: DebugCallback, limit: int) -> bool:
        """Run as `advance` does, with a callback at breaks; return False if that has ended the run.

        The callback is called as by `ipu_asm.emulator.run_with_debug`. Raises `CycleLimitError` if
        the machine has not halted after `limit` bundles, TypeError for a wrong answer.
        """
        __tracebackhide__ = True
        machine, state = self.machine, self.machine.state
        stop, last, is_stepping = machine.break_test(), machine.cycles + limit, False
        while not state.is_halted:
            if is_stepping or machine.stops_at(state.program_counter):
                action = callback(state, machine.cycles)
                if not isinstance(action, DebugAction):
                    raise TypeError(f"`debug_callback` returns a `DebugAction`, found {action!r}")
                if action is DebugAction.QUIT:
                    self.end = f"ended by `debug_callback` {self._end_of_leg()}"
                    return False
                is_stepping = action is DebugAction.STEP
            left = last - machine.cycles
            self.advance(min(left, 1) if is_stepping else left, stop)
            if machine.cycles >= last:
                self.check_halted(limit)
        return True

    def check_halted(self, limit: int) -> None:
        """Raise `CycleLimitError` if the machine has not halted within a number of bundles."""
        __tracebackhide__ = True
        try:
            check_halted(self.machine.state, limit)
        except CycleLimitError as error:
            raise self.located(error) from None

    def run_end(self, reason: StopReason) -> RunEnd:
        """Return where the machine is now, and why."""
        return run_end_of(self.machine, reason, self._lines)

    def located(self, error: EmulatorError) -> EmulatorError:
        """Return the error with notes on its location, without the traceback of the emulator."""
        if isinstance(error, ExecutionFault):
            self.end = "stopped by a fault"
            self._note_place(error, error.fault.span)
        elif isinstance(error, CycleLimitError):
            self.end = "stopped at the cycle limit"
            stop = self.run_end(StopReason.CYCLE_LIMIT)
            error.add_note(describe_current_bundle(stop))
            self._note_place(error, stop.place.span if stop.place else None)
        return error.with_traceback(None)

    def _end_of_leg(self) -> str:
        cycles = f"cycles: {self.machine.cycles:,}"
        if self.machine.state.is_halted:
            return f"{describe_stop(self.run_end(StopReason.HALTED))}, {cycles}"
        return f"in front of {describe_current_bundle(self.run_end(StopReason.STEP))}, {cycles}"

    def _note_place(self, error: Exception, span: Span | None) -> None:
        if span is not None:
            error.add_note(render_place(self.kernel.source, span))


def _either(stop: StopTest | None, checks: AssertionChecks) -> StopTest:
    """A test that is true where a stop or an assertion's failure is; selective if `stop` is."""
    if stop is None:
        return checks.stop_test
    one = stop
    if not isinstance(stop, SelectiveTest):
        return lambda pc: one(pc) or checks.has_failed(pc)
    return stop.either(checks.stop_test)


class KernelWarning(UserWarning):
    """A kernel does something that is hardly ever meant, such as running off its end."""


def warn_of_end(execution: Execution, stop: RunEnd) -> None:
    """Warn if a run has left the program instead of being halted by an instruction.

    The warning's place is the line of the last bundle, in the file of the kernel.
    """
    kernel = execution.kernel
    if stop.instruction is not None or stop.pc < len(kernel.words):
        return
    last = len(kernel.words) - 1
    where = execution.lines.describe(last)
    message = (
        f"the kernel runs off its end: no instruction halts it after {where}, its last one; "
        f"{_remedy(kernel.isa)}"
    )
    place = execution.lines.place(last)
    line = place.line if place and not kernel.is_image else 1
    warnings.warn_explicit(message, KernelWarning, kernel.name, line, __name__)


def _remedy(isa: Isa) -> str:
    """What halts a machine of the set."""
    halting = [
        spec.mnemonic
        for slot in isa.slots
        for spec in isa.instructions_of(slot.name)
        if spec.flow == "halt"
    ]
    return f"end it with {' or '.join(f'`{each}`' for each in halting)}"


class NotReachedError(EmulatorError):
    """A run that was to reach a place has halted before, or came to its cycle limit."""


def stop_test(execution: Execution, place: str | int) -> StopTest:
    """Return the stop test of a place: a label, an address, or a condition on the state.

    Raises ValueError for a text that is neither a label nor a condition and for an address outside
    of program memory, TypeError for another object.
    """
    __tracebackhide__ = True
    labels = execution.kernel.program.label_addresses
    address = labels.get(place) if isinstance(place, str) else _address(execution, place)
    if address is not None:
        return SelectiveTest(lambda pc: pc == address, in_front=frozenset({address}))
    return _condition(execution, str(place))


def _address(execution: Execution, place: object) -> int:
    __tracebackhide__ = True
    last = execution.machine.state.program_limit - 1
    expected = f"a place is a label, an address from 0 to {last:,} or a condition"
    try:
        address = index(place)  # type: ignore[arg-type]  # that is what is checked
    except TypeError:
        raise TypeError(f"{expected}, found {type(place).__name__}") from None
    if not 0 <= address <= last:
        raise ValueError(f"{expected}, found {address}")
    return address


def _condition(execution: Execution, text: str) -> StopTest:
    """A test that evaluates a condition in front of each bundle."""
    __tracebackhide__ = True
    machine = execution.machine
    context = live_context(execution.lines, machine.state)
    context.cycle = machine.cycles
    try:
        evaluate_condition(context, text)
    except ExpressionError as error:
        labels = execution.kernel.program.label_addresses
        known = f"; the labels are {', '.join(labels)}" if labels else "; the kernel has no label"
        message = f"a place is a label, an address or a condition, found `{text}`: {error.message}"
        raise ValueError(message + known) from None

    def holds(_: int) -> bool:
        context.cycle += 1
        return _holds(context, text)

    return holds


def _holds(context: Context, text: str) -> bool:
    try:
        return evaluate_condition(context, text)
    except ExpressionError:
        return False  # such as a division by a register that is 0 at present

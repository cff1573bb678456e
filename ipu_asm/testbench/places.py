"""Places in a kernel up to which a bench runs: labels, addresses and conditions."""

from __future__ import annotations

from operator import index

from ipu_asm.debugger.expressions import Context, ExpressionError, evaluate_condition
from ipu_asm.debugger.expressions.program_names import live_context
from ipu_asm.emulator.faults import EmulatorError
from ipu_asm.emulator.machine import SelectiveTest, StopTest
from ipu_asm.testbench.execution import Execution


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

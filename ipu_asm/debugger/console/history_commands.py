"""The commands `who`, `when`, `goto`, `inrange`, `trip`: they search the history and move in it."""

from __future__ import annotations

from typing import Final

from ipu_asm.debugger.breakpoints import Stop
from ipu_asm.debugger.conditions import ExpressionCondition
from ipu_asm.debugger.console.command import CommandResult, stripped_span, whole_number
from ipu_asm.debugger.debugger import Debugger
from ipu_asm.debugger.explanations import (
    address_lines,
    describe_instruction,
    fault_address,
    last_in_range,
)
from ipu_asm.debugger.expressions import (
    ExpressionError,
    LiveContext,
    Location,
    evaluate,
    evaluate_condition,
    quoted,
)
from ipu_asm.debugger.queries import LastWrite, last_write, when_true
from ipu_asm.debugger.regions import COUNTER, Region, regions_of
from ipu_asm.emulator.stops import StopReason
from ipu_asm.expressions.tree import number_text
from ipu_asm.text import Span

MAX_CYCLES_AHEAD: Final = 10_000_000
"""Limit in cycles on moving beyond the cycles executed so far."""


def who(debugger: Debugger, context: LiveContext, argument: str) -> CommandResult:
    """Report the instruction that last wrote to a location. Raises ExpressionError."""
    where = _region(context, evaluate(context, argument).location, argument)
    change = _last_step(debugger) if where.name == COUNTER else last_write(debugger.runner, where)
    name = quoted(argument.strip())
    if change is None:
        since = f"cycle {debugger.history.first}, where the history begins"
        return CommandResult(f"no instruction has written {name} since {since}")
    if change.pc is None:
        there = f"`goto {change.cycle}` goes there"
        return CommandResult(f"{name} was last changed by hand at cycle {change.cycle}; {there}")
    bundle = describe_instruction(debugger, change.pc, change.instruction)
    author = f"`{change.instruction}` in {bundle}" if change.instruction else bundle
    landed = "" if change.landed is None else f", landed at cycle {change.landed}"
    there = f"at cycle {change.cycle}{landed}; `goto {change.cycle}` goes to the moment before it"
    return CommandResult(f"{name} was last written by {author} {there}")


def when(debugger: Debugger, context: LiveContext, argument: str) -> CommandResult:
    """Report the last cycle at which a condition became true. Raises ExpressionError."""
    now = "it holds now" if evaluate_condition(context, argument) else "it does not hold any more"

    def now_context() -> LiveContext:
        context.cycle = debugger.cycle
        return context

    condition = ExpressionCondition(now_context, argument, on_error=lambda error: False)
    try:
        cycle = when_true(debugger.runner, condition)
    finally:
        context.cycle = debugger.cycle
    name = quoted(argument.strip())
    if cycle is None:
        return CommandResult(f"{name} has not held up to now, cycle {debugger.cycle}")
    if cycle == debugger.history.first:
        return CommandResult(f"{name} held from the beginning, cycle {cycle}; {now}")
    cause = f"after {debugger.lines.describe(_pc_at(debugger, cycle - 1))}"
    text = f"{name} became true at cycle {cycle}, {cause}; {now}; `goto {cycle}` goes there"
    return CommandResult(text)


def goto(debugger: Debugger, context: LiveContext, argument: str) -> CommandResult:
    """Move to another cycle. Raises ExpressionError."""
    if argument.strip() in context.labels:
        message = f"`goto` takes a cycle, found the label {quoted(argument.strip())}, an address"
        raise ExpressionError(message, stripped_span(argument))
    cycle = whole_number(context, argument, "`goto` takes a cycle, a whole number")
    if argument.lstrip()[:1] in ("+", "-"):
        cycle += debugger.cycle
    elif cycle < 0:
        message = f"a cycle is 0 or more, found {number_text(cycle)}"
        raise ExpressionError(message, stripped_span(argument))
    if cycle > max(debugger.cycle, debugger.history.end) + MAX_CYCLES_AHEAD:
        message = (
            f"`goto` goes at most {MAX_CYCLES_AHEAD:,} cycles beyond those executed, found more"
        )
        raise ExpressionError(message, stripped_span(argument))
    stop = debugger.go_to(cycle)
    return CommandResult(_arrival(debugger, stop, cycle), stop)


def inrange(debugger: Debugger, context: LiveContext, argument: str) -> CommandResult:
    """Move back to where the address of a fault was last within memory. Raises ExpressionError."""
    if argument.strip():
        raise ExpressionError(
            f"`inrange` takes nothing, found {quoted(argument.strip())}", stripped_span(argument)
        )
    found = fault_address(debugger)
    if found is None:
        raise ExpressionError("the next bundle accesses no memory outside of xmem", Span(0, 0))
    what = " + ".join((*found.offsets, *found.bases))
    cycle = last_in_range(debugger, context, found)
    if cycle is None:
        text = f"{what} has never been in range: {', '.join(address_lines(debugger, found))}"
        return CommandResult(text)
    stop = debugger.go_to(cycle)
    register = found.offsets[0] if len(found.offsets) == 1 else what
    arrival = _arrival(debugger, stop, cycle)
    return CommandResult(f"{register} was last in range here: {arrival}", stop)


def trip(debugger: Debugger, context: LiveContext, argument: str) -> CommandResult:
    """Move to a trip of a loop that the machine is in. Raises ExpressionError."""
    text, label = argument.strip(), None
    number, _, rest = text.partition(" ")
    around = debugger.trips
    if rest.strip() in context.labels:
        text, label = number, rest.strip()
        around = [each for each in around if each.loop.head == context.labels[label]]
    if not around:
        which = f"`{label}`" if label else "a loop"
        known = "whose trips are known" if debugger.last_cycle is None else "here"
        message = f"`trip` moves within a loop, and the machine is not in {which} {known}"
        raise ExpressionError(message, stripped_span(argument))
    inside = around[-1]
    wanted = whole_number(context, text, "`trip` takes the number of a trip, from 1")
    if text[:1] in ("+", "-"):
        wanted += inside.number
    if not 1 <= wanted <= inside.trips:
        message = f"a trip is 1 to {inside.trips:,} here, found {number_text(wanted)}"
        raise ExpressionError(message, stripped_span(argument))
    cycle = debugger.start_of_trip(inside, wanted)
    stop = debugger.go_to(cycle)
    return CommandResult(
        f"trip {wanted:,} of {inside.trips:,}: {_arrival(debugger, stop, cycle)}", stop
    )


def _region(context: LiveContext, location: Location | None, argument: str) -> Region:
    if location is None:
        message = "`who` takes a register, an element, a slice or xmem, found a computed value"
        raise ExpressionError(message, stripped_span(argument))
    try:
        return context.view.region_of(location)
    except ValueError as error:
        raise ExpressionError(str(error), stripped_span(argument)) from None


def _last_step(debugger: Debugger) -> LastWrite | None:
    """The last write to `pc`: the last bundle executed, unless the user edited `pc` since."""
    edited = last_write(debugger.runner, regions_of(debugger.state).whole(COUNTER))
    before = debugger.cycle - 1
    if before < debugger.history.first or (edited is not None and edited.cycle > before):
        return edited
    return LastWrite(before, _pc_at(debugger, before))


def _pc_at(debugger: Debugger, cycle: int) -> int:
    """The program counter at a cycle."""
    now = debugger.cycle
    try:
        debugger.history.go_to(cycle)
        return int(debugger.state.program_counter)
    finally:
        debugger.history.go_to(now)


def _arrival(debugger: Debugger, stop: Stop, wanted: int) -> str:
    """Describe the cycle that was reached, and why an earlier one than requested."""
    if stop.reason is not StopReason.STEP:
        return f"cycle {stop.cycle}, {stop.description}"
    where = f"cycle {stop.cycle}, in front of {debugger.lines.describe(stop.pc)}"
    return where if stop.cycle == wanted else f"{where}: the history begins there"

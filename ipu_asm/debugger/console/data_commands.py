"""The commands of the console about data (`memory`, `diff`) and about the past."""

from __future__ import annotations

import math
import re
from typing import Final, Iterator

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
from ipu_asm.debugger.expressions.context import content_at
from ipu_asm.debugger.expressions.machine_view import location_text
from ipu_asm.debugger.inspection.texts import (
    amount_text,
    count_text,
    element_difference,
    element_texts,
)
from ipu_asm.debugger.memory_usage import Cell, MemoryUsage, UsedRegion, memory_usage
from ipu_asm.debugger.queries import LastAccess, LastWrite, last_write, when_true
from ipu_asm.debugger.regions import COUNTER, Region, regions_of
from ipu_asm.emulator.stops import StopReason
from ipu_asm.expressions.parser import parse
from ipu_asm.expressions.tree import number_text
from ipu_asm.text import Span, counted

MAP: Final = "map"
BAR_CELLS: Final = 32
"""Cells of a bar, at most."""

_HEAT: Final = ".:-=+*#%@"
_PLANNED: Final = "_"
_HEADINGS: Final = ("region", "addresses", "bytes", "reads", "writes", "heat")
_NUMERIC: Final = (2, 3, 4)


def memory(debugger: Debugger, context: LiveContext, argument: str) -> CommandResult:
    """Show the memory that the run uses. Raises ExpressionError and `QueryInterruptedError`."""
    if argument.strip() not in ("", MAP):
        message = f"`memory` takes `{MAP}`, found {quoted(argument.strip())}"
        raise ExpressionError(message, stripped_span(argument))
    usage = memory_usage(debugger, BAR_CELLS)
    return CommandResult(usage_text(debugger, usage))


def usage_text(debugger: Debugger, usage: MemoryUsage) -> str:
    """Return a table of the regions; below it the last accesses, and what the bars mean."""
    since = f", counted from cycle {usage.since:,} on" if usage.since else ""
    lines = [f"xmem at cycle {usage.cycle:,}, accesses of blocks of 128 bytes{since}"]
    if not usage.regions:
        return f"{lines[0]}\nno part of it has a name, and nothing has accessed it"
    most = max(max(each.reads, each.writes) for part in usage.regions for each in part.cells)
    rows = [_HEADINGS, *(_row(part, most) for part in usage.regions)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
    for row, part in zip(rows, (None, *usage.regions)):
        cells = [
            cell.rjust(width) if column in _NUMERIC else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths))
        ]
        about = ", ".join(_about(part)) if part is not None else ""
        lines.append(f"{'  '.join(cells)}  {about}".rstrip())
    lines.append(access_text(debugger, "read", usage.last_read))
    lines.append(access_text(debugger, "write", usage.last_write))
    legend = [f"{_HEAT[0]} few to {_HEAT[-1]} {most:,} a column, logarithmic"] if most else []
    legend += [f"{_PLANNED} still to be accessed"] if usage.is_planned else []
    lines += [f"heat: {'; '.join(legend)}"] if legend else []
    return "\n".join(lines)


def access_text(debugger: Debugger, kind: str, access: LastAccess | None) -> str:
    """Return a sentence about the last access of a kind."""
    if access is None:
        return f"last {kind}: none so far"
    start, size = access.touched.start, access.touched.size
    where = describe_instruction(debugger, access.pc, access.touched.instruction)
    what = f"{counted(size, 'byte')} at {start:#x} by `{access.touched.instruction}`"
    return f"last {kind}: {what} in {where} at cycle {access.cycle:,}"


def _row(part: UsedRegion, most: int) -> tuple[str, ...]:
    first, last = part.bytes.start, part.bytes.stop - 1
    bar = "".join(_letter(cell, most) for cell in part.cells)
    counts = f"{len(part.bytes):,}", f"{part.reads:,}", f"{part.writes:,}"
    return part.name, f"{first:#07x}..{last:#07x}", *counts, f"|{bar}|"


def _about(part: UsedRegion) -> Iterator[str]:
    if part.bases and not part.name.startswith("at "):
        yield " and ".join(part.bases)
    yield from part.data


def _letter(cell: Cell, most: int) -> str:
    """The heat of a cell, on a logarithmic scale."""
    count = max(cell.reads, cell.writes)
    if not count:
        return _PLANNED if cell.planned else " "
    share = math.log(count) / math.log(most) if most > 1 else 1.0
    return _HEAT[min(len(_HEAT) - 1, int(share * len(_HEAT)))]


_MAX_SHOWN: Final = 16
_FROM: Final = re.compile(r"\s+from\s+(\d{1,9})\s*$", re.ASCII)


def diff(debugger: Debugger, context: LiveContext, argument: str) -> CommandResult:
    """Compare a vector with a file. Raises ExpressionError."""
    end = _end_of_vector(argument)
    file, first = _file_and_first(argument[end:])
    place, name = argument[:end], file.strip("\"'")
    if not name:
        message = "`diff` takes a vector and a file, as in `diff acc expected.npy`, found no file"
        raise ExpressionError(message, Span(len(argument), len(argument)))
    location = evaluate(context, place).location
    if location is None or location.length is None or not location.has_bytes:
        message = "`diff` compares several elements of a register or of xmem, as in "
        message += f"`acc` or `xmem[0 .. +16]`, found {quoted(place.strip())}"
        raise ExpressionError(message, Span(0, end))
    start = argument.index(name, end)
    try:
        expected = debugger.options.read_expected(name, location, context.view)
    except ExpressionError as error:
        raise ExpressionError(error.message, Span(start, start + len(name))) from error
    found = content_at(context, location)
    kind, label = location.kind, place.strip()
    difference = element_difference(name, kind, found, expected)
    heading = f"{label} and {name}: {count_text(difference, difference.texts)}"
    differing = [index for index in difference.differing if index >= first]
    if not differing:
        others = f"; none from element {first} on" if difference.differing else ""
        return CommandResult(f"{heading}{others}")
    elements = location_text(location, context.view).elements(0, location.elements)
    names = [expression for _, expression in elements]
    numbers, texts = kind.decode(found), element_texts(kind, found, None)
    lines = [heading]
    for index in differing[:_MAX_SHOWN]:
        amount = amount_text(numbers[index], difference.expected[index])
        by = f" ({amount})" if amount else ""
        lines.append(f"  {names[index]} is {texts[index]}, expected {difference.texts[index]}{by}")
    rest = differing[_MAX_SHOWN:]
    if rest:
        command = f"diff {label} {file} from {rest[0]}"
        lines.append(f"  and {len(rest):,} more: `{command}` shows the next of them")
    lines.append(f"`who {names[differing[0]]}` tells which instruction wrote the first of them")
    return CommandResult("\n".join(lines))


def _file_and_first(text: str) -> tuple[str, int]:
    """Return the name of a file, and the element from which differences are shown."""
    match = _FROM.search(text)
    return (text.strip(), 0) if match is None else (text[: match.start()].strip(), int(match[1]))


def _end_of_vector(argument: str) -> int:
    """Return where the file begins, whose path may look like an operator: after an expression.

    Raises ExpressionError where nothing is one.
    """
    error: ExpressionError | None = None
    for blank in (*re.finditer(r"(?<=\S)\s+", argument), None):
        end = len(argument) if blank is None else blank.start()
        try:
            parse(argument[:end])
        except ExpressionError as found:
            error = error or found
        else:
            return end
    assert error is not None
    raise error


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

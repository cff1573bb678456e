"""The commands `memory` and `diff`: how memory is used, and elements compared with a file."""

from __future__ import annotations

import math
import re
from typing import Final, Iterator

from ipu_asm.debugger.console.command import CommandResult, stripped_span
from ipu_asm.debugger.debugger import Debugger
from ipu_asm.debugger.explanations import describe_instruction
from ipu_asm.debugger.expressions import ExpressionError, LiveContext, evaluate, quoted
from ipu_asm.debugger.expressions.context import content_at
from ipu_asm.debugger.expressions.machine_view import location_text
from ipu_asm.debugger.inspection.texts import (
    amount_text,
    count_text,
    element_difference,
    element_texts,
)
from ipu_asm.debugger.memory_usage import Cell, MemoryUsage, UsedRegion, memory_usage
from ipu_asm.debugger.queries import LastAccess
from ipu_asm.expressions.parser import parse
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

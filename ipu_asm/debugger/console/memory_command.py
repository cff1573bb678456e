"""The `memory` command: regions of memory as a table, with the heat of accesses as bars."""

from __future__ import annotations

import math
from typing import Final, Iterator

from ipu_asm.debugger.console.command_io import CommandResult, stripped_span
from ipu_asm.debugger.debugger import Debugger
from ipu_asm.debugger.explanations import describe_instruction
from ipu_asm.debugger.expressions import ExpressionError, LiveContext, quoted
from ipu_asm.debugger.memory_usage import Cell, MemoryUsage, UsedRegion, memory_usage
from ipu_asm.debugger.queries import LastAccess

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
    return (
        f"last {kind}: {size} bytes at {start:#x} by `{access.touched.instruction}` in {where} "
        f"at cycle {access.cycle:,}"
    )


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

"""Custom request `ipu/memoryMap`: the memory that the run uses. See docs/protocol.md."""

from __future__ import annotations

from typing import Final

from ipu_asm.debugger.console.memory_command import BAR_CELLS, access_text, usage_text
from ipu_asm.debugger.debugger import Debugger
from ipu_asm.debugger.inspection.vectors import MAX_VECTOR_ELEMENTS
from ipu_asm.debugger.memory_usage import MOST_CELLS, READ, WRITTEN, UsedRegion, memory_usage
from ipu_asm.debugger.queries import LastAccess, QueryInterruptedError
from ipu_asm.debugger.regions import MEMORY
from ipu_asm.emulator.execution_counts import BLOCK_SIZE
from ipu_lsp.debug_adapter.request_table import Needs, RequestCancelledError, request
from ipu_lsp.debug_adapter.session import DebugSession
from ipu_lsp.json_types import Json

MEMORY_MAP: Final = "ipu/memoryMap"
_MOST_CELLS: Final = 4_096
_PLANNED: Final = {0: "", READ: "read", WRITTEN: "written", READ | WRITTEN: "both"}


@request(MEMORY_MAP, Needs.STOPPED)
def memory_map(session: DebugSession, *, cells: int = MOST_CELLS) -> Json:
    """Return the used regions of memory, in up to `cells` cells each, and the last accesses."""
    debugger = session.program.debugger
    try:
        usage = memory_usage(debugger, max(1, min(cells, _MOST_CELLS)))
    except QueryInterruptedError as error:
        raise RequestCancelledError from error
    return {
        "text": usage_text(debugger, memory_usage(debugger, BAR_CELLS)),
        "memory": MEMORY,
        "size": usage.size,
        "blockSize": BLOCK_SIZE,
        "elementSize": debugger.model.types_in(debugger.state).element.size,
        "cycle": usage.cycle,
        "since": usage.since,
        "isPlanned": usage.is_planned,
        "regions": [_region(debugger, each) for each in usage.regions],
        "lastRead": _access(debugger, "read", usage.last_read),
        "lastWrite": _access(debugger, "write", usage.last_write),
    }


def _region(debugger: Debugger, region: UsedRegion) -> Json:
    return {
        "name": region.name,
        "about": region.about,
        "start": region.bytes.start,
        "end": region.bytes.stop,
        "data": list(region.data),
        "bases": list(region.bases),
        "reads": region.reads,
        "writes": region.writes,
        "planned": _PLANNED[region.planned],
        "memoryReference": f"{region.bytes.start:#x}",
        "expression": _expression(debugger, region.bytes),
        "cellStart": region.cell_start,
        "cellSize": region.cell_size,
        "cells": [[cell.reads, cell.writes, cell.planned] for cell in region.cells],
    }


def _expression(debugger: Debugger, bytes_: range) -> str:
    """The expression of a vector: all of the bytes, or as many as a vector has."""
    size = debugger.model.types_in(debugger.state).element.size
    count = max(1, min(len(bytes_) // size, MAX_VECTOR_ELEMENTS))
    return f"{MEMORY}[{bytes_.start:#x} .. +{count}]"


def _access(debugger: Debugger, kind: str, access: LastAccess | None) -> Json | None:
    if access is None:
        return None
    place = debugger.lines.place(access.pc)
    return {
        "start": access.touched.start,
        "size": access.touched.size,
        "instruction": access.touched.instruction,
        "pc": access.pc,
        "cycle": access.cycle,
        "line": None if place is None else place.line,
        "text": access_text(debugger, kind, access),
    }

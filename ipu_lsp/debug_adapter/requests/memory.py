"""Bytes of memory and registers, disassembly, and `ipu/memoryMap`, see docs/protocol.md."""

from __future__ import annotations

import base64
import binascii
from typing import Final

from ipu_asm.debugger.console import BundleRow, rows
from ipu_asm.debugger.console.data_commands import BAR_CELLS, access_text, usage_text
from ipu_asm.debugger.debugger import Debugger
from ipu_asm.debugger.expressions import quoted
from ipu_asm.debugger.inspection.vectors import MAX_VECTOR_ELEMENTS
from ipu_asm.debugger.memory_usage import MAX_CELLS, READ, WRITTEN, UsedRegion, memory_usage
from ipu_asm.debugger.queries import LastAccess, QueryInterruptedError
from ipu_asm.debugger.regions import MEMORY, Region, read_region
from ipu_asm.emulator.execution_counts import BLOCK_SIZE
from ipu_lsp.debug_adapter.client import (
    MemoryReference,
    code_address,
    read_reference,
    shown_address,
)
from ipu_lsp.debug_adapter.requests import Needs, RequestCancelledError, RequestError, request
from ipu_lsp.debug_adapter.requests.variables import report_change
from ipu_lsp.debug_adapter.session import DebugSession
from ipu_lsp.transport import Json

MAX_INSTRUCTIONS: Final = 4_096
"""Maximum number of bundles per `disassemble` request; program memory has 1,024."""
MAX_VIEWED_REFERENCES: Final = 256
"""Number of recently read memory references for which `memory` events are sent."""
_SHORT_WORD: Final = 8  # bytes, which leave room for instructions in the next column


@request("readMemory", Needs.STOPPED, "supportsReadMemoryRequest")
def read_memory(
    session: DebugSession, *, memory_reference: str, count: int, offset: int = 0
) -> Json:
    """Return bytes from a reference on, and the number of bytes beyond its end as unreadable."""
    reference = _reference(session, memory_reference)
    _note_viewed(session, memory_reference, reference)
    start, count = reference.start + offset, max(0, count)
    body: Json = {"address": reference.moved(offset).address}
    if not 0 <= start <= reference.size:
        # The number of bytes to skip before the first readable one.
        return {**body, "unreadableBytes": min(count, -start) if start < 0 else count}
    readable = min(count, reference.size - start)
    data = b""
    if readable:
        data = read_region(session.program.debugger.state, Region(reference.part, start, readable))
    body["data"] = base64.b64encode(data).decode("ascii")
    if count > readable:
        body["unreadableBytes"] = count - readable
    return body


@request("writeMemory", Needs.STOPPED, "supportsWriteMemoryRequest")
def write_memory(
    session: DebugSession,
    *,
    memory_reference: str,
    data: str,
    offset: int = 0,
    allow_partial: bool = False,
) -> Json:
    """Write bytes to memory or a register; return how many were written.

    Raises `RequestError` if they do not all fit, unless `allow_partial` is set.
    """
    reference = _reference(session, memory_reference)
    content = _decoded(data)
    start = reference.start + offset
    fitting = max(0, min(len(content), reference.size - start)) if start >= 0 else 0
    if fitting < len(content) and not allow_partial:
        raise RequestError(
            f"`{reference.part}` has {reference.size:#x} bytes, "
            f"found {len(content)} for {start:#x} on",
            True,
        )
    if fitting:
        region = Region(reference.part, start, fitting)
        _edit(session, region, content[:fitting])
        report_change(session, region)
    return {"bytesWritten": fitting, "offset": offset}


def _edit(session: DebugSession, region: Region, data: bytes) -> None:
    """Overwrite a region. Raises `RequestError` for a register that is constant."""
    try:
        session.program.debugger.edit(region, data)
    except ValueError as error:
        raise RequestError(str(error)) from error


@request("disassemble", Needs.PROGRAM, "supportsDisassembleRequest")
def disassemble(
    session: DebugSession,
    *,
    memory_reference: str,
    instruction_count: int,
    offset: int = 0,
    instruction_offset: int = 0,
) -> Json:
    """Return bundles around an address as assembly; addresses outside of memory are marked invalid.

    `offset` and `instruction_offset` both count bundles.
    """
    address = code_address(memory_reference)
    if address is None:
        raise RequestError(
            f"the address of a bundle is like `0x7`, found {quoted(memory_reference)}"
        )
    if not 0 <= instruction_count <= MAX_INSTRUCTIONS:
        most = f"{MAX_INSTRUCTIONS:,}"
        raise RequestError(f"at most {most} bundles at once, found {instruction_count:,}")
    first = address + offset + instruction_offset
    found = {row.address: row for row in rows(session.program.debugger, first, instruction_count)}
    return {
        "instructions": [
            _instruction(session, found[number]) if number in found else _nothing(number)
            for number in range(first, first + instruction_count)
        ]
    }


def _nothing(address: int) -> Json:
    return {
        "address": shown_address(address),
        "instruction": "(no bundle)",
        "presentationHint": "invalid",
    }


def _instruction(session: DebugSession, row: BundleRow) -> Json:
    debuggee = session.program
    word = debuggee.debugger.state.inst_mem[row.address]
    body: Json = {"address": shown_address(row.address), "instruction": row.code}
    if word is None:
        return {**body, "presentationHint": "invalid"}
    size = debuggee.kernel.isa.image_bytes or (word.bit_length() + 7) // 8
    is_written = bool(debuggee.shown.path) and debuggee.kernel.expansion is None
    if debuggee.client.shows_words_first and size > _SHORT_WORD:
        body["instruction"] = _with_word(row.code, f"0x{word:0{2 * size}x}", is_written)
    else:
        body["instructionBytes"] = word.to_bytes(size, "little").hex(" ")
    place = debuggee.debugger.lines.place(row.address)
    if place is not None:
        body["location"] = debuggee.shown.source
        body.update(debuggee.shown.positions.to_client(place.span))
    if row.label is not None:
        body["symbol"] = row.label
    return body


def _with_word(code: str, word: str, is_written: bool) -> str:
    """Return a bundle and its word in one column, whose end may be out of sight.

    The instructions stand last where the client shows the same ones, as written, above the row.
    """
    return f"{word}  {code}" if is_written else f"{code}  # {word}"


def _decoded(data: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError) as error:
        raise RequestError(f"`data` is base64, found {quoted(data)}") from error


def _note_viewed(session: DebugSession, text: str, reference: MemoryReference) -> None:
    """Remember a memory reference that the client shows, for `memory` events."""
    session.viewed.pop(text, None)
    session.viewed[text] = reference
    if len(session.viewed) > MAX_VIEWED_REFERENCES:
        del session.viewed[next(iter(session.viewed))]


def _reference(session: DebugSession, text: str) -> MemoryReference:
    reference = read_reference(text, session.program.context.view.regions)
    if reference is None:
        raise RequestError(
            "a memory reference is an address of xmem like `0x1000` or a register, "
            f"found {quoted(text)}"
        )
    return reference


MEMORY_MAP: Final = "ipu/memoryMap"
_MAX_CELLS: Final = 4_096
_PLANNED: Final = {0: "", READ: "read", WRITTEN: "written", READ | WRITTEN: "both"}


@request(MEMORY_MAP, Needs.STOPPED)
def memory_map(session: DebugSession, *, cells: int = MAX_CELLS) -> Json:
    debugger = session.program.debugger
    try:
        usage = memory_usage(debugger, max(1, min(cells, _MAX_CELLS)))
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

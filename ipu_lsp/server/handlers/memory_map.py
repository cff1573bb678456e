"""`ipu/memoryMap`: which bytes of memory a program reads and writes, and where it does."""

from __future__ import annotations

from ipu_asm.ide import memory_map as ide
from ipu_lsp.json_types import Json
from ipu_lsp.server.convert import Coordinates
from ipu_lsp.server.custom import DocumentParams
from ipu_lsp.server.session import LspSession, View


def memory_map(session: LspSession, params: DocumentParams) -> Json | None:
    """Return the memory map of a document; None for a document that is not open."""
    view = session.view(params.text_document.uri)
    return None if view is None else memory_map_of(view)


def memory_map_of(view: View) -> Json:
    """Return the memory map as data, and as a text with the source line of each of its lines."""
    found = ide.memory_map(view.analysis)
    lines = list(ide.map_lines(view.analysis, found))
    return {
        "text": "".join(f"{line.text}\n" for line in lines),
        "lines": [{"line": line.line} for line in lines],
        "note": found.note,
        "strips": [_strip(strip) for strip in found.strips],
        "accesses": [_access(access, view.coordinates) for access in found.accesses],
    }


def _strip(strip: ide.MemoryStrip) -> Json:
    return {
        "memory": strip.memory,
        "size": strip.size,
        "base": strip.base,
        "regions": [
            {
                "start": region.range.start,
                "end": region.range.stop,
                "kind": region.kind,
                "through": list(region.through),
                "accesses": list(region.accesses),
            }
            for region in strip.regions
        ],
        "unknown": list(strip.unknown),
    }


def _access(access: ide.MapAccess, coordinates: Coordinates) -> Json:
    return {
        "range": coordinates.range(access.span),
        "text": access.text,
        "kind": access.kind,
        "size": access.size,
        "addresses": access.addresses,
        "executions": access.executions,
        "ranges": [[each.start, each.stop] for each in access.ranges],
    }

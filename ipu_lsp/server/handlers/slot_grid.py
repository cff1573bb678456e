"""`ipu/slotGrid`: the bundles of a document as a table with one column per slot."""

from __future__ import annotations

from ipu_asm.flow.loops import SourceLoop
from ipu_asm.ide import listing as ide
from ipu_asm.isa.model import Slot
from ipu_lsp.json_types import Json
from ipu_lsp.server.convert import Coordinates
from ipu_lsp.server.custom import DocumentParams
from ipu_lsp.server.session import LspSession


def slot_grid(session: LspSession, params: DocumentParams) -> Json | None:
    """Return the table of a document; None for a document that is not open."""
    view = session.view(params.text_document.uri)
    if view is None:
        return None
    coordinates = view.coordinates
    offset = None if params.position is None else coordinates.offset(params.position)
    grid = ide.slot_grid(view.analysis, offset)
    answer: Json = {
        "isa": view.analysis.isa.name,
        "unit": view.analysis.isa.unit,
        "slots": [_slot(slot) for slot in grid.slots],
        "rows": [_row(row, coordinates) for row in grid.rows],
        "loops": [_loop(loop) for loop in grid.loops],
    }
    if grid.current is not None:
        answer["current"] = grid.current
    return answer


def _slot(slot: Slot) -> Json:
    """Encode a slot, with the functional units that it occupies if slots compete for units."""
    written: Json = {"name": slot.name, "title": slot.title, "capacity": slot.capacity}
    if slot.units:
        written["units"] = list(slot.units)
    return written


def _row(row: ide.GridRow, coordinates: Coordinates) -> Json:
    range_ = coordinates.range(row.span)
    return {
        "address": row.address,
        "line": range_["start"]["line"],
        "label": row.label,
        "range": range_,
        "cells": [[_cell(cell, coordinates) for cell in cells] for cells in row.cells],
        "strays": [_cell(cell, coordinates) for cell in row.strays],
        "executions": row.executions,
    }


def _cell(cell: ide.GridCell, coordinates: Coordinates) -> Json:
    return {
        "mnemonic": cell.mnemonic,
        "text": cell.text,
        "range": coordinates.range(cell.span),
        "slot": cell.slot,
        "idle": cell.is_idle,
    }


def _loop(loop: SourceLoop) -> Json:
    return {
        "first": loop.first,
        "last": loop.last,
        "label": loop.label,
        "utilisation": round(loop.utilisation, 4),
        "use": loop.use_text,
        "iterationBundles": loop.size,
    }

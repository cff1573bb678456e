"""Custom requests `ipu/vectors` and `ipu/vector`: whole vectors for plots. See docs/protocol.md."""

from __future__ import annotations

import math
from typing import Iterable

from ipu_asm.debugger.expressions import ExpressionError, Space
from ipu_asm.debugger.inspection import VectorView
from ipu_lsp.debug_adapter.request_table import Needs, RequestError, request
from ipu_lsp.debug_adapter.requests.stack import check_frame
from ipu_lsp.debug_adapter.requests.variables import memory_reference
from ipu_lsp.debug_adapter.session import DebugSession
from ipu_lsp.json_types import Json

VECTOR = "ipu/vector"
VECTORS = "ipu/vectors"


@request(VECTORS, Needs.STOPPED)
def vectors(session: DebugSession) -> Json:
    """Return the vector registers, with the element types in which they can be read."""
    inspector = session.program.inspector
    return {
        "vectors": [
            {
                "name": found.name,
                "note": inspector.note(found.name),
                "type": found.type,
                "types": list(found.types),
                "elements": found.elements,
                "masks": list(found.masks),
            }
            for found in inspector.vectors()
        ],
        "expected": [
            {"name": source.file + (f"[{source.member}]" if source.member else "")}
            for piece in session.program.configuration.expect
            if (source := piece.data.source).file
        ],
    }


@request(VECTOR, Needs.STOPPED)
def vector(
    session: DebugSession,
    *,
    name: str,
    type_: str | None = None,
    mask: str | None = None,
    expected: str | None = None,
    frame_id: int | None = None,
) -> Json:
    """Return the elements of a vector, their previous values, and those that a mask suppresses.

    With the file `expected`, also what they should be.
    """
    check_frame(frame_id)
    try:
        view = session.program.inspector.vector_view(name, type_, mask)
    except ExpressionError as error:
        raise RequestError(error.message) from error
    extent = view.extent
    return {
        "name": name.strip(),
        "path": view.path,
        "note": session.program.inspector.note(view.path),
        "type": view.type,
        "types": list(view.types),
        "masks": list(view.masks),
        "elements": _numbers(view.numbers),
        "texts": list(view.texts),
        "hex": list(view.bits),
        "expressions": list(view.expressions),
        "changed": list(view.changed),
        "previous": _numbers(view.previous),
        "previousTexts": list(view.previous_texts),
        "masked": list(view.masked),
        **({} if extent is None else {"minimum": extent[0], "maximum": extent[1]}),
        "nans": view.nans,
        "infinities": view.infinities,
        "numpy": view.numpy,
        **_location(view),
        **({} if expected is None else _expected(session, view, expected)),
    }


def _expected(session: DebugSession, view: VectorView, name: str) -> Json:
    """Encode what a file expects of a vector, or why that cannot be said."""
    try:
        found = session.program.inspector.difference(
            view, name, session.program.debugger.options.read_expected
        )
    except ExpressionError as error:
        return {"expectedProblem": error.message}
    return {
        "expected": {
            "name": found.name,
            "elements": _numbers(found.expected),
            "texts": list(found.texts),
            "differing": list(found.differing),
        }
    }


def _location(view: VectorView) -> Json:
    """Encode the location of the bytes; empty for bits, which have no byte address."""
    location = view.location
    if location.space is Space.BITS:
        return {}
    where = view.view.region_of(location)
    return {
        "memoryReference": memory_reference(view.view, location),
        "location": {"part": where.name, "start": where.start, "elementSize": location.kind.size},
    }


def _numbers(numbers: Iterable[int | float]) -> list[int | float | str]:
    """Encode numbers for JSON, with strings for NaN and infinities."""
    return [number if math.isfinite(number) else _word(number) for number in numbers]


def _word(number: float) -> str:
    if math.isnan(number):
        return "NaN"
    return "Infinity" if number > 0 else "-Infinity"

"""What docs/protocol.md says of the requests that are ours alone, as a schema of the protocol."""

from __future__ import annotations

from typing import Final

from ipu_lsp.transport import Json


def _object(required: Json, optional: Json | None = None) -> Json:
    properties = {**required, **(optional or {})}
    return {"type": "object", "properties": properties, "required": list(required)}


def _list(of: Json) -> Json:
    return {"type": "array", "items": of}


def _request(command: str, arguments: Json, is_optional: bool = False) -> Json:
    words = {"seq": _COUNT, "type": {"const": "request"}, "command": {"const": command}}
    given = {"arguments": arguments} if arguments else {}
    return _object(words, given) if is_optional else _object({**words, **given})


def _response(command: str, body: Json) -> Json:
    words = {"seq": _COUNT, "type": {"const": "response"}, "command": {"const": command}}
    is_done = {"request_seq": _COUNT, "success": {"type": "boolean"}}
    return _object({**words, **is_done, "body": body})


_TEXT: Final[Json] = {"type": "string"}
_WORDS: Final = {"type": "string", "minLength": 1}
_COUNT: Final[Json] = {"type": "integer", "minimum": 0}
_SOURCE: Final = {"$ref": "#/definitions/Source"}
_NUMBER: Final = {"$ref": "#/definitions/VectorNumber"}

_LISTED: Final = _object(
    {
        "name": _WORDS,
        "note": _TEXT,
        "type": _WORDS,
        "types": _list(_WORDS),
        "elements": _COUNT,
        "masks": _list(_WORDS),
    }
)
_PICTURE: Final = _object(
    {
        "name": _WORDS,
        "path": _WORDS,
        "note": _TEXT,
        "type": _WORDS,
        "types": _list(_WORDS),
        "masks": _list(_WORDS),
        "elements": _list(_NUMBER),
        "texts": _list(_WORDS),
        "hex": _list(_WORDS),
        "expressions": _list(_WORDS),
        "changed": _list(_COUNT),
        "previous": _list(_NUMBER),
        "previousTexts": _list(_WORDS),
        "masked": _list(_COUNT),
        "nans": _COUNT,
        "infinities": _COUNT,
        "numpy": _WORDS,
    },
    {
        "minimum": _WORDS,
        "maximum": _WORDS,
        "memoryReference": _WORDS,
        "location": _object({"part": _WORDS, "start": _COUNT, "elementSize": _COUNT}),
        "expected": _object(
            {
                "name": _WORDS,
                "elements": _list(_NUMBER),
                "texts": _list(_WORDS),
                "differing": _list(_COUNT),
            }
        ),
        "expectedProblem": _WORDS,
    },
)

_ACCESS: Final[Json] = {
    "anyOf": [
        {"type": "null"},
        _object(
            {
                "start": _COUNT,
                "size": _COUNT,
                "instruction": _WORDS,
                "pc": _COUNT,
                "cycle": _COUNT,
                "line": {"type": ["integer", "null"]},
                "text": _WORDS,
            }
        ),
    ]
}
_REGION: Final = _object(
    {
        "name": _WORDS,
        "about": _TEXT,
        "start": _COUNT,
        "end": _COUNT,
        "data": _list(_WORDS),
        "bases": _list(_WORDS),
        "reads": _COUNT,
        "writes": _COUNT,
        "planned": {"enum": ["", "read", "written", "both"]},
        "memoryReference": _WORDS,
        "expression": _WORDS,
        "cellStart": _COUNT,
        "cellSize": _COUNT,
        "cells": _list(_list(_COUNT)),
    }
)
_MAP: Final = _object(
    {
        "text": _WORDS,
        "memory": _WORDS,
        "size": _COUNT,
        "blockSize": _COUNT,
        "elementSize": _COUNT,
        "cycle": _COUNT,
        "since": _COUNT,
        "isPlanned": {"type": "boolean"},
        "regions": _list(_REGION),
        "lastRead": _ACCESS,
        "lastWrite": _ACCESS,
    }
)

DEFINITIONS: Final[Json] = {
    "VectorNumber": {"anyOf": [{"type": "number"}, {"enum": ["NaN", "Infinity", "-Infinity"]}]},
    "Ipu/memoryMapRequest": _request(
        "ipu/memoryMap", _object({}, {"cells": _COUNT}), is_optional=True
    ),
    "Ipu/memoryMapResponse": _response("ipu/memoryMap", _MAP),
    "Ipu/vectorsRequest": _request("ipu/vectors", {}),
    "Ipu/vectorsResponse": _response(
        "ipu/vectors",
        _object({"vectors": _list(_LISTED), "expected": _list(_object({"name": _WORDS}))}),
    ),
    "Ipu/vectorRequest": _request(
        "ipu/vector",
        _object(
            {"name": _TEXT}, {"type": _TEXT, "mask": _TEXT, "expected": _TEXT, "frameId": _COUNT}
        ),
    ),
    "Ipu/vectorResponse": _response("ipu/vector", _PICTURE),
    "Ipu/showSourceRequest": _request(
        "ipu/showSource", _object({}, {"source": _SOURCE}), is_optional=True
    ),
    "Ipu/showSourceResponse": _response("ipu/showSource", _object({"source": _SOURCE})),
}
"""By the names that the protocol would have for them."""

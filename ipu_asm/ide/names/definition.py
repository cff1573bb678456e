"""Go to the definition of a name in another file, or to the file that an include names."""

from __future__ import annotations

from typing import Sequence

from ipu_asm.ide.names.lookup import (
    FileReading,
    include_at,
    is_elsewhere,
    name_at,
)
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span


class FileDefinition(NamedTuple):
    """A link from the span `origin` to the definition `name` in `full_span` of the file `path`."""

    origin: Span
    path: str
    name: Span
    full_span: Span


def definitions_elsewhere(readings: Sequence[FileReading], offset: int) -> list[FileDefinition]:
    """Return the definitions of the name or include at an offset; none if all are in this file."""
    include = include_at(readings[0].analysis, offset)
    if include is not None:
        start = Span(0, 0)
        path = include.path
        return [FileDefinition(include.place.span, path, start, start)] if path else []
    found = name_at(readings, offset)
    if found is None or not is_elsewhere(readings, found.definitions):
        return []
    return [
        FileDefinition(found.span, file.path, definition.place.span, definition.full.span)
        for definition, file in found.definitions
    ]

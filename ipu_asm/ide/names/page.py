"""Markdown pages of names that other files define."""

from __future__ import annotations

import os
from typing import Final, Iterator, Sequence

from ipu_asm.ide.hover import Hover, hover
from ipu_asm.ide.names.lookup import DefinedAt, FileReading, definitions_of, is_elsewhere, name_at
from ipu_asm.reports.markdown import escaped, fenced_code, inline_code
from ipu_asm.source.expansion import NameKind
from ipu_asm.text import Span

_MOST_LINES: Final = 12
_DEEPEST: Final = 8


def name_hover(readings: Sequence[FileReading], offset: int) -> Hover | None:
    """Return the page of the name at an offset, if another file defines it.

    Behind it is the page of what the name stands for there: a register, or an instruction.
    """
    found = name_at(readings, offset)
    if found is None or not is_elsewhere(readings, found.definitions):
        return None
    pages = [definition_page(readings, each) for each in found.definitions]
    pages += [page for page in _of_value(readings[0], offset) if page]
    return Hover("\n\n---\n\n".join(dict.fromkeys(pages)), found.span)


def definition_page(readings: Sequence[FileReading], defined: DefinedAt) -> str:
    """Return the page of one definition: where it is, the author's remark, and what it is."""
    definition, file = defined
    line = file.lines.position(definition.place.span.start).line + 1
    where = inline_code(shown_path(readings[0], file.path))
    title = f"**{inline_code(definition.name)}** · {definition.kind.value}, {where} line {line}"
    sections = (
        title,
        escaped(definition.remark),
        _code(readings[0], defined),
        _chain(readings, defined),
    )
    return "\n\n".join(section for section in sections if section)


def shown_path(reading: FileReading, path: str) -> str:
    """Return the path of a header as an include names it, or relative to the analysed file."""
    for expanded in reading.analysis.expanded:
        for include in expanded.expansion.includes:
            if include.path == path:
                return include.name
    if not os.path.isabs(reading.analysis.source.path):
        return path
    return os.path.relpath(path, os.path.dirname(reading.analysis.source.path))


def _code(reading: FileReading, defined: DefinedAt) -> str:
    start, end = defined.definition.full.span
    lines = defined.file.text[start:end].splitlines()
    if len(lines) > _MOST_LINES:
        lines = [lines[0], f"... {len(lines) - 1} more lines"]
    return fenced_code("\n".join(lines), reading.analysis.isa.surface.language_id)


def _chain(readings: Sequence[FileReading], defined: DefinedAt) -> str:
    """Return the chain of values of a name whose value is another name."""
    names = list(_values(readings, defined))
    return " → ".join(map(inline_code, names)) if len(names) > 2 else ""


def _values(readings: Sequence[FileReading], defined: DefinedAt) -> Iterator[str]:
    definition = defined.definition
    yield definition.name
    for _ in range(_DEEPEST):
        value = definition.value
        if value is None or definition.kind is not NameKind.DEFINE or definition.parameters:
            return
        yield value
        further = (d for reading in readings for d in definitions_of(reading, value))
        following = next(further, None)
        if following is None:
            return
        definition = following.definition


def _of_value(reading: FileReading, offset: int) -> Iterator[str]:
    """Yield the page of the element that an offset expands to first."""
    for expanded in reading.analysis.expanded:
        for at in expanded.expansion.source_map.expanded(reading.path, offset)[:1]:
            page = hover(expanded.analysis, at)
            if page is not None and not _is_name(expanded.analysis.text, page.span, reading):
                yield page.markdown
        return


def _is_name(text: str, span: Span, reading: FileReading) -> bool:
    return any(definitions_of(reading, text[span.start : span.end]))

"""Expansion of texts with headers that are in memory."""

from __future__ import annotations

from typing import Mapping

from ipu_asm.isa import load_isa
from ipu_asm.source.expand import expand
from ipu_asm.source.expansion import Expansion, SourceSettings, Value
from ipu_asm.source.source_map import MAIN
from ipu_asm.text import SourceFile, Span

FOLDER = "/project"
FILE = f"{FOLDER}/kernel.S"
SURFACE = load_isa("colossus").surface


class Headers:
    """Headers in memory, by their absolute paths."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = {f"{FOLDER}/{name}": text for name, text in texts.items()}

    def read(self, path: str) -> SourceFile | None:
        text = self.texts.get(path)
        return None if text is None else SourceFile(text, path)

    def stamp(self, path: str) -> object:
        return self.texts.get(path)


def settings_of(
    headers: Mapping[str, str] | None = None, defines: Mapping[str, Value] | None = None
) -> SourceSettings:
    """The settings of a project with these headers."""
    folders = (f"{FOLDER}/include",)
    return SourceSettings(defines or {}, (), {}, folders, FOLDER, Headers(headers or {}))


def expansions(
    text: str, headers: Mapping[str, str] | None = None, defines: Mapping[str, Value] | None = None
) -> tuple[Expansion, ...]:
    """All expansions of a text."""
    return expand(SURFACE, text, FILE, settings_of(headers, defines))


def expanded(
    text: str, headers: Mapping[str, str] | None = None, defines: Mapping[str, Value] | None = None
) -> Expansion:
    """The only expansion of a text."""
    (expansion,) = expansions(text, headers, defines)
    return expansion


def words(
    text: str, headers: Mapping[str, str] | None = None, defines: Mapping[str, Value] | None = None
) -> str:
    """The words of the only expansion, with single blanks between them."""
    return " ".join(expanded(text, headers, defines).text.split())


def written_of(expansion: Expansion, text: str, piece: str) -> tuple[str, str]:
    """The file and the written text of the first occurrence of a piece of the expansion."""
    start = expansion.text.index(piece)
    place = expansion.source_map.written(Span(start, start + len(piece)))
    assert place is not None
    source = text if place.path == MAIN else expansion.files[place.path].text
    return place.path, source[place.span.start : place.span.end]


def check_whole_map(expansion: Expansion, text: str) -> None:
    """Each character of an expansion has a place; that of a verbatim one has the same text."""
    position = 0
    for segment in expansion.source_map.segments:
        assert segment.start == position
        assert segment.end > position
        position = segment.end
        path, span = segment.written
        source = text if path == MAIN else expansion.files[path].text
        assert 0 <= span.start <= span.end <= len(source)
        if segment.is_verbatim:
            assert source[span.start : span.end] == expansion.text[segment.start : segment.end]
        assert expansion.source_map.segment_at(segment.start) == segment
    assert position == len(expansion.text)

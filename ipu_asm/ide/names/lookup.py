"""Lookup of the name at an offset, and of its definitions in all files that were read.

A header is read by the files that include it, each of which may define its names differently. So
a lookup takes readings: the file as it is read by itself, and by those that include it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Iterator, Sequence

from ipu_asm.bundle.parser import parser_for
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.expansion import Include, NameDefinition, NameKind
from ipu_asm.source.source_map import MAIN
from ipu_asm.text import SourceFile, Span

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis

_STRING: Final = r'"(?:[^"\\\r\n]|\\.)*"'
_WORD: Final = re.compile(r"[A-Za-z_.$][\w.$]*")


class FileReading(NamedTuple):
    """A file as an analysis has read it: as the analysed file (`MAIN`), or as a header."""

    analysis: Analysis
    path: str = MAIN

    @property
    def file(self) -> SourceFile:
        """The text of the file."""
        return self.analysis.source if self.path == MAIN else self.analysis.headers[self.path]


class DefinedAt(NamedTuple):
    """A definition with the absolute path and the text of the file that it is in."""

    definition: NameDefinition
    file: SourceFile


class FoundName(NamedTuple):
    """A name, its span, and its definitions: first that of this use, if it is known."""

    name: str
    span: Span
    definitions: tuple[DefinedAt, ...]


def name_at(readings: Sequence[FileReading], offset: int) -> FoundName | None:
    """Return the name at an offset that is defined in a reading of the file."""
    if not any(reading.analysis.headers for reading in readings):
        return None
    found = [each for reading in readings for each in _exact(reading, offset)]
    if not found:
        span = word_at(readings[0].analysis.isa, readings[0].file.text, offset)
        for word in _spellings(readings[0].file.text, span) if span else ():
            found = [(word, d) for reading in readings for d in definitions_of(reading, word[0])]
            if found:
                break
    if not found:
        return None
    (name, span), _ = found[0]
    unique = {(d.file.path, d.definition.place.span): d for _, d in found}
    return FoundName(name, span, tuple(unique.values()))


def name_of_several_files(readings: Sequence[FileReading], offset: int) -> FoundName | None:
    """Return the name at an offset if another file defines it, or may use it."""
    found = name_at(readings, offset)
    if found is None or len(readings) > 1 or is_elsewhere(readings, found.definitions):
        return found
    headers = (file.text for file in readings[0].analysis.headers.values())
    return found if any(found.name in text for text in headers) else None


def is_elsewhere(readings: Sequence[FileReading], definitions: Sequence[DefinedAt]) -> bool:
    """Return whether one of the definitions is in another file."""
    return any(each.file.path != readings[0].file.path for each in definitions)


def definitions_of(reading: FileReading, name: str) -> Iterator[DefinedAt]:
    """Yield the definitions of a name in the files that an analysis has read."""
    for expanded in reading.analysis.expanded:
        for definition in expanded.expansion.definitions:
            # Parameters are known in their bodies alone: exact uses say where.
            if definition.name == name and definition.kind is not NameKind.PARAMETER:
                yield from _placed(reading.analysis, definition)


def include_at(analysis: Analysis, offset: int) -> Include | None:
    """Return the include directive whose file name is at an offset of the analysed file."""
    for include in includes_of(analysis):
        if include.place.span.touches(offset):
            return include
    return None


def includes_of(analysis: Analysis) -> list[Include]:
    """Return the distinct includes of the analysed file, with the path if any expansion has it."""
    found: dict[Span, Include] = {}
    for expanded in analysis.expanded:
        for include in expanded.expansion.includes:
            known = found.get(include.place.span)
            if include.place.path == MAIN and (known is None or known.path is None):
                found[include.place.span] = include
    return sorted(found.values(), key=lambda include: include.place.span)


def code_words(isa: Isa, text: str, name: str) -> Iterator[Span]:
    """Yield where a text has a name as a word of its own, outside of comments and strings."""
    if name not in text:
        return
    comment = parser_for(isa).grammar.comment.pattern
    word = rf"(?<![\w.$\\]){re.escape(name)}(?![\w$])|(?<=\$){re.escape(name)}(?![\w$])"
    for match in re.finditer(rf"(?P<no_code>{comment}|{_STRING})|{word}", text):
        if match["no_code"] is None:
            yield Span(*match.span())


def word_at(isa: Isa, text: str, offset: int) -> Span | None:
    """Return the span of the word that touches an offset, outside of comments and strings."""
    start = offset
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] in "_.$"):
        start -= 1
    match = _WORD.match(text, start)
    if match is None or match.end() < offset:
        return None
    spans = code_words(isa, text, match[0].lstrip("$"))
    return Span(*match.span()) if any(s.touches(offset) for s in spans) else None


def _exact(reading: FileReading, offset: int) -> Iterator[tuple[tuple[str, Span], DefinedAt]]:
    """Yield the definitions that names at an offset refer to."""
    for expanded in reading.analysis.expanded:
        for name, place, definition in expanded.expansion.uses:
            if place.path == reading.path and place.span.touches(offset) and definition:
                for each in _placed(reading.analysis, definition):
                    yield (name, place.span), each
        for definition in expanded.expansion.definitions:
            if definition.place.path == reading.path and definition.place.span.touches(offset):
                for each in _placed(reading.analysis, definition):
                    yield (definition.name, definition.place.span), each


def _placed(analysis: Analysis, definition: NameDefinition) -> Iterator[DefinedAt]:
    path = definition.place.path
    if path == MAIN:
        yield DefinedAt(definition, analysis.source)
    elif path in analysis.headers:
        yield DefinedAt(definition, analysis.headers[path])


def _spellings(text: str, span: Span) -> Iterator[tuple[str, Span]]:
    """Yield possible names in a word: without `$`, and without a suffix after a dot."""
    word = text[span.start : span.end]
    bare = word.lstrip("$")
    start = span.end - len(bare)
    yield bare, Span(start, span.end)
    if "." in bare:
        name = bare.partition(".")[0]
        yield name, Span(start, start + len(name))

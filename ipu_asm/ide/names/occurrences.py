"""Occurrences of a name that expansion replaces, in all files that an analysis has read."""

from __future__ import annotations

from typing import Iterator

from ipu_asm.ide.names.lookup import DefinedAt, FileReading, code_words, definitions_of
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.source_map import MAIN
from ipu_asm.text import Span


class FileOccurrence(NamedTuple):
    """An occurrence of the wanted name in a file; `defines`: it is a definition."""

    path: str
    span: Span
    defines: bool


def occurrences_of(reading: FileReading, wanted: DefinedAt) -> Iterator[FileOccurrence]:
    """Yield the occurrences of a name in the files of an analysis, file by file.

    A word counts unless an expansion has found that it means another definition. Words in places
    that no expansion reads, such as a branch not taken, count as well.
    """
    analysis, name = reading.analysis, wanted.definition.name
    known = list(definitions_of(reading, name))
    if not any(_is_at(each, wanted) for each in known):
        return
    places = {(each.file.path, each.definition.place.span) for each in known}
    others = set(_other_uses(reading, wanted))
    files = {MAIN: analysis.source, **analysis.headers}
    for path, file in files.items():
        for span in code_words(analysis.isa, file.text, name):
            is_definition = (file.path, span) in places
            if (path, span) not in others:
                yield FileOccurrence(file.path, span, is_definition)


def _other_uses(reading: FileReading, wanted: DefinedAt) -> Iterator[tuple[str, Span]]:
    """Yield the uses of the same name that refer to another definition."""
    meant: dict[tuple[str, Span], set[bool]] = {}
    for expanded in reading.analysis.expanded:
        for name, place, definition in expanded.expansion.uses:
            if name == wanted.definition.name and definition is not None:
                path = definition.place.path
                file = reading.analysis.source.path if path == MAIN else path
                is_same = (file, definition.place.span) == _key(wanted)
                meant.setdefault((place.path, place.span), set()).add(is_same)
    yield from (place for place, answers in meant.items() if answers == {False})


def _is_at(one: DefinedAt, other: DefinedAt) -> bool:
    return _key(one) == _key(other)


def _key(defined: DefinedAt) -> tuple[str, Span]:
    return defined.file.path, defined.definition.place.span

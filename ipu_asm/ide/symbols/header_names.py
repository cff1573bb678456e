"""Names that headers define as symbols: looked up in all files that analyses have read.

A header is read by the files that include it, each of which may define its names differently. So
a lookup takes readings: the file as it is read by itself, and by those that include it.
"""

from __future__ import annotations

import os
import re
from typing import Final, Iterator, Mapping, Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.bundle.parser import parser_for
from ipu_asm.ide.symbols import RenameError
from ipu_asm.ide.symbols.macros import check_macro_name
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import quoted
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.reports.markdown import escaped, fenced_code, inline_code
from ipu_asm.source.expand import expand
from ipu_asm.source.expansion import Include, NameDefinition, NameKind, SourceReader
from ipu_asm.source.source_map import MAIN
from ipu_asm.text import SourceFile, Span, TextEdit, apply_edits

_STRING: Final = r'"(?:[^"\\\r\n]|\\.)*"'
_WORD: Final = re.compile(r"[A-Za-z_.$][\w.$]*")
_MACRO: Final = re.compile(
    r"^[ \t]*(?:#[ \t]*define[ \t]+([A-Za-z_]\w*)(?:\(|[ \t]+(?![\r\n]|//|/\*))"
    r"|\.macro[ \t]+([A-Za-z_][\w.]*))",
    re.MULTILINE,
)
_RENAMEABLE: Final = (NameKind.DEFINE, NameKind.MACRO, NameKind.SYMBOL)
_MAX_LINES: Final = 12
_MAX_DEPTH: Final = 8


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


class HeaderName(NamedTuple):
    """A name, its span, and its definitions: first that of this use, if it is known."""

    name: str
    span: Span
    definitions: tuple[DefinedAt, ...]

    def is_elsewhere(self, readings: Sequence[FileReading]) -> bool:
        """Check whether one of the definitions is in another file."""
        return any(each.file.path != readings[0].file.path for each in self.definitions)

    def description(self, readings: Sequence[FileReading]) -> str:
        """Return the pages of the definitions."""
        pages = (definition_page(readings, each) for each in self.definitions)
        return "\n\n---\n\n".join(dict.fromkeys(pages))

    def check_renameable(self, reading: FileReading) -> None:
        """Raise `RenameError` unless the definitions are macros, or symbols, of one kind."""
        called = quoted(self.name)
        kinds = {each.definition.kind for each in self.definitions}
        if not kinds.issubset(_RENAMEABLE) or len(kinds) > 1:
            raise RenameError(
                f"{called} is no macro or symbol, or more than one: it cannot be renamed"
            )
        if reading.analysis.isa.spec(self.name) is not None:
            raise RenameError(
                f"{called} is also an instruction: it is uncertain which of them is meant"
            )

    def check_new_name(self, reading: FileReading, new: str) -> None:
        """Raise `RenameError` if `new` is not a valid name for this kind of definition."""
        is_define = self.definitions[0].definition.kind is NameKind.DEFINE
        check_macro_name(reading.analysis.isa, new, is_define)


class FileOccurrence(NamedTuple):
    """An occurrence of the wanted name in a file; `defines`: it is a definition."""

    path: str
    span: Span
    defines: bool


class HeaderMacro(NamedTuple):
    """A macro of a header and the span of its name."""

    name: str
    span: Span


def name_at(readings: Sequence[FileReading], offset: int) -> HeaderName | None:
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
    return HeaderName(name, span, tuple(unique.values()))


def name_of_several_files(readings: Sequence[FileReading], offset: int) -> HeaderName | None:
    """Return the name at an offset if another file defines it, or may use it."""
    found = name_at(readings, offset)
    if found is None or len(readings) > 1 or found.is_elsewhere(readings):
        return found
    headers = (file.text for file in readings[0].analysis.headers.values())
    return found if any(found.name in text for text in headers) else None


def definitions_of(reading: FileReading, name: str) -> Iterator[DefinedAt]:
    """Yield the definitions of a name in the files that an analysis has read."""
    for expanded in reading.analysis.expanded:
        for definition in expanded.expansion.definitions:
            # Parameters are known in their bodies alone: exact uses say where.
            if definition.name == name and definition.kind is not NameKind.PARAMETER:
                yield from _placed(reading.analysis, definition)


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


def occurrences_of(reading: FileReading, wanted: DefinedAt) -> Iterator[FileOccurrence]:
    """Yield the occurrences of a name in the files of an analysis, file by file.

    A word counts unless an expansion has found that it means another definition. Words in places
    that no expansion reads, such as a branch not taken, count as well.
    """
    analysis, name = reading.analysis, wanted.definition.name
    known = list(definitions_of(reading, name))
    if not any(_key(each) == _key(wanted) for each in known):
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


def _key(defined: DefinedAt) -> tuple[str, Span]:
    return defined.file.path, defined.definition.place.span


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
    if len(lines) > _MAX_LINES:
        lines = [lines[0], f"... {len(lines) - 1} more lines"]
    return fenced_code("\n".join(lines), reading.analysis.isa.surface.language_id)


def _chain(readings: Sequence[FileReading], defined: DefinedAt) -> str:
    """Return the chain of values of a name whose value is another name."""
    names = list(_values(readings, defined))
    return " → ".join(map(inline_code, names)) if len(names) > 2 else ""


def _values(readings: Sequence[FileReading], defined: DefinedAt) -> Iterator[str]:
    definition = defined.definition
    yield definition.name
    for _ in range(_MAX_DEPTH):
        value = definition.value
        if value is None or definition.kind is not NameKind.DEFINE or definition.parameters:
            return
        yield value
        further = (d for reading in readings for d in definitions_of(reading, value))
        following = next(further, None)
        if following is None:
            return
        definition = following.definition


def header_macros(file: SourceFile) -> Iterator[HeaderMacro]:
    """Yield the macros of a header in source order, whatever conditions they are in.

    Those without a replacement, such as include guards, are left out.
    """
    for match in _MACRO.finditer(file.text):
        group = 1 if match[1] else 2
        yield HeaderMacro(match[group], Span(*match.span(group)))


class _EditedReader:
    """Reads files as they are after a rename."""

    def __init__(self, reader: SourceReader, edited: Mapping[str, str]) -> None:
        self._reader = reader
        self._edited = edited

    def read(self, path: str) -> SourceFile | None:
        """Return a file, edited if it is one of those that the rename edits."""
        if path in self._edited:
            return SourceFile(self._edited[path], path)
        return self._reader.read(path)

    def stamp(self, path: str) -> object:
        """Return the text of an edited file, and the stamp of any other."""
        return self._edited.get(path) or self._reader.stamp(path)


def edits_by_file(occurrences: Sequence[FileOccurrence], new: str) -> dict[str, list[TextEdit]]:
    """Return the edits of each file that rename all occurrences to `new`."""
    spans: dict[str, set[Span]] = {}
    for path, span, _ in occurrences:
        spans.setdefault(path, set()).add(span)
    return {path: [TextEdit(span, new) for span in sorted(found)] for path, found in spans.items()}


def keeps_expansions(analysis: Analysis, edited: Mapping[str, str], old: str, new: str) -> bool:
    """Return whether a file has the same expansions with the edited texts of other files."""
    path = analysis.source.path
    text, settings = edited.get(path, analysis.text), analysis.settings
    settings = settings._replace(reader=_EditedReader(settings.reader, edited))
    after = expand(analysis.isa.surface, text, path, settings)
    expected = [_renamed(analysis, e.expansion.text, old, new) for e in analysis.expanded]
    findings = sum(len(each.expansion.findings) for each in analysis.expanded)
    is_same = expected == [expansion.text for expansion in after]
    return is_same and sum(len(expansion.findings) for expansion in after) == findings


def _renamed(analysis: Analysis, text: str, old: str, new: str) -> str:
    """Return an expansion with a name that is left in it, such as a symbol, renamed."""
    return apply_edits(text, [TextEdit(s, new) for s in code_words(analysis.isa, text, old)])

"""Rename a name that several files use, only if no expansion changes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Iterator, Mapping, Sequence

from ipu_asm.ide.names.lookup import FileReading, FoundName, code_words
from ipu_asm.ide.names.occurrences import FileOccurrence
from ipu_asm.isa.operands import quoted
from ipu_asm.source.expand import expand
from ipu_asm.source.expansion import NameKind, SourceReader
from ipu_asm.text import SourceFile, Span, TextEdit, apply_edits

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis

_NAME: Final = {True: re.compile(r"[A-Za-z_]\w*"), False: re.compile(r"[A-Za-z_][\w.]*")}
_WORD: Final = re.compile(r"\w+")
_RENAMEABLE: Final = (NameKind.DEFINE, NameKind.MACRO, NameKind.SYMBOL)


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


def why_not_renameable(reading: FileReading, found: FoundName) -> str | None:
    """Return why a name cannot be renamed; None if it can."""
    called = quoted(found.name)
    kinds = {each.definition.kind for each in found.definitions}
    if not kinds.issubset(_RENAMEABLE) or len(kinds) > 1:
        return f"{called} is no macro or symbol, or more than one: it cannot be renamed"
    if reading.analysis.isa.spec(found.name) is not None:
        return f"{called} is also an instruction: it is uncertain which of them is meant"
    return None


def why_no_name(reading: FileReading, found: FoundName, new: str) -> str | None:
    """Return why `new` is not a valid name for this kind of definition; None if it is."""
    isa, called = reading.analysis.isa, quoted(new)
    is_define = found.definitions[0].definition.kind is NameKind.DEFINE
    if not _NAME[is_define].fullmatch(new):
        return f"a macro cannot be called {called}: it is not a valid name"
    if isa.spec(new) is not None or isa.spec(new.lower()) is not None:
        return f"a macro cannot be called {called}: an instruction has that name"
    if any(new in _WORD.findall(register) for register in isa.file_of_register):
        return f"a macro cannot be called {called}: a register has that name"
    return None


def lines_with_word(reading: FileReading, file: SourceFile, word: str) -> Iterator[int]:
    """Yield the 1-based lines of a file that have a word already."""
    for span in code_words(reading.analysis.isa, file.text, word):
        yield file.lines.position(span.start).line + 1


def edits_by_file(occurrences: Sequence[FileOccurrence], new: str) -> dict[str, list[TextEdit]]:
    """Return the edits of each file that rename all occurrences to `new`."""
    spans: dict[str, set[Span]] = {}
    for path, span, _ in occurrences:
        spans.setdefault(path, set()).add(span)
    return {path: [TextEdit(span, new) for span in sorted(found)] for path, found in spans.items()}


def edited_texts(
    texts: Mapping[str, str], edits: Mapping[str, Sequence[TextEdit]]
) -> dict[str, str]:
    """Return the texts of files after their edits."""
    return {path: apply_edits(texts[path], edits[path]) for path in edits}


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

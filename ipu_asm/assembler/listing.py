"""Listing of a program: address, word and source side by side.

The listing of a program without errors can be read as an image, too. That of a program with errors
has the words of correct bundles, and the errors below the others. A template is listed as its
expansion, with the written line behind each line that differs from it.
"""

from __future__ import annotations

import os
from typing import Iterator, Sequence

from ipu_asm.diagnostics import Diagnostic, Severity
from ipu_asm.diagnostics.rendering import printable
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.source.expansion import Expansion
from ipu_asm.source.source_map import MAIN
from ipu_asm.text import LineIndex, SourceFile, Span

_TAB = "    "
_REMARK_COLUMN = 44  # of the written line, behind the words, where an expanded line is not longer
_ADDRESS_DIGITS = 4
# A mark further right is hard to find, and a long line may have an error in each character.
_FARTHEST_MARK = 400


class ListingRow(NamedTuple):
    """A line of a listing: the address of the word in it, and its source line, counted from 0.

    Of an expansion, it is the line of the written source; None if it was written in a header.
    """

    text: str
    address: int | None = None
    line: int | None = None


class _Piece(NamedTuple):
    """A source line, or the part of it that belongs to one bundle."""

    address: int | None
    line: int
    span: Span


def listing_rows(
    program: Program,
    words: Sequence[int | None],
    name: str,
    written: WrittenLines | None = None,
    *,
    has_words: bool = True,
) -> Iterator[ListingRow]:
    """Yield the listing of a program; a word is None if its bundle has an error.

    If the encoding of the instruction set is unknown, or without `has_words`, the rows have
    addresses without words; then the text is no image.
    `written` are the lines of a program that was read from an expansion.
    """
    isa = program.isa
    digits = isa.image_bytes * 2 if has_words else 0
    blank = " " * (_ADDRESS_DIGITS + (len(": 0x") + digits if digits else 0))
    errors = [finding for finding in program.findings if finding.severity is Severity.ERROR]
    errors.sort(key=lambda error: error.span)
    yield ListingRow(f"# isa: {isa.name}")
    yield ListingRow(f"# {printable(name)}: {_summary(program, words, errors)}")
    yield ListingRow("")
    said = 0
    for piece in _pieces(program):
        start, end = piece.span
        code = blank if piece.address is None else _code(piece.address, words, digits)
        source = program.text[start:end].strip("\ufeff\r\n")
        # A comment line needs no further mark to be ignored in an image.
        is_comment = piece.address is None and source.lstrip().startswith("#")
        shown = printable(source.replace("\t", _TAB)).rstrip()
        text = f"{code}  {' ' if is_comment else '#'} {shown}" if shown else code.rstrip()
        line: int | None = piece.line
        if written is not None:
            line, remark = written.of(program.text, piece.span)
            text = f"{text:<{len(blank) + _REMARK_COLUMN}}  # {remark}" if remark else text
        yield ListingRow(text, piece.address, line)
        while said < len(errors) and (errors[said].span.start < end or end == len(program.text)):
            yield ListingRow(f"{blank}  # {_error(program, errors[said], start)}", None, line)
            said += 1


class WrittenLines:
    """The lines of a source, or of its headers, that those of an expansion were written in."""

    def __init__(self, expansion: Expansion, source: SourceFile) -> None:
        self._map = expansion.source_map
        self._files = {**expansion.files, MAIN: source}

    def of(self, text: str, span: Span) -> tuple[int | None, str]:
        """Return the line in the source, from 0, and a remark where it differs from the expansion.

        `text` is the expansion, `span` a line of it, or a part of one.
        """
        shown = text[span.start : span.end].strip("\ufeff\r\n\t ")
        start = text.find(shown, span.start)
        place = self._map.written(Span(start, start + 1))
        if place is None:
            return None, ""
        file = self._files[place.path]
        line = file.lines.position(place.span.start).line
        written = file.line_text(line).strip()
        name = f"{os.path.basename(place.path)}:" if place.path != MAIN else ""
        remark = f"{name}{line + 1}: {printable(written.expandtabs(len(_TAB)))}"
        is_same = not shown or (shown in written and place.path == MAIN)
        return line if place.path == MAIN else None, "" if is_same else remark


def _summary(program: Program, words: Sequence[int | None], errors: Sequence[Diagnostic]) -> str:
    unit = program.isa.unit if len(words) == 1 else f"{program.isa.unit}s"
    size = f"{len(words)} {unit}"
    if program.isa.has_words:
        size += f" of {program.isa.image_bytes} bytes"
    if not errors:
        return size
    return f"{size}, {'1 error' if len(errors) == 1 else f'{len(errors)} errors'}"


def _code(address: int, words: Sequence[int | None], digits: int) -> str:
    if not digits:
        return f"{address:{_ADDRESS_DIGITS}}"
    word = words[address]
    shown = "?" * digits if word is None else f"{word:0{digits}x}"
    return f"{address:{_ADDRESS_DIGITS}}: 0x{shown}"


def _error(program: Program, error: Diagnostic, start: int) -> str:
    """The text of an error, below the column at which it begins."""
    column = error.span.start - start
    if column > _FARTHEST_MARK:
        return f"column {column + 1}: {error.code} {printable(error.message)}"
    before = program.text[start : max(start, error.span.start)].lstrip("\ufeff")
    indent = " " * len(printable(before.replace("\t", _TAB)))
    return f"{indent}^ {error.code} {printable(error.message)}"


def _pieces(program: Program) -> Iterator[_Piece]:
    """The lines of the text, split before each further bundle that begins on a line."""
    lines = LineIndex.of(program.text)
    begins: dict[int, list[tuple[int | None, int]]] = {}
    for number, bundle in enumerate(program.bundle_at_address):
        begin = program.span(bundle, program.bundles[bundle].first_token).start
        begins.setdefault(lines.position(begin).line, []).append((number, begin))
    for line in range(len(lines.starts)):
        start, end = lines.line_span(line)
        here = begins.get(line, [(None, start)])
        cuts = [start, *(begin for _, begin in here[1:]), end]
        for (address, _), first, stop in zip(here, cuts, cuts[1:]):
            if first < stop:
                yield _Piece(address, line, Span(first, stop))

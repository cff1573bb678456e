"""Text of a finding for a terminal: message, place, source line and fix."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Iterable, Mapping

from ipu_asm.diagnostics import Applicability, Diagnostic, Fix, Location, Severity
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import SourceFile, Span


class LocatedDiagnostic(Diagnostic):
    """A finding together with the file that it is in; equal to the same finding without it."""

    source: SourceFile

    @property
    def location(self) -> Location:
        """Where the finding begins."""
        return _location(self.source, self.span.start)

    @property
    def end_location(self) -> Location:
        """Where the finding ends, exclusive."""
        return _location(self.source, self.span.end)


_TAB = "    "
_LONGEST_LINE = 100  # code points of one source line shown; the rest is cut
_LEAD = 40  # of which this many stand before the marks when the line is cut
_LEAST_CELLS = 20  # of a source line, however narrow the terminal
_LONGEST_PREVIEW = 60  # code points taken out or put in by a fix that is shown
# Characters that move the cursor, change the writing direction, are invisible, or are not UTF-8.
_UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
_INVISIBLE = re.compile(r"(?![\t\n\f\r\ud800-\udfff])" + _UNPRINTABLE.pattern)
_STYLES = {Severity.ERROR: "1;31", Severity.WARNING: "1;33", Severity.HINT: "1;36"}
_REMARKS = {
    Applicability.SAFE: "",
    Applicability.UNSAFE: " (unsafe fix)",
    Applicability.DISPLAY: " (suggestion)",
}
_FRAME = "1;34"
_STRONG = "1"
_NO_HEADERS: Mapping[str, SourceFile] = MappingProxyType({})


def render(
    diagnostic: Diagnostic,
    source: SourceFile,
    color: bool = False,
    headers: Mapping[str, SourceFile] = _NO_HEADERS,
    *,
    columns: int | None = None,
) -> str:
    """Return the finding with its source lines: several lines without a final line break.

    `source` is the analysed file; `headers` are the others with places of the finding, by path.
    Source lines are cut at `columns`, so that marks stay below them; messages are never broken.
    Never raises, and is encodable and harmless to a terminal whatever the texts hold.
    """
    places = _places(diagnostic, source, headers)
    gutter = _gutter_width(places, diagnostic.fix, source)
    cells = None if columns is None else max(_LEAST_CELLS, columns - gutter - len(" | "))
    return "\n".join(
        [
            *_headline(diagnostic, color),
            *_snippets(places, diagnostic.severity, gutter, color, cells),
            *_help(diagnostic.fix, source, gutter, color, cells),
        ]
    )


def render_concise(diagnostic: Diagnostic, source: SourceFile, color: bool = False) -> str:
    """Return the finding in one line: ``path:row:column: error[E101] message``."""
    label = f"{diagnostic.severity.label}[{diagnostic.code}]"
    place = paint(_place(source, diagnostic.span.start), _STRONG, color)
    label = paint(label, _STYLES[diagnostic.severity], color)
    return f"{place}: {label} {printable(diagnostic.message)}"


def render_place(source: SourceFile, span: Span) -> str:
    """Return path, row and column of a place, and its source line with marks under it."""
    gutter = len(str(1 + source.lines.position(span.start).line))
    rows = [_arrow("-->", source, span, gutter, False), _bar(gutter, False)]
    rows += _snippet(_excerpt(source, span), gutter, ("^", _FRAME, ""), False)
    return "\n".join(rows)


def printable(text: str) -> str:
    """Return `text` without control characters: they become pictures, other hazards U+FFFD."""
    return text if text.isascii() and text.isprintable() else _UNPRINTABLE.sub(_picture, text)


def visible(text: str) -> str:
    """Return `text` as `printable` does, but with line breaks, tabs and form feeds.

    Lone surrogates stay, too: they stand for bytes of a file, which a diff gives back.
    """
    return text if text.isascii() and text.isprintable() else _INVISIBLE.sub(_picture, text)


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def _headline(diagnostic: Diagnostic, color: bool) -> list[str]:
    label = paint(
        f"{diagnostic.severity.label}[{diagnostic.code}]", _STYLES[diagnostic.severity], color
    )
    return [label + paint(f": {printable(diagnostic.message)}", _STRONG, color)]


class _Place(NamedTuple):
    """A place of a finding in its file, and what is said of it."""

    source: SourceFile
    span: Span
    note: str = ""


def _places(
    diagnostic: Diagnostic, source: SourceFile, headers: Mapping[str, SourceFile]
) -> list[_Place]:
    """The place of the finding, then those that it refers to."""

    def file(path: str | None) -> SourceFile:
        return source if path is None else headers.get(path) or SourceFile("", path)

    related = [_Place(file(r.path), r.span, printable(r.message)) for r in diagnostic.related]
    return [_Place(file(diagnostic.path), diagnostic.span), *related]


def _snippets(
    places: list[_Place], severity: Severity, gutter: int, color: bool, cells: int | None
) -> list[str]:
    bar = _bar(gutter, color)
    (source, span, note), *related = places
    rows = [_arrow("-->", source, span, gutter, color), bar]
    excerpt, marker = _excerpt(source, span), ("^", _STYLES[severity], note)
    marks = [_Mark.of(excerpt, *marker)]
    for place in [*related]:
        mark = _Mark.of(_excerpt(place.source, place.span), "-", _FRAME, place.note)
        if _is_beside(place, places[0], cells) and mark.is_apart_from(marks):
            marks.append(mark)
            related.remove(place)
    rows += _snippet(excerpt.cut(cells), gutter, marker, color)
    if len(marks) > 1:
        rows[-1:] = [f"{bar} {row}" for row in _mark_rows(marks, color)]
    for source, span, note in related:
        rows += [bar, _arrow(":::", source, span, gutter, color), bar]
        marker = ("-", _FRAME, note)
        rows += _snippet(_excerpt(source, span).cut(cells), gutter, marker, color)
    return rows


def _snippet(
    excerpt: _Excerpt, gutter: int, marker: tuple[str, str, str], color: bool
) -> list[str]:
    mark, style, note = marker
    marks = mark * max(1, _width(excerpt.marked)) + "..." * excerpt.goes_on
    indent = " " * _width(excerpt.before)
    return [
        f"{_number(excerpt, gutter, '|', color)} {excerpt.line}".rstrip(),
        f"{_bar(gutter, color)} {indent}{paint(f'{marks} {note}'.rstrip(), style, color)}",
    ]


def _is_beside(place: _Place, first: _Place, cells: int | None) -> bool:
    """Return whether a place is on the line of the first one, and the whole line is shown."""
    source, line = first.source, first.source.lines.position(first.span.start).line
    start, end = source.lines.line_span(line)
    if place.source is not source or not start <= place.span.start < end:
        return False
    most = _LONGEST_LINE if cells is None else min(cells, _LONGEST_LINE)
    return end - start <= most and _width(_shown(source.line_text(line))) <= most


class _Mark(NamedTuple):
    """Marks under a part of a line, and what is said of it."""

    column: int
    width: int
    mark: str
    style: str
    note: str

    @classmethod
    def of(cls, excerpt: _Excerpt, mark: str, style: str, note: str) -> _Mark:
        width = max(1, _width(excerpt.marked))
        return cls(_width(excerpt.before), width, mark, style, note)

    def is_apart_from(self, others: list[_Mark]) -> bool:
        return all(
            self.column + self.width < other.column or other.column + other.width < self.column
            for other in others
        )


def _mark_rows(marks: list[_Mark], color: bool) -> list[str]:
    """Return the row of all marks, then a row for each note, the last of them first."""
    row, end = "", 0
    marks = sorted(marks)
    for each in marks:
        row += " " * (each.column - end) + paint(each.mark * each.width, each.style, color)
        end = each.column + each.width
    noted = [each for each in marks if each.note]
    if noted and noted[-1] is marks[-1]:
        last = noted.pop()
        row += f" {paint(last.note, last.style, color)}"
    rows = [row]
    while noted:
        last, text, end = noted.pop(), "", 0
        for each in noted:
            text += " " * (each.column - end) + paint("|", each.style, color)
            end = each.column + 1
        rows.append(text + " " * (last.column - end) + paint(last.note, last.style, color))
    return rows


def _help(
    fix: Fix | None, source: SourceFile, gutter: int, color: bool, cells: int | None
) -> list[str]:
    if fix is None:
        return []
    bar = _bar(gutter, color)
    title = printable(fix.title) + _REMARKS[fix.applicability]
    rows = [bar, f"{paint('help', _STYLES[Severity.HINT], color)}: {title}"]
    if _is_small(fix, source):
        edit = fix.edits[0]
        old = _excerpt(source, edit.span)
        new = old._replace(marked=_shown(edit.new_text))
        rows.append(bar)
        rows += [
            f"{_number(old, gutter, sign, color)} "
            f"{paint(excerpt.cut(cells).line.rstrip(), style, color)}"
            for sign, excerpt, style in (("-", old, "31"), ("+", new, "32"))
        ]
    return rows


def _is_small(fix: Fix, source: SourceFile) -> bool:
    """Return whether the fix changes a few characters of one line, so that a preview fits."""
    if len(fix.edits) != 1:
        return False
    (start, end), new_text = fix.edits[0]
    changed = max(end - start, len(new_text)) <= _LONGEST_PREVIEW
    return changed and not re.search(r"[\r\n]", source.text[start:end] + new_text)


class _Excerpt(NamedTuple):
    """The shown part of the first line of a span, ready to print."""

    row: int
    before: str
    marked: str
    after: str
    goes_on: bool

    @property
    def line(self) -> str:
        return self.before + self.marked + self.after

    def cut(self, cells: int | None) -> _Excerpt:
        """Return the part around what is marked that fits into `cells` of a terminal."""
        if cells is None or _width(self.line) <= cells:
            return self
        room = cells - len("...") * self.goes_on
        before = _end(self.before, max(room // 3, room - _width(self.marked) - len("...")))
        marked = _begin(self.marked, room - _width(before))
        after = _begin(self.after, room - _width(before + marked))
        return self._replace(before=before, marked=marked, after=after)


def _excerpt(source: SourceFile, span: Span) -> _Excerpt:
    text, line = source.text, source.lines.position(span.start).line
    first, next_line = source.lines.line_span(line)
    last = next_line
    # Not line_text: a line may be a megabyte long and hold thousands of findings.
    while last > first and text[last - 1] in "\r\n":
        last -= 1
    start = max(first, min(span.start, last))
    stop = max(start, min(span.end, last))
    left = max(first, min(start - _LEAD, last - _LONGEST_LINE))
    right = min(last, left + _LONGEST_LINE)
    stop = min(stop, right)
    return _Excerpt(
        row=line + 1,
        before="..." * (left > first) + _shown(text[left:start]),
        marked=_shown(text[start:stop]),
        after=_shown(text[stop:right]) + "..." * (right < last),
        goes_on=min(span.end, len(text)) > next_line,
    )


def _begin(text: str, cells: int) -> str:
    """The beginning of printable text that fits, with dots where it is cut."""
    if _width(text) <= cells:
        return text
    while text and _width(text) > cells - len("..."):
        text = text[:-1]
    return (text + "...")[: max(0, cells)]


def _end(text: str, cells: int) -> str:
    """The end of printable text that fits, with dots where it is cut."""
    if _width(text) <= cells:
        return text
    while text and _width(text) > cells - len("..."):
        text = text[1:]
    return ("..." + text)[: max(0, cells)]


def _shown(text: str) -> str:
    return printable(text.replace("\t", _TAB))


def _width(text: str) -> int:
    """Return the estimated number of terminal cells of printable text."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width  # a megabyte of tables, for few texts

    wide = sum(east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(category(character) in ("Mn", "Me", "Cf") for character in text)


def _gutter_width(places: list[_Place], fix: Fix | None, source: SourceFile) -> int:
    if fix and _is_small(fix, source):
        places = [*places, _Place(source, fix.edits[0].span)]
    return len(str(1 + max(place.source.lines.position(place.span.start).line for place in places)))


def _place(source: SourceFile, offset: int) -> str:
    line, column = source.lines.position(offset)
    return f"{printable(source.path)}:{line + 1}:{column + 1}"


def _arrow(arrow: str, source: SourceFile, span: Span, gutter: int, color: bool) -> str:
    return f"{' ' * gutter}{paint(arrow, _FRAME, color)} {_place(source, span.start)}"


def _bar(gutter: int, color: bool) -> str:
    return paint(f"{' ' * gutter} |", _FRAME, color)


def _number(excerpt: _Excerpt, gutter: int, sign: str, color: bool) -> str:
    return paint(f"{excerpt.row:>{gutter}} {sign}", _FRAME, color)


def paint(text: str, style: str, color: bool) -> str:
    return f"\x1b[{style}m{text}\x1b[0m" if color and text else text


def located(
    findings: Iterable[Diagnostic],
    source: SourceFile,
    headers: Mapping[str, SourceFile] = _NO_HEADERS,
) -> tuple[Diagnostic, ...]:
    """Return findings of a file and of its headers, which are given by path, with their files.

    Those of an unknown header remain without.
    """
    return tuple([_located(finding, source, headers) for finding in findings])


def _located(
    finding: Diagnostic, source: SourceFile, headers: Mapping[str, SourceFile]
) -> Diagnostic:
    file = source if finding.path is None else headers.get(finding.path)
    if file is None:
        return finding
    found = LocatedDiagnostic(*finding)
    found.source = file
    return found


def _location(source: SourceFile, offset: int) -> Location:
    line, column = source.lines.position(offset)
    return Location(line + 1, column + 1)

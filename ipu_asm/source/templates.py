"""Templates as text, without rendering them: their tags, comments and layout.

Features that look at layout alone, such as formatting and folding, read a *skeleton*: the text with
blanks for tags and words for outputs. So positions in it are positions in the template.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Callable, Final, Iterator

from ipu_asm.diagnostics import RuleId, Severity
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.source_map import MAIN, SourceMap, SourceRange
from ipu_asm.text import Span


class TagKind(Enum):
    """What a tag does; the value is its opening mark."""

    STATEMENT = "{%"
    OUTPUT = "{{"
    COMMENT = "{#"


class Tag(NamedTuple):
    """A tag with its marks; `body` is what is between them, without the signs of trimming."""

    kind: TagKind
    span: Span
    body: Span
    is_closed: bool

    def has_inside(self, offset: int) -> bool:
        """Check whether a cursor is between the marks; in an unfinished tag also at its end."""
        return self.body.start <= offset <= self.body.end


class WordKind(Enum):
    NAME = "name"
    NUMBER = "number"
    STRING = "string"
    OPERATOR = "operator"


class TagWord(NamedTuple):
    """A word in a statement or an output."""

    kind: WordKind
    span: Span
    text: str


_OPENING: Final = re.compile(r"\{[{%#]")
_CLOSING: Final = {TagKind.STATEMENT: "%}", TagKind.OUTPUT: "}}", TagKind.COMMENT: "#}"}
_STRING: Final = r'"(?:\\.|[^"\\\r\n])*"' + r"|'(?:\\.|[^'\\\r\n])*'"
_PIECE: Final = re.compile(rf"{_STRING}|%\}}|\}}\}}|\{{[{{%#]|[\[\](){{}}]")
_END_OF_UNFINISHED: Final = re.compile(r"[\r\n]|\{[{%#]")
_RAW: Final = re.compile(r"[-+]?\s*raw\b")
_END_OF_RAW: Final = re.compile(r"\{%[-+]?\s*endraw\b")
_WORD: Final = re.compile(
    rf"(?P<string>{_STRING})|(?P<name>[^\W\d]\w*)|(?P<number>\d[\w.]*)"
    r"|(?P<operator>\*\*|//|[=!<>]=|[^\s\w])"
)
UNUSED_TEMPLATE_NAME = RuleId("H106", "unused-template-name", Severity.HINT)
# In a long text a search for an expression is quicker than `in`.
MARKS = ("{{", "{%", "{#")
_MARK = re.compile(r"\{[{%#]")


def template_mark(text: str) -> str | None:
    """Return the first opening mark of a Jinja tag; None for a text that is no template."""
    found = _MARK.search(text)
    return found[0] if found else None


def tags_of(text: str) -> list[Tag]:
    """Return the tags of a text in source order; they do not overlap."""
    found: list[Tag] = []
    at = 0
    last_comment_end = text.rfind("#}")
    while (opening := _OPENING.search(text, at)) is not None:
        tag = _tag_at(text, opening.start(), last_comment_end)
        found.append(tag)
        at = tag.span.end
        if tag.kind is TagKind.STATEMENT and _RAW.match(text, opening.end()):
            end = _END_OF_RAW.search(text, at)
            at = end.start() if end else len(text)
    return found


def tag_words(text: str, tag: Tag) -> Iterator[TagWord]:
    """Yield the words of a statement or an output; a comment has none."""
    if tag.kind is not TagKind.COMMENT:
        for match in _WORD.finditer(text, *tag.body):
            yield TagWord(WordKind(match.lastgroup), Span(*match.span()), match[0])


def _tag_at(text: str, start: int, last_comment_end: int) -> Tag:
    kind = TagKind(text[start : start + 2])
    begin, mark = start + 2, _CLOSING[kind]
    if kind is not TagKind.COMMENT:
        end = _end_of_code(text, begin, mark)
    else:
        end = text.find(mark, begin) if begin <= last_comment_end else -1
    if end < 0:
        limit = _END_OF_UNFINISHED.search(text, begin)
        stop = limit.start() if limit else len(text)
        return Tag(kind, Span(start, stop), Span(begin, stop), False)
    body_start = begin + (text[begin] in "-+" and begin < end)
    body_end = end - (text[end - 1] in "-+" and end - 1 >= body_start)
    return Tag(kind, Span(start, end + 2), Span(body_start, body_end), True)


def _end_of_code(text: str, begin: int, mark: str) -> int:
    """Return the offset of the closing mark of a statement or an output, -1 if it is unfinished.

    As in Jinja, a mark inside brackets does not count, and brackets inside strings do not.
    """
    brackets = 0
    for piece in _PIECE.finditer(text, begin):
        found = piece[0]
        if found == mark and not brackets:
            return piece.start()
        if found == "}}" and brackets:
            brackets -= min(brackets, 2)
        elif found in ("{{", "{%", "{#"):
            return -1
        elif found in "[({":
            brackets += 1
        elif found in "])}":
            brackets = max(brackets - 1, 0)
    return -1


_LINE = re.compile(r"[^\r\n]+")
_REST_OF_LINE = re.compile(r"[ \t]*(?:[\r\n]|\Z)")
_BLANKS = " \t"
_FILLER = "x"
# The shortest output has five characters.
_FILLED = re.compile(f"{_FILLER}{{5,}}")


def skeleton(text: str) -> str:
    """Return a template with blanks for statements and comments, and a word for each output.

    An output that is alone on its line has blanks, too: it is mostly the call of a macro.
    """
    return filled(text, lambda tag: _FILLER if is_word(text, tag) else " ")


def has_filler(text: str) -> bool:
    """Check whether a piece of a skeleton contains an output."""
    return _FILLED.search(text) is not None


def without_fillers(text: str) -> str:
    """Return a text about a skeleton for people, with dots in place of outputs."""
    return _FILLED.sub("…", text)


def filled(text: str, filler: Callable[[Tag], str]) -> str:
    """Return a template with a character in place of each one of a tag, except line breaks."""
    pieces: list[str] = []
    at = 0
    for tag in tags_of(text):
        start, end = tag.span
        pieces += [text[at:start], _filled(text[start:end], filler(tag))]
        at = end
    return "".join([*pieces, text[at:]])


def _filled(text: str, character: str) -> str:
    return _LINE.sub(lambda line: character * len(line[0]), text)


def is_word(text: str, tag: Tag) -> bool:
    """Check whether a tag is an output with other text on its line."""
    return tag.kind is TagKind.OUTPUT and not (
        starts_line(text, tag.span.start) and ends_line(text, tag.span.end)
    )


def starts_line(text: str, offset: int) -> bool:
    """Check whether only blanks precede an offset on its line."""
    while offset and text[offset - 1] in _BLANKS:
        offset -= 1
    return not offset or text[offset - 1] in "\r\n"


def ends_line(text: str, offset: int) -> bool:
    """Check whether only blanks follow an offset on its line."""
    return _REST_OF_LINE.match(text, offset) is not None


# A template without one, as most are, is not read for its tags: that takes 6 ms for 1,000 bundles.
_CAPITAL = re.compile(r"\{#[-+]?\s*[^\W\d_a-z]")
_MAX_DISTANCE = 200


class TemplateComment(NamedTuple):
    """The text of a comment, without its marks, and the offset in the expansion after it."""

    offset: int
    text: str


def template_comments(text: str, source_map: SourceMap) -> tuple[TemplateComment, ...]:
    """Return the comments of a template that begin with a capital letter, by offset.

    `source_map` is that of an expansion. A comment in a loop occurs once for each iteration, one
    that is followed by no literal text does not occur.
    """
    if _CAPITAL.search(text) is None:
        return ()
    return tuple(sorted(_comments(text, source_map)))


def _comments(text: str, source_map: SourceMap) -> Iterator[TemplateComment]:
    for tag in tags_of(text):
        if tag.kind is not TagKind.COMMENT or not tag.is_closed:
            continue
        said = text[tag.body.start : tag.body.end].strip()
        if said[:1].isupper():
            for offset in _offsets_behind(text, source_map, tag.span.end):
                yield TemplateComment(offset, said)


def _offsets_behind(text: str, source_map: SourceMap, written: int) -> list[int]:
    """Return the offsets of the first written character from one on that is in the expansion."""
    for offset in range(written, min(written + _MAX_DISTANCE, len(text))):
        found = source_map.expanded_spans(SourceRange(MAIN, Span(offset, offset + 1)))
        if found:
            return [span.start for span in found]
    return []

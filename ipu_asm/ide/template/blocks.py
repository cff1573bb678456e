"""Block statements of a template, such as loops and macros, parsed tolerantly."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from typing import Final, Iterator, Sequence

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.jinja.tags import Tag, TagKind, TagWord, tag_words, tags_of
from ipu_asm.text import Span

_OPENING: Final = ("for", "if", "macro", "call", "filter", "with", "block", "raw", "autoescape")
_BETWEEN: Final = {"elif": ("if",), "else": ("if", "for")}


class Statement(NamedTuple):
    """A statement tag and its words, of which the first is its keyword."""

    tag: Tag
    words: tuple[TagWord, ...]

    @property
    def keyword(self) -> str:
        """The first word, "" in an empty tag."""
        return self.words[0].text if self.words else ""


class TemplateBlock(NamedTuple):
    """The text between a statement and the one that ends it.

    `closing` is the tag of the end, or of the next branch; None for a block that nothing ends,
    which then extends to the end of the text. `outer` is the number of the block around it, -1 for
    none.
    """

    opening: Statement
    closing: Tag | None
    inside: Span
    outer: int

    @property
    def span(self) -> Span:
        """The block with its tags."""
        end = self.closing.span.end if self.closing else self.inside.end
        return Span(self.opening.tag.span.start, end)


class TemplateSyntax(NamedTuple):
    """The tags of a template, its statements, and the blocks that these make."""

    text: str
    tags: Sequence[Tag]
    statements: Sequence[Statement]
    blocks: Sequence[TemplateBlock]

    def tag_at(self, offset: int) -> Tag | None:
        """Return the tag that contains the character at an offset."""
        number = bisect_right(self.tags, offset, key=lambda tag: tag.span.start) - 1
        return self.tags[number] if number >= 0 and offset < self.tags[number].span.end else None

    def tag_around(self, offset: int) -> Tag | None:
        """Return the tag whose marks enclose a cursor; an unfinished one also at its end."""
        number = bisect_left(self.tags, offset, key=lambda tag: tag.span.start) - 1
        tag = self.tags[number] if number >= 0 else None
        return tag if tag and tag.has_inside(offset) else None

    def tag_behind(self, tag: Tag) -> Tag | None:
        """Return the next tag."""
        number = bisect_right(self.tags, tag.span.start, key=lambda each: each.span.start)
        return self.tags[number] if number < len(self.tags) else None

    def blocks_around(self, offset: int) -> Iterator[TemplateBlock]:
        """Yield the blocks that contain a cursor, the innermost first."""
        number = bisect_right(self.blocks, offset, key=lambda each: each.span.start) - 1
        while number >= 0:
            block = self.blocks[number]
            if offset <= block.span.end:
                yield block
            number = block.outer

    def block_of(self, statement: Statement) -> TemplateBlock | None:
        """Return the block that a statement begins."""
        start = statement.tag.span.start
        number = bisect_left(self.blocks, start, key=lambda each: each.opening.tag.span.start)
        block = self.blocks[number] if number < len(self.blocks) else None
        return block if block and block.opening.tag.span.start == start else None


def template_syntax(text: str) -> TemplateSyntax:
    """Return the tags of a template with their structure."""
    tags = tags_of(text)
    statements = _statements(text, tags)
    return TemplateSyntax(text, tags, statements, _blocks(text, statements))


def _statements(text: str, tags: Sequence[Tag]) -> list[Statement]:
    return [
        Statement(tag, tuple(tag_words(text, tag))) for tag in tags if tag.kind is TagKind.STATEMENT
    ]


def _blocks(text: str, statements: Sequence[Statement]) -> list[TemplateBlock]:
    """Return the blocks of a template by their opening tags; each branch is a block.

    Two blocks are nested or disjoint. An end without a beginning is ignored, and so is an opening
    that the end of an outer block leaves open: its block ends there.
    """
    found: list[TemplateBlock] = []
    opened: list[int] = []
    kinds: Counter[str] = Counter()

    def close(number: int, tag: Tag) -> None:
        block = found[number]
        inside = Span(block.inside.start, tag.span.start)
        found[number] = block._replace(closing=tag, inside=inside)

    for statement in statements:
        word, tag = statement.keyword, statement.tag
        ended = _ended_by(word)
        is_match = any(kinds[kind] for kind in ended)
        while is_match:
            number = opened.pop()
            kind = _kind(found[number])
            kinds[kind] -= 1
            close(number, tag)
            if kind in ended:
                break
        if _is_opening(statement) or (word in _BETWEEN and is_match):
            inside = Span(tag.span.end, len(text))
            found.append(TemplateBlock(statement, None, inside, opened[-1] if opened else -1))
            opened.append(len(found) - 1)
            kinds[_kind(found[-1])] += 1
    return found


def _kind(block: TemplateBlock) -> str:
    """Return the keyword of a block; for a branch, that of the whole statement."""
    word = block.opening.keyword
    return "if" if word == "elif" else word


def _ended_by(word: str) -> tuple[str, ...]:
    """Return the kinds of the blocks that a keyword ends."""
    if word.startswith("end"):
        kind = word.removeprefix("end")
        return (kind, "else") if kind in ("if", "for") else (kind,)
    return _BETWEEN.get(word, ())


def _is_opening(statement: Statement) -> bool:
    if statement.keyword == "set":
        return not any(word.text == "=" for word in statement.words)
    return statement.keyword in _OPENING

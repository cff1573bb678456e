"""Comments of templates, ``{# ... #}``, by their places in an expansion, which has none of them."""

from __future__ import annotations

import re
from typing import Iterator

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.jinja.tags import TagKind, tags_of
from ipu_asm.source.source_map import MAIN, SourceMap, SourceRange
from ipu_asm.text import Span

# A template without one, as most are, is not read for its tags: that takes 6 ms for 1,000 bundles.
_CAPITAL = re.compile(r"\{#[-+]?\s*[^\W\d_a-z]")
_FARTHEST = 200


class TemplateComment(NamedTuple):
    """The text of a comment, without its marks, and the offset in the expansion behind it."""

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
    for offset in range(written, min(written + _FARTHEST, len(text))):
        found = source_map.expanded_spans(SourceRange(MAIN, Span(offset, offset + 1)))
        if found:
            return [span.start for span in found]
    return []

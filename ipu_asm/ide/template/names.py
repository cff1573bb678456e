"""The names that a template defines, as written: sets and macros."""

from __future__ import annotations

from typing import Iterator, NamedTuple

from ipu_asm.ide.template.blocks import Statement, template_blocks
from ipu_asm.source.jinja.tags import TagWord, WordKind
from ipu_asm.text import Span


class WrittenDefinition(NamedTuple):
    """A set or a macro: its name, its statement or whole block, and the parameters of a macro."""

    name: TagWord
    full: Span
    is_macro: bool
    parameters: str = ""


def written_definitions(text: str, statements: list[Statement]) -> Iterator[WrittenDefinition]:
    """Yield the sets and macros of a template in source order; of several names, the first."""
    ends = {block.opening.tag.span: block.span.end for block in template_blocks(text, statements)}
    for statement in statements:
        words, span = statement.words, statement.tag.span
        if statement.keyword not in ("set", "macro") or len(words) < 2:
            continue
        if words[1].kind is not WordKind.NAME:
            continue
        is_macro = statement.keyword == "macro"
        parameters = _parameters(text, statement) if is_macro else ""
        yield WrittenDefinition(
            words[1], Span(span.start, ends.get(span, span.end)), is_macro, parameters
        )


def _parameters(text: str, statement: Statement) -> str:
    """Return the parameters of a macro as written, without the parentheses."""
    inside = text[statement.words[1].span.end : statement.tag.body.end].strip()
    return " ".join(inside.removeprefix("(").removesuffix(")").split())

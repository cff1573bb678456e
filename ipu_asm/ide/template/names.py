"""Names that the tags of a template define, read without an expansion: it may be incomplete."""

from __future__ import annotations

from typing import Iterator, Sequence

from ipu_asm.ide.template.blocks import Statement, TemplateSyntax
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.expansion import NameKind
from ipu_asm.source.jinja.tags import Tag, TagKind, TagWord, WordKind
from ipu_asm.text import Span

_SCOPES = ("for", "macro", "call", "with", "filter", "block")


class WrittenName(NamedTuple):
    """A name that a tag defines: its place, its statement or whole block, and where it is known.

    `value` is that of a set to a string or a number, "" for any other. `remark` is the comment
    behind the tag. `parameters` are those of a macro, as written.
    """

    name: str
    kind: NameKind
    place: Span
    full: Span
    scope: Span
    value: str = ""
    remark: str = ""
    parameters: tuple[str, ...] = ()


def written_names(syntax: TemplateSyntax) -> list[WrittenName]:
    """Return the names of sets, macros, their parameters and loops, in source order."""
    found: list[WrittenName] = []
    for statement in syntax.statements:
        if statement.keyword == "set":
            found += _sets(syntax, statement)
        elif statement.keyword == "macro":
            found += _macro(syntax, statement)
        elif statement.keyword == "for":
            found += _loop_variables(syntax, statement)
    return found


def names_known_at(syntax: TemplateSyntax, offset: int) -> list[WrittenName]:
    """Return the names that a tag at an offset can use, the latest definition of each."""
    known: dict[str, WrittenName] = {}
    for name in written_names(syntax):
        is_behind = name.place.end <= offset or name.kind is NameKind.TEMPLATE_MACRO
        if is_behind and name.scope.touches(offset):
            known[name.name] = name
    return list(known.values())


def _sets(syntax: TemplateSyntax, statement: Statement) -> Iterator[WrittenName]:
    """Yield the names of a set, of which there may be several."""
    words = statement.words[1:]
    equals = next((number for number, word in enumerate(words) if word.text == "="), len(words))
    names = [word for word in words[:equals] if word.kind is WordKind.NAME]
    values = words[equals + 1 :]
    value = _constant(values[0]) if len(values) == 1 and len(names) == 1 else ""
    full = _full(syntax, statement)
    for word in names:
        scope = _scope(syntax, statement.tag.span.start)
        remark = _remark(syntax, statement.tag)
        yield WrittenName(word.text, NameKind.SET, word.span, full, scope, value, remark)


def _constant(word: TagWord) -> str:
    if word.kind is WordKind.STRING:
        return word.text[1:-1]
    return word.text if word.kind is WordKind.NUMBER else ""


def _macro(syntax: TemplateSyntax, statement: Statement) -> Iterator[WrittenName]:
    words = statement.words[1:]
    if not words or words[0].kind is not WordKind.NAME:
        return
    parameters = list(_arguments(words[1:]))
    text = syntax.text
    shown = tuple(text[each[0].span.start : each[-1].span.end] for each in parameters)
    full = _full(syntax, statement)
    scope = _scope(syntax, statement.tag.span.start)
    kind, remark = NameKind.TEMPLATE_MACRO, _remark(syntax, statement.tag)
    yield WrittenName(words[0].text, kind, words[0].span, full, scope, "", remark, shown)
    for first, *_ in parameters:
        if first.kind is WordKind.NAME:
            yield WrittenName(first.text, NameKind.PARAMETER, first.span, first.span, full)


def _arguments(words: Sequence[TagWord]) -> Iterator[list[TagWord]]:
    """Yield the words of each argument between the parentheses that the words begin with."""
    depth, argument = 0, list[TagWord]()
    for word in words:
        is_separator = word.text == "," and depth == 1
        depth += (word.text in "([{") - (word.text in ")]}")
        if is_separator or depth <= 0:
            if argument:
                yield argument
            argument = []
        elif not (word.text == "(" and depth == 1 and not argument):
            argument.append(word)
        if depth <= 0:
            return
    if argument:
        yield argument


def _loop_variables(syntax: TemplateSyntax, statement: Statement) -> Iterator[WrittenName]:
    words = statement.words[1:]
    end = next((number for number, word in enumerate(words) if word.text == "in"), len(words))
    block = syntax.block_of(statement)
    for word in words[:end]:
        if word.kind is WordKind.NAME:
            scope = Span(statement.tag.span.start, block.inside.end if block else word.span.end)
            full = _full(syntax, statement)
            yield WrittenName(word.text, NameKind.LOOP_VARIABLE, word.span, full, scope)


def _full(syntax: TemplateSyntax, statement: Statement) -> Span:
    block = syntax.block_of(statement)
    return block.span if block else statement.tag.span


def _scope(syntax: TemplateSyntax, offset: int) -> Span:
    """Return the innermost loop, macro or call around an offset; else the whole text."""
    for block in syntax.blocks_around(offset):
        if block.opening.keyword in _SCOPES and block.span.start < offset:
            return block.span
    return Span(0, len(syntax.text))


def _remark(syntax: TemplateSyntax, tag: Tag) -> str:
    """Return the comment behind a tag on the same line; "" if there is none."""
    following = syntax.tag_behind(tag)
    if following is None or following.kind is not TagKind.COMMENT:
        return ""
    between = syntax.text[tag.span.end : following.span.start]
    body = syntax.text[following.body.start : following.body.end]
    return "" if between.strip(" \t") else " ".join(body.split())

"""Tags of a template without an expansion: blocks, the names they define, and macro calls."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from typing import Final, Iterator, Sequence

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.expansion import NameKind
from ipu_asm.source.templates import Tag, TagKind, TagWord, WordKind, tag_words, tags_of
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

    def tag_after(self, tag: Tag) -> Tag | None:
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
    statements = [
        Statement(tag, tuple(tag_words(text, tag))) for tag in tags if tag.kind is TagKind.STATEMENT
    ]
    return TemplateSyntax(text, tags, statements, _blocks(text, statements))


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


_SCOPES = ("for", "macro", "call", "with", "filter", "block")


class WrittenName(NamedTuple):
    """A name that a tag defines: its place, its statement or whole block, and where it is known.

    `value` is that of a set to a string or a number, "" for any other. `remark` is the comment
    after the tag. `parameters` are those of a macro, as written.
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
        is_after = name.place.end <= offset or name.kind is NameKind.TEMPLATE_MACRO
        if is_after and name.scope.touches(offset):
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
    """Return the comment after a tag on the same line; "" if there is none."""
    following = syntax.tag_after(tag)
    if following is None or following.kind is not TagKind.COMMENT:
        return ""
    between = syntax.text[tag.span.end : following.span.start]
    body = syntax.text[following.body.start : following.body.end]
    return "" if between.strip(" \t") else " ".join(body.split())


_CLOSING = {")": "(", "]": "[", "}": "{"}


class MacroCall(NamedTuple):
    """A macro that is being called, and the number of the parameter at the cursor, if any."""

    macro: WrittenName
    active: int | None


class _Open(NamedTuple):
    """A bracket that is open at the cursor: the name before it, and the words after it."""

    bracket: str
    name: str
    words: list[TagWord]


def call_at(syntax: TemplateSyntax, offset: int) -> MacroCall | None:
    """Return the innermost call of a macro whose parentheses are around a cursor."""
    tag = syntax.tag_around(offset)
    if tag is None:
        return None
    words = [word for word in tag_words(syntax.text, tag) if word.span.start < offset]
    macros = {
        name.name: name
        for name in names_known_at(syntax, offset)
        if name.kind is NameKind.TEMPLATE_MACRO
    }
    is_definition = [word.text for word in words[:1]] == ["macro"]
    for bracket, name, inside in reversed(_open_brackets(words, offset)):
        if bracket == "(" and name in macros and not is_definition:
            return MacroCall(macros[name], _active(macros[name].parameters, inside))
    return None


def _open_brackets(words: Sequence[TagWord], offset: int) -> list[_Open]:
    """Return the brackets that are open at a cursor, the outermost first."""
    opened: list[_Open] = []
    before = ""
    for word in words:
        is_ended = word.span.end <= offset
        if word.text in "([{" and is_ended:
            opened.append(_Open(word.text, before, []))
        elif word.text in _CLOSING and is_ended:
            if opened and opened[-1].bracket == _CLOSING[word.text]:
                opened.pop()
        elif opened:
            opened[-1].words.append(word)
        before = word.text if word.kind is WordKind.NAME else ""
    return opened


def _active(parameters: Sequence[str], inside: Sequence[TagWord]) -> int | None:
    """Return the number of the parameter that the last argument is for."""
    names = [parameter.partition("=")[0].strip() for parameter in parameters]
    arguments: list[list[TagWord]] = [[]]
    for word in inside:
        if word.text == ",":
            arguments.append([])
        else:
            arguments[-1].append(word)
    last = [word.text for word in arguments[-1]]
    if last[1:2] == ["="]:
        return names.index(last[0]) if last[0] in names else None
    return len(arguments) - 1 if len(arguments) <= len(names) else None

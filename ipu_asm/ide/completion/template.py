"""Completion in the tags of a template, and of its names in literal text."""

from __future__ import annotations

from typing import Callable, Final, Iterator, Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.ide.blocks import described
from ipu_asm.ide.completion import KEYWORD, MACRO, REGISTER, TEMPLATE_NAME, CompletionItem
from ipu_asm.ide.completion.macros import MacroCandidate
from ipu_asm.ide.expansions import Reading, reading_at, skeleton_reading
from ipu_asm.ide.template_syntax import TemplateSyntax, WrittenName, names_known_at, template_syntax
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.expansion import NameKind
from ipu_asm.source.source_map import MAIN
from ipu_asm.source.templates import Tag, TagKind, TagWord, WordKind, has_filler, tag_words
from ipu_asm.text import Span

_STATEMENTS: Final = {
    "set": ("a name for a value", "set ${1:name} = ${2:value}"),
    "for": ("repeats what follows", "for ${1:row} in ${2:range(4)}"),
    "if": ("what follows, under a condition", "if ${1:condition}"),
    "elif": ("another condition", "elif ${1:condition}"),
    "else": ("if no condition holds", None),
    "macro": ("text with parameters, for calls", "macro ${1:name}(${2:parameters})"),
    "call": ("calls a macro with the text that follows", "call ${1:name}()"),
    "with": ("names for a part of the text", "with ${1:name} = ${2:value}"),
    "filter": ("applies a filter to what follows", "filter ${1:name}"),
    "raw": ("text without tags", None),
}
_FUNCTIONS: Final = {
    "range": ("numbers: range(stop) or range(start, stop, step)", "range(${1:stop})"),
    "namespace": ("values that a loop can set", "namespace(${1:name}=${2:value})"),
}
_WORDS: Final = {
    "in": "is an element of",
    "not": "negation",
    "and": "both conditions",
    "or": "either condition",
    "is": "a test, such as `is defined`",
    "if": "the value, under a condition",
    "else": "the value otherwise",
    "true": "the truth value",
    "false": "the truth value",
    "none": "no value",
}
_FILTERS: Final = {
    "abs": "the absolute value",
    "batch": "lists of so many elements",
    "default": "another value if it is undefined",
    "first": "the first element",
    "float": "as a number with fraction",
    "format": "fills a format string, as in `'%x' | format(n)`",
    "int": "as a whole number",
    "join": "the elements as one text",
    "last": "the last element",
    "length": "the number of elements",
    "list": "as a list",
    "lower": "in lower case",
    "max": "the greatest element",
    "min": "the least element",
    "replace": "with a part replaced",
    "reverse": "from the end to the start",
    "round": "rounded",
    "sort": "sorted",
    "string": "as a text",
    "sum": "the sum of the elements",
    "trim": "without blanks around it",
    "unique": "without repetitions",
    "upper": "in upper case",
}
_TESTS: Final = {
    "defined": "the name has a value",
    "undefined": "the name has no value",
    "divisibleby": "a number divides it",
    "even": "an even number",
    "odd": "an odd number",
    "number": "a number",
    "string": "a text",
    "sequence": "a list or a text",
    "none": "no value",
}
_LOOP: Final = {
    "index": "the iteration, from 1",
    "index0": "the iteration, from 0",
    "revindex": "iterations left, this one included",
    "revindex0": "iterations left behind this one",
    "first": "is it the first iteration?",
    "last": "is it the last iteration?",
    "length": "the number of iterations",
    "previtem": "the element before",
    "nextitem": "the next element",
    "cycle": "one of its arguments in turn",
}
_DIRECTIVE: Final = "ipu: context"
_QUOTES: Final = ('"', "'")
PlainCompletions = Callable[["Analysis", int, Sequence[MacroCandidate]], list[CompletionItem]]
"""Returns the proposals at an offset of a text that the assembler reads, with further operands."""


class _Cursor(NamedTuple):
    """The words of a tag before the word at the cursor, that word's span, and if it is a string."""

    before: tuple[TagWord, ...]
    span: Span
    is_string: bool


def template_completions(
    analysis: Analysis, offset: int, plain: PlainCompletions
) -> list[CompletionItem]:
    """Return the proposals in a tag or in literal text, where names are proposed as outputs."""
    syntax = template_syntax(analysis.text)
    names = list(names_in_scope(analysis, syntax, offset))
    candidates = [MacroCandidate(_as_tag(n.name), n.detail, n.value) for n in names if n.value]
    tag = syntax.tag_around(offset)
    if tag is None:
        reading, at = reading_at(analysis, offset)
        found = plain(reading.analysis, at, candidates)
        return [item for each in found for item in _written(reading, each, at, offset)]
    skeleton = skeleton_reading(analysis).analysis
    is_output = tag.kind is TagKind.OUTPUT
    found = plain(skeleton, tag.span.start, candidates) if is_output else []
    fitting = frozenset(item.label for item in found)
    items = _TagCompletions(analysis, syntax, tag, names, fitting).at(offset)
    return sorted(items, key=lambda item: item.sort_text)


def _as_tag(name: str) -> str:
    return f"{{{{ {name} }}}}"


def _written(
    reading: Reading, item: CompletionItem, at: int, offset: int
) -> Iterator[CompletionItem]:
    """Yield a proposal of the expansion at its written place, if that is at the cursor."""
    span = Span(offset, offset) if item.span == (at, at) else reading.around(item.span, offset)
    if span is None or (reading.is_partial and has_filler(item.label)):
        return
    removed = item.removed and reading.verbatim(item.removed)
    item = item._replace(span=span, removed=removed)
    if item.label.startswith("{{ "):
        name = item.label.strip("{} ")
        item = item._replace(label=name, filter_text=name, kind=TEMPLATE_NAME, snippet=None)
    yield item


class _TagCompletions:
    """The proposals in one tag."""

    def __init__(
        self,
        analysis: Analysis,
        syntax: TemplateSyntax,
        tag: Tag,
        names: Sequence[KnownName],
        fitting: frozenset[str],
    ) -> None:
        self._analysis = analysis
        self._syntax = syntax
        self._tag = tag
        self._names = names
        self._fitting = fitting

    def at(self, offset: int) -> Iterator[CompletionItem]:
        """Yield the proposals at a cursor."""
        cursor = _cursor(self._syntax, self._tag, offset)
        before = [word.text for word in cursor.before]
        last = before[-1] if before else ""
        span = cursor.span
        if self._tag.kind is TagKind.COMMENT:
            if not self._syntax.text[self._tag.body.start : offset].strip():
                yield _item(f"{_DIRECTIVE} ", "values for the names", Span(offset, offset), "0")
        elif cursor.is_string:
            yield from self._registers(span)
        elif last == "|" or before == ["filter"]:
            yield from _words(_FILTERS, span)
        elif last == "is" or before[-2:] == ["is", "not"]:
            yield from _words(_TESTS, span)
        elif last == ".":
            yield from _words(_LOOP if before[-2:] == ["loop", "."] else {}, span)
        elif self._tag.kind is TagKind.STATEMENT and not before:
            yield from self._statements(span, offset)
        elif before[0:1] == ["for"] and "in" not in before:
            if len(before) > 1 and last != ",":
                yield from _words({"in": "the elements of"}, span)
        elif not _defines(self._tag, before):
            yield from self._expression(span, offset)

    def _statements(self, span: Span, offset: int) -> Iterator[CompletionItem]:
        inner = next(self._syntax.blocks_around(offset), None)
        if inner is not None:
            word = inner.opening.keyword
            opened = "if" if word in ("elif", "else") else word
            yield _item(f"end{opened}", f"ends the `{opened}`", span, "0")
        for number, (word, (detail, snippet)) in enumerate(_STATEMENTS.items()):
            yield _item(word, detail, span, f"1{number:02}")._replace(snippet=snippet)

    def _expression(self, span: Span, offset: int) -> Iterator[CompletionItem]:
        yield from (self._name(name, span) for name in self._names)
        inside = [block.opening.keyword for block in self._syntax.blocks_around(offset)]
        if "for" in inside:
            yield _item("loop", "the iteration: `loop.index0`", span, "2loop")
        for word, (detail, snippet) in _FUNCTIONS.items():
            item = _item(word, detail, span, f"3{word}")
            yield item._replace(kind=MACRO, snippet=snippet)
        yield from _words(_WORDS, span, "4")

    def _name(self, name: KnownName, span: Span) -> CompletionItem:
        is_fitting = _as_tag(name.name) in self._fitting
        item = _item(name.name, name.detail, span, f"{0 if is_fitting else 1}{name.name}")
        if name.parameters is None:
            return item._replace(kind=TEMPLATE_NAME)
        required = [each for each in name.parameters if "=" not in each]
        shown = ", ".join(f"${{{n}:{each}}}" for n, each in enumerate(required, 1))
        is_called = self._syntax.text.startswith("(", span.end)
        snippet = None if is_called else f"{name.name}({shown or '$1'})"
        return item._replace(kind=MACRO, snippet=snippet)

    def _registers(self, span: Span) -> Iterator[CompletionItem]:
        isa = self._analysis.isa
        for number, (register, file) in enumerate(isa.file_of_register.items()):
            item = _item(register, file.title, span, f"{number:04}")
            yield item._replace(kind=REGISTER)


class KnownName(NamedTuple):
    """A name that a tag can use: its value, and a phrase about it."""

    name: str
    value: str
    detail: str
    parameters: tuple[str, ...] | None = None


def names_in_scope(analysis: Analysis, syntax: TemplateSyntax, offset: int) -> Iterator[KnownName]:
    """Yield the names that a tag at an offset can use, and the values of the contexts."""
    values = _values(analysis)
    known = names_known_at(syntax, offset)
    for name in known:
        value = values.get(name.place) or name.value
        yield KnownName(name.name, value, _detail(name, value), _parameters(name))
    written = {name.name for name in known}
    for context in (analysis.settings.defines, *analysis.settings.contexts[:1]):
        for each, given in context.items():
            if each not in written:
                written.add(each)
                yield KnownName(each, str(given), f"{given}, given by the context")
    for expanded in analysis.expanded[:1]:
        for definition in expanded.expansion.definitions:
            if definition.kind is NameKind.CONTEXT and definition.name not in written:
                written.add(definition.name)
                shown = f"{definition.value}, given by the context"
                yield KnownName(definition.name, definition.value or "", shown)


def _cursor(syntax: TemplateSyntax, tag: Tag, offset: int) -> _Cursor:
    before: list[TagWord] = []
    span, is_string = Span(offset, offset), False
    for word in tag_words(syntax.text, tag):
        if word.kind is WordKind.STRING and word.span.start < offset < word.span.end:
            span, is_string = Span(word.span.start + 1, word.span.end - 1), True
        elif word.kind is WordKind.NAME and word.span.start < offset <= word.span.end:
            span = word.span
        elif word.span.end <= offset:
            before.append(word)
    if before and before[-1].text in _QUOTES:
        is_string = before[-1].span.end == span.start
    return _Cursor(tuple(before), span, is_string)


def _defines(tag: Tag, before: Sequence[str]) -> bool:
    """Check whether a new name is being written: nothing can be proposed for it."""
    if tag.kind is not TagKind.STATEMENT:
        return False
    if before[0] in ("set", "with"):
        return "=" not in before
    return before[0] in ("macro", "else", "raw", "block") or before[0].startswith("end")


def _values(analysis: Analysis) -> dict[Span, str]:
    """Return the values of names in the first expansion, by the places of their definitions."""
    return {
        definition.place.span: definition.value
        for each in analysis.expanded[:1]
        for definition in each.expansion.definitions
        if definition.place.path == MAIN and definition.value is not None
    }


def _detail(name: WrittenName, value: str) -> str:
    if name.kind is NameKind.TEMPLATE_MACRO:
        return described(f"macro({', '.join(name.parameters)})", name.remark)
    shown = described(value, name.remark)
    kind = "" if name.kind is NameKind.SET and shown else name.kind.value
    return described(shown, kind)


def _parameters(name: WrittenName) -> tuple[str, ...] | None:
    return name.parameters if name.kind is NameKind.TEMPLATE_MACRO else None


def _words(words: dict[str, str], span: Span, rank: str = "0") -> Iterator[CompletionItem]:
    for word, detail in words.items():
        yield _item(word, detail, span, f"{rank}{word}")


def _item(text: str, detail: str, span: Span, sort_text: str) -> CompletionItem:
    return CompletionItem(text, KEYWORD, detail, text, span, sort_text, text)

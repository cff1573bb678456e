"""Semantic tokens: the kind of each word, as the instruction set defines it.

The tokens of a bundle are cached; their offsets count from the start of the bundle's text.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Iterator, Mapping, Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.bundle.operand_matching import Instruction, value_start
from ipu_asm.bundle.parser import parser_for
from ipu_asm.ide.assertions import assertion_words
from ipu_asm.ide.expansions import Reading, skeleton_reading, whole_reading
from ipu_asm.ide.symbols.registers import registers_in_operand
from ipu_asm.isa import manifests
from ipu_asm.isa.model import Isa, Operand
from ipu_asm.isa.operands import number_value
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.expansion import NameDefinition, NameKind
from ipu_asm.source.source_map import MAIN, SourceRange
from ipu_asm.source.templates import Tag, TagKind, TagWord, WordKind, tag_words, tags_of
from ipu_asm.syntax.bundle import BundleSyntax, SyntaxToken, comments_in
from ipu_asm.text import Span

MNEMONIC: Final = "function"
REGISTER: Final = "variable"
LABEL: Final = "label"
NUMBER: Final = "number"
KEYWORD: Final = "keyword"
PARAMETER: Final = "parameter"
COMMENT: Final = "comment"
DIRECTIVE: Final = "macro"
STRING: Final = "string"
KINDS: Final = (MNEMONIC, REGISTER, LABEL, NUMBER, KEYWORD, PARAMETER, COMMENT, DIRECTIVE, STRING)
DEFINITION: Final = "definition"
DEPRECATED: Final = "deprecated"
_MAX_MODIFIERS: Final = 31
_MAX_REMEMBERED: Final = 1 << 14
_QUOTE: Final = '"'
_LINE: Final = re.compile(r"[^\s\\](?:[^\r\n]*[^\s\\])?")
_DEFINED: Final = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(\S+)", re.MULTILINE)
_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_WORDS: Final = re.compile(r"[\w.|=]+")
# One of `KINDS` and its modifiers.
TokenKind = tuple[str, tuple[str, ...]]


class SemanticToken(NamedTuple):
    """A word on one line: its span, one of `KINDS`, and some of `modifiers()`."""

    span: Span
    kind: str
    modifiers: tuple[str, ...] = ()


# Without the cache the tokens of a file cost 1.13 times as much.
@lru_cache(maxsize=1)
def modifiers() -> tuple[str, ...]:
    """Return all modifiers: the general ones, then the slots and register files of each set.

    They come from the manifests. The protocol allows 31 names; further ones are dropped, so some
    words have fewer modifiers but still their kind.
    """
    names = (name for manifest in manifests().values() for name in manifest.modifiers)
    return tuple(dict.fromkeys((DEFINITION, DEPRECATED, *names)))[:_MAX_MODIFIERS]


@cached_on_bundle
def semantic_tokens(isa: Isa, bundle: Bundle) -> tuple[SemanticToken, ...]:
    """Return the tokens of a bundle and of the comments around it, in source order."""
    comments = _comments(isa, bundle)
    text = bundle.syntax.text
    return tuple(
        token._replace(span=span)
        for token in sorted((*comments, *_words(isa, bundle)))
        for span in parts_on_lines(text, token.span)
    )


def macro_registers(isa: Isa, bundles: Sequence[Bundle]) -> Mapping[str, str]:
    """Return by name the macros that the file defines as a register, with that register."""
    if not isa.surface.preprocessed:
        return {}
    return dict(each for bundle in bundles for each in _macro_registers(isa, bundle))


@cached_on_bundle
def _macro_registers(isa: Isa, bundle: Bundle) -> tuple[tuple[str, str], ...]:
    if "define" not in bundle.syntax.text:
        return ()
    found = _DEFINED.finditer(bundle.syntax.text)
    return tuple(
        (name, value)
        for name, value in (m.groups() for m in found)
        if value in isa.file_of_register
    )


def tokens_of_macros(
    isa: Isa, bundle: Bundle, registers: Mapping[str, str]
) -> tuple[SemanticToken, ...]:
    """Return the tokens of a bundle with those of the macros that stand for registers."""
    tokens = semantic_tokens(isa, bundle)
    covered = {token.span.start for token in tokens}
    more = [
        SemanticToken(span, REGISTER, register_modifiers(isa, registers[name]))
        for name, span in names_in(isa, bundle)
        if name in registers and span.start not in covered
    ]
    return tuple(sorted((*tokens, *more))) if more else tokens


@cached_on_bundle
def names_in(isa: Isa, bundle: Bundle) -> tuple[tuple[str, Span], ...]:
    """Return the names at the starts of the words of a bundle, of which some may be macros."""
    syntax = bundle.syntax
    matches = ((_NAME.match(word), span.start) for word, span in zip(syntax.words, syntax.spans))
    return tuple((m[0], Span(at, at + m.end())) for m, at in matches if m)


def _comments(isa: Isa, bundle: Bundle) -> Iterator[SemanticToken]:
    """Yield the tokens of comments, with the keywords and registers of assertions in them."""
    words = list(assertion_words(isa, bundle))
    for start, end in comments_in(bundle.syntax):
        for span, register in words:
            if start <= span.start and span.end <= end:
                if start < span.start:
                    yield SemanticToken(Span(start, span.start), COMMENT)
                if register is None:
                    yield SemanticToken(span, KEYWORD)
                else:
                    yield SemanticToken(span, REGISTER, register_modifiers(isa, register))
                start = span.end
        if start < end:
            yield SemanticToken(Span(start, end), COMMENT)


def parts_on_lines(text: str, span: Span) -> Iterator[Span]:
    if "\n" not in text[span.start : span.end] and "\r" not in text[span.start : span.end]:
        yield span
        return
    for match in _LINE.finditer(text, span.start, span.end):
        yield Span(*match.span())


def _words(isa: Isa, bundle: Bundle) -> Iterator[SemanticToken]:
    syntax = bundle.syntax
    plan, spans = syntax.plan, syntax.spans
    for _, token in syntax.labels:
        yield SemanticToken(spans[token], LABEL, (DEFINITION,))
    if plan.directive >= 0:
        yield from _directive(syntax, range(plan.directive, len(spans)))
    for first, last in plan.inner_directives:
        yield from _directive(syntax, range(first, last))
    for entry, instruction in zip(plan.instructions, bundle.instructions):
        mnemonic, *operands = _instruction_kinds(isa, instruction.words)
        if mnemonic is not None:
            yield SemanticToken(spans[entry.mnemonic], *mnemonic)
        for tokens, parts in zip(entry.operands, operands):
            yield from _operand(syntax, range(*tokens), parts)


def _directive(syntax: BundleSyntax, tokens: range) -> Iterator[SemanticToken]:
    """Yield the tokens of a directive: its name, numbers and strings."""
    for token in tokens:
        word = syntax.words[token]
        if token == tokens.start:
            yield from _directive_line(syntax, syntax.spans[token])
        elif word[0] == _QUOTE:
            yield SemanticToken(syntax.spans[token], STRING)
        elif number_value(word) is not None:
            yield SemanticToken(syntax.spans[token], NUMBER)


def _directive_line(syntax: BundleSyntax, span: Span) -> Iterator[SemanticToken]:
    """Yield the name of a directive; of a preprocessor line, which is one token, all of it.

    Its comments are comments: a mark at its beginning is none.
    """
    start, text = span.start, syntax.text
    comments = syntax.grammar.comment.finditer(text, start + 1, span.end)
    for comment in [*(Span(*each.span()) for each in comments), Span(span.end, span.end)]:
        if code := text[start : comment.start].strip():
            start = text.index(code, start)
            yield SemanticToken(Span(start, start + len(code)), DIRECTIVE)
        if comment.start < comment.end:
            yield SemanticToken(comment, COMMENT)
        start = comment.end


def _operand(
    syntax: BundleSyntax, tokens: range, parts: Sequence[_Part]
) -> Iterator[SemanticToken]:
    """Yield the tokens of an operand, each with the kind of the part that it is in."""
    at = number = 0
    for token in tokens:
        while number < len(parts) and parts[number].end <= at:
            number += 1
        if number < len(parts) and parts[number].start <= at:
            kind = parts[number].kind or _kind_of_token(syntax.tokens[token])
            if kind is not None:
                yield SemanticToken(syntax.spans[token], *kind)
        at += len(syntax.words[token])


def _kind_of_token(token: SyntaxToken) -> TokenKind | None:
    """Return the kind of a token that is in no part with a kind of its own."""
    if token.text[0] == _QUOTE:
        return STRING, ()
    return (NUMBER, ()) if number_value(token.text) is not None else None


class _Part(NamedTuple):
    """A range of an operand's text and its kind; None if each token in it has its own kind."""

    start: int
    end: int
    kind: TokenKind | None


# Without the cache the tokens of a file cost 1.2 times as much.
@lru_cache(maxsize=_MAX_REMEMBERED)
def _instruction_kinds(
    isa: Isa, words: tuple[str, ...]
) -> tuple[TokenKind | None, *tuple[tuple[_Part, ...], ...]]:
    """Return the kind of the mnemonic, None if it cannot be one, and the parts of each operand."""
    instruction = parser_for(isa).instruction(words)
    mnemonic = None
    if instruction.spec is not None:
        more = (DEPRECATED,) if instruction.spec.deprecated else ()
        mnemonic = (MNEMONIC, (*_known(instruction.spec.slot), *more))
    elif isa.surface.preprocessed and words[0].isidentifier():
        mnemonic = (DIRECTIVE, ())  # a macro call, unless it is misspelt
    return (mnemonic, *(tuple(_parts(isa, instruction, n)) for n in range(len(words) - 1)))


def _parts(isa: Isa, instruction: Instruction, place: int) -> Iterator[_Part]:
    """Yield the parts of an operand; the keyword before the value is a parameter name."""
    word = instruction.words[place + 1]
    start = value_start(word)
    if start:
        yield _Part(0, start - 1, (PARAMETER, ()))
    operand = instruction.operands[place] if place < len(instruction.operands) else None
    value = instruction.values[place] if place < len(instruction.values) else None
    if isinstance(value, str):
        prefix = operand.type.prefix if operand is not None else ""
        yield _Part(start + len(prefix) * word.startswith(prefix, start), len(word), (LABEL, ()))
        return
    at = start
    for name in sorted(registers_in_operand(isa, instruction, place), key=lambda name: name.start):
        if name.start < at:
            continue
        yield _Part(at, name.start, None)
        yield _Part(name.start, name.end, (REGISTER, register_modifiers(isa, name.register)))
        at = name.end
    yield _Part(at, len(word), _kind_of_value(word[start:], value, at > start, operand))


def _kind_of_value(
    text: str, value: int | str | None, is_rest: bool, operand: Operand | None
) -> TokenKind | None:
    """Return the kind of an operand that names no register; None if it is composite."""
    if is_rest or value is None:
        return None
    prefix = operand.type.prefix if operand is not None else ""
    if number_value(text.removeprefix(prefix)) is not None:
        return NUMBER, ()
    return (KEYWORD, ()) if _WORDS.fullmatch(text) else None


def register_modifiers(isa: Isa, register: str) -> tuple[str, ...]:
    """Return the modifiers of the name of a register; none for any other word."""
    file = isa.file_of_register.get(register)
    return _known(file.name) if file else ()


def _known(name: str) -> tuple[str, ...]:
    return (name,) if name in modifiers() else ()


_KEYWORDS: Final = frozenset({
    "and", "else", "false", "False", "if", "in", "is", "none", "None", "not", "or", "recursive",
    "true", "True",
})  # fmt: skip
_FUNCTIONS: Final = frozenset({"cycler", "dict", "joiner", "namespace", "range"})
_KINDS: Final = {NameKind.PARAMETER: PARAMETER, NameKind.TEMPLATE_MACRO: MNEMONIC}
_MARK: Final = 2


def template_tokens(analysis: Analysis) -> list[SemanticToken]:
    """Return the semantic tokens of a template, sorted, one line each, without overlaps."""
    tags, names = tags_of(analysis.text), _names(analysis)
    found = [token for tag in tags for token in _of_tag(analysis, tag, names)]
    found += _of_literal_text(analysis, tags)
    tokens: list[SemanticToken] = []
    end = 0
    for token in sorted(found, key=lambda each: each.span):
        for span in parts_on_lines(analysis.text, token.span):
            if span.start >= end:
                tokens.append(token._replace(span=span))
                end = span.end
    return tokens


def _names(analysis: Analysis) -> Mapping[int, tuple[NameDefinition | None, bool]]:
    """Return the definitions of names by their offsets, and whether they are definitions."""
    found: dict[int, tuple[NameDefinition | None, bool]] = {}
    for expanded in analysis.expanded[:1]:
        for _, place, definition in expanded.expansion.uses:
            found[place.span.start] = (definition, False)
        for definition in expanded.expansion.definitions:
            if definition.place.path == MAIN:
                found[definition.place.span.start] = (definition, True)
    return found


def _of_tag(
    analysis: Analysis, tag: Tag, names: Mapping[int, tuple[NameDefinition | None, bool]]
) -> Iterator[SemanticToken]:
    if tag.kind is TagKind.COMMENT:
        yield SemanticToken(tag.span, COMMENT)
        return
    yield SemanticToken(Span(tag.span.start, tag.span.start + _MARK), DIRECTIVE)
    is_first, before = tag.kind is TagKind.STATEMENT, ""
    for word in tag_words(analysis.text, tag):
        if is_first or word.text in _KEYWORDS:
            yield SemanticToken(word.span, KEYWORD)
        elif word.kind is WordKind.NAME:
            yield _of_name(analysis, word, before, *names.get(word.span.start, (None, False)))
        elif word.kind is not WordKind.OPERATOR:
            yield SemanticToken(word.span, STRING if word.kind is WordKind.STRING else NUMBER)
        is_first, before = False, word.text
    if tag.is_closed:
        yield SemanticToken(Span(tag.span.end - _MARK, tag.span.end), DIRECTIVE)


def _of_name(
    analysis: Analysis, word: TagWord, before: str, definition: NameDefinition | None, defines: bool
) -> SemanticToken:
    """Return the token of a name; that of a register's name has the colour of the register."""
    if definition is None:
        is_function = before in ("|", "is") or word.text in _FUNCTIONS
        return SemanticToken(word.span, MNEMONIC if is_function else REGISTER)
    kind = _KINDS.get(definition.kind, REGISTER)
    modifiers = (DEFINITION,) if defines else ()
    return SemanticToken(
        word.span, kind, (*modifiers, *register_modifiers(analysis.isa, definition.value or ""))
    )


def _of_literal_text(analysis: Analysis, tags: list[Tag]) -> Iterator[SemanticToken]:
    """Yield the tokens of the first expansion, and of the skeleton where that has nothing."""
    reading = whole_reading(analysis)
    seen: set[int] = set()
    for token in _of_reading(reading):
        for span in _written_parts(reading, token.span):
            if span.start not in seen:
                seen.add(span.start)
                yield token._replace(span=span)
    if reading.source_map is None:
        return
    starts = [tag.span for tag in tags]
    at = 0
    for token in _of_reading(skeleton_reading(analysis)):
        while at < len(starts) and starts[at].end <= token.span.start:
            at += 1
        is_clear = at == len(starts) or token.span.end <= starts[at].start
        if is_clear and not reading.source_map.expanded_spans(SourceRange(MAIN, token.span)):
            yield token


def _of_reading(reading: Reading) -> Iterator[SemanticToken]:
    program = reading.analysis.program
    for number, bundle in enumerate(program.bundles):
        for token in semantic_tokens(program.isa, bundle):
            yield token._replace(span=token.span.shifted(program.starts[number]))


def _written_parts(reading: Reading, span: Span) -> Iterator[Span]:
    """Yield the written parts of a span of the plain analysis that are literal text."""
    if reading.source_map is None:
        yield span
        return
    for segment in reading.source_map.segments_in(span):
        start, end = max(span.start, segment.start), min(span.end, segment.end)
        if segment.is_verbatim and start < end and segment.written.path == MAIN:
            shift = segment.written.span.start - segment.start
            yield Span(start + shift, end + shift)

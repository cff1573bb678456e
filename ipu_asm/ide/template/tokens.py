"""Semantic tokens of a template: those of its tags, and of literal text as in the expansion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Iterator, Mapping

from ipu_asm.ide.expansions import Reading, skeleton_reading, whole_reading
from ipu_asm.ide.semantic_tokens import (
    COMMENT,
    DEFINITION,
    DIRECTIVE,
    KEYWORD,
    MNEMONIC,
    NUMBER,
    PARAMETER,
    REGISTER,
    STRING,
    SemanticToken,
    parts_on_lines,
    register_modifiers,
    semantic_tokens,
)
from ipu_asm.source.expansion import NameDefinition, NameKind
from ipu_asm.source.jinja.tags import Tag, TagKind, TagWord, WordKind, tag_words, tags_of
from ipu_asm.source.source_map import MAIN, SourceRange
from ipu_asm.text import Span

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis

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
    analysis: Analysis,
    word: TagWord,
    before: str,
    definition: NameDefinition | None,
    defines: bool,
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

"""Semantic tokens in the delta encoding of the protocol, inlay hints, lenses and inline values.

The tokens of each bundle are encoded once, as JSON text. Only a bundle's first token depends on
the text before the bundle, so that an edit leaves nearly all encoded text valid.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import takewhile
from typing import Mapping, Sequence

from lsprotocol import types as t

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.ide import hints
from ipu_asm.ide import semantic_tokens as ide_semantic_tokens
from ipu_asm.ide.expansions import is_template
from ipu_asm.ide.semantic_tokens import SemanticToken, template_tokens
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import LineIndex, Span
from ipu_lsp.server.convert import Encoding, markup, units
from ipu_lsp.server.messages import EncodedJson, json_array, json_object, json_text
from ipu_lsp.server.session import LspSession, View
from ipu_lsp.transport import Json, plain

_NUMBERS_A_TOKEN = 5
_KINDS = {kind: number for number, kind in enumerate(ide_semantic_tokens.KINDS)}


def legend() -> t.SemanticTokensLegend:
    """Return the legend of semantic tokens: token types and modifiers, each at its index."""
    return t.SemanticTokensLegend(
        list(ide_semantic_tokens.KINDS), list(ide_semantic_tokens.modifiers())
    )


class TokensAnswer(NamedTuple):
    """One response: the numbers of each bundle as JSON text, and the count of numbers in each."""

    number: int
    pieces: list[str]
    counts: list[int]


def full(session: LspSession, params: t.SemanticTokensParams) -> EncodedJson | None:
    """Return all tokens of a document."""
    view = session.view(params.text_document.uri)
    if view is None:
        return None
    return _whole(_keep(session, params.text_document.uri, view))


def delta(session: LspSession, params: t.SemanticTokensDeltaParams) -> EncodedJson | None:
    """Return the edits since the previous result, or all tokens if that is not the client's."""
    uri = params.text_document.uri
    view = session.view(uri)
    if view is None:
        return None
    before = session.documents[uri].tokens
    now = _keep(session, uri, view)
    if before is None or str(before.number) != params.previous_result_id:
        return _whole(now)
    return json_object(resultId=json_text(str(now.number)), edits=_edits(before, now))


def in_range(session: LspSession, params: t.SemanticTokensRangeParams) -> EncodedJson | None:
    """Return the tokens of the bundles that touch a range."""
    view = session.view(params.text_document.uri)
    if view is None:
        return None
    span = view.coordinates.span(params.range)
    if is_template(view.analysis):
        return json_object(data=json_array(_template_numbers(view, span)))
    program = view.analysis.program
    numbers = range(program.bundle_at(span.start), program.bundle_at(span.end) + 1)
    pieces, _ = _numbers(view, numbers)
    return json_object(data=json_array(pieces))


def _keep(session: LspSession, uri: str, view: View) -> TokensAnswer:
    """Compute the tokens of a document and store them as the base of the next delta."""
    document = session.documents[uri]
    before: TokensAnswer | None = document.tokens
    number = 1 if before is None else before.number + 1
    if is_template(view.analysis):
        pieces = _template_numbers(view, Span(0, len(view.analysis.text)))
        counts = [_NUMBERS_A_TOKEN] * len(pieces)
    else:
        pieces, counts = _numbers(view, range(len(view.analysis.program.bundles)))
    result = TokensAnswer(number, pieces, counts)
    document.tokens = result
    return result


def _whole(result: TokensAnswer) -> EncodedJson:
    return json_object(resultId=json_text(str(result.number)), data=json_array(result.pieces))


def _edits(before: TokensAnswer, now: TokensAnswer) -> EncodedJson:
    """The one edit that turns a response into another, as an array; empty if they are equal."""
    if before.pieces == now.pieces:
        return json_array(())
    shorter = min(len(before.pieces), len(now.pieces))
    first = _common(before.pieces[:shorter], now.pieces[:shorter])
    rest = shorter - first
    last = _common(before.pieces[::-1][:rest], now.pieces[::-1][:rest])
    edit = json_object(
        start=json_text(sum(before.counts[:first])),
        deleteCount=json_text(sum(before.counts[first : len(before.counts) - last])),
        data=json_array(now.pieces[first : len(now.pieces) - last]),
    )
    return json_array((edit,))


def _common(one: list[str], other: list[str]) -> int:
    """The length of the common prefix."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other)))


class _TokenPiece(NamedTuple):
    """The encoded tokens of one bundle, independent of its position.

    Lines count from the bundle's start; so do columns on its first line.
    """

    tokens: int
    line: int
    column: int
    head: str
    rest: str
    last_line: int
    last_column: int
    lines: int
    end_column: int


def _numbers(view: View, numbers: range) -> tuple[list[str], list[int]]:
    """Encode a range of bundles: for each one with tokens its numbers and how many they are."""
    program, encoding = view.analysis.program, view.coordinates.encoding
    registers = ide_semantic_tokens.macro_registers(program.isa, program.bundles)
    line, column = view.coordinates.position(program.starts[numbers.start]).values()
    before_line, before_column = 0, 0
    pieces: list[str] = []
    counts: list[int] = []
    for number in numbers:
        piece = _piece_of(program.isa, program.bundles[number], registers, encoding)
        if piece.tokens:
            at = line + piece.line
            begin = piece.column if piece.line else column + piece.column
            gap = begin - before_column if at == before_line else begin
            pieces.append(f"{at - before_line},{gap},{piece.head}{piece.rest}")
            counts.append(piece.tokens * _NUMBERS_A_TOKEN)
            before_line = line + piece.last_line
            before_column = piece.last_column if piece.last_line else column + piece.last_column
        line += piece.lines
        column = piece.end_column if piece.lines else column + piece.end_column
    return pieces, counts


def _template_numbers(view: View, span: Span) -> list[str]:
    """Encode the tokens of a template that touch a span, each for itself.

    They depend on more than their bundles: on names, and on what is rendered.
    """
    coordinates = view.coordinates
    pieces: list[str] = []
    line = column = 0
    for token, kind, modifiers in template_tokens(view.analysis):
        if span.start <= token.end and token.start <= span.end:
            before, before_column = line, column
            line, column = coordinates.position(token.start).values()
            gap = column - before_column if line == before else column
            width = _width(coordinates.text, token.start, token.end, coordinates.encoding)
            pieces.append(f"{line - before},{gap},{width}{_meaning(kind, modifiers)}")
    return pieces


def _piece_of(
    isa: Isa, bundle: Bundle, registers: Mapping[str, str], encoding: Encoding
) -> _TokenPiece:
    if registers:
        names = ide_semantic_tokens.names_in(isa, bundle)
        if any(name in registers for name, _ in names):
            tokens = ide_semantic_tokens.tokens_of_macros(isa, bundle, registers)
            return _piece(bundle, tokens, encoding)
    if bundle.syntax.text.isascii():
        return _plain_piece(isa, bundle)
    return _piece(bundle, ide_semantic_tokens.semantic_tokens(isa, bundle), encoding)


@cached_on_bundle
def _plain_piece(isa: Isa, bundle: Bundle) -> _TokenPiece:
    return _piece(bundle, ide_semantic_tokens.semantic_tokens(isa, bundle), Encoding.UTF_32)


def _piece(bundle: Bundle, tokens: Sequence[SemanticToken], encoding: Encoding) -> _TokenPiece:
    text = bundle.syntax.text
    starts = LineIndex.of(text).starts
    places: list[tuple[int, int]] = []
    encoded: list[str] = []
    line = column = 0
    for (start, end), kind, modifiers in tokens:
        before, before_column = line, column
        while line + 1 < len(starts) and starts[line + 1] <= start:
            line += 1
        column = _width(text, starts[line], start, encoding)
        gap = column - before_column if line == before else column
        what = f"{_width(text, start, end, encoding)}{_meaning(kind, modifiers)}"
        encoded.append(f",{line - before},{gap},{what}" if places else what)
        places.append((line, column))
    first, last = (places[0], places[-1]) if places else ((0, 0), (0, 0))
    end_column = _width(text, starts[-1], len(text), encoding)
    head, rest = "".join(encoded[:1]), "".join(encoded[1:])
    return _TokenPiece(len(tokens), *first, head, rest, *last, len(starts) - 1, end_column)


def _width(text: str, start: int, end: int, encoding: Encoding) -> int:
    return end - start if encoding is Encoding.UTF_32 else units(text[start:end], encoding)


@lru_cache(maxsize=256)
def _meaning(kind: str, modifiers: tuple[str, ...]) -> str:
    """The type and modifiers of a token, as two numbers."""
    known = ide_semantic_tokens.modifiers()
    bits = sum(1 << known.index(name) for name in modifiers if name in known)
    return f",{_KINDS[kind]},{bits}"


def inlay_hints(session: LspSession, params: t.InlayHintParams) -> list[Json] | None:
    """Return the hints in a range. No hints are `[]`: Neovim keeps the old ones on null."""
    families = session.projects.settings.inlay_hints
    view = session.view(params.text_document.uri)
    if view is None:
        return None
    if not families:
        return []
    span = view.coordinates.span(params.range)
    return [
        {
            "position": view.coordinates.position(hint.offset),
            "label": hint.text.strip(),
            "tooltip": markup(hint.tooltip, session.client.hover_markdown),
            "paddingLeft": hint.text.startswith(" "),
        }
        for hint in hints.inlay_hints(view.analysis, span, families)
    ]


def code_lenses(session: LspSession, params: t.CodeLensParams) -> list[Json] | None:
    """Return the lenses of a document. They are text only: their commands are empty."""
    families = session.projects.settings.code_lenses
    view = session.view(params.text_document.uri)
    if view is None or not families:
        return None
    return [
        {
            "range": view.coordinates.range(lens.span),
            "command": {"title": plain(lens.text), "command": ""},
        }
        for lens in hints.code_lenses(view.analysis, families)
    ]


def inline_values(session: LspSession, params: t.InlineValueParams) -> list[Json] | None:
    """Return the registers in a range, each as an expression that the debug adapter evaluates."""
    view = session.view(params.text_document.uri)
    if view is None:
        return None
    coordinates = view.coordinates
    span = coordinates.span(params.range)
    stopped = coordinates.offset(params.context.stopped_location.start)
    return [
        {"range": coordinates.range(value.span), "expression": value.expression}
        for value in hints.inline_values(view.analysis, span, stopped)
    ]

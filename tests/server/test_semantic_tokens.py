"""Colours in the protocol's numbers: all of them, those of a range, and what an edit changes."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types as t

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import analyze
from ipu_asm.ide import semantic_tokens as ide
from ipu_asm.ide.expansions import is_template
from ipu_asm.ide.semantic_tokens import template_tokens
from ipu_asm.text import LineIndex
from ipu_lsp.transport import Json
from tests.server.conversation import asked, changed, greeted, opened
from tests.server.editor import Editor, columns
from tests.server.texts import paired

URI = "untitled:a"
TEXT = "# \U0001f600\nx: incr lr0 1; # \u4e2d\n\tb x;;\nmult.ev r0 lr0 lr0 lr0;;\n"
LANGUAGES = {"ipu-asm": "ipu", "edgenpu-asm": "edgenpu"}
WORDS = [
    "x:", "b x;;", "incr lr0 1", ";", ";;", "\n", "\r\n", "\r", " ", "\t", "# \u4e2d\U0001f600\n",
    "; note\r\n", "// \u00e9 ;;", "acc;;\n", "ADD AB[1], AB[ 2 ], AB[3]\n", "y: NOP\r\n",
    "POOL a, b, kernel=2x2", "\ufeff", "[", "?", "\U0001f600", "\ud83d",
    "{% set k = 'lr1' %}\n", "incr {{ k }} 1;;", "{# \U0001f600\n #}", "{{",
]  # fmt: skip


class Token(NamedTuple):
    """A token with its place in lines and columns."""

    line: int
    column: int
    length: int
    kind: str
    modifiers: frozenset[str]


def check_tokens(data: list[int], text: str, encoding: str, isa: str = "ipu") -> list[Token]:
    """The tokens that the numbers mean: sorted, apart, and the ones that the text has."""
    assert len(data) % 5 == 0
    tokens: list[Token] = []
    line = column = 0
    for at in range(0, len(data), 5):
        down, right, length, kind, bits = data[at : at + 5]
        line, column = (line + down, right) if down else (line, column + right)
        assert min(down, right) >= 0 < length
        names = ide.modifiers()
        said = frozenset(name for number, name in enumerate(names) if bits >> number & 1)
        tokens.append(Token(line, column, length, ide.KINDS[kind], said))
    for one, other in pairwise(tokens):
        assert (one.line, one.column + one.length) <= (other.line, other.column)
    assert tokens == _expected(text, encoding, isa)
    return tokens


def _expected(text: str, encoding: str, isa: str) -> list[Token]:
    analysis = analyze(text, isa)
    lines = LineIndex.of(text)
    found = []
    for (start, end), kind, modifiers in _tokens(analysis):
        line, _ = lines.position(start)
        column = columns(text[lines.starts[line] : start], encoding)
        length = columns(text[start:end], encoding)
        found.append(Token(line, column, length, kind, frozenset(modifiers)))
    return found


def _tokens(analysis: Analysis) -> list[ide.SemanticToken]:
    if is_template(analysis):
        return template_tokens(analysis)
    program = analysis.program
    return [
        token._replace(span=program.span(number, token.span))
        for number, bundle in enumerate(program.bundles)
        for token in ide.semantic_tokens(program.isa, bundle)
    ]


def _params(uri: str) -> Any:
    return t.SemanticTokensParams(t.TextDocumentIdentifier(uri))


@pytest.mark.asyncio(loop_scope="session")
async def test_every_word_has_its_place_in_the_columns_of_the_client(editor: Editor) -> None:
    uri = editor.open(TEXT).uri
    found = await editor.text_document_semantic_tokens_full_async(_params(uri))
    assert found is not None
    tokens = check_tokens(list(found.data), TEXT, editor.encoding)
    assert [token.kind for token in tokens[:4]] == ["comment", "label", "function", "variable"]
    assert tokens[1].modifiers == {"definition"}
    assert any("deprecated" in token.modifiers for token in tokens)


@pytest.mark.asyncio(loop_scope="session")
async def test_a_range_gets_the_bundles_that_touch_it(editor: Editor) -> None:
    uri = editor.open(TEXT).uri
    document = t.TextDocumentIdentifier(uri)
    span = editor.range_of(TEXT, "mult.ev")
    params = t.SemanticTokensRangeParams(document, span)
    found = await editor.text_document_semantic_tokens_range_async(params)
    assert found is not None
    lines, kinds = list(found.data)[::5], list(found.data)[3::5]
    assert lines == [3, 0, 0, 0, 0]
    assert [ide.KINDS[kind] for kind in kinds] == ["function", *["variable"] * 4]
    whole = t.SemanticTokensRangeParams(document, editor.range(TEXT, 0, len(TEXT)))
    everything = await editor.text_document_semantic_tokens_range_async(whole)
    assert everything is not None
    check_tokens(list(everything.data), TEXT, editor.encoding)


@pytest.mark.asyncio(loop_scope="session")
async def test_what_has_not_changed_has_no_edits(editor: Editor) -> None:
    uri = editor.open(TEXT).uri
    first = await editor.text_document_semantic_tokens_full_async(_params(uri))
    assert first is not None
    assert first.result_id is not None
    params = t.SemanticTokensDeltaParams(t.TextDocumentIdentifier(uri), first.result_id)
    delta = await editor.text_document_semantic_tokens_full_delta_async(params)
    assert isinstance(delta, t.SemanticTokensDelta)
    assert list(delta.edits) == []
    assert delta.result_id != first.result_id


@pytest.mark.asyncio(loop_scope="session")
async def test_a_client_that_speaks_of_another_answer_gets_everything(editor: Editor) -> None:
    uri = editor.open(TEXT).uri
    params = t.SemanticTokensDeltaParams(t.TextDocumentIdentifier(uri), "no such answer")
    found = await editor.text_document_semantic_tokens_full_delta_async(params)
    assert isinstance(found, t.SemanticTokens)
    check_tokens(list(found.data), TEXT, editor.encoding)


@pytest.mark.asyncio(loop_scope="session")
async def test_a_document_that_is_not_open_has_no_colours(editor: Editor) -> None:
    document = t.TextDocumentIdentifier("untitled:gone")
    assert await editor.text_document_semantic_tokens_full_async(_params(document.uri)) is None
    delta = t.SemanticTokensDeltaParams(document, "1")
    assert await editor.text_document_semantic_tokens_full_delta_async(delta) is None
    span = t.Range(t.Position(0, 0), t.Position(9, 9))
    part = t.SemanticTokensRangeParams(document, span)
    assert await editor.text_document_semantic_tokens_range_async(part) is None


def test_the_legend_names_what_the_protocol_knows_by_its_names() -> None:
    offer = greeted().answer(0)["result"]["capabilities"]["semanticTokensProvider"]
    standard = {kind.value for kind in t.SemanticTokenTypes}
    assert set(offer["legend"]["tokenTypes"]) <= standard
    assert {"definition", "deprecated"} <= {kind.value for kind in t.SemanticTokenModifiers}
    assert offer["legend"]["tokenModifiers"] == list(ide.modifiers())
    assert all(re.fullmatch(r"\w+", name) for name in ide.modifiers())
    assert len(ide.modifiers()) < 31
    assert (offer["full"], offer["range"]) == ({"delta": True}, True)


def spliced(data: list[int], edits: list[Json]) -> list[int]:
    """The numbers after edits, as clients make them."""
    for edit in sorted(edits, key=lambda edit: -int(edit["start"])):
        start, count = edit["start"], edit["deleteCount"]
        assert 0 <= start <= start + count <= len(data)
        data = [*data[:start], *edit.get("data", []), *data[start + count :]]
    return data


@st.composite
def edited(draw: st.DrawFn) -> list[str]:
    """A text and what becomes of it, edit by edit."""
    text = "".join(draw(st.lists(st.sampled_from(WORDS), max_size=15)))
    texts = [text]
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 12)))
        text = text[:start] + draw(st.sampled_from(["", *WORDS])) + text[end:]
        texts.append(text)
    return [paired(text) for text in texts]


@given(edited(), st.sampled_from(sorted(LANGUAGES)), st.sampled_from(["utf-8", "utf-16", "utf-32"]))
def test_the_changes_make_the_old_answer_the_new_one(
    texts: list[str], language: str, encoding: str
) -> None:
    messages: list[Json] = [opened(URI, texts[0], language), asked(1, "semanticTokens/full", URI)]
    for number, text in enumerate(texts[1:], 2):
        messages.append(changed(URI, number, {"text": text}))
        before = str(number - 1)
        messages.append(asked(number, "semanticTokens/full/delta", URI, previousResultId=before))
    capabilities = {"general": {"positionEncodings": [encoding]}}
    said = greeted(*messages, capabilities=capabilities)
    data = said.answer(1)["result"]["data"]
    check_tokens(data, texts[0], encoding, LANGUAGES[language])
    for number, text in enumerate(texts[1:], 2):
        result = said.answer(number)["result"]
        assert result["resultId"] == str(number)
        data = spliced(data, result["edits"])
        check_tokens(data, text, encoding, LANGUAGES[language])


def test_an_edit_at_one_place_changes_little() -> None:
    text = TEXT * 50
    at = text.index("lr0", len(text) // 2)
    said = greeted(
        opened(URI, text),
        asked(1, "semanticTokens/full", URI),
        changed(URI, 2, {"text": f"{text[:at]}lr1; acc{text[at + 3 :]}"}),
        asked(2, "semanticTokens/full/delta", URI, previousResultId="1"),
    )
    (edit,) = said.answer(2)["result"]["edits"]
    assert len(edit["data"]) < len(said.answer(1)["result"]["data"]) // 20

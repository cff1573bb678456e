"""Expansions: as an answer and as a document that follows edits."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from ipu_lsp.transport import Json
from tests.server.conversation import EXIT, Conversation, changed, greeted, opened

URI = "file:///a%20folder/kernel.s"
SHOWN = f"ipu-expansion:/kernel.s?{quote(URI, safe='')}"
LISTING = f"ipu-listing:/kernel.s.lst?{quote(URI, safe='')}"
TEXT = "{% for x in [1, 2] %}\nset lr{{ x }} 0;;\n{% endfor %}\nbkpt;;\n"
SHOWS: Json = {"workspace": {"textDocumentContent": {}}}
REFRESH = "workspace/textDocumentContent/refresh"


def expansion(number: int, uri: str = URI, **more: Any) -> Json:
    params = {"textDocument": {"uri": uri}, **more}
    return {"id": number, "method": "ipu/expansion", "params": params}


def content(number: int, uri: str = SHOWN) -> Json:
    return {"id": number, "method": "workspace/textDocumentContent", "params": {"uri": uri}}


def session(*messages: Json, text: str = TEXT) -> Conversation:
    return greeted(opened(URI, text), *messages, EXIT, capabilities=SHOWS)


def test_an_expansion_has_its_text_and_the_written_line_of_each_line() -> None:
    result = session(expansion(1)).answer(1)["result"]
    assert result["text"].split() == ["set", "lr1", "0;;", "set", "lr2", "0;;", "bkpt;;"]
    lines = result["text"].splitlines()
    assert [result["lines"][n]["line"] for n, text in enumerate(lines) if text] == [1, 1, 3]
    assert result["contexts"] == [result["context"]] == [""]


def test_a_plain_file_is_its_own_expansion() -> None:
    result = session(expansion(1), text="acc;;\nbkpt;;").answer(1)["result"]
    assert result["text"] == "acc;;\nbkpt;;"
    assert result["lines"] == [{"line": 0}, {"line": 1}]


def test_a_document_that_is_not_open_has_no_expansion() -> None:
    assert session(expansion(1, "file:///gone.s")).answer(1)["result"] is None


@pytest.mark.parametrize("params", [None, {}, {"textDocument": {"uri": URI}, "context": "x"}])
def test_a_request_about_nothing_is_refused(params: Any) -> None:
    assert session({"id": 1, "method": "ipu/expansion", "params": params}).error(1) == -32602


def test_the_expansion_is_a_document_that_follows_edits_beside_the_listing() -> None:
    edit = changed(URI, 2, {"text": TEXT.replace("[1, 2]", "[7]")})
    conversation = session(content(1), content(2, LISTING), edit, content(3))
    assert conversation.told(REFRESH) == [{"uri": SHOWN}, {"uri": LISTING}]
    assert "lr2" in conversation.answer(1)["result"]["text"]
    assert "lr7" in conversation.answer(3)["result"]["text"]


def test_the_expansion_of_a_closed_program_says_so() -> None:
    close = {"method": "textDocument/didClose", "params": {"textDocument": {"uri": URI}}}
    text = session(close, content(1)).answer(1)["result"]["text"]
    assert text == "# the program of this expansion is not open\n"

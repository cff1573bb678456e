"""Listings: as an answer and as a document."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from ipu_lsp.transport import Json
from tests.server.conversation import EXIT, Conversation, changed, greeted, opened

URI = "file:///a%20folder/kernel.s"
SHOWN = f"ipu-listing:/kernel.s.lst?{quote(URI, safe='')}"
TEXT = "acc;;\nfoo;;\n"
SHOWS: Json = {"workspace": {"textDocumentContent": {}}}
REFRESH = "workspace/textDocumentContent/refresh"


def listing(number: int, uri: str = URI) -> Json:
    params = {"textDocument": {"uri": uri}}
    return {"id": number, "method": "ipu/listing", "params": params}


def content(number: int, uri: str = SHOWN) -> Json:
    return {"id": number, "method": "workspace/textDocumentContent", "params": {"uri": uri}}


def session(*messages: Json) -> Conversation:
    """A conversation with a client that shows such documents, about one program."""
    return greeted(opened(URI, TEXT), *messages, EXIT, capabilities=SHOWS)


def check_text(conversation: Conversation, number: int, *fragments: str) -> Any:
    """The answer is a listing in which all of this stands."""
    result = conversation.answer(number)["result"]
    assert all(fragment in result["text"] for fragment in fragments)
    return result


def test_a_listing_has_words_source_and_errors() -> None:
    result = check_text(session(listing(1)), 1, "  # acc;;\n", "???  # foo;;\n", "^ E101 ")
    assert "# kernel.s: 2 bundles" in result["text"]
    assert result["lines"][3:] == [
        {"address": 0, "line": 0},
        {"address": 1, "line": 1},
        {"address": None, "line": 1},
    ]


def test_a_document_that_is_not_open_has_no_listing() -> None:
    assert session(listing(1, "file:///gone.s")).answer(1)["result"] is None


@pytest.mark.parametrize("params", [None, [], {}, {"textDocument": 3}, {"textDocument": {}}])
def test_a_request_about_nothing_is_refused(params: Any) -> None:
    assert session({"id": 1, "method": "ipu/listing", "params": params}).error(1) == -32602


def test_the_listing_is_a_document_too() -> None:
    conversation = session(content(1), listing(2))
    assert conversation.answer(1)["result"]["text"] == conversation.answer(2)["result"]["text"]


def test_an_edit_makes_a_shown_listing_outdated_once() -> None:
    edits = [changed(URI, version, {"text": "acc;;\n" * version}) for version in (2, 3, 4)]
    conversation = session(content(1), *edits, content(2))
    assert conversation.told(REFRESH) == [{"uri": SHOWN}]
    check_text(conversation, 2, "4 bundles")


def test_a_listing_that_is_asked_for_again_is_outdated_again() -> None:
    edits = [changed(URI, version, {"text": "acc;;\n" * version}) for version in (2, 3)]
    conversation = session(content(1), edits[0], content(2), edits[1])
    assert conversation.told(REFRESH) == [{"uri": SHOWN}] * 2


def test_a_listing_that_nobody_looks_at_is_never_outdated() -> None:
    assert session(listing(1), changed(URI, 2, {"text": ""})).told(REFRESH) == []


def test_the_listing_of_a_document_that_is_closed_is_outdated_and_says_so() -> None:
    close = {"method": "textDocument/didClose", "params": {"textDocument": {"uri": URI}}}
    conversation = session(content(1), close, content(2))
    assert conversation.told(REFRESH) == [{"uri": SHOWN}]
    check_text(conversation, 2, "# the program of this listing is not open")


@pytest.mark.parametrize("uri", ["ipu-listing:", "ipu-listing:/x?nope", "ipu-listing://[", ""])
def test_an_address_that_names_no_program_says_so(uri: str) -> None:
    check_text(session(content(1, uri)), 1, "# the program of this listing is not open")


def test_clients_may_spell_the_address_in_another_way() -> None:
    check_text(session(content(1, f"ipu-listing:/x?{URI}")), 1, "# kernel.s: 2 bundles")


def test_a_setting_leaves_words_out_and_shown_listings_are_made_again() -> None:
    settings = {"settings": {"ipu": {"listing": {"words": "none"}}}}
    hide = {"method": "workspace/didChangeConfiguration", "params": settings}
    conversation = session(content(1), hide, content(2), listing(3))
    assert "0x" in conversation.answer(1)["result"]["text"]
    assert conversation.told(REFRESH) == [{"uri": SHOWN}]
    for number in (2, 3):
        result = check_text(conversation, number, "   0  # acc;;\n   1  # foo;;\n      # ^ E101 ")
        assert "0x" not in result["text"]

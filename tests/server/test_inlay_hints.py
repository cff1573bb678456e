"""Inlay hints: as the user wants them, and anew when that changes."""

from __future__ import annotations

import pytest

from ipu_lsp.transport import Json
from tests.server.conversation import (
    EXIT,
    INITIALIZE,
    Conversation,
    asked,
    changed,
    converse,
    opened,
)

URI = "file:///kernel.s"
TEXT = "# \U0001f600\nx: set lr0 0x10; str_acc_reg lr0 cr0; b x;;\n"
EVERYTHING = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
ALL = {"addresses": True, "immediates": True, "time": True}


def session(switches: Json, *messages: Json, refreshes: bool = False) -> Conversation:
    """A conversation about one document with these switches on or off."""
    capabilities = {"workspace": {"inlayHint": {"refreshSupport": refreshes}}}
    options = {"inlayHints": {"trips": False, **switches}}
    params = {"capabilities": capabilities, "initializationOptions": options}
    return converse({**INITIALIZE, "params": params}, opened(URI, TEXT), *messages, EXIT)


def request(number: int = 1, span: Json | None = None) -> Json:
    return asked(number, "inlayHint", URI, range=span or EVERYTHING)


def check_hints(conversation: Conversation, *expected: tuple[int, str], number: int = 1) -> None:
    """The answer has these labels at these columns of the second line."""
    found = conversation.answer(number)["result"] or []
    places = [(hint["position"]["character"], hint["label"]) for hint in found]
    assert places == list(expected)
    assert all(hint["position"]["line"] == 1 and hint["tooltip"] for hint in found)


@pytest.mark.parametrize(
    ("switches", "expected"),
    [
        ({}, []),
        ({"time": False}, []),
        ({"addresses": True}, [(1, "0"), (41, "→ 0")]),
        ({"immediates": True}, [(15, "= 16")]),
        ({"time": True}, [(32, ": new")]),
        (ALL, [(1, "0"), (15, "= 16"), (32, ": new"), (41, "→ 0")]),
    ],
)
def test_each_family_has_its_own_switch(switches: Json, expected: list[tuple[int, str]]) -> None:
    check_hints(session(switches, request()), *expected)


@pytest.mark.parametrize(("formats", "mark"), [(["markdown", "plaintext"], "`"), ([], "")])
def test_tooltips_have_code_marks_only_where_markdown_is_shown(
    formats: list[str], mark: str
) -> None:
    capabilities = {"textDocument": {"hover": {"contentFormat": formats}}}
    options = {"inlayHints": {"immediates": True, "trips": False}}
    params = {"capabilities": capabilities, "initializationOptions": options}
    conversation = converse({**INITIALIZE, "params": params}, opened(URI, TEXT), request(), EXIT)
    [hint] = conversation.answer(1)["result"]
    assert hint["tooltip"]["kind"] == ("markdown" if mark else "plaintext")
    assert hint["tooltip"]["value"] == f"operand {mark}value{mark} is 16 (0x10)"


def test_only_the_range_is_answered() -> None:
    start = {"line": 1, "character": 10}
    span = {"start": start, "end": {"line": 1, "character": 20}}
    check_hints(session(ALL, request(1, span)), (15, "= 16"))


def test_a_hint_that_is_no_part_of_its_word_stands_off() -> None:
    hints = session(ALL, request()).answer(1)["result"]
    assert [hint["paddingLeft"] for hint in hints] == [True, True, False, True]


def test_hints_follow_edits() -> None:
    edit = changed(URI, 2, {"text": "\nset lr0 0b1;;\n"})
    check_hints(session(ALL, edit, request()), (11, "= 1"))


@pytest.mark.parametrize("refreshes", [True, False])
def test_clients_that_can_are_told_to_ask_again_when_settings_change(refreshes: bool) -> None:
    settings = {"ipu": {"inlayHints": {"immediates": True, "trips": False}}}
    change = {"method": "workspace/didChangeConfiguration", "params": {"settings": settings}}
    conversation = session({}, request(1), change, request(2), refreshes=refreshes)
    check_hints(conversation)
    check_hints(conversation, (15, "= 16"), number=2)
    assert len(conversation.told("workspace/inlayHint/refresh")) == refreshes


def test_settings_that_stay_the_same_ask_for_nothing() -> None:
    settings = {"ipu": {"inlayHints": {**ALL, "trips": False}}}
    change = {"method": "workspace/didChangeConfiguration", "params": {"settings": settings}}
    conversation = session(ALL, change, refreshes=True)
    assert conversation.told("workspace/inlayHint/refresh") == []


def test_a_switch_that_is_no_switch_is_reported_and_off() -> None:
    conversation = session({"time": "yes"}, request())
    check_hints(conversation)
    (shown,) = conversation.told("window/showMessage")
    assert "ipu.inlayHints.time is true or false, found 'yes'" in shown["message"]


def test_a_document_that_is_not_open_has_none() -> None:
    gone = asked(1, "inlayHint", "untitled:gone", range=EVERYTHING)
    assert session(ALL, gone).answer(1)["result"] is None


def test_a_document_without_remarks_has_an_empty_list_of_them() -> None:
    off = session({}, request())
    assert off.answer(1)["result"] == []

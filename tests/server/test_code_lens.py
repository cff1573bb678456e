"""Code lenses: as the user wants them, and anew when that changes."""

from __future__ import annotations

import pytest

from ipu_lsp.transport import Json
from tests.server.conversation import EXIT, INITIALIZE, Conversation, asked, converse, opened

URI = "file:///kernel.s"
TEXT = "# \U0001f600\n  x: incr lr0 1; b x;;\nbkpt;;\n"
LOOP = "never ends; 1 bundle an iteration, 2 of 7 slots used (29 %); bound by cond, lr"
BRANCH = "1 branch comes here"


def session(switches: Json, *messages: Json, refreshes: bool = False) -> Conversation:
    """A conversation about one document with these switches on or off."""
    capabilities = {"workspace": {"codeLens": {"refreshSupport": refreshes}}}
    params = {"capabilities": capabilities, "initializationOptions": {"codeLens": switches}}
    return converse({**INITIALIZE, "params": params}, opened(URI, TEXT), *messages, EXIT)


def check_lenses(conversation: Conversation, *expected: str, number: int = 1) -> None:
    """The answer has these titles, all above the one label, with nothing to run after them."""
    found = conversation.answer(number)["result"] or []
    assert [lens["command"] for lens in found] == [{"title": t, "command": ""} for t in expected]
    start, end = {"line": 1, "character": 2}, {"line": 1, "character": 3}
    assert all(lens["range"] == {"start": start, "end": end} for lens in found)


@pytest.mark.parametrize(
    ("switches", "expected"),
    [
        ({}, [LOOP]),
        ({"loops": False}, []),
        ({"loops": False, "references": True}, [BRANCH]),
        ({"loops": True}, [LOOP]),
        ({"loops": True, "references": True}, [BRANCH, LOOP]),
    ],
)
def test_each_family_has_its_own_switch(switches: Json, expected: list[str]) -> None:
    check_lenses(session(switches, asked(1, "codeLens", URI)), *expected)


@pytest.mark.parametrize("refreshes", [True, False])
def test_clients_that_can_are_told_to_ask_again_when_settings_change(refreshes: bool) -> None:
    settings = {"ipu": {"codeLens": {"loops": True}}}
    change = {"method": "workspace/didChangeConfiguration", "params": {"settings": settings}}
    requests = [asked(number, "codeLens", URI) for number in (1, 2)]
    messages = (requests[0], change, requests[1])
    conversation = session({"loops": False}, *messages, refreshes=refreshes)
    check_lenses(conversation)
    check_lenses(conversation, LOOP, number=2)
    assert len(conversation.told("workspace/codeLens/refresh")) == refreshes


def test_a_document_that_is_not_open_has_none() -> None:
    gone = asked(1, "codeLens", "untitled:gone")
    assert session({"loops": True}, gone).answer(1)["result"] is None

"""Requests at the wrong time are refused in words, and our own mistakes cost one answer."""

from __future__ import annotations

import contextlib
import logging
from pathlib import Path
from typing import Any, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_lsp.debug_adapter.requests import REQUESTS, Needs
from ipu_lsp.transport import Json
from tests.debug_adapter.client import THREAD, DapClient, Rejected, framed
from tests.debug_adapter.conftest import Connect
from tests.debug_adapter.programs import ENDLESS, LOOP
from tests.debug_adapter.resilience import (
    COMMANDS,
    ODD_TEXTS,
    ODD_VALUES,
    THREADS,
    answer,
    check_alive,
    check_honest,
    complaints,
    standing,
)
from tests.debug_adapter.well_formed import MOVES, TRANSITIONS, places, replaced, right_arguments


@pytest.fixture(autouse=True)
def log() -> Iterator[list[logging.LogRecord]]:
    """The adapter's complaints. A test that makes some takes them out."""
    with complaints() as records:
        yield records


def greeted(client: DapClient) -> None:
    client.initialize()


def launched(client: DapClient) -> None:
    client.launch(ENDLESS)


def running(client: DapClient) -> None:
    client.start(ENDLESS)
    client.expect_event("process")


def stopped(client: DapClient) -> None:
    client.start(ENDLESS, stopOnEntry=True)
    client.stopped()


def ended(client: DapClient) -> None:
    client.start(LOOP, stopOnHalt=False)
    client.ended()


def terminated(client: DapClient) -> None:
    client.start(ENDLESS)
    client.request("terminate")
    client.expect_event("terminated")


def new(client: DapClient) -> None:
    assert client.capabilities == {}


STATES = {
    "new": (new, Needs.NOTHING),
    "greeted": (greeted, Needs.CLIENT),
    "launched": (launched, Needs.STOPPED),
    "running": (running, Needs.PROGRAM),
    "stopped": (stopped, Needs.STOPPED),
    "ended": (ended, Needs.PROGRAM),
    "terminated": (terminated, Needs.PROGRAM),
}


@pytest.mark.parametrize("state", STATES)
def test_each_request_in_each_state_is_answered_or_refused_in_words(
    connect: Connect, state: str
) -> None:
    steady = [command for command in COMMANDS if command not in (*MOVES, *TRANSITIONS, "pause")]
    for commands in (steady, *([command] for command in (*MOVES, *TRANSITIONS, "pause"))):
        client = connect()
        reach, has = STATES[state]
        reach(client)
        right = right_arguments(client.written(ENDLESS))
        for command in commands:
            reason = answer(client, client.send(command, right[command]))
            if REQUESTS[command].needs > has:
                assert reason is not None, command
        check_honest(client)
        if commands != ["disconnect"]:
            if state == "new" and commands != ["initialize"]:
                client.initialize()
            check_alive(client)
        assert client.close() == 0


def test_after_the_good_bye_nothing_is_answered(connect: Connect) -> None:
    client = connect()
    running(client)
    client.request("disconnect")
    with contextlib.suppress(BrokenPipeError):
        client.send_bytes(framed({"seq": 999, "type": "request", "command": "threads"}))
    assert client.close() == 0
    assert client.strays == []


JSON = st.recursive(
    st.sampled_from([*ODD_VALUES, *ODD_TEXTS]) | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)


@st.composite
def random_requests(draw: st.DrawFn) -> list[tuple[str, Any]]:
    """Requests, most of them right but for one value."""
    right = right_arguments(Path("kernel.s"))
    found = []
    for command in draw(st.lists(st.sampled_from(COMMANDS), min_size=1, max_size=12)):
        arguments = right[command]
        place = draw(st.sampled_from(list(places(arguments))))
        if draw(st.booleans()):
            arguments = replaced(arguments, place, draw(JSON))
        found.append((command, arguments))
    return found


@given(random_requests(), st.sampled_from(["greeted", "launched", "running", "stopped", "ended"]))
def test_whatever_is_asked_in_whatever_order_the_next_answer_is_right(
    connect: Connect, asked: list[tuple[str, Any]], state: str
) -> None:
    client = connect()
    STATES[state][0](client)
    # It reads no file but the program, and writes none, wherever the tests run.
    kernel = {"kernel.s": str(client.written(ENDLESS)), "dump": []}
    sent = [client.send(command, _placed(arguments, kernel)) for command, arguments in asked
            if command != "disconnect"]  # fmt: skip
    for seq in sent:
        answer(client, seq)
    check_alive(client)
    assert client.close() == 0


def _placed(value: Any, known: Json) -> Any:
    """The value with some texts and fields replaced."""
    if isinstance(value, dict):
        return {key: known.get(key, _placed(item, known)) for key, item in value.items()}
    if isinstance(value, list):
        return [_placed(item, known) for item in value]
    return known.get(value, value) if isinstance(value, str) else value


def test_a_mistake_of_ours_costs_one_answer(
    client: DapClient, monkeypatch: pytest.MonkeyPatch, log: list[logging.LogRecord]
) -> None:
    standing(client)

    def fail(*_: object) -> None:
        raise RuntimeError("out of luck")

    monkeypatch.setitem(REQUESTS, "threads", REQUESTS["threads"]._replace(handler=fail))
    with pytest.raises(Rejected, match="failed at threads: RuntimeError"):
        client.response(client.send("threads"))
    monkeypatch.undo()
    check_logged(log, "`threads` failed")
    check_alive(client)


def test_a_mistake_of_ours_after_the_answer_costs_what_would_have_followed(
    client: DapClient, monkeypatch: pytest.MonkeyPatch, log: list[logging.LogRecord]
) -> None:
    client.start(ENDLESS, stopOnEntry=True)
    client.stopped()

    def fail(*_: object) -> None:
        raise RuntimeError("out of luck")

    monkeypatch.setattr("ipu_lsp.debug_adapter.session.stopped_body", fail)
    client.request("next", threadId=THREAD)
    client.until(lambda: log or None, "complaint")
    monkeypatch.undo()
    assert client.response(client.send("threads"))["threads"] == THREADS
    check_logged(log, "the adapter failed")
    assert client.step("next")["reason"] == "step"


def test_what_cannot_be_sent_is_a_mistake_of_ours(
    client: DapClient, monkeypatch: pytest.MonkeyPatch, log: list[logging.LogRecord]
) -> None:
    client.initialize()
    for body in ({"threads": {1, 2}}, {"threads": float("nan")}):
        handler = REQUESTS["threads"]._replace(handler=lambda session, body=body: body)
        monkeypatch.setitem(REQUESTS, "threads", handler)
        with pytest.raises(Rejected, match="the adapter failed at threads"):
            client.response(client.send("threads"))
        check_logged(log, "`threads` failed")
    monkeypatch.undo()
    check_alive(client)


def check_logged(log: list[logging.LogRecord], words: str) -> None:
    """That was the one complaint, and it says where it comes from."""
    (record,) = log
    assert record.getMessage() == words
    assert record.exc_info is not None
    log.clear()

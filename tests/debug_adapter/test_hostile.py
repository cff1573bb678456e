"""Nothing that a client says ends the adapter, or goes without an answer."""

from __future__ import annotations

import logging
import time
from typing import Any, Iterator

import pytest

from ipu_lsp.transport import Json
from tests.debug_adapter.client import THREAD, DapClient, Rejected, framed
from tests.debug_adapter.resilience import (
    COMMANDS,
    ODD_TEXTS,
    ODD_VALUES,
    THREADS,
    answer,
    check_alive,
    complaints,
    nested,
    standing,
)
from tests.debug_adapter.well_formed import places, replaced, right_arguments, without


@pytest.fixture(autouse=True)
def log() -> Iterator[list[logging.LogRecord]]:
    """The adapter's complaints. A test that makes some takes them out."""
    with complaints() as records:
        yield records


# Arguments


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - {"disconnect"}))
def test_no_argument_can_harm(client: DapClient, command: str) -> None:
    right = right_arguments(client.program, standing(client))[command]
    wrong = [without(right, place) for place in places(right) if place]
    wrong += [
        replaced(right, place, value)
        for place in places(right)
        for value in [*ODD_VALUES, *(ODD_TEXTS if place else [])]
    ]
    sent = []
    for arguments in wrong:
        sent.append(client.send(command, arguments))
        client.send("pause", {"threadId": THREAD})
    for seq in sent:
        answer(client, seq)
    check_alive(client)


def test_more_than_anybody_needs_is_refused(client: DapClient) -> None:
    standing(client)
    for command in COMMANDS:
        bigs: list[Any] = ["x" * 9_000, [{}] * 5_000, {"x": [{"y": nested(80)}]}]
        for big in bigs:
            for arguments in ({"name": "x", "expression": "1", "unknown": big}, big):
                reason = answer(client, client.send(command, arguments))
                assert reason is not None
                assert " at most " in reason or "arguments is an object, found" in reason
    check_alive(client)


@pytest.mark.parametrize("big", ["x" * (10 << 20), [{"line": 1}] * 100_000, nested(900)])
def test_very_big_messages_are_answered_too(client: DapClient, big: Any) -> None:
    standing(client)
    reason = answer(client, client.send("setFunctionBreakpoints", {"breakpoints": big}))
    assert reason is not None
    assert " at most " in reason
    check_alive(client)


# Messages


@pytest.mark.parametrize(
    "message",
    [
        {"type": "request", "command": "threads"},
        {"type": "request", "seq": None, "command": "threads"},
        {"type": "request", "seq": "7", "command": "threads"},
        {"type": "request", "seq": True, "command": "threads"},
        {"type": "request", "seq": [7], "command": "threads"},
        {"type": "request", "seq": float("nan"), "command": "threads"},
        {"type": "request", "seq": -(1 << 70), "command": "threads"},
        {"type": "request", "seq": 10**400, "command": "threads"},
        {"type": "request", "seq": 777},
        {"type": "request", "seq": 777, "command": None},
        {"type": "request", "seq": 777, "command": 3},
        {"type": "request", "seq": 777, "command": ["threads"]},
        {"type": "request", "seq": 777, "command": nested(900)},
        {"type": "request", "seq": 777, "command": ""},
        {"type": "request", "seq": 777, "command": "Threads"},
        {"type": "request", "seq": 777, "command": "__init__"},
        {"type": "request", "seq": 777, "command": "teleport\ud800"},
        {"type": "request", "seq": 777, "command": "x" * 100_000},
        {"type": "request", "seq": 777, "command": "runInTerminal", "arguments": {}},
        {"type": "request", "seq": 777, "command": "stepInTargets", "arguments": {"frameId": 1}},
    ],
)
def test_every_request_has_an_answer(client: DapClient, message: Json) -> None:
    standing(client)
    client.send_bytes(framed(message))
    check_alive(client)
    (stray,) = client.strays
    seq = message.get("seq")
    assert stray["request_seq"] == (seq if type(seq) is int and seq < 10**300 else 0)
    assert stray["success"] is (message.get("command") == "threads")


@pytest.mark.parametrize(
    "message",
    [
        [], [{"seq": 1, "type": "request", "command": "disconnect"}], None, 7, "disconnect", {},
        {"seq": 777}, {"seq": 777, "command": "disconnect"},
        {"seq": 777, "type": None, "command": "disconnect"},
        {"seq": 777, "type": "Request", "command": "disconnect"},
        {"seq": 777, "type": "event", "event": "terminated"},
        {"seq": 777, "type": "response", "request_seq": 1, "command": "disconnect"},
        nested(900), {"type": nested(900)},
    ],
)  # fmt: skip
def test_what_is_no_request_is_told_to_the_user(client: DapClient, message: Any) -> None:
    standing(client)
    client.send_bytes(framed(message))
    check_alive(client)
    assert client.strays == []
    said = client.events_named("output")[-1]
    assert said["category"] == "stderr"
    assert said["output"].startswith("a message is ")
    assert said["output"].endswith("\n")


@pytest.mark.parametrize(
    "noise",
    [
        b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"Content-Length: 100000000000\r\n\r\n",
        b"Content-Length: -1\r\n\r\n",
        b"Content-Length: 3\r\n\r\n{}\n",
        b"Content-Length: 2\r\n\r\n[]Content-Length: 5\r\n\r\n{\"a\"}",
        bytes(range(256)) * 20 + b"\r\n\r\n",
        b"[" * 500_000 + b"\r\n\r\n",
    ],
)  # fmt: skip
def test_noise_between_messages_is_passed_over(client: DapClient, noise: bytes) -> None:
    standing(client)
    client.send_bytes(noise)
    check_alive(client)
    assert client.strays == []


def test_before_it_has_said_hello_the_adapter_sends_nothing_by_itself(client: DapClient) -> None:
    client.send_bytes(framed([]) + framed({}) + b"\r\n\r\n" + b"Content-Length: 1\r\n\r\n{")
    with pytest.raises(Rejected, match="a session begins with initialize"):
        client.response(client.send("threads"))
    assert client.events == []
    client.initialize()
    check_alive(client)


def test_two_requests_of_one_number_have_two_answers(client: DapClient) -> None:
    standing(client)
    client.send_bytes(framed({"seq": 999, "type": "request", "command": "threads"}) * 2)
    check_alive(client)
    assert [stray["request_seq"] for stray in client.strays] == [999, 999]


def test_half_a_message_is_waited_for(client: DapClient) -> None:
    standing(client)
    message = framed({"seq": 999, "type": "request", "command": "threads"})
    for piece in (message[:9], message[9:30], message[30:50]):
        client.send_bytes(piece)
        time.sleep(0.02)
    assert client.strays == []
    client.send_bytes(message[50:])
    check_alive(client)
    assert client.strays[0]["body"] == {"threads": THREADS}

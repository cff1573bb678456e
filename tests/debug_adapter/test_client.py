"""The tests' own client notices what an adapter does wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Callable

import pytest

from ipu_lsp.json_types import Json
from ipu_lsp.transport import Channel
from tests.debug_adapter.client import DapClient, Rejected, framed, messages
from tests.debug_adapter.wires import ThreadWire

Adapter = Callable[[Json, Callable[..., None]], None]

PAUSED: Json = {"type": "response", "command": "pause", "request_seq": 1, "success": True}
STOPPED: Json = {
    "type": "event",
    "event": "stopped",
    "body": {"reason": "pause", "threadId": 1, "allThreadsStopped": True},
}


def client_of(folder: Path, *said: Json | bytes, status: int = 0) -> DapClient:
    """A client of an adapter that answers every message with all of this."""

    def serve(channel: Channel) -> int:
        seq = 0
        for _ in messages(channel.read):
            for message in said:
                seq += 1
                data = message if isinstance(message, bytes) else framed({"seq": seq, **message})
                channel.write(data)
        return status

    return DapClient(ThreadWire(serve), folder)


def check_pause(folder: Path, words: str, *said: Json | bytes) -> None:
    """A `pause` that is answered so fails with these words."""

    def pause(client: DapClient) -> None:
        client.request("pause", threadId=1)
        client.stopped(0.5)

    with pytest.raises(AssertionError) as caught:
        pause(client_of(folder, *said))
    assert words in str(caught.value)


def test_responses_and_events_are_told_apart(tmp_path: Path) -> None:
    client = client_of(tmp_path, STOPPED, PAUSED, STOPPED)
    assert client.request("pause", threadId=1) == {}
    assert client.stopped()["reason"] == client.stopped()["reason"] == "pause"
    assert client.events_named("stopped") == [STOPPED["body"]] * 2
    assert client.close() == 0


def test_bytes_may_arrive_one_by_one(tmp_path: Path) -> None:
    pieces = [bytes([byte]) for byte in framed({"seq": 1, **PAUSED, "body": {}})]
    assert client_of(tmp_path, *pieces).request("pause", threadId=1) == {}


def test_a_refusal_is_raised_with_its_words(tmp_path: Path) -> None:
    refusal = {**PAUSED, "success": False, "message": "not now", "body": {}}
    with pytest.raises(Rejected) as caught:
        client_of(tmp_path, refusal).request("pause", threadId=1)
    assert (str(caught.value), caught.value.response["message"]) == ("not now", "not now")


def test_a_request_of_ours_that_the_protocol_does_not_know_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(AssertionError) as caught:
        client_of(tmp_path, PAUSED).request("pause", thread=1)
    assert "'threadId' is a required property" in str(caught.value)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("'resaon' was unexpected", [{**STOPPED, "body": {"resaon": "step"}}]),
        ("`seq` grows", [STOPPED, {**PAUSED, "seq": 1}]),
        ("answered already", [PAUSED, PAUSED]),
        ("nobody asked", [{**PAUSED, "request_seq": 2}]),
        ("'command': 'next'", [{**PAUSED, "command": "next"}]),
        ("no requests are expected", [{"type": "request", "command": "threads"}]),
        ("a header is expected", [b"content-length: 2\n\r\n\r\n{}"]),
        ("Expecting value", [framed({})[:-2] + b"no"]),
        ("no `stopped` event: nothing for 0.5 s", [PAUSED]),
    ],
)
def test_what_an_adapter_does_wrong_fails_the_test(
    words: str, said: list[Json | bytes], tmp_path: Path
) -> None:
    check_pause(tmp_path, words, *said)


def test_half_a_message_at_the_end_is_noticed_when_hanging_up(tmp_path: Path) -> None:
    client = client_of(tmp_path, PAUSED, framed(json.loads("{}"))[:-1])
    client.request("pause", threadId=1)
    with pytest.raises(AssertionError) as caught:
        client.close()
    assert "half a message" in str(caught.value)


def test_an_adapter_that_hangs_up_is_not_waited_for(tmp_path: Path) -> None:
    client = DapClient(ThreadWire(lambda channel: len(channel.read()) and 3), tmp_path)
    with pytest.raises(AssertionError) as caught:
        client.request("pause", threadId=1)
    assert "no response to request 1: the adapter hung up" in str(caught.value)
    assert client.close() == 3


def test_an_exception_of_the_adapter_is_seen(tmp_path: Path) -> None:
    def serve(channel: Channel) -> int:
        raise ZeroDivisionError(channel.read())

    client = DapClient(ThreadWire(serve), tmp_path)
    with pytest.raises(ZeroDivisionError):
        client.close()


def test_raw_bytes_may_be_answered_without_a_request(tmp_path: Path) -> None:
    client = client_of(tmp_path, {**PAUSED, "request_seq": 0}, STOPPED)
    client.send_bytes(framed({"type": "request"}))
    client.stopped()
    assert [stray["request_seq"] for stray in client.strays] == [0]

"""What arrives as bytes waits as requests, in its order, and never takes all memory."""

from __future__ import annotations

import json
import threading
import tracemalloc
from itertools import repeat
from typing import Any, Callable, Iterable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_lsp.debug_adapter.messages import DebugInbox
from ipu_lsp.inbox import EndOfInput, MalformedMessage, Message
from ipu_lsp.transport import MAX_BODY_LENGTH, Json, bodies, frame
from tests.debug_adapter.client import framed
from tests.debug_adapter.wires import PATIENCE_S

MEBIBYTE = 1 << 20
THREADS: Json = {"type": "request", "command": "threads"}
URGENT = ("pause", "cancel")


def asked(seq: int, command: str = "threads", **arguments: Any) -> Json:
    """A request."""
    given_ = {"arguments": arguments} if arguments else {}
    return {"seq": seq, "type": "request", "command": command, **given_}


def filled(*messages: Json | bytes) -> DebugInbox:
    """An inbox that has read all of this, and the end."""
    said = [message if isinstance(message, bytes) else framed(message) for message in messages]
    inbox = DebugInbox()
    inbox.fill(reader(said))
    return inbox


def reader(chunks: Iterable[bytes]) -> Callable[[], bytes]:
    pieces = iter(chunks)
    return lambda: next(pieces, b"")


def taken(inbox: DebugInbox) -> list[Message]:
    """All that waits, up to the end."""
    found: list[Message] = []
    while not isinstance(message := inbox.take(), EndOfInput):
        found.append(message)
    return found


def numbers(inbox: DebugInbox) -> list[int]:
    return [message["seq"] for message in taken(inbox) if isinstance(message, dict)]


def check_malformed(body: bytes, words: str) -> None:
    """The body is no request, for that reason; the one after it is read."""
    malformed, following = taken(filled(frame(body), asked(2)))
    assert isinstance(malformed, MalformedMessage)
    assert words in malformed.reason
    assert following == asked(2)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "a message is JSON"),
        (b"{", "a message is JSON"),
        (b"\xff\xfe\x00", "a message is JSON"),
        (b"{'seq': 1}", "a message is JSON"),
        (b"[" * 100_000, "a message is JSON"),
        (b'{"a":' * 100_000, "a message is JSON"),
        (b"[]", "a message is an object, found list"),
        (b'[{"seq":1,"type":"request","command":"threads"}]', "found list"),
        (b"null", "found NoneType"),
        (b"7", "found int"),
        (b'"text"', "found str"),
        (b"{}", "a message is of the type `request`, found NoneType"),
        (b'{"type":"event","event":"stopped"}', "found `event`"),
        (b'{"type":"response","request_seq":1}', "found `response`"),
        (b'{"type":["request"]}', "found list"),
        (b'{"type":"%s"}' % (b"x" * 100), "found `" + "x" * 40 + "`"),
    ],
)
def test_what_is_no_request_says_why_and_costs_nothing_else(body: bytes, words: str) -> None:
    check_malformed(body, words)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"command": None},
        {"command": ["pause"]},
        {"seq": "1", "command": "threads", "arguments": [1, {"x": "\ud800"}]},
    ],
)
def test_a_request_is_handed_on_whatever_it_holds(fields: Json) -> None:
    request = {"type": "request", **fields}
    assert taken(filled(request)) == [request]
    assert not DebugInbox().has(URGENT)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3.0", 3),
        ("-1e3", -1000),
        ("1e400", float("inf")),
        ("1e300", 1e300),
        ("2.5", 2.5),
        ("1" * 5_000, float("inf")),
        ("-" + "9" * 41, -1e41),
        ("12345678901234567890", 12345678901234567890),
        ("Infinity", float("inf")),
    ],
)
def test_numbers_are_read_however_long_they_are(text: str, value: float) -> None:
    body = b'{"type":"request","command":"threads","seq":%b}' % text.encode()
    (message,) = taken(filled(frame(body)))
    assert isinstance(message, dict)
    assert (message["seq"], type(message["seq"])) == (value, type(value))


@pytest.mark.parametrize(
    "noise",
    [
        b"Content-Length: 100000000000\r\n\r\n",
        b"Content-Length: 999999999999999\r\n\r\n{}",
        b"Content-Length: 99999999999999999999999999\r\n\r\n",
        b"Content-Length: %d\r\n\r\n{}" % (MAX_BODY_LENGTH + 1),
        b"Content-Length: -5\r\n\r\n{}",
        b"Content-Length: 0x10\r\n\r\n",
        b"Content-Length: 1e3\r\n\r\n",
        b"Content-Length: \xd9\xa1\r\n\r\n",
        b"Content-Length:\r\n\r\n",
        b"Content-Length\r\n\r\n",
        b"Hello: there\r\n\r\n",
        b"\r\n\r\n\r\n\r\n",
        b"\0" * 1000 + b"\r\n\r\n",
        b"content-length " * 10_000 + b"\r\n\r\n",
        b"content-length:" + b" " * 100_000 + b"\r\n\r\n",
        b"x" * 300_000,
    ],
)
def test_a_damaged_header_is_passed_over(noise: bytes) -> None:
    assert numbers(filled(noise, asked(1), asked(2))) == [1, 2]


def test_of_two_lengths_the_last_counts() -> None:
    body = json.dumps(asked(1)).encode()
    header = b"Content-Length: 7\r\nContent-Length: %d\r\n\r\n" % len(body)
    assert numbers(filled(header + body, asked(2))) == [1, 2]


@pytest.mark.parametrize("wrong", [-30, -1, 1, 30])
def test_a_wrong_length_costs_a_message_or_two(wrong: int) -> None:
    body = json.dumps(asked(1)).encode()
    damaged = b"Content-Length: %d\r\n\r\n%b" % (len(body) + wrong, body)
    assert numbers(filled(damaged, asked(2), asked(3)))[-1] == 3


def test_a_message_longer_than_allowed_is_passed_over() -> None:
    found = bodies(reader([frame(b"x" * 11), frame(b"y" * 10), frame(b"z" * 9)]), 10)
    assert list(found) == [b"y" * 10, b"z" * 9]


@given(st.lists(st.integers(1, 60), min_size=1, max_size=30))
def test_messages_may_arrive_in_any_pieces(sizes: list[int]) -> None:
    data = b"".join(framed(asked(number)) for number in range(1, 6))
    chunks = []
    for size in sizes * (len(data) // sum(sizes) + 1):
        chunks.append(data[:size])
        data = data[size:]
    assert numbers(filled(*filter(None, chunks))) == [1, 2, 3, 4, 5]


@given(st.binary(max_size=200))
def test_no_bytes_at_all_make_it_deaf_for_good(noise: bytes) -> None:
    assert numbers(filled(noise + b"\r\n\r\n", *map(asked, range(1, 40))))[-1] == 39


def test_half_a_message_at_the_end_is_none() -> None:
    assert taken(filled(asked(1), framed(asked(2))[:-1])) == [asked(1)]
    assert taken(filled(asked(1), b"Content-Len")) == [asked(1)]


def test_what_is_announced_takes_no_memory_before_it_comes() -> None:
    assert peak([b"Content-Length: 60000000\r\n\r\n", b"{}"]) < MEBIBYTE


def test_a_header_without_an_end_takes_no_memory() -> None:
    assert peak(repeat(b"x" * (1 << 16), 100)) < MEBIBYTE


def test_a_message_that_is_far_too_long_takes_no_memory() -> None:
    header = b"Content-Length: %d\r\n\r\n" % (MAX_BODY_LENGTH + 1)
    assert peak([header, *repeat(b"x" * (1 << 16), 100)]) < MEBIBYTE


def peak(chunks: Iterable[bytes]) -> int:
    """The most bytes in use while an inbox reads all of this."""
    tracemalloc.start()
    try:
        DebugInbox().fill(reader(chunks))
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_requests_wait_in_their_order_and_the_end_comes_last() -> None:
    inbox = filled(*map(asked, range(1, 100)))
    assert not inbox.is_empty
    assert numbers(inbox) == list(range(1, 100))
    assert inbox.is_empty


def test_a_cancellation_overtakes_what_waits() -> None:
    inbox = filled(asked(1), asked(2), asked(3, "cancel", requestId=2))
    first = inbox.take()
    assert isinstance(first, dict)
    assert first["seq"] == 3
    assert inbox.withdraw(2) == asked(2)
    assert inbox.withdraw(2) is None
    assert inbox.withdraw(99) is None
    assert numbers(inbox) == [1]


def test_only_a_request_can_be_taken_back_and_by_its_own_number() -> None:
    odd = [{**THREADS, "seq": seq} for seq in (True, "1", None, [1])]
    inbox = filled(frame(b"[1]"), *odd, {"type": "event", "seq": 1}, asked(1))
    assert inbox.withdraw(1) == asked(1)
    assert inbox.withdraw(1) is None
    assert len(taken(inbox)) == 6


@pytest.mark.parametrize(
    ("waiting", "answering", "is_urgent"),
    [
        (asked(2), 1, False),
        (asked(2, "pause", threadId=1), 1, True),
        ({"type": "event", "event": "pause", "command": "pause"}, 1, False),
        (asked(2, "cancel", requestId=1), 1, True),
        (asked(2, "cancel", requestId=7), 1, False),
        (asked(2, "cancel", requestId=7), None, False),
        (asked(2, "cancel", requestId=1.0), 1, True),
        (asked(2, "cancel", requestId=True), 1, False),
        (asked(2, "cancel", requestId="1"), 1, False),
        (asked(2, "cancel", progressId="run-1"), 1, True),
        (asked(2, "cancel"), 1, True),
        ({**asked(2, "cancel"), "arguments": [1]}, 1, True),
        ({"type": "request", "command": ["pause"]}, 1, False),
    ],
)
def test_what_is_urgent_is_seen_while_it_waits(
    waiting: Json, answering: int | None, is_urgent: bool
) -> None:
    inbox, release = DebugInbox(), threading.Event()
    threading.Thread(target=inbox.fill, args=(held_open(framed(waiting), release),)).start()
    wait_until(lambda: not inbox.is_empty)
    inbox.answering = answering
    assert inbox.has(URGENT) is is_urgent
    assert inbox.has(()) is False
    release.set()


def test_who_waits_for_another_thread_is_woken_by_it_or_by_what_is_urgent() -> None:
    inbox, is_done = DebugInbox(), threading.Event()

    def work() -> None:
        is_done.set()
        inbox.wake()

    worker = threading.Thread(target=work)
    worker.start()
    assert inbox.wait(is_done.is_set, ("disconnect",)) is True
    worker.join()
    inbox.fill(reader([framed(asked(1)), framed(asked(2, "disconnect"))]))
    assert inbox.wait(lambda: False, ("disconnect",)) is False
    assert inbox.wait(lambda: True, ("disconnect",)) is True


def test_that_the_client_is_gone_is_always_urgent() -> None:
    assert DebugInbox().has(URGENT) is False
    assert filled(asked(1)).has(()) is True


def held_open(data: bytes, release: threading.Event) -> Callable[[], bytes]:
    """Delivers bytes and, once it is released, the end."""
    pieces = iter([data])

    def read() -> bytes:
        piece = next(pieces, b"")
        return piece if piece or release.wait(PATIENCE_S) else b""

    return read


def wait_until(holds: Callable[[], bool]) -> None:
    done = threading.Event()
    for _ in range(2_000):
        if holds():
            return
        done.wait(0.01)
    raise AssertionError("it took too long")


@pytest.mark.parametrize(("name", "most"), [("most_waiting", 5), ("most_bytes", 500)])
def test_the_reader_waits_while_too_much_waits(
    name: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DebugInbox, name, most)
    inbox, delivered = DebugInbox(), []

    def pieces() -> Iterator[bytes]:
        for number in range(1, 31):
            delivered.append(number)
            yield framed(asked(number, padding="x" * 50))

    thread = threading.Thread(target=inbox.fill, args=(reader(pieces()),), daemon=True)
    thread.start()
    thread.join(0.1)
    assert thread.is_alive()
    assert len(delivered) <= 7
    assert numbers(inbox) == list(range(1, 31))
    thread.join(PATIENCE_S)
    assert not thread.is_alive()


def test_the_end_is_heard_even_where_reading_fails() -> None:
    def read() -> bytes:
        raise OSError("gone")

    inbox = DebugInbox()
    with pytest.raises(OSError, match="gone"):
        inbox.fill(read)
    assert isinstance(inbox.take(), EndOfInput)

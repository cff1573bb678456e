"""What a client may say that no client should, and how to see that it did no harm."""

from __future__ import annotations

import contextlib
import logging
from typing import Any, Final, Iterator

from ipu_lsp.debug_adapter import requests
from ipu_lsp.debug_adapter.requests import REQUESTS
from tests.debug_adapter.client import THREAD, DapClient, Rejected
from tests.debug_adapter.programs import ENDLESS
from tests.debug_adapter.wires import PATIENCE_S

requests.load_all()
COMMANDS: Final = sorted(REQUESTS)
THREADS: Final = [{"id": THREAD, "name": "IPU"}]
HUGE = [1 << 31, -(1 << 31), 1 << 62, 1 << 70, -(1 << 70), 10**30, 1e308]
ODD_TEXTS = [
    "", " ", "x", "0", "-1", "\0", "a\0b", "\ud800", "\udc80", "\U0001f600", "\n",
    "~", "~\0", "~\ud800", "/", "..", "/etc/passwd", "-", "file://[", "file:///etc/passwd",
    "0x" + "f" * 300, "9" * 300, "1e400", "(" * 500, "-" * 500, "[" * 500, " " * 2_000,
    "{" * 500, "lr" * 500, "1+" * 500,
    "lr1 ? " * 100, "acc[0..1e9]", "__import__('os').system('true')", "{{}}", "{lr1!r}", "%" * 100,
    "xmem:0x0:99999999999",
]  # fmt: skip
ODD_VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 1.5, 2.0, *HUGE, float("inf"), float("-inf"), float("nan"),
    [], {}, [None], [[]], [{}], [1], ["x"], {"": None}, {"x": {}}, [{}] * 50,
]  # fmt: skip


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


class Complaints(logging.Handler):
    """Keeps what is logged from warnings on."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@contextlib.contextmanager
def complaints() -> Iterator[list[logging.LogRecord]]:
    """What the adapter logs as a mistake of its own: nothing that is left in the list."""
    handler, logger = Complaints(), logging.getLogger("ipu_lsp")
    logger.addHandler(handler)
    try:
        yield handler.records
    finally:
        logger.removeHandler(handler)
    assert [record.getMessage() for record in handler.records] == []


def check_alive(client: DapClient) -> None:
    """The adapter still gives right answers, and never had to say that it failed."""
    assert client.response(client.send("threads"))["threads"] == THREADS
    check_honest(client)


def check_honest(client: DapClient) -> None:
    said = [event["output"] for event in client.events_named("output")]
    assert [text for text in said if "failed" in text] == []


def answer(client: DapClient, seq: int, timeout: float = PATIENCE_S) -> str | None:
    """Why a request was refused, in words for people; None if it was not."""
    try:
        client.response(seq, timeout)
    except Rejected as refused:
        reason = str(refused)
        assert "failed" not in reason
        assert "Traceback" not in reason
        assert reason.strip() == reason != ""
        return reason
    return None


def standing(client: DapClient) -> int:
    """Stops a client's endless program somewhere; a `variablesReference`."""
    client.start(ENDLESS, {"line": 2, "condition": "lr1 == 5"})
    client.stopped()
    reference: int = client.scopes()["Loop registers"]["variablesReference"]
    return reference

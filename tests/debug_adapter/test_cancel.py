"""Whatever takes long can be given up, and costs nothing but its answer."""

from __future__ import annotations

import contextlib

import pytest

from ipu_lsp.transport import Json
from tests.debug_adapter.client import THREAD, DapClient, Rejected, framed
from tests.debug_adapter.programs import ENDLESS, LOOP

CYCLE = 30_000
"""Where the machine stands: so long is its history."""
NEVER = "lr1 ** 2 < 0"
"""What the emulator's core does not compute, so that it takes long."""
LATE = {"line": 2, "condition": NEVER}
"""A breakpoint at which all of the history must be looked at, and that is never hit."""


@pytest.fixture
def late(client: DapClient, monkeypatch: pytest.MonkeyPatch) -> DapClient:
    """A client of a machine with a long history, which is told at once of what takes long."""
    monkeypatch.setattr("ipu_lsp.debug_adapter.messages.PATIENCE_S", 0.0)
    client.start(ENDLESS, stopOnEntry=True)
    client.stopped()
    client.evaluate(f"goto {CYCLE}", "repl")
    assert client.expect_event("stopped")["reason"] == "goto"
    client.expect_event("progressStart")
    return client


def ask(client: DapClient, question: str = f"when {NEVER}") -> int:
    """Asks in the console; returns when the adapter is at work on the answer."""
    asked = client.send("evaluate", {"expression": question, "context": "repl"})
    told = client.expect_event("progressStart")
    assert (told["requestId"], told["title"]) == (asked, "Answering evaluate")
    return asked


def check_cancelled(client: DapClient, *requests: int) -> None:
    """These requests are answered by saying that they were given up."""
    for seq in requests:
        with pytest.raises(Rejected) as caught:
            client.response(seq)
        assert caught.value.response["message"] == "cancelled"
        assert "body" not in caught.value.response


def check_unmoved(client: DapClient) -> None:
    """The machine stands where it stood, and answers."""
    assert client.evaluate("cycle").split()[0] == str(CYCLE)
    assert client.evaluate("lr1").split()[0] == str(CYCLE // 2)


def test_a_question_to_the_past_is_cancelled_at_once(late: DapClient) -> None:
    asked = ask(late)
    late.request("cancel", requestId=asked)
    check_cancelled(late, asked)
    check_unmoved(late)


def test_a_way_to_the_future_ends_where_it_is_cancelled(late: DapClient) -> None:
    asked = ask(late, "goto +9000000")
    late.request("cancel", requestId=asked)
    assert "paused" in late.response(asked)["result"]
    assert late.stopped()["reason"] == "pause"
    assert int(late.evaluate("cycle").split()[0]) > CYCLE


def test_who_looks_no_further_when_it_is_cancelled(late: DapClient) -> None:
    asked = ask(late, "who lr9")
    late.request("cancel", requestId=asked)
    with contextlib.suppress(Rejected):  # unless it was quicker
        late.response(asked)
    check_unmoved(late)


@pytest.mark.parametrize("command", ["pause", "terminate", "disconnect"])
def test_a_question_gives_way_to_what_is_urgent(late: DapClient, command: str) -> None:
    asked = ask(late)
    urgent = late.send(command, {"threadId": THREAD} if command == "pause" else {})
    check_cancelled(late, asked)
    assert late.response(urgent) == {}
    if command == "pause":
        assert [stop["reason"] for stop in late.events_named("stopped")] == ["entry", "goto"]
        check_unmoved(late)


def test_a_question_ends_with_the_client(late: DapClient) -> None:
    ask(late)
    assert late.close() == 0


def test_a_question_may_be_cancelled_by_its_progress(late: DapClient) -> None:
    asked = late.send("evaluate", {"expression": f"when {NEVER}", "context": "repl"})
    late.request("cancel", progressId=late.expect_event("progressStart")["progressId"])
    check_cancelled(late, asked)
    check_unmoved(late)


def test_a_request_that_waits_is_cancelled_before_its_turn(late: DapClient) -> None:
    asked = ask(late)
    waiting = [late.send("threads"), late.send("evaluate", {"expression": "lr1 = 5"})]
    following = late.send("threads")
    for seq in (*waiting, asked):
        late.send("cancel", {"requestId": seq})
    check_cancelled(late, asked, *waiting)
    assert late.response(following)["threads"]
    check_unmoved(late)


def test_what_is_said_of_another_request_does_not_disturb_the_one_at_work(late: DapClient) -> None:
    asked = ask(late)
    other = late.send("threads")
    late.send("cancel", {"requestId": other})
    late.send("cancel", {"requestId": 10**9})
    assert "has not held up to now" in late.response(asked)["result"]
    check_cancelled(late, other)


def test_a_way_back_is_paused_where_it_began(late: DapClient) -> None:
    late.breakpoints(LATE)
    late.send("reverseContinue", {"threadId": THREAD})
    late.send("pause", {"threadId": THREAD})
    assert late.stopped()["reason"] == "pause"
    check_unmoved(late)
    late.breakpoints()
    assert late.step("stepBack")["reason"] == "step"


def test_a_way_back_is_cancelled_by_its_progress(late: DapClient) -> None:
    late.breakpoints(LATE)
    late.request("reverseContinue", threadId=THREAD)
    progress = late.expect_event("progressStart")
    assert progress["title"] == "Running backwards"
    late.request("cancel", progressId=progress["progressId"])
    assert late.stopped()["reason"] == "pause"
    check_unmoved(late)


@pytest.mark.parametrize("command", ["terminate", "disconnect", "restart"])
def test_a_way_back_ends_with_the_session(late: DapClient, command: str) -> None:
    late.breakpoints(LATE)
    late.send("reverseContinue", {"threadId": THREAD})
    assert late.response(late.send(command)) == {}


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"requestId": 1},
        {"requestId": 10**9},
        {"requestId": -1},
        {"requestId": 0},
        {"progressId": ""},
        {"progressId": "run-1"},
        {"progressId": "somebody's", "requestId": 10**6},
    ],
)
def test_there_may_be_nothing_to_cancel(client: DapClient, arguments: Json) -> None:
    assert client.request("cancel", **arguments) == {}
    client.start(LOOP)
    client.stopped()
    assert client.request("cancel", **arguments) == {}
    assert client.step("stepBack")["reason"] == "step"


def test_a_request_without_a_number_is_cancelled_by_none(late: DapClient) -> None:
    asked = ask(late)
    late.send_bytes(framed({"type": "request", "command": "threads"}))
    late.send("cancel", {"requestId": 0})
    assert "has not held up to now" in late.response(asked)["result"]
    check_unmoved(late)
    assert [stray["success"] for stray in late.strays] == [False]

"""Clients that can show it are told of what takes long, and always that it is over."""

from __future__ import annotations

import pytest

from ipu_lsp.debug_adapter import messages as progress_module
from ipu_lsp.debug_adapter.messages import PATIENCE_S, ProgressReporter
from ipu_lsp.transport import Json
from tests.debug_adapter.client import THREAD, DapClient, Rejected
from tests.debug_adapter.conftest import Connect
from tests.debug_adapter.programs import ENDLESS, LOOP

FAR = "goto 20000"
HARD = "when lr1 ** 2 < 0"
"""A question that takes long there, and whose answer is no."""


class Clock:
    """A time that passes only when a test says so, and what was sent meanwhile."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.sent: list[tuple[str, Json]] = []

    def monotonic(self) -> float:
        return self.now

    def passes(self, progress: ProgressReporter, seconds: float, cycle: int = 7) -> list[str]:
        """What is sent at a tick after that time."""
        self.now += seconds
        before = len(self.sent)
        progress.tick(lambda: cycle)
        return [name for name, _ in self.sent[before:]]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(progress_module, "time", made)
    return made


@pytest.fixture
def progress(clock: Clock) -> ProgressReporter:
    return ProgressReporter(lambda name, body: clock.sent.append((name, body)))


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress_module, "PATIENCE_S", 0.0)
    monkeypatch.setattr(progress_module, "_PACE_S", 0.0)


def check_ended(client: DapClient) -> None:
    """Every progress that the client was told of has come to its end, each once and in time."""
    started = [body["progressId"] for body in client.events_named("progressStart")]
    assert [body["progressId"] for body in client.events_named("progressEnd")] == started
    assert len(set(started)) == len(started) > 0
    names = [event["event"] for event in client.events if "progress" in event["event"]]
    assert names[0] == "progressStart"
    assert names[-1] == "progressEnd"


def test_what_is_over_soon_is_not_spoken_of(clock: Clock, progress: ProgressReporter) -> None:
    progress.begin("Running")
    assert clock.passes(progress, PATIENCE_S - 0.01) == []
    progress.end()
    assert clock.passes(progress, 100) == []
    assert clock.sent == []


def test_after_a_second_it_is_told_and_now_and_then_how_far_it_is(
    clock: Clock, progress: ProgressReporter
) -> None:
    progress.begin("Running", 12)
    assert clock.passes(progress, PATIENCE_S) == ["progressStart"]
    assert clock.sent[0][1] == {
        "progressId": "run-1",
        "title": "Running",
        "message": "cycle 7",
        "requestId": 12,
        "cancellable": True,
    }
    assert clock.passes(progress, 0.01) == []
    assert clock.passes(progress, 0.5, 1_234_567) == ["progressUpdate"]
    assert clock.sent[-1][1] == {"progressId": "run-1", "message": "cycle 1,234,567"}
    progress.end()
    progress.end()
    assert clock.sent[2:] == [("progressEnd", {"progressId": "run-1"})]


def test_the_first_of_two_that_begin_is_the_one_that_counts(
    clock: Clock, progress: ProgressReporter
) -> None:
    progress.begin("Running")
    clock.passes(progress, PATIENCE_S / 2)
    progress.begin("Answering evaluate")
    assert clock.passes(progress, PATIENCE_S / 2) == ["progressStart"]
    assert clock.sent[0][1]["title"] == "Running"


def test_the_last_cycle_is_shown_if_it_is_known(clock: Clock, progress: ProgressReporter) -> None:
    progress.begin("Running")
    clock.now += PATIENCE_S
    progress.tick(lambda: 512, lambda: 1304)
    clock.now += PATIENCE_S
    progress.tick(lambda: 1305, lambda: 1304)
    clock.now += PATIENCE_S
    progress.tick(lambda: 1306, lambda: None)
    messages = [body["message"] for _, body in clock.sent]
    assert messages == ["cycle 512 of 1,304", "cycle 1,305", "cycle 1,306"]


def test_each_has_a_name_of_its_own(clock: Clock, progress: ProgressReporter) -> None:
    for number in range(1, 4):
        progress.begin("Running")
        clock.passes(progress, PATIENCE_S)
        assert progress.running == f"run-{number}"
        progress.end()
        assert progress.running is None


def test_a_long_run_is_spoken_of_after_a_second(client: DapClient, clock: Clock) -> None:
    client.start(ENDLESS)
    client.expect_event("process")
    clock.now += PATIENCE_S / 2
    for _ in range(20):  # between the answers the program runs
        client.request("threads")
    assert client.events_named("progressStart") == []
    clock.now += PATIENCE_S
    told = client.expect_event("progressStart")
    assert (told["title"], told["cancellable"]) == ("Running", True)
    clock.now += PATIENCE_S
    assert client.expect_event("progressUpdate")["message"].startswith("cycle ")


@pytest.mark.usefixtures("impatient")
def test_a_client_that_cannot_show_it_is_told_nothing(client: DapClient) -> None:
    client.initialize(supportsProgressReporting=False)
    client.start(ENDLESS, {"line": 2, "condition": "lr1 == 2000"})
    client.stopped()
    client.evaluate(HARD, "repl")
    assert not any("progress" in event["event"] for event in client.events)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("command", ["pause", "restart", "terminate", "disconnect"])
def test_it_is_over_when_something_else_is_asked_for(client: DapClient, command: str) -> None:
    client.start(ENDLESS)
    client.expect_event("progressStart")
    client.request(command, **({"threadId": THREAD} if command == "pause" else {}))
    client.expect_event("progressEnd")
    if command == "restart":
        client.expect_event("progressStart")
        client.request("terminate")
    client.close()
    check_ended(client)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("program", "configuration"),
    [
        (ENDLESS, {"maxCycles": 20_000}),
        (ENDLESS.replace("b forever", "blt lr1 lr2 forever") + "bkpt;;", {"lr": {"2": 10_000}}),
        (
            "a: incr lr1 1; blt lr1 lr2 a;; ldr_mult_reg r0 lr1 cr0;;",
            {"lr": {"2": 20_000}, "cr": {"0": "0x1fffff"}},
        ),
    ],
    ids=["limit", "halt", "fault"],
)
def test_it_is_over_when_the_machine_stops(
    client: DapClient, program: str, configuration: Json
) -> None:
    client.start(program, **configuration)
    client.stopped()
    check_ended(client)


@pytest.mark.usefixtures("impatient")
def test_it_is_over_when_the_debugger_fails(
    client: DapClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.start(ENDLESS, stopOnEntry=True)
    client.stopped()

    def fail(*_: object) -> None:
        raise RuntimeError("out of luck")

    client.request("continue", threadId=THREAD)
    client.expect_event("progressStart")
    monkeypatch.setattr("ipu_asm.debugger.debugger.Debugger.resume", fail)
    client.request("threads")
    assert client.stopped()["reason"] == "pause"
    check_ended(client)
    assert "out of luck" in client.events_named("output")[-1]["output"]
    assert client.evaluate("1 + 1").startswith("2")


@pytest.mark.usefixtures("impatient")
def test_a_question_that_takes_long_is_spoken_of_with_its_request(client: DapClient) -> None:
    client.start(ENDLESS, stopOnEntry=True)
    client.stopped()
    client.evaluate(FAR, "repl")
    asked = client.send("evaluate", {"expression": HARD, "context": "repl"})
    client.response(asked)
    about = [told for told in client.events_named("progressStart") if told["requestId"] == asked]
    assert [told["title"] for told in about] == ["Answering evaluate"]
    check_ended(client)


@pytest.mark.usefixtures("impatient")
def test_it_is_over_before_the_answer_is_there_even_if_that_is_no(client: DapClient) -> None:
    client.start(ENDLESS, stopOnEntry=True)
    client.stopped()
    client.evaluate(FAR, "repl")
    asked = client.send("evaluate", {"expression": HARD, "context": "repl"})
    client.expect_event("progressStart")
    client.request("cancel", requestId=asked)
    with pytest.raises(Rejected, match="cancelled") as caught:
        client.response(asked)
    check_ended(client)
    ended = [event["seq"] for event in client.events if event["event"] == "progressEnd"]
    assert ended[-1] < caught.value.response["seq"]


def test_short_questions_are_not_spoken_of(connect: Connect) -> None:
    client = connect()
    client.start(LOOP)
    client.stopped()
    client.evaluate("who lr1", "repl")
    client.request("disconnect")
    assert client.close() == 0
    assert not any("progress" in event["event"] for event in client.events)

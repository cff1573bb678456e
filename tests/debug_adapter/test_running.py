"""Moving through a program, forwards and backwards."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ipu_lsp.json_types import Json
from tests.debug_adapter.client import THREAD, DapClient, Rejected
from tests.debug_adapter.conftest import Connect
from tests.debug_adapter.programs import CYCLES, ENDLESS, LOOP
from tests.debug_adapter.wires import PATIENCE_S

NESTED = """\
set lr1 3; set lr2 3;;
far:
    set lr5 0;;
mid:
    set lr6 0;;
near:
    incr lr6 1;; incr lr7 1;;
    blt lr6 lr1 near;;
    incr lr5 1;;
    blt lr5 lr2 mid;;
incr lr4 1;;
blt lr4 lr2 far;;
bkpt;;
"""
"""Three loops, one within the other; bundles 3 and 4 stand on line 7."""
LONG = """\
set lr2 3000;;
again:
    incr lr1 1;;
    blt lr1 lr2 again;;
break;;
bkpt;;
"""
LONG_CYCLES = 1 + 2 * 3_000
"""How many bundles are executed before the break."""


def check_moves(client: DapClient, *moves: tuple[str | Json, int, int]) -> None:
    """After each move, a command or a command with arguments, the line and the cycle."""
    for move, line, cycle in moves:
        command, arguments = (move, {}) if isinstance(move, str) else (move["command"], move)
        given = {key: value for key, value in arguments.items() if key != "command"}
        client.step(command, **given)
        assert place(client) == (line, cycle), move


def place(client: DapClient) -> tuple[int, int]:
    """Line and cycle."""
    return client.frame()["line"], int(client.evaluate("cycle").split()[0])


def by(granularity: str, command: str = "next") -> Json:
    return {"command": command, "granularity": granularity}


@pytest.fixture
def entered(client: DapClient) -> DapClient:
    """A client of a program with nested loops, in front of its first bundle."""
    client.start(NESTED, stopOnEntry=True)
    client.stopped()
    return client


def test_a_step_is_one_bundle_also_where_several_stand_on_a_line(entered: DapClient) -> None:
    for number, line in enumerate((3, 5, 7, 7, 8, 7), 1):
        check_moves(entered, (["next", "stepIn"][number % 2], line, number))
    assert entered.frame()["column"] == 5


def test_a_step_may_be_an_instruction_or_a_line(entered: DapClient) -> None:
    check_moves(
        entered,
        (by("statement"), 3, 1),
        (by("line"), 5, 2),
        (by("line"), 7, 3),
        (by("instruction"), 7, 4),
        (by("line"), 8, 5),
        (by("line", "stepIn"), 7, 6),
        (by("line"), 8, 8),
        (by("line", "stepBack"), 7, 6),
        (by("instruction", "stepBack"), 8, 5),
        (by("line", "stepBack"), 7, 3),
        ("stepBack", 5, 2),
    )


def test_stepping_out_leaves_one_loop_after_the_other(entered: DapClient) -> None:
    entered.breakpoints(7)
    entered.step("continue")
    entered.breakpoints()
    check_moves(entered, ("stepOut", 9, 12), ("stepOut", 11, 38), ("stepOut", 13, 118))
    assert entered.step("stepOut")["description"].startswith("halted")


def test_stepping_out_passes_breakpoints_of_the_loop_if_that_is_chosen(client: DapClient) -> None:
    client.start(NESTED, stopOnEntry=True, stepOutPastBreakpoints=True)
    client.stopped()
    client.breakpoints(7, 9)
    client.step("continue")
    check_moves(client, ("stepOut", 9, 12), ("stepOut", 11, 38))


def test_stepping_out_stops_at_breakpoints(entered: DapClient) -> None:
    (found,) = entered.breakpoints(8)
    entered.step("continue")
    assert entered.step("stepOut")["hitBreakpointIds"] == [found["id"]]


def test_stepping_onto_a_breakpoint_names_it(entered: DapClient) -> None:
    (found,) = entered.breakpoints(3)
    stopped = entered.step("next")
    assert (stopped["reason"], stopped["hitBreakpointIds"]) == ("breakpoint", [found["id"]])


def test_stepping_on_from_the_halt_ends_the_session(client: DapClient) -> None:
    client.start(LOOP)
    client.stopped()
    client.request("next", threadId=THREAD)
    assert client.ended() == 0


def test_there_is_nothing_before_the_beginning(entered: DapClient) -> None:
    for command in ("stepBack", "reverseContinue"):
        stopped = entered.step(command)
        expected = ("entry", "at the beginning of the history")
        assert (stopped["reason"], stopped["description"]) == expected


def test_one_can_go_back_from_the_halt(client: DapClient) -> None:
    client.start(LOOP, {"line": 10, "condition": "lr4 == 2"})
    client.stopped()
    assert client.step("continue")["description"].startswith("halted")
    check_moves(client, ("stepBack", 11, CYCLES - 1), ("stepBack", 10, CYCLES - 2))
    check_moves(client, ("reverseContinue", 10, 36), ("next", 5, 37))


@settings(max_examples=6)
@given(
    st.lists(
        st.fixed_dictionaries(
            {"line": st.sampled_from([2, 3, 5, 7, 8, 9, 11, 12, 13])},
            optional={
                "condition": st.sampled_from(["lr6 == 2", "lr4 > 0 && lr5 != 1"]),
                "hitCondition": st.sampled_from(["%3", ">=5", "4"]),
            },
        ),
        min_size=1,
        max_size=3,
    )
)
def test_going_back_finds_every_stop_that_going_on_has_made(
    connect: Connect, breakpoints: list[Json]
) -> None:
    client = connect()
    client.start(NESTED, *breakpoints)
    stops = []
    stopped = client.stopped()
    while not stopped["description"].startswith("halted"):
        stops.append((place(client), stopped["hitBreakpointIds"]))
        stopped = client.step("continue")
    for expected in reversed(stops):
        stopped = client.step("reverseContinue")
        assert (place(client), stopped["hitBreakpointIds"]) == expected
    if not stops or stops[0][0][1]:
        assert client.step("reverseContinue")["reason"] == "entry"
    assert client.close() == 0


def test_the_machine_can_go_on_elsewhere(entered: DapClient) -> None:
    (target,) = targets(entered, 11)
    assert (target["label"], target["line"]) == ("bundle 8 (near+5)", 11)
    entered.request("goto", threadId=THREAD, targetId=target["id"])
    stopped = entered.stopped()
    assert (stopped["reason"], stopped["description"]) == ("goto", "moved to bundle 8")
    assert place(entered) == (11, 0)
    check_moves(entered, ("next", 12, 1), ("next", 13, 2), ("reverseContinue", 11, 0))


def test_a_target_may_be_one_of_several_bundles_on_a_line(entered: DapClient) -> None:
    assert [(each["column"], each["id"]) for each in targets(entered, 7)] == [(5, 3), (18, 4)]
    assert [each["id"] for each in targets(entered, 7, column=18)] == [4]
    assert [each["id"] for each in targets(entered, 6)] == [3]
    assert targets(entered, 14) == targets(entered, 10**9) == []


def targets(client: DapClient, line: int, **more: int) -> list[Json]:
    body = client.request("gotoTargets", source=client.source, line=line, **more)
    found: list[Json] = body["targets"]
    return found


def test_other_files_have_no_targets(entered: DapClient) -> None:
    body = entered.request("gotoTargets", source={"path": "/nowhere/other.s"}, line=1)
    assert body == {"targets": []}


@pytest.mark.parametrize("target", [11, -1, 1 << 40])
def test_what_is_no_target_is_refused(entered: DapClient, target: int) -> None:
    with pytest.raises(Rejected, match=f"the program has the bundles 0 to 10, found {target}"):
        entered.request("goto", threadId=THREAD, targetId=target)
    assert place(entered) == (1, 0)


def test_a_machine_that_has_halted_can_go_on_elsewhere(client: DapClient) -> None:
    client.start(LOOP)
    client.stopped()
    client.request("goto", threadId=THREAD, targetId=4)
    assert client.stopped()["reason"] == "goto"
    assert place(client) == (10, CYCLES)
    check_moves(client, ("next", 11, CYCLES + 1))
    assert client.step("continue")["description"].startswith("halted")
    client.request("continue", threadId=THREAD)
    assert client.ended() == 0


def test_an_endless_loop_can_be_paused_and_goes_on(client: DapClient) -> None:
    client.start(ENDLESS)
    cycles = {pause_of_an_endless_loop(client)}
    deadline = time.monotonic() + PATIENCE_S
    while len(cycles) == 1 and time.monotonic() < deadline:
        client.request("continue", threadId=THREAD)
        time.sleep(0.01)  # a pause may come before the next bundle
        cycles.add(pause_of_an_endless_loop(client))
    assert len(cycles) == 2


def pause_of_an_endless_loop(client: DapClient) -> int:
    """Pauses, checks what is there, and returns the cycle."""
    client.request("pause", threadId=THREAD)
    stopped = client.stopped()
    assert (stopped["reason"], stopped["description"]) == ("pause", "paused")
    cycle = place(client)[1]
    assert client.evaluate("lr1").split()[0] == str(-(-cycle // 2))
    return cycle


def test_a_pause_of_what_stands_is_no_mistake(entered: DapClient) -> None:
    assert entered.request("pause", threadId=THREAD) == {}
    check_moves(entered, ("next", 3, 1))
    assert [stop["reason"] for stop in entered.events_named("stopped")] == ["entry", "step"]


def test_a_way_back_is_not_disturbed_by_questions(client: DapClient) -> None:
    client.start(LONG, {"line": 3, "condition": "lr1 == 5"})
    client.stopped()
    client.step("continue")
    assert place(client)[1] == LONG_CYCLES
    going = client.send("reverseContinue", {"threadId": THREAD})
    for _ in range(20):
        assert client.request("threads")["threads"]
    client.response(going)
    client.stopped()
    assert place(client) == (3, 11)


def test_a_pause_on_a_way_back_stays_where_it_began(client: DapClient) -> None:
    client.start(LONG)
    client.stopped()
    client.send("reverseContinue", {"threadId": THREAD})
    client.request("pause", threadId=THREAD)
    stopped = client.stopped()
    assert (stopped["reason"], place(client)[1]) in [("pause", LONG_CYCLES), ("entry", 0)]


def test_a_run_can_be_given_up_by_its_progress(client: DapClient) -> None:
    client.start(ENDLESS)
    progress = client.expect_event("progressStart")
    assert (progress["title"], progress["cancellable"]) == ("Running", True)
    client.request("cancel", progressId="somebody's")
    client.request("cancel", requestId=10**6)
    client.request("cancel", progressId=progress["progressId"])
    assert client.stopped()["reason"] == "pause"
    assert client.expect_event("progressEnd") == {"progressId": progress["progressId"]}


def test_the_client_hears_that_all_goes_on(entered: DapClient) -> None:
    assert entered.request("continue", threadId=THREAD) == {"allThreadsContinued": True}
    entered.stopped()

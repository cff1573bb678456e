"""Moving through a program, forwards and backwards."""

from __future__ import annotations

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from ipu_lsp.transport import Json
from tests.debug_adapter.client import THREAD, DapClient
from tests.debug_adapter.conftest import Connect
from tests.debug_adapter.programs import ENDLESS
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


def place(client: DapClient) -> tuple[int, int]:
    """Line and cycle."""
    return client.frame()["line"], int(client.evaluate("cycle").split()[0])


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

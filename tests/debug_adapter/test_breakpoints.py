"""When breakpoints stop, and what they say instead."""

from __future__ import annotations

import pytest

from ipu_lsp.plain_text import plain
from tests.debug_adapter.client import THREAD, DapClient
from tests.debug_adapter.programs import CYCLES, ENDLESS, LAYOUT, LOOP


def check_stops(client: DapClient, *stops: tuple[int, int]) -> None:
    """Where the program stops, as line and cycle, one after the other; then it halts."""
    seen = []
    while not (stopped := client.stopped())["description"].startswith("halted"):
        assert stopped["reason"] == "breakpoint"
        seen.append((client.frame()["line"], int(client.evaluate("cycle").split()[0])))
        client.request("continue", threadId=THREAD)
    assert tuple(seen) == stops


def said(client: DapClient) -> list[str]:
    return [body["output"] for body in client.events_named("output")]


def check_refused(client: DapClient, words: str, **breakpoint: str) -> None:
    """A breakpoint cannot be set as it is meant, and says why."""
    client.launch(LOOP)
    (found,) = client.breakpoints({"line": 2, **breakpoint})
    assert (found["verified"], found["reason"]) == (False, "failed")
    assert words in found["message"]
    assert len(found["message"]) < 500


def test_several_bundles_on_one_line_stop_one_by_one(client: DapClient) -> None:
    columns = [{"line": 1, "column": column} for column in (1, 13, 30)]
    client.start(LAYOUT, *columns)
    ids = []
    for column in (1, 13, 25):
        ids += client.stopped()["hitBreakpointIds"]
        assert (client.frame()["line"], client.frame()["column"]) == (1, column)
        client.request("continue", threadId=THREAD)
    assert len(set(ids)) == 3


def test_a_breakpoint_stops_at_each_arrival(client: DapClient) -> None:
    client.start(LOOP, 10)
    check_stops(client, *((10, 18 * turn) for turn in range(1, 5)))


def test_a_condition_decides(client: DapClient) -> None:
    client.start(LOOP, {"line": 7, "condition": "lr1 == 3 && lr4 >= 3"})
    check_stops(client, (7, 2 + 2 * 18 + 6), (7, 2 + 3 * 18 + 6))


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("lr1 ==", "found the end"),
        ("lr99 > 1", "no register is called lr99; there are lr0 to lr15"),
        ("acc", "a condition"),
        ("1 / 0", "the divisor must not be zero"),
        ("acc[128]", "an index is 0 to 127, found 128"),
        ("r0 + acc[0..3] == 1", "r0 + acc[0..3] == 1: "),
        ("x" * 5000, "…: "),
    ],
)
def test_a_condition_that_can_have_no_answer_is_refused(
    client: DapClient, condition: str, words: str
) -> None:
    check_refused(client, words, condition=condition)


@pytest.mark.parametrize(
    "condition",
    ["100 / lr1 > 3", "1 / (lr1 - lr2)", "7 // pc", "7 % cycle", "acc[lr2 - 1]", "1 / sum(acc)",
     "1 / xmem[lr1 + 4]", "xmem[lr3 - 7]"],
)  # fmt: skip
def test_a_condition_that_has_no_answer_only_now_is_taken(
    client: DapClient, condition: str
) -> None:
    client.launch(LOOP)
    (found,) = client.breakpoints({"line": 2, "condition": condition})
    assert found["verified"] is True


def test_a_condition_that_fails_while_running_stops_and_says_why(client: DapClient) -> None:
    client.start(LOOP, {"line": 10, "condition": "1 / (lr4 - 2) > 5"})
    check_stops(client, (10, 36))
    reason = "the divisor must not be zero, found 1 divided by 0"
    assert said(client)[0] == f"the condition 1 / (lr4 - 2) > 5 cannot be evaluated: {reason}\n"
    assert [text for text in said(client) if reason in text] == said(client)[:1]


@pytest.mark.parametrize(
    ("hits", "arrivals"),
    [("3", [3]), ("== 3", [3]), (">=31", [31, 32]), ("%10", [10, 20, 30]), ("<3", [1, 2])],
)
def test_a_hit_condition_counts_arrivals(client: DapClient, hits: str, arrivals: list[int]) -> None:
    client.start(LOOP, {"line": 7, "hitCondition": hits})
    check_stops(client, *((7, cycle_of_arrival(number)) for number in arrivals))


def cycle_of_arrival(number: int) -> int:
    """When `LOOP` arrives at line 7 for that time, counted from 1."""
    turn, rest = divmod(number - 1, 8)
    return 2 + 18 * turn + 2 * rest


@pytest.mark.parametrize("hits", ["x", "0x10", "%0", ">", "5.5"])
def test_what_is_no_hit_condition_is_refused(client: DapClient, hits: str) -> None:
    words = plain(f"a hit condition is like 5, >=5 or %10, found `{hits}`")
    check_refused(client, words, hitCondition=hits)


def test_hits_are_counted_rightly_however_one_travels(client: DapClient) -> None:
    client.start(LOOP, {"line": 7, "hitCondition": "%10", "condition": "lr1 > 0"})
    tenth = cycle_of_arrival(12)  # the first arrival of each turn finds lr1 at 0
    client.stopped()
    assert client.evaluate("cycle").split()[0] == str(tenth)
    for _ in range(3):
        client.step("stepBack")
    client.step("continue")
    assert client.evaluate("cycle").split()[0] == str(tenth)
    assert client.step("reverseContinue")["reason"] == "entry"
    client.step("continue")
    assert client.evaluate("cycle").split()[0] == str(tenth)
    client.breakpoints({"line": 7, "hitCondition": "%10", "condition": "lr1 > 0"})
    client.step("continue")
    assert client.evaluate("cycle").split()[0] == str(cycle_of_arrival(23))


def test_a_log_breakpoint_says_its_text_with_its_place_and_goes_on(client: DapClient) -> None:
    client.start(LOOP, {"line": 10, "logMessage": "turn {lr4}: {lr1 * 2,x} {{}} {inner}"})
    assert client.stopped()["description"].startswith("halted")
    assert said(client) == [f"turn {turn}: 0x10 {{}} 2\n" for turn in range(1, 5)]
    event = client.events_named("output")[0]
    assert (event["line"], event["source"]["path"]) == (10, str(client.program))


def test_a_log_breakpoint_may_have_conditions(client: DapClient) -> None:
    client.start(LOOP, {"line": 10, "logMessage": "{lr4}", "hitCondition": ">2",
                        "condition": "lr4 != 2"})  # fmt: skip
    assert client.stopped()["description"].startswith("halted")
    assert said(client) == ["4\n"]


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("{lr1", 'an expression ends with "}"'),
        ("lr1}", "a brace that ends no expression"),
        ("{}", "expected"),
        ("row {lr99}", "no register is called lr99; there are lr0 to lr15"),
        ("{lr1,q}", "a format is one of"),
    ],
)
def test_a_log_message_that_can_never_be_said_is_refused(
    client: DapClient, message: str, words: str
) -> None:
    check_refused(client, words, logMessage=message)


def test_a_label_is_a_function(client: DapClient) -> None:
    client.launch(LOOP)
    wanted = [{"name": "outer", "condition": "lr4 == 2"}, {"name": " inner ", "hitCondition": "2"}]
    body = client.request("setFunctionBreakpoints", breakpoints=wanted)
    outer, inner = body["breakpoints"]
    assert [(each["verified"], each["line"]) for each in (outer, inner)] == [(True, 5), (True, 7)]
    client.configured()
    stopped = client.stopped()
    assert (stopped["reason"], stopped["hitBreakpointIds"]) == (
        "function breakpoint",
        [inner["id"]],
    )
    stopped = client.step("continue")
    assert stopped["hitBreakpointIds"] == [outer["id"]]
    assert client.evaluate("lr4").split()[0] == "2"
    client.request("setFunctionBreakpoints", breakpoints=[])
    assert client.step("continue")["description"].startswith("halted")


def test_a_bundle_by_its_address_is_an_instruction(client: DapClient) -> None:
    client.launch(LOOP)
    wanted = [
        {"instructionReference": "0x4", "hitCondition": "2"},
        {"instructionReference": "0x4", "offset": -3, "condition": "lr4 == 1"},
    ]
    body = client.request("setInstructionBreakpoints", breakpoints=wanted)
    late, early = body["breakpoints"]
    assert [(each["verified"], each["line"]) for each in (late, early)] == [(True, 10), (True, 5)]
    assert [each["instructionReference"] for each in (late, early)] == ["0x4", "0x1"]
    client.configured()
    stopped = client.stopped()
    found = (stopped["reason"], stopped["hitBreakpointIds"])
    assert found == ("instruction breakpoint", [early["id"]])
    assert client.step("continue")["hitBreakpointIds"] == [late["id"]]


def test_all_breakpoints_that_stop_at_a_bundle_are_named(client: DapClient) -> None:
    client.launch(LOOP)
    line, never, column = client.breakpoints(
        10, {"line": 10, "condition": "lr4 == 9"}, {"line": 10, "column": 6}
    )
    label = client.request("setFunctionBreakpoints", breakpoints=[{"name": "outer"}])
    wanted = [{"instructionReference": "4"}]
    address = client.request("setInstructionBreakpoints", breakpoints=wanted)["breakpoints"][0]
    client.configured()
    assert client.stopped()["hitBreakpointIds"] == [label["breakpoints"][0]["id"]]
    assert client.step("continue")["hitBreakpointIds"] == [line["id"], column["id"], address["id"]]
    assert never["verified"] is True


def test_breakpoints_set_while_it_runs_take_effect(client: DapClient) -> None:
    client.start(ENDLESS)
    (found,) = client.breakpoints({"line": 3, "condition": "cycle > 9_000"})
    assert found["verified"] is True
    assert client.stopped()["hitBreakpointIds"] == [found["id"]]
    assert int(client.evaluate("cycle").split()[0]) > 9_000


def test_breakpoints_taken_away_while_it_runs_stop_no_more(client: DapClient) -> None:
    client.start(ENDLESS, {"line": 3, "condition": "lr1 < 0"})
    client.breakpoints()
    client.request("setInstructionBreakpoints", breakpoints=[{"instructionReference": "1"}])
    assert client.stopped()["reason"] == "instruction breakpoint"


def test_breakpoints_change_nothing_but_where_it_stops(client: DapClient) -> None:
    client.start(LOOP, *({"line": line, "condition": "lr1 > 100"} for line in range(1, 12)))
    check_stops(client)
    assert client.evaluate("cycle").split()[0] == str(CYCLES)

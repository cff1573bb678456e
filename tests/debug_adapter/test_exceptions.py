"""What stops a program besides breakpoints, and what is said about it."""

from __future__ import annotations

import pytest

from ipu_lsp.json_types import Json
from tests.debug_adapter.client import THREAD, DapClient, Rejected
from tests.debug_adapter.programs import AT_END, FAULTY, LOOP

BREAKS = """\
set lr1 1;;
again:
    break.ifeq lr1 3; incr lr1 1;;
    break; set lr2 5;;
    blt lr1 lr2 again;;
bkpt;;
"""
"""`break.ifeq` matches at cycle 7, `break` at 2, 5, 8 and 11; it halts at 14."""
NANS = "acc.first;;\nmult.ve.cr lr0 lr0 lr0 cr1; acc;;\nacc.first;;\nbkpt;;\n"
"""With `cr1` a NaN of FP8, bundle 1 makes NaNs in mult_res and r_acc."""
OVERFLOW = "acc;;\nacc;;\nacc;;\nbkpt;;\n"
LAST = {"description": "halted by bkpt in bundle 4 (again+3, line 6)", "reason": "breakpoint"}


def check_stops(client: DapClient, *stops: tuple[str, str, int]) -> list[Json]:
    """The stops until it halts: reason, a part of the description, and cycle; their bodies."""
    bodies = []
    for reason, words, cycle in stops:
        stopped = client.stopped()
        assert stopped["reason"] == reason
        assert words in stopped["description"]
        assert client.evaluate("cycle").split()[0] == str(cycle)
        bodies.append(stopped)
        client.request("continue", threadId=THREAD)
    return bodies


def filters(client: DapClient, *names: str, **conditions: str) -> list[Json]:
    """Sets the filters that are on, and those that have conditions."""
    options = [{"filterId": name, "condition": text} for name, text in conditions.items()]
    body = client.request("setExceptionBreakpoints", filters=list(names), filterOptions=options)
    found: list[Json] = body["breakpoints"]
    assert len(found) == len(names) + len(conditions)
    return found


def launched(client: DapClient, text: str, *names: str, **conditions: str) -> list[Json]:
    """A program that has begun with these filters."""
    client.launch(text)
    found = filters(client, *names, **conditions)
    client.configured()
    return found


def test_breaks_stop_in_front_of_their_bundle_unless_told_otherwise(client: DapClient) -> None:
    client.start(BREAKS)
    stops = check_stops(
        client,
        ("breakpoint", "stopped by break in front of bundle 2 (again+1, line 4)", 2),
        ("breakpoint", "stopped by break in front", 5),
        (
            "breakpoint",
            "stopped by break.ifeq lr1 3 in front of bundle 1 (again, line 3): lr1",
            7,
        ),
        ("breakpoint", "stopped by break in front", 8),
        ("breakpoint", "stopped by break in front", 11),
        ("breakpoint", LAST["description"], 14),
    )
    assert all("hitBreakpointIds" not in stopped for stopped in stops)
    assert client.ended() == 0
    assert client.events_named("output")[-1]["output"] == f"{LAST['description']}; 14 cycles\n"


def test_nothing_of_a_bundle_has_happened_at_its_break(client: DapClient) -> None:
    client.start(BREAKS)
    client.stopped()
    assert client.evaluate("lr2").split()[0] == "0"
    assert client.request("exceptionInfo", threadId=THREAD)["exceptionId"] == "break"
    client.step("next")
    assert client.evaluate("lr2").split()[0] == "5"


def test_breaks_are_passed_where_their_filter_is_off(client: DapClient) -> None:
    assert launched(client, BREAKS) == []
    check_stops(client, ("breakpoint", "halted", 14))


def test_a_condition_of_a_filter_decides(client: DapClient) -> None:
    (found,) = launched(client, BREAKS, **{"break": "lr1 == 4 && cycle > 7"})
    assert found["verified"] is True
    check_stops(client, ("breakpoint", "break in front", 8), ("breakpoint", "halted", 14))


def test_filters_may_change_at_each_stop(client: DapClient) -> None:
    client.start(BREAKS)
    client.stopped()
    filters(client, **{"break": "lr1 == 5"})
    assert "line 4" in client.step("continue")["description"]
    assert client.evaluate("cycle").split()[0] == "11"
    filters(client)
    assert client.step("reverseContinue")["reason"] == "entry"
    filters(client, "break")
    client.step("continue")
    assert client.evaluate("cycle").split()[0] == "2"


def test_filters_that_are_none_are_refused_in_their_places(client: DapClient) -> None:
    client.launch(BREAKS)
    unknown, good, wrong = filters(client, "brake", "fault", nan="lr99 > 1")
    known = "break, bkpt, fault, nan, overflow, assertion"
    assert unknown["verified"] is False
    assert unknown["message"] == f"a filter is one of {known}, found brake"
    assert good["verified"] is True
    assert wrong["verified"] is False
    assert "no register is called lr99; there are lr0 to lr15" in wrong["message"]


def test_a_condition_that_was_set_before_the_launch_is_checked_then(client: DapClient) -> None:
    client.initialize()
    (found,) = filters(client, **{"break": "again == 1"})
    (wrong,) = filters(client, **{"break": "agian == 1"})
    assert (found["verified"], wrong["verified"]) == (True, True)
    client.launch(BREAKS)
    event = client.expect_event("breakpoint")
    assert event["breakpoint"]["id"] == wrong["id"]
    assert event["breakpoint"]["verified"] is False
    assert "did you mean again?" in event["breakpoint"]["message"]


def test_a_fault_stops_in_front_of_its_bundle_with_all_there_is_to_know(client: DapClient) -> None:
    client.start(FAULTY, **AT_END)
    stopped = client.stopped()
    assert stopped["reason"] == "exception"
    assert stopped["description"] == stopped["text"]
    assert "fault in bundle 2 (line 3): " in stopped["text"]
    assert "lr1 = 8, cr0 = 2097151 (0x1fffff)" in stopped["text"]
    info = client.request("exceptionInfo", threadId=THREAD)
    assert (info["exceptionId"], info["breakMode"]) == ("fault", "always")
    assert info["description"] == (
        "an access must end within the 0x200000 bytes of xmem, found 128 bytes at 0x200007"
    )
    assert info["details"]["stackTrace"].splitlines() == [
        "ldr_mult_reg r0 lr1 cr0",
        "bundle 2, line 3, cycle 2",
        "lr1 = 8",
        "cr0 = 2097151 (0x1fffff)",
    ]
    assert client.frame()["line"] == 3


def test_one_can_step_back_from_a_fault_and_mend_it(client: DapClient) -> None:
    client.start(FAULTY, **AT_END)
    client.stopped()
    assert client.step("stepBack")["reason"] == "step"
    assert client.frame()["line"] == 2
    with pytest.raises(Rejected, match="is not stopped by an exception"):
        client.request("exceptionInfo", threadId=THREAD)
    assert client.step("next")["reason"] == "step"
    assert client.step("next")["reason"] == "exception"
    assert client.step("next")["reason"] == "exception"
    client.request("setExpression", expression="cr0", value="0x100")
    assert client.step("next")["reason"] == "step"
    assert client.step("continue")["description"].startswith("halted")


def test_continuing_at_a_fault_ends_with_exit_code_1(client: DapClient) -> None:
    client.start(FAULTY, **AT_END)
    stopped = client.stopped()
    client.request("continue", threadId=THREAD)
    assert client.ended() == 1
    check_last_words(client, stopped["text"])


@pytest.mark.parametrize("given", [[], ["break"]])
def test_a_fault_that_nobody_wants_to_see_ends_with_exit_code_1(
    client: DapClient, given: list[str]
) -> None:
    client.launch(FAULTY, **AT_END)
    filters(client, *given)
    client.configured()
    assert client.ended() == 1
    assert client.events_named("stopped") == []
    check_last_words(client, "fault in bundle 2 (line 3): ")


def check_last_words(client: DapClient, words: str) -> None:
    """They tell the fault, the cycles, and the line of the source."""
    said = client.events_named("output")[-1]
    first, *place = said["output"].splitlines()
    assert first.startswith(words)
    assert first.endswith("; 2 cycles")
    assert "3 | ldr_mult_reg r0 lr1 cr0;;" in place
    assert (said["category"], said["line"]) == ("stderr", 3)


def test_a_condition_decides_whether_one_looks_at_a_fault(client: DapClient) -> None:
    client.launch(FAULTY, **AT_END)
    filters(client, fault="lr1 < 8")
    client.configured()
    assert client.ended() == 1


def test_the_halt_may_stop_by_its_filter_alone(client: DapClient) -> None:
    client.launch(BREAKS, stopOnHalt=False)
    filters(client, "bkpt")
    client.configured()
    stopped = client.stopped()
    assert (stopped["reason"], stopped["description"]) == ("breakpoint", LAST["description"])
    assert client.request("exceptionInfo", threadId=THREAD)["exceptionId"] == "bkpt"
    assert client.evaluate("lr1").split()[0] == "5"
    client.request("continue", threadId=THREAD)
    assert client.ended() == 0


def test_a_halt_without_bkpt_is_told_apart(client: DapClient) -> None:
    client.start("set lr1 1;;\nset lr2 2000;;\nbr lr2;;\n")
    stopped = client.stopped()
    assert stopped["reason"] == "halted"
    assert client.frame()["line"] == 3
    client.request("next", threadId=THREAD)
    assert client.ended() == 0


@pytest.mark.parametrize(("dtype", "nan"), [("fp8_e4m3", 0x7F), ("fp8_e5m2", 0x7E)])
def test_a_nan_that_appears_stops_behind_its_bundle(
    client: DapClient, dtype: str, nan: int
) -> None:
    client.launch(NANS, dtype=dtype, cr={"1": nan})
    filters(client, "nan")
    client.configured()
    stopped = client.stopped()
    assert (stopped["reason"], client.frame()["line"]) == ("exception", 3)
    assert "NaN" in stopped["text"]
    assert "line 2" in stopped["text"]
    info = client.request("exceptionInfo", threadId=THREAD)
    assert (info["exceptionId"], info["details"]["message"]) == ("nan", stopped["text"])
    assert client.step("continue")["description"].startswith("halted")


def test_nans_are_nothing_special_unless_asked_for(client: DapClient) -> None:
    client.start(NANS, dtype="fp8_e4m3", cr={"1": 0x7F})
    assert client.stopped()["description"].startswith("halted")


def test_a_sum_that_wraps_around_stops_behind_its_bundle(client: DapClient) -> None:
    client.launch(OVERFLOW)
    filters(client, "overflow")
    client.request("setExpression", expression="acc[3]", value="0x7fffffff")
    client.request("setExpression", expression="mult_res[3]", value="1")
    client.configured()
    stopped = client.stopped()
    assert (stopped["reason"], client.frame()["line"]) == ("exception", 2)
    assert "acc overflowed in element 3 of r_acc" in stopped["text"]
    assert client.request("exceptionInfo", threadId=THREAD)["exceptionId"] == "overflow"
    filters(client, overflow="acc[3] > 0")
    assert client.step("reverseContinue")["reason"] == "entry"
    assert client.step("continue")["description"].startswith("halted")


def test_a_breakpoint_is_no_exception(client: DapClient) -> None:
    client.start(LOOP, 10)
    client.stopped()
    with pytest.raises(Rejected, match="is not stopped by an exception"):
        client.request("exceptionInfo", threadId=THREAD)


def test_going_back_stops_at_breaks_too(client: DapClient) -> None:
    client.start(BREAKS)
    check_stops(client, *[("breakpoint", "break", cycle) for cycle in (2, 5, 7, 8, 11)])
    client.stopped()
    for cycle in (11, 8, 7, 5, 2):
        assert client.step("reverseContinue")["description"].startswith("stopped by break")
        assert client.evaluate("cycle").split()[0] == str(cycle)
    assert client.step("reverseContinue")["reason"] == "entry"


ASSERTED = """\
set lr1 3;;
again:
    # LOG lr0
    incr lr0 1; bne lr0 lr1 again;;  # ASSERT-AFTER lr0 < 3
    # ASSERT sum(acc) == 1
bkpt;;
"""


def test_assertions_in_comments_stop_where_they_do_not_hold(client: DapClient) -> None:
    client.start(ASSERTED)
    check_stops(
        client,
        ("exception", "lr0 < 3 must hold after bundle 1 (again, line 4), found lr0 = 3", 4),
        ("exception", "lr0 < 3 must hold after bundle 1 (again, line 4), found lr0 = 4", 5),
        ("breakpoint", "halted by bkpt", 6),
    )


def test_the_filter_of_assertions_can_be_off_and_log_comments_log(client: DapClient) -> None:
    assert launched(client, ASSERTED) == []
    check_stops(client, ("breakpoint", "halted by bkpt", 6))
    logged = [event["output"] for event in client.events_named("output")]
    assert [text for text in logged if text.startswith("lr0")] == [
        f"lr0 = {number}\n" for number in range(4)
    ]


def test_a_false_assertion_is_an_exception_with_its_values(client: DapClient) -> None:
    client.start(ASSERTED)
    client.stopped()
    found = client.request("exceptionInfo", threadId=THREAD)
    assert found["exceptionId"] == "assertion"
    assert "found lr0 = 3" in found["description"]


WALKS_OFF = """\
#   cr1 = SOURCE (rows of 128 bytes)
#   cr2 = 0
set lr0 128; add lr2 cr3 lr1;;
row:
    incr lr0 128;
    mult.ve.cr lr1 lr1 lr1 cr2;

    ldr_mult_reg r0 lr0 cr1;
    bne lr0 lr2 row;;
bkpt;;
"""


def test_a_fault_tells_which_inputs_were_never_given(client: DapClient) -> None:
    client.start(WALKS_OFF, cr={"0": 1})
    client.stopped()
    info = client.request("exceptionInfo", threadId=THREAD)
    assert info["description"].splitlines()[1:] == [
        "No value was given for cr1 (SOURCE) and cr3, and no data were loaded: give them in the "
        "launch configuration (cr, load) or in ipu.toml"
    ]
    assert client.frame()["line"] == 8  # that of the load, not of the head of its bundle


def test_a_fault_with_all_inputs_asks_for_none(client: DapClient) -> None:
    client.start(WALKS_OFF, cr={"1": 0, "3": 1})
    client.stopped()
    info = client.request("exceptionInfo", threadId=THREAD)
    assert "\n" not in info["description"]

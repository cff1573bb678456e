"""Beginning once more: the same program, a changed one, or with other arguments."""

from __future__ import annotations

import pytest

from ipu_lsp.json_types import Json
from tests.debug_adapter.client import THREAD, DapClient, Rejected
from tests.debug_adapter.programs import CYCLES, ENDLESS, LOOP


def check_place(client: DapClient, line: int, cycle: int) -> None:
    """Where the program stands."""
    found = client.frame()["line"], int(client.evaluate("cycle").split()[0])
    assert found == (line, cycle)


def changes(client: DapClient, count: int) -> dict[int, Json]:
    """The breakpoints that are told to have changed, by their numbers."""
    found = [client.expect_event("breakpoint") for _ in range(count)]
    assert {event["reason"] for event in found} == {"changed"}
    return {event["breakpoint"]["id"]: event["breakpoint"] for event in found}


def continued(client: DapClient) -> list[Json]:
    return client.events_named("continued")


def test_a_restart_begins_with_the_machine_as_it_was(client: DapClient) -> None:
    client.start(LOOP, {"line": 10, "hitCondition": "2"}, lr={"3": "0"})
    client.stopped()
    client.request("setExpression", expression="lr7", value="9")
    client.request("setExpression", expression="xmem[5]", value="9")
    client.request("restart")
    assert client.stopped()["hitBreakpointIds"]
    check_place(client, 10, 36)
    assert client.evaluate("lr7").split()[0] == client.evaluate("xmem[5]").split()[0] == "0"
    assert client.events_named("breakpoint") == []
    assert continued(client) == [{"threadId": THREAD, "allThreadsContinued": True}]


def test_a_running_program_can_be_restarted(client: DapClient) -> None:
    client.start(ENDLESS)
    client.request("restart")
    assert continued(client) == []
    client.request("pause", threadId=THREAD)
    assert client.stopped()["reason"] == "pause"


def test_a_program_that_has_ended_can_be_restarted(client: DapClient) -> None:
    client.start(LOOP, stopOnHalt=False)
    assert client.ended() == 0
    client.request("restart")
    assert client.ended() == 0
    assert len(client.events_named("process")) == 2


def test_a_restart_stops_on_entry_if_the_launch_did(client: DapClient) -> None:
    client.start(LOOP, stopOnEntry=True)
    client.stopped()
    client.step("continue")
    client.request("restart")
    assert client.stopped()["reason"] == "entry"
    check_place(client, 2, 0)


def test_a_restart_before_the_beginning_waits_for_the_configuration(client: DapClient) -> None:
    client.launch(LOOP)
    client.request("restart")
    assert client.request("threads")["threads"]
    assert client.events_named("process") == []
    client.configured()
    assert client.stopped()["description"].startswith("halted")
    check_place(client, 11, CYCLES)


def test_a_changed_program_is_read_again_and_breakpoints_find_their_places(
    client: DapClient,
) -> None:
    client.start(LOOP, stopOnEntry=True)
    client.stopped()
    same, moved, gone = client.breakpoints(2, 5, 11)
    labels = client.request("setFunctionBreakpoints", breakpoints=[{"name": "inner"}])
    (label,) = labels["breakpoints"]
    client.program.write_text(
        "# new\nset lr2 8; set lr3 4;;\n\n\n\n\n inner: incr lr1 2;;\n bkpt;;"
    )
    client.request("restart")
    found = changes(client, 3)
    assert same["id"] not in found
    assert (found[moved["id"]]["line"], found[moved["id"]]["verified"]) == (7, True)
    assert found[gone["id"]]["verified"] is False
    assert (found[label["id"]]["line"], found[label["id"]]["column"]) == (7, 9)
    assert client.stopped()["reason"] == "entry"
    assert client.step("continue")["hitBreakpointIds"] == [moved["id"], label["id"]]
    check_place(client, 7, 1)


def test_a_label_that_has_gone_is_told_of_and_may_come_back(client: DapClient) -> None:
    client.start(LOOP, stopOnEntry=True)
    client.stopped()
    body = client.request("setFunctionBreakpoints", breakpoints=[{"name": "inner"}])
    number = body["breakpoints"][0]["id"]
    client.program.write_text(LOOP.replace("inner", "within"))
    client.request("restart")
    assert "no label is called inner" in changes(client, 1)[number]["message"]
    client.stopped()
    client.program.write_text(LOOP)
    client.request("restart")
    assert changes(client, 1)[number]["verified"] is True


@pytest.mark.parametrize("text", ["set lr1 1;;\nnonsense;;\n", ""])
def test_a_program_that_no_longer_assembles_changes_nothing(client: DapClient, text: str) -> None:
    client.start(LOOP, {"line": 10, "condition": "lr4 == 2"})
    client.stopped()
    scopes = client.scopes()
    client.program.write_text(text)
    with pytest.raises(Rejected, match="error") as caught:
        client.request("restart")
    assert caught.value.response["body"]["error"]["showUser"] is True
    told = client.events_named("output")[-1]
    assert (told["category"], told["source"]["path"]) == ("stderr", str(client.program))
    check_place(client, 10, 36)
    assert client.variables(scopes["Loop registers"]["variablesReference"])
    assert client.request("source", source=client.source, sourceReference=0)["content"] == LOOP
    client.step("stepBack")
    check_place(client, 8, 35)
    client.step("continue")
    assert client.step("continue")["description"].startswith("halted")


def test_a_failed_restart_of_a_running_program_lets_it_run(client: DapClient) -> None:
    client.start(ENDLESS)
    client.program.unlink()
    with pytest.raises(Rejected, match="no such file"):
        client.request("restart")
    client.request("pause", threadId=THREAD)
    assert client.stopped()["reason"] == "pause"
    assert int(client.evaluate("cycle").split()[0]) > 0


def test_other_arguments_are_taken(client: DapClient) -> None:
    client.start(LOOP, stopOnEntry=True)
    client.stopped()
    other = client.written(ENDLESS)
    client.request("restart", arguments={"program": str(other), "maxCycles": 10})
    stopped = client.stopped()
    assert (stopped["reason"], stopped["text"]) == (
        "exception",
        "stopped at the limit of 10 cycles",
    )
    assert client.frame()["source"]["path"] == str(other)
    client.request("restart")
    assert client.stopped()["text"] == "stopped at the limit of 10 cycles"


def test_breakpoints_belong_to_the_file_that_is_debugged(client: DapClient) -> None:
    client.start(LOOP, 7)
    client.stopped()
    first, second = client.program, client.written(LOOP.replace("# the short one", "#"))
    client.request("restart", arguments={"program": str(second)})
    (found,) = changes(client, 1).values()
    assert found["verified"] is False
    assert f"this file is not part of the program, which is {second.name}" in found["message"]
    assert client.stopped()["description"].startswith("halted")
    client.request("restart", arguments={"program": str(first)})
    assert client.stopped()["hitBreakpointIds"] == [found["id"]]


def test_wrong_arguments_change_nothing(client: DapClient) -> None:
    client.start(LOOP, 10)
    client.stopped()
    with pytest.raises(Rejected, match="maxCycles is 1 or more"):
        client.request("restart", arguments={"program": str(client.program), "maxCycles": -1})
    check_place(client, 10, 18)
    client.request("restart")
    client.stopped()
    check_place(client, 10, 18)

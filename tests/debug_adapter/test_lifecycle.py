"""From the first words of a client to its last."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.debug_adapter.client import ABOUT_US, THREAD, DapClient, Rejected
from tests.debug_adapter.programs import CYCLES, ENDLESS, LOOP

MOVES = ["continue", "next", "stepIn", "stepOut", "stepBack", "reverseContinue"]


def check_refused(client: DapClient, command: str, words: str, **arguments: Any) -> None:
    """The request is refused with these words, and the session goes on."""
    with pytest.raises(Rejected) as caught:
        client.request(command, **arguments)
    assert words in str(caught.value)
    assert client.request("threads")["threads"]


def names_of_events(client: DapClient) -> list[str]:
    return [str(event["event"]) for event in client.events]


def test_a_session_begins_runs_and_ends(remote_client: DapClient) -> None:
    remote_client.start(LOOP)
    assert remote_client.stopped()["reason"] == "breakpoint"
    remote_client.request("continue", threadId=THREAD)
    assert remote_client.ended() == 0
    said = remote_client.events_named("output")[-1]
    assert said["output"] == f"halted by bkpt in bundle 5 (inner+3, line 11); {CYCLES} cycles\n"
    assert (said["category"], said["line"]) == ("stdout", 11)
    remote_client.request("disconnect")
    assert remote_client.close() == 0


def test_a_program_that_is_not_to_stop_at_its_halt_just_ends(client: DapClient) -> None:
    client.start(LOOP, stopOnHalt=False)
    assert client.ended() == 0
    assert client.events_named("stopped") == []
    names = ["initialized", "process", "output", "exited", "terminated"]
    assert names_of_events(client) == names


def test_what_is_announced_is_what_the_client_may_use(client: DapClient) -> None:
    capabilities = client.initialize()
    assert "supportTerminateDebuggee" not in capabilities  # it lives in the adapter
    filters = [each["filter"] for each in capabilities["exceptionBreakpointFilters"]]
    assert filters == ["break", "bkpt", "fault", "nan", "overflow", "assertion"]
    defaults = [each["filter"] for each in capabilities["exceptionBreakpointFilters"] if
                each["default"]]  # fmt: skip
    assert defaults == ["break", "fault", "assertion"]


def test_nothing_is_answered_before_the_client_has_introduced_itself(client: DapClient) -> None:
    with pytest.raises(Rejected, match="a session begins with initialize"):
        client.request("launch", program="kernel.s")
    client.initialize()
    check_refused(client, "initialize", "initialize is sent once", **ABOUT_US)


def test_what_needs_a_program_waits_for_one(client: DapClient) -> None:
    client.initialize()
    for command in ("continue", "stackTrace", "pause"):
        check_refused(client, command, "launch one first", threadId=THREAD)
    check_refused(client, "restart", "launch one first")


@pytest.mark.parametrize("command", MOVES)
def test_a_program_does_not_move_before_the_configuration_is_done(
    client: DapClient, command: str
) -> None:
    client.launch(LOOP)
    check_refused(client, command, "configurationDone first", threadId=THREAD)
    check_refused(client, "goto", "configurationDone first", threadId=THREAD, targetId=2)
    assert client.evaluate("cycle") == "0"
    client.configured()
    client.stopped()
    assert client.evaluate("cycle").split()[0] == str(CYCLES)


@pytest.mark.parametrize("command", [*MOVES, "stackTrace"])
def test_a_running_program_is_paused_first(client: DapClient, command: str) -> None:
    client.start(ENDLESS)
    check_refused(client, command, "the program is running: pause it first", threadId=THREAD)
    client.request("pause", threadId=THREAD)
    assert client.stopped()["reason"] == "pause"


@pytest.mark.parametrize("command", [*MOVES, "stackTrace"])
def test_a_program_that_has_ended_goes_no_further(client: DapClient, command: str) -> None:
    client.start(LOOP, stopOnHalt=False)
    assert client.ended() == 0
    check_refused(client, command, "the program has ended: restart it", threadId=THREAD)
    assert client.request("pause", threadId=THREAD) == {}


def test_the_configuration_is_done_once(client: DapClient) -> None:
    client.start(LOOP)
    client.stopped()
    check_refused(client, "configurationDone", "found a second one")


def test_a_client_may_be_done_before_it_launches(client: DapClient) -> None:
    client.initialize()
    client.breakpoints(7)
    client.configured()
    client.launch(LOOP)
    assert client.stopped()["hitBreakpointIds"]
    assert client.frame()["line"] == 7


def test_a_second_program_needs_a_second_session(client: DapClient) -> None:
    client.start(LOOP)
    client.stopped()
    check_refused(client, "launch", "a program is loaded already", program=str(client.program))


def test_there_is_nothing_to_attach_to(client: DapClient) -> None:
    client.initialize()
    with pytest.raises(Rejected, match="use launch, found attach") as caught:
        client.request("attach", program="kernel.s")
    assert caught.value.response["body"]["error"]["showUser"] is True
    client.start(LOOP)
    assert client.stopped()["reason"] == "breakpoint"


def test_terminate_ends_an_endless_program(client: DapClient) -> None:
    client.start(ENDLESS)
    client.request("terminate")
    client.expect_event("terminated")
    client.request("terminate")
    client.request("disconnect")
    assert client.close() == 0
    assert names_of_events(client)[-1] == "terminated"
    assert len(client.events_named("terminated")) == 1


def test_a_program_that_was_terminated_does_not_begin(client: DapClient) -> None:
    client.launch(LOOP)
    client.request("terminate")
    client.configured()
    assert client.request("threads")["threads"]
    assert names_of_events(client) == ["initialized", "terminated"]
    client.request("restart")
    assert client.stopped()["description"].startswith("halted")


@pytest.mark.parametrize("text", [LOOP, ENDLESS])
def test_a_client_may_take_its_leave_at_any_time(client: DapClient, text: str) -> None:
    client.start(text)
    assert client.request("disconnect", restart=False, terminateDebuggee=True) == {}
    assert client.close() == 0


def test_a_client_that_vanishes_takes_its_program_with_it(client: DapClient) -> None:
    client.start(ENDLESS)
    assert client.close() == 0


def test_lines_and_columns_may_begin_at_0(client: DapClient) -> None:
    client.initialize(linesStartAt1=False, columnsStartAt1=False)
    client.launch(LOOP)
    (found,) = client.breakpoints({"line": 6, "column": 6})
    assert (found["verified"], found["line"], found["column"]) == (True, 6, 4)
    client.configured()
    client.stopped()
    frame = client.frame()
    assert (frame["line"], frame["column"]) == (6, 4)
    places = client.request("breakpointLocations", source=client.source, line=3, endLine=6)
    assert [place["line"] for place in places["breakpoints"]] == [4, 6]


@pytest.mark.parametrize("path_format", ["uri", "path"])
def test_a_launch_takes_uris_of_files_from_every_client(
    client: DapClient, tmp_path: Path, path_format: str
) -> None:
    folder = tmp_path / "50% größer #1"
    folder.mkdir()
    program = folder / "kernel.s"
    program.write_text(LOOP, encoding="utf-8")
    (folder / "ipu.toml").write_text('[kernel."kernel.s".run]\ncr = {3 = 77}\n')
    client.initialize(pathFormat=path_format)
    uris = {"program": program.as_uri(), "cwd": folder.as_uri()}
    client.request("launch", **uris, stopOnEntry=True)
    client.expect_event("initialized")
    client.configured()
    client.stopped()
    shown = program.as_uri() if path_format == "uri" else str(program)
    assert client.frame()["source"]["path"] == shown
    assert client.evaluate("cr3").startswith("77")


def test_paths_may_be_uris(client: DapClient, tmp_path: Path) -> None:
    program = tmp_path / "50% größer #1.s"
    program.write_text(LOOP, encoding="utf-8")
    client.initialize(pathFormat="uri")
    client.launch(program)
    client.program = program
    source = {"path": program.as_uri()}
    body = client.request("setBreakpoints", source=source, breakpoints=[{"line": 7}])
    assert body["breakpoints"][0]["verified"] is True
    client.configured()
    client.stopped()
    assert client.frame()["source"]["path"] == program.as_uri()
    assert client.request("source", source=source, sourceReference=0)["content"] == LOOP

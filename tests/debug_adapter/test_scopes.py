"""The headings under which the machine is shown, and for how long they can be opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.debug_adapter.client import DapClient, Rejected
from tests.debug_adapter.kernel import SCOPES, started

NAMES = {
    "Loop registers": [f"lr{i}" for i in range(16)],
    "Config registers": [f"cr{i}" for i in range(16)],
    "AAQ": ["aaq0", "aaq1", "aaq2", "aaq3", "aaq_result"],
    "Vectors": ["r0", "r1", "mem_bypass", "r_cyclic", "mult_res", "r_acc"],
    "Masks": [f"mask[{i}]" for i in range(8)],
    "Memory map": ["row.bin", "masks.bin", "cr0", "cr1", "cr3", "xmem"],
    "Machine": ["pc", "cycle", "dtype", "stopped", "changed"],
}


@pytest.fixture
def standing(client: DapClient, tmp_path: Path) -> DapClient:
    return started(client, tmp_path)


def reference_of(client: DapClient, scope: str) -> int:
    found: int = client.scopes()[scope]["variablesReference"]
    return found


def test_there_are_seven_scopes_in_this_order(standing: DapClient) -> None:
    (_, outer) = standing.frames()
    for frame in standing.frames():
        found = standing.request("scopes", frameId=frame["id"])["scopes"]
        assert tuple(scope["name"] for scope in found) == SCOPES
        assert [scope.get("presentationHint") for scope in found] == ["registers"] + [None] * 6
        assert not any(scope["expensive"] for scope in found)
    assert outer["name"] == "loop, trip 2 of 4"


def test_a_scope_opens_to_as_many_variables_as_it_says(standing: DapClient) -> None:
    for name, scope in standing.scopes().items():
        assert list(standing.variables(scope["variablesReference"])) == NAMES[name]
        assert scope["namedVariables"] == len(NAMES[name])
        assert not scope.get("indexedVariables")


def test_a_scope_keeps_its_number_until_the_machine_moves(standing: DapClient) -> None:
    assert standing.scopes() == standing.scopes()
    standing.evaluate("lr1 = 3", "repl")
    number = reference_of(standing, "Vectors")
    assert standing.variables(number).keys() == standing.variables("Vectors").keys()
    standing.step()
    assert reference_of(standing, "Vectors") != number


@pytest.mark.parametrize("command", ["next", "stepBack", "continue", "reverseContinue"])
def test_what_was_open_before_a_move_is_refused_politely(standing: DapClient, command: str) -> None:
    vector = standing.variables("Vectors")["r0"]["variablesReference"]
    standing.step(command)
    for number in (vector, vector - 1):
        with pytest.raises(Rejected, match=f"variablesReference {number} is no longer valid"):
            standing.variables(number)
        with pytest.raises(Rejected, match="the machine has moved"):
            standing.request("setVariable", variablesReference=number, name="[0..15]", value="1")
        with pytest.raises(Rejected, match="the machine has moved"):
            standing.request("dataBreakpointInfo", variablesReference=number, name="r0")


def test_what_a_command_of_the_console_has_moved_is_gone_too(standing: DapClient) -> None:
    number = reference_of(standing, "Machine")
    standing.evaluate("goto 2", "repl")
    standing.stopped()
    with pytest.raises(Rejected, match="the machine has moved"):
        standing.variables(number)


@pytest.mark.parametrize("number", [0, 4711, 2**31 - 1])
def test_a_number_that_was_never_given_is_refused(standing: DapClient, number: int) -> None:
    with pytest.raises(Rejected, match=f"is a number that the adapter sent, found {number}$"):
        standing.variables(number)


def test_a_frame_that_cannot_be_has_no_scopes(standing: DapClient) -> None:
    with pytest.raises(Rejected, match=r"a frame is one that stackTrace lists, found 0$"):
        standing.request("scopes", frameId=0)


def test_a_program_that_has_not_begun_can_be_looked_at(client: DapClient) -> None:
    client.launch("set lr0 3;;\nbkpt;;\n", lr={"0": 7})
    found = client.request("scopes", frameId=1)["scopes"]
    registers = client.variables(found[0]["variablesReference"])
    assert registers["lr0"]["value"] == "7"


def test_the_first_stop_has_nothing_to_compare_with(client: DapClient) -> None:
    client.start("set lr0 3;;\nincr lr0 1;;\nbkpt;;\n", 2)
    client.stopped()
    assert client.variables("Loop registers")["lr0"]["value"] == "3"
    client.step()
    assert client.variables("Loop registers")["lr0"]["value"] == "4 was 3"


def test_what_the_last_step_changed_is_told(standing: DapClient) -> None:
    assert standing.variables("Loop registers")["lr0"]["value"] == "1 was 0"
    standing.step()
    machine = standing.variables("Machine")
    assert machine["pc"]["value"].startswith("2 was 1")
    assert machine["cycle"]["value"] == "5 was 4"
    assert standing.variables("Loop registers")["lr0"]["value"] == "2 was 1"
    assert standing.variables("Loop registers")["lr1"]["value"] == "16 (0x10)  # row offset"
    changes = standing.variables(machine["changed"]["variablesReference"])
    assert machine["changed"]["namedVariables"] == len(changes)
    assert machine["changed"]["value"] == "4 registers"
    assert list(changes) == ["lr0", "r0", "mult_res", "r_acc"]
    standing.step("stepBack")
    assert standing.variables("Loop registers")["lr0"]["value"] == "1 was 2"


def test_the_machine_says_why_it_stands(standing: DapClient) -> None:
    assert standing.variables("Machine")["stopped"]["value"] == "breakpoint at bundle 1"
    standing.step()
    assert standing.variables("Machine")["stopped"]["value"] == "cycle 5"
    standing.breakpoints()
    standing.step("continue")
    assert standing.variables("Machine")["stopped"]["value"].startswith("halted by bkpt")

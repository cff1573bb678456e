"""Breakpoints while the program runs, at all places, and in numbers that nobody sets.

Where they go, when they stop and what they say is in the conversations.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ipu_lsp.transport import Json
from tests.debug_adapter.client import DapClient, Rejected
from tests.debug_adapter.kernel import started
from tests.debug_adapter.programs import CYCLES, ENDLESS, LAYOUT, LOOP


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("setBreakpoints", {"line": 2, "condition": "x" * 5_000}),
        ("setFunctionBreakpoints", {"name": "y" * 1_000}),
        ("setInstructionBreakpoints", {"instructionReference": "9" * 500}),
        ("setDataBreakpoints", {"dataId": f"xmem:0x0:{'9' * 5_000}"}),
    ],
)
def test_what_is_refused_is_told_in_short(client: DapClient, command: str, wanted: Json) -> None:
    client.launch(LOOP)
    source = {"source": client.source} if command == "setBreakpoints" else {}
    (found,) = client.request(command, breakpoints=[wanted], **source)["breakpoints"]
    assert (found["verified"], found["reason"]) == (False, "failed")
    assert len(found["message"]) < 500


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
    assert client.stopped()["description"].startswith("halted")
    assert client.evaluate("cycle").split()[0] == str(CYCLES)


def test_each_spelling_of_a_path_means_the_same_breakpoints(client: DapClient) -> None:
    client.launch(LOOP)
    folder = client.program.parent
    link = folder / "link.s"
    link.symlink_to(client.program)
    for path in (str(link), f"{folder}/./x/../{client.program.name}"):
        body = client.request("setBreakpoints", source={"path": path}, breakpoints=[{"line": 10}])
        assert body["breakpoints"][0]["verified"] is True
    client.breakpoints()
    client.configured()
    assert client.stopped()["description"].startswith("halted")


def test_locations_are_where_breakpoints_go(client: DapClient) -> None:
    client.launch(LAYOUT)
    body = client.request("breakpointLocations", source=client.source, line=1, endLine=10)
    for place in body["breakpoints"]:
        (found,) = client.breakpoints({"line": place["line"], "column": place["column"]})
        assert place.items() <= found.items()


def test_more_breakpoints_than_anybody_sets_are_refused(client: DapClient) -> None:
    client.launch(LAYOUT)
    many = {"source": client.source, "breakpoints": [{"line": 1}] * 10_001}
    with pytest.raises(Rejected, match=r"has at most [\d,]+ items, found 10,001"):
        client.response(client.send("setBreakpoints", many))
    sent = client.send("setDataBreakpoints", {"breakpoints": [{"dataId": "lr1:0x0:4"}] * 20_001})
    with pytest.raises(Rejected, match=r"at most [0-9,]+ items, found 20,001"):
        client.response(sent)
    assert len(client.breakpoints(*range(1, 101))) == 100


def test_a_variable_is_watched_by_its_name_or_by_its_expression(
    client: DapClient, tmp_path: Path
) -> None:
    started(client, tmp_path)

    def info(name: str, **more: Any) -> Json:
        return client.request("dataBreakpointInfo", name=name, **more)

    for scope, name, shown in (
        ("Loop registers", "lr3", "lr3"), ("Vectors", "r_acc", "r_acc"),
        ("Masks", "mask[3]", "mask[3]"), ("Memory map", "cr3", "xmem[0x3000 .. +128]"),
        ("Memory map", "xmem", "xmem[0x0 .. +2097152]"), ("Machine", "dtype", "cr15"),
    ):  # fmt: skip
        reference = client.scopes()[scope]["variablesReference"]
        variable = client.variables(reference)[name]
        by_name = info(name, variablesReference=reference)
        assert by_name["description"] == shown
        if "evaluateName" in variable:
            text = variable["evaluateName"]
            assert info(text, variablesReference=reference) == info(text) == by_name
    rows = client.variables(client.variables("Vectors")["r_acc"]["variablesReference"])
    reference = rows["[16..31]"]["variablesReference"]
    for name in ("[17]", "r_acc[17]"):
        assert info(name, variablesReference=reference)["description"] == "r_acc[17]"
    machine = client.scopes()["Machine"]["variablesReference"]
    for name in ("stopped", "changed", "cycle"):
        assert info(name, variablesReference=machine)["dataId"] is None

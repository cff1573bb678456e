"""Kernels that are templates: shown as written, with their iterations, or as their expansion."""

from __future__ import annotations

import pytest

from ipu_lsp.json_types import Json
from tests.debug_adapter.client import DapClient, Rejected
from tests.debug_adapter.programs import ROWS, TEMPLATE


@pytest.fixture
def stopped(client: DapClient) -> DapClient:
    """A client whose machine stands in front of the first bundle of `TEMPLATE`."""
    client.start(TEMPLATE, stopOnEntry=True, **ROWS)
    client.stopped()
    return client


def expansion_of(client: DapClient) -> Json:
    """The source that the adapter makes of the template."""
    _, source = client.request("loadedSources")["sources"]
    found: Json = source
    return found


def place(client: DapClient) -> tuple[str, int, str]:
    """Source, line and bundle of the innermost frame."""
    frame = client.frame()
    return frame["source"]["name"], frame["line"], frame["instructionPointerReference"]


def test_bundles_are_shown_where_they_were_written(stopped: DapClient) -> None:
    lines = [place(stopped)]
    for _ in range(4):
        stopped.step("next")
        lines.append(place(stopped))
    assert lines == [("kernel.s", line, f"{at:#x}") for at, line in enumerate((9, 11, 4, 11, 4))]
    stopped.step("stepBack")
    assert place(stopped) == ("kernel.s", 11, "0x3")


def test_a_breakpoint_stands_on_the_bundles_of_all_iterations(stopped: DapClient) -> None:
    (found,) = stopped.breakpoints(11)
    assert (found["verified"], found["line"]) == (True, 11)
    assert found["message"] == "stands on 3 bundles"
    hits = []
    for _ in range(3):
        assert stopped.step("continue")["hitBreakpointIds"] == [found["id"]]
        hits.append(place(stopped)[2])
    assert hits == ["0x1", "0x3", "0x5"]


def test_a_breakpoint_in_a_macro_stands_on_its_calls(stopped: DapClient) -> None:
    (found,) = stopped.breakpoints(4)
    assert (found["line"], found["message"]) == (4, "stands on 3 bundles")


def test_hits_and_conditions_are_those_of_all_bundles_together(stopped: DapClient) -> None:
    stopped.breakpoints({"line": 11, "hitCondition": "2"})
    stopped.step("continue")
    assert place(stopped) == ("kernel.s", 11, "0x3")
    stopped.breakpoints({"line": 4, "condition": "lr5 == 3"})
    stopped.step("continue")
    assert place(stopped) == ("kernel.s", 4, "0x6")


def test_a_log_point_prints_in_each_iteration(client: DapClient) -> None:
    client.start(TEMPLATE, {"line": 4, "logMessage": "row {lr5}"}, stopOnHalt=False, **ROWS)
    client.ended()
    logged = [event for event in client.events_named("output") if "row" in event["output"]]
    assert [event["output"] for event in logged] == ["row 1\n", "row 2\n", "row 3\n"]
    assert {event["line"] for event in logged} == {4}


@pytest.mark.parametrize("line", [7, 13])
def test_a_line_that_is_not_in_the_expansion_says_so(stopped: DapClient, line: int) -> None:
    (found,) = stopped.breakpoints(line)
    assert found["verified"] is False
    assert found["message"].startswith("nothing of this line is in the expansion")


@pytest.mark.parametrize(("line", "moved"), [(1, 4), (2, 4), (10, 11), (16, 17)])
def test_a_line_of_tags_moves_to_the_next_bundle(stopped: DapClient, line: int, moved: int) -> None:
    (found,) = stopped.breakpoints(line)
    assert (found["verified"], found["line"]) == (True, moved)
    assert f"line {line} has no instruction; moved to the next bundle" in found["message"]


def test_locations_of_breakpoints_are_lines_of_the_template(stopped: DapClient) -> None:
    source = stopped.source
    found = stopped.request("breakpointLocations", source=source, line=1, endLine=17)
    assert {each["line"] for each in found["breakpoints"]} >= {4, 9, 11, 17}
    assert all(each["line"] not in (7, 13) for each in found["breakpoints"])


def test_a_target_to_jump_to_is_offered_for_each_iteration(stopped: DapClient) -> None:
    found = stopped.request("gotoTargets", source=stopped.source, line=11)["targets"]
    assert [target["id"] for target in found] == [1, 3, 5]


def test_the_expansion_is_a_source_of_its_own(stopped: DapClient) -> None:
    template, source = stopped.request("loadedSources")["sources"]
    assert template == stopped.source
    assert source["name"] == "kernel (expansion).s"
    reference = source["sourceReference"]
    text = stopped.request("source", source=source, sourceReference=reference)["content"]
    assert "set lr5 0;;" in text
    assert "{{" not in text
    written = stopped.request("source", source=template, sourceReference=0)["content"]
    assert written == TEMPLATE


def test_the_expansion_can_be_stepped_instead_and_back(stopped: DapClient) -> None:
    stopped.step("next")
    source = expansion_of(stopped)
    assert stopped.request("ipu/showSource") == {"source": source}
    assert stopped.expect_event("invalidated")["areas"] == ["stacks", "variables"]
    text = stopped.request("source", sourceReference=source["sourceReference"])["content"]
    lines = text.splitlines()
    name, line, _ = place(stopped)
    assert (name, lines[line - 1].strip()) == ("kernel (expansion).s", "incr lr5 1;;")
    stopped.step("next")
    assert lines[place(stopped)[1] - 1].strip() == "str_acc_reg lr5 cr0;;"
    stopped.request("ipu/showSource", source=stopped.source)
    assert place(stopped) == ("kernel.s", 4, "0x2")


def test_a_breakpoint_in_the_expansion_stands_on_one_bundle(stopped: DapClient) -> None:
    source = expansion_of(stopped)
    text = stopped.request("source", sourceReference=source["sourceReference"])["content"]
    numbers = [n for n, line in enumerate(text.splitlines(), 1) if "incr lr5" in line]
    breakpoints = [{"line": numbers[1]}]
    body = stopped.request("setBreakpoints", source=source, breakpoints=breakpoints)
    (found,) = body["breakpoints"]
    assert (found["verified"], found["source"], found["line"]) == (True, source, numbers[1])
    assert stopped.step("continue")["hitBreakpointIds"] == [found["id"]]
    assert place(stopped) == ("kernel.s", 11, "0x3")


def test_the_console_switches_the_source(stopped: DapClient) -> None:
    assert stopped.evaluate("source", "repl") == "positions refer to the template"
    shown = stopped.evaluate("source expansion", "repl")
    assert shown == "positions refer to the expansion"
    assert place(stopped)[0] == "kernel (expansion).s"
    with pytest.raises(Rejected, match="source takes template or expansion, found foo"):
        stopped.evaluate("source foo", "repl")


def test_a_plain_program_has_no_other_source(client: DapClient) -> None:
    client.start("acc;;\nbkpt;;\n", stopOnEntry=True)
    client.stopped()
    with pytest.raises(Rejected, match="the program is not expanded"):
        client.request("ipu/showSource")
    with pytest.raises(Rejected, match="the program is not expanded"):
        client.evaluate("source expansion", "repl")


def test_the_stop_at_a_fault_names_the_line_of_the_template(client: DapClient) -> None:
    text = TEMPLATE.replace("cr0;;", "cr1;;")
    client.start(text, cr={"1": "0x1fffff"}, **ROWS)
    assert "line 4" in client.stopped()["description"]
    assert client.frame()["line"] == 4


def test_the_stack_tells_the_calls_and_iterations_of_a_bundle(stopped: DapClient) -> None:
    stopped.breakpoints({"line": 4, "hitCondition": "2"})
    stopped.step("continue")
    frames = stopped.frames()
    assert [(frame["name"], frame["line"]) for frame in frames] == [
        ("bundle 4", 4),
        ("macro save", 15),
        ("for row = 1", 10),
    ]
    assert {frame["source"]["path"] for frame in frames} == {str(stopped.program)}
    assert len({frame["id"] for frame in frames}) == 3
    stopped.request("ipu/showSource")
    shown, *around = stopped.frames()
    assert shown["source"]["name"] == "kernel (expansion).s"
    assert [frame["line"] for frame in around] == [15, 10]


def test_a_breakpoint_on_a_call_stops_at_the_first_bundle_of_each_call(
    stopped: DapClient,
) -> None:
    (found,) = stopped.breakpoints(15)
    assert (found["verified"], found["line"], found["column"]) == (True, 15, 1)
    assert found["message"] == "stands on 3 bundles"
    stopped.step("continue")
    assert place(stopped) == ("kernel.s", 4, "0x2")


def test_messages_name_the_iteration(stopped: DapClient) -> None:
    stopped.breakpoints(17)
    stopped.step("continue")
    said = stopped.evaluate("who k_index", "repl")
    assert "incr lr5 1 in bundle 5 (line 11, for row = 2)" in said
    assert "line 17" in stopped.evaluate("pc", "hover")
    assert stopped.evaluate("dis 1, 2", "repl").splitlines() == [
        "      1  line 11, for row = 0               incr lr5 1;;",
        "      2  line 4, macro save, for row = 0  str_acc_reg lr5 cr0;;",
    ]


def test_a_fault_names_the_iteration(client: DapClient) -> None:
    text = TEMPLATE.replace("cr0;;", "cr1;;")
    client.start(text, cr={"1": "0x1fffff"}, **ROWS)
    description = client.stopped()["description"]
    assert "bundle 2 (line 4, macro save, for row = 0)" in description
    details = client.request("exceptionInfo", threadId=1)["details"]
    assert "line 4, macro save, for row = 0" in details["stackTrace"]


def test_stops_and_faults_are_those_of_the_shown_source(client: DapClient) -> None:
    text = TEMPLATE.replace("cr0;;", "cr1;;")
    client.start(text, stopOnEntry=True, cr={"1": "0x1fffff"}, **ROWS)
    client.stopped()
    client.evaluate("source expansion", "repl")
    reference = expansion_of(client)["sourceReference"]
    lines = client.request("source", sourceReference=reference)["content"].splitlines()
    line = 1 + next(at for at, each in enumerate(lines) if "str_acc_reg" in each)
    assert f"bundle 2 (line {line})" in client.step("continue")["description"]
    assert client.frame()["line"] == line
    client.request("continue", threadId=1)
    assert client.ended() == 1
    (output,) = [each for each in client.events_named("output") if each["category"] == "stderr"]
    assert "str_acc_reg lr5 cr1" in output["output"]
    assert (output["line"], output["source"]["sourceReference"]) == (line, reference)


def test_a_restart_shows_the_template_again(stopped: DapClient) -> None:
    stopped.evaluate("source expansion", "repl")
    stopped.request("restart")
    stopped.stopped()
    assert place(stopped) == ("kernel.s", 9, "0x0")


def test_a_step_over_a_line_ends_in_the_next_iteration(client: DapClient) -> None:
    text = "{% for i in range(2) %}\nacc;; incr lr0 1;;\n{% endfor %}\nbkpt;;\n"
    client.start(text, stopOnEntry=True)
    client.stopped()
    places = []
    for _ in range(2):
        client.step("next", granularity="line")
        places.append(place(client))
    assert places == [("kernel.s", 2, "0x2"), ("kernel.s", 4, "0x4")]
    client.step("stepBack", granularity="line")
    assert place(client) == ("kernel.s", 2, "0x2")

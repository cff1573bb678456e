"""Where breakpoints go: to bundles, by lines and columns, labels and addresses."""

from __future__ import annotations

import pytest

from ipu_lsp.json_types import Json
from tests.debug_adapter.client import DapClient, Rejected
from tests.debug_adapter.programs import LAYOUT, LOOP


def check_placed(
    client: DapClient, place: Json | int, line: int, column: int, message: str
) -> None:
    """A breakpoint goes to a bundle, and says why if that is somewhere else."""
    (found,) = client.breakpoints(place)
    assert found["verified"], found
    assert (found["line"], found["column"]) == (line, column)
    assert found.get("message", "") == message
    assert found["source"]["path"] == str(client.program)


def check_unverified(found: Json, words: str) -> None:
    """A breakpoint cannot be set, and says why."""
    assert found["verified"] is False, found
    assert words in found["message"]
    assert found["reason"] == "failed"


@pytest.fixture
def launched(client: DapClient) -> DapClient:
    """A client of a program that has not begun yet."""
    client.launch(LAYOUT)
    return client


@pytest.mark.parametrize(
    ("place", "line", "column"),
    [
        (1, 1, 1),
        ({"line": 1, "column": 1}, 1, 1),
        ({"line": 1, "column": 9}, 1, 1),
        ({"line": 1, "column": 12}, 1, 13),
        ({"line": 1, "column": 20}, 1, 13),
        ({"line": 1, "column": 36}, 1, 25),
        ({"line": 1, "column": 1000}, 1, 25),
        ({"line": 1, "column": 0}, 1, 1),
        (5, 5, 5),
        (7, 5, 5),
        ({"line": 7, "column": 8}, 5, 5),
        (9, 9, 1),
        ({"line": 9, "column": 8}, 9, 8),
    ],
)
def test_a_place_with_an_instruction_stands_for_its_bundle(
    launched: DapClient, place: Json | int, line: int, column: int
) -> None:
    check_placed(launched, place, line, column, "")


@pytest.mark.parametrize(
    ("line", "moved", "column", "where"),
    [
        (2, 5, 5, "next bundle"),
        (3, 5, 5, "next bundle"),
        (4, 5, 5, "next bundle"),
        (6, 5, 5, "bundle around it"),
        (8, 9, 1, "next bundle"),
    ],
)
def test_a_breakpoint_on_a_comment_a_label_or_a_blank_line_moves_and_says_so(
    launched: DapClient, line: int, moved: int, column: int, where: str
) -> None:
    message = f"line {line} has no instruction; moved to the {where}, line {moved}"
    check_placed(launched, line, moved, column, message)
    check_placed(launched, {"line": line, "column": 3}, moved, column, message)


def test_a_column_in_a_comment_stands_for_the_bundle_before_it(launched: DapClient) -> None:
    behind_emoji = LAYOUT.splitlines()[8].index("set") + 2
    check_placed(launched, {"line": 9, "column": behind_emoji}, 9, 8, "")
    (found,) = launched.breakpoints({"line": 9, "column": behind_emoji})
    assert (found["endLine"], found["endColumn"]) == (9, 12)


@pytest.mark.parametrize("line", [10, 11, 12, 100_000, 0, -1, (1 << 62)])
def test_there_is_no_bundle_beyond_the_last(launched: DapClient, line: int) -> None:
    (found,) = launched.breakpoints(line)
    check_unverified(found, "no bundle starts on this line or after it")


def test_another_file_has_no_bundles(launched: DapClient) -> None:
    source = {"path": str(launched.program.with_name("other.s"))}
    body = launched.request("setBreakpoints", source=source, breakpoints=[{"line": 1}])
    check_unverified(body["breakpoints"][0], f"which is {launched.program.name}")
    paths = ["", "\0", "file://[", "file:///%00", "/x" * 1000]
    for nothing in ({"name": "kernel.s"}, {}, *({"path": path} for path in paths)):
        body = launched.request("setBreakpoints", source=nothing, breakpoints=[{"line": 1}])
        check_unverified(body["breakpoints"][0], "this file is not part of the program")


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


def test_breakpoints_may_be_given_as_lines_alone(client: DapClient) -> None:
    client.launch(LOOP)
    body = client.request("setBreakpoints", source=client.source, lines=[5, 3])
    assert [found["line"] for found in body["breakpoints"]] == [5, 5]


def test_breakpoints_set_before_the_launch_are_told_of_when_they_are_placed(
    client: DapClient,
) -> None:
    client.initialize()
    pending = client.breakpoints(1, {"line": 5, "condition": "lr9 >"}, 6, 11)
    labels = client.request("setFunctionBreakpoints", breakpoints=[{"name": "start"}])
    assert {(each["verified"], each["reason"]) for each in (*pending, *labels["breakpoints"])} == {
        (False, "pending")
    }
    client.launch(LAYOUT)
    changed = {}
    for _ in range(5):
        event = client.expect_event("breakpoint")
        assert event["reason"] == "changed"
        changed[event["breakpoint"]["id"]] = event["breakpoint"]
    found = [changed[each["id"]] for each in (*pending, *labels["breakpoints"])]
    assert [(each["verified"], each.get("line")) for each in found] == [
        (True, 1), (False, 5), (True, 5), (False, None), (True, 5),
    ]  # fmt: skip
    check_unverified(found[1], "found the end")
    client.configured()
    assert client.stopped()["hitBreakpointIds"] == [pending[0]["id"]]
    assert client.step("continue")["hitBreakpointIds"] == [pending[2]["id"], found[4]["id"]]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("iner", "no label is called iner; did you mean inner?"),
        ("nothing", "no label is called nothing"),
        ("", "no label is called "),
        ("y" * 1000, "no label is called yyy"),
    ],
)
def test_a_label_that_is_not_there_is_refused(client: DapClient, name: str, words: str) -> None:
    client.launch(LOOP)
    body = client.request("setFunctionBreakpoints", breakpoints=[{"name": name}])
    check_unverified(body["breakpoints"][0], words)
    assert len(body["breakpoints"][0]["message"]) < 200


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"instructionReference": "0x6"}, "found 0x6"),
        ({"instructionReference": "0", "offset": -1}, "found 0 and -1"),
        ({"instructionReference": "inner"}, "found inner"),
        ({"instructionReference": "9" * 500}, "found 9999"),
    ],
)
def test_an_address_without_a_bundle_is_refused(
    client: DapClient, wanted: Json, found: str
) -> None:
    client.launch(LOOP)
    body = client.request("setInstructionBreakpoints", breakpoints=[wanted])
    check_unverified(body["breakpoints"][0], "a bundle is 0x0 to 0x5, ")
    assert found in body["breakpoints"][0]["message"]


def test_locations_are_where_breakpoints_go(launched: DapClient) -> None:
    places = locations(launched, line=1, endLine=10)
    assert [(place["line"], place["column"]) for place in places] == [
        (1, 1), (1, 13), (1, 25), (5, 5), (9, 1), (9, 8),
    ]  # fmt: skip
    assert [(place["endLine"], place["endColumn"]) for place in places][2:4] == [(1, 45), (7, 15)]
    for place in places:
        check_placed(launched, {"line": place["line"], "column": place["column"]},
                     place["line"], place["column"], "")  # fmt: skip


@pytest.mark.parametrize(
    ("wanted", "columns"),
    [
        ({"line": 1}, [1, 13, 25]),
        ({"line": 1, "column": 2}, [13, 25]),
        ({"line": 1, "column": 13, "endColumn": 24}, [13]),
        ({"line": 7}, []),
        ({"line": 2, "endLine": 4}, []),
        ({"line": 4, "endLine": 1}, []),
        ({"line": 10**9}, []),
        ({"line": -5, "endLine": 10**9, "endColumn": 0}, [1, 13, 25, 5, 1, 8]),
    ],
)
def test_locations_lie_within_what_is_asked_for(
    launched: DapClient, wanted: Json, columns: list[int]
) -> None:
    assert [place["column"] for place in locations(launched, **wanted)] == columns


def locations(client: DapClient, **where: int) -> list[Json]:
    body = client.request("breakpointLocations", source=client.source, **where)
    found: list[Json] = body["breakpoints"]
    return found


def test_another_file_has_no_locations(launched: DapClient) -> None:
    source = {"path": "/nowhere/other.s"}
    body = launched.request("breakpointLocations", source=source, line=1)
    assert body == {"breakpoints": []}


def test_more_breakpoints_than_anybody_sets_are_refused(launched: DapClient) -> None:
    many = {"source": launched.source, "breakpoints": [{"line": 1}] * 10_001}
    with pytest.raises(Rejected, match=r"has at most [\d,]+ items, found 10,001"):
        launched.response(launched.send("setBreakpoints", many))
    assert len(launched.breakpoints(*range(1, 101))) == 100

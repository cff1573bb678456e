"""Where a program stands: the bundle, and the loops around it as frames."""

from __future__ import annotations

from typing import Any

import pytest

from ipu_lsp.json_types import Json
from tests.debug_adapter.client import THREAD, DapClient, Rejected
from tests.debug_adapter.programs import AT_END, FAULTY, LOOP

NAMES = ["inner", "inner, trip 1 of 8", "outer, trip 2 of 4"]


def check_stack(client: DapClient, names: list[str], **arguments: Any) -> list[Json]:
    """The names of the frames that are shown; the frames."""
    body = client.request("stackTrace", threadId=THREAD, **arguments)
    frames: list[Json] = body["stackFrames"]
    assert [frame["name"] for frame in frames] == names
    assert body["totalFrames"] >= len(frames)
    return frames


@pytest.fixture
def inside(client: DapClient) -> DapClient:
    """A client of a program that stands in the inner one of two loops."""
    client.start(LOOP, {"line": 7, "condition": "lr4 == 2"})
    client.stopped()
    return client


def test_there_is_one_thread(client: DapClient) -> None:
    client.initialize()
    assert client.request("threads") == {"threads": [{"id": THREAD, "name": "IPU"}]}


def test_the_loops_around_a_bundle_are_frames_from_the_inside_out(inside: DapClient) -> None:
    frames = check_stack(inside, NAMES)
    assert [(frame["line"], frame["column"]) for frame in frames] == [(7, 5), (7, 5), (5, 5)]
    assert [frame["presentationHint"] for frame in frames] == ["normal"] * 3
    assert {frame["source"]["path"] for frame in frames} == {str(inside.program)}
    assert len({frame["id"] for frame in frames}) == 3


def test_a_frame_begins_where_its_bundle_does_and_selects_nothing(inside: DapClient) -> None:
    inside.step("next")
    frame = inside.frame()
    assert frame["name"] == "inner+1"
    assert (frame["line"], frame["column"]) == (8, 5)
    assert not {"endLine", "endColumn"} & set(frame)
    assert frame["instructionPointerReference"] == "0x3"


def test_frames_come_in_pages(inside: DapClient) -> None:
    assert inside.request("stackTrace", threadId=THREAD)["totalFrames"] == 3
    for start, levels in ((0, 1), (1, 1), (1, 19), (2, 0), (3, 5), (100, 1), (-1, 2), (0, -1)):
        first = max(0, start)
        shown = NAMES[first:] if levels <= 0 else NAMES[first : first + levels]
        check_stack(inside, shown, startFrame=start, levels=levels)


def test_the_console_goes_to_a_trip_in_the_past_and_in_the_future(inside: DapClient) -> None:
    for command, names in (
        ("trip 8", ["inner", "inner, trip 8 of 8", "outer, trip 2 of 4"]),
        ("trip -3", ["inner", "inner, trip 5 of 8", "outer, trip 2 of 4"]),
        ("trip 4 outer", ["outer", "outer, trip 4 of 4"]),
        ("trip 1", ["outer", "outer, trip 1 of 4"]),
    ):
        inside.evaluate(command, "repl")
        assert inside.stopped()["preserveFocusHint"]
        check_stack(inside, names)
    for command, message in (
        ("trip 5", "a trip is 1 to 4 here, found 5"),
        ("trip 1 inner", "trip moves within a loop, and the machine is not in inner here"),
    ):
        with pytest.raises(Rejected) as caught:
            inside.evaluate(command, "repl")
        assert str(caught.value) == message


def test_after_an_edit_and_where_data_decides_trips_are_not_known(inside: DapClient) -> None:
    inside.evaluate("lr2 = 4", "repl")
    check_stack(
        inside, ["inner", "in loop inner (bundles 2 to 3)", "in loop outer (bundles 1 to 4)"]
    )


def test_a_loop_of_one_bundle_names_that(client: DapClient) -> None:
    client.start("one: bne lr0 lr1 one;;\nbkpt;;\n", stopOnEntry=True)
    client.stopped()
    client.evaluate("lr1 = 4", "repl")
    check_stack(client, ["one", "in loop one (bundle 0)"])


def test_outside_of_loops_there_is_one_frame(client: DapClient) -> None:
    client.start(LOOP, stopOnEntry=True)
    client.stopped()
    check_stack(client, ["bundle 0"])
    client.step("continue")
    check_stack(client, ["inner+3"])
    assert client.frame()["line"] == 11


def test_a_bundle_without_a_label_is_named_by_its_address(client: DapClient) -> None:
    client.start("".join("set lr1 1;;\n" for _ in range(12)), 11)
    client.stopped()
    check_stack(client, ["bundle 10"])
    check_stack(client, ["bundle 0xa"], format={"hex": True})
    check_stack(client, ["bundle 10 line 11"], format={"line": True})


def test_a_fault_stands_at_its_bundle(client: DapClient) -> None:
    client.start(FAULTY, **AT_END)
    client.stopped()
    check_stack(client, ["bundle 2"])


def test_a_machine_that_ran_out_of_its_program_has_a_frame_without_a_source(
    client: DapClient,
) -> None:
    client.start("set lr1 1022;;\nbr lr1;;\n")
    client.stopped()
    (frame,) = check_stack(client, ["bundle 1023"])
    assert (frame["line"], frame["column"], "source" in frame) == (0, 0, False)
    assert frame["instructionPointerReference"] == "0x3ff"


def test_a_counter_set_by_hand_moves_the_frame(inside: DapClient) -> None:
    inside.request("setExpression", expression="pc", value="outer")
    check_stack(inside, ["outer", "in loop outer (bundles 1 to 4)"])
    inside.request("setExpression", expression="pc", value="1000")
    (frame,) = check_stack(inside, ["bundle 1000"])
    assert "source" not in frame


def test_all_frames_see_the_same_machine(inside: DapClient) -> None:
    for frame in inside.frames():
        scopes = inside.request("scopes", frameId=frame["id"])["scopes"]
        assert scopes[0]["name"] == "Loop registers"
        assert inside.evaluate("lr4", frameId=frame["id"]).split()[0] == "2"


@pytest.mark.parametrize("number", [0, -1])
def test_what_is_no_frame_is_refused(inside: DapClient, number: int) -> None:
    with pytest.raises(Rejected, match="a frame is one that stackTrace lists"):
        inside.response(inside.send("scopes", {"frameId": number}))

"""`ipu-run --trace`: what every slot did in every cycle, in the format that Perfetto opens."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from ipu_asm.assembler.encode import assemble
from ipu_asm.cli.run.command import main
from tests.cli.commands import Ran, run

LOOP = """\
    set lr1 2; set lr2 0;;
loop:
    incr lr0 1;
    mult.ee r0 lr2 lr2 lr2; acc;
    bne lr0 lr1 loop;;
    acc.first; b end;;
end: bkpt;;
"""
TRACKS = ["break", "lr 0", "lr 1", "xmem", "mult", "acc", "aaq", "cond"]


FILES = {"loop.s": LOOP}


def check_trace(
    arguments: str, expected: list[tuple[int, str, str, int]] | None, status: int = 0
) -> tuple[dict[str, Any], Ran]:
    """The events of a trace by time: cycle, track, text, line. Every one of them is well formed."""
    ran = run(main, f"{arguments} --trace t.json".split())
    assert ran.status == status, ran.err
    trace: dict[str, Any] = json.loads(Path("t.json").read_text())
    events = trace["traceEvents"]
    names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    order = {e["tid"]: e["args"]["sort_index"] for e in events if e["name"] == "thread_sort_index"}
    assert [names[track] for track in sorted(order, key=lambda track: order[track])] == TRACKS
    found = [e for e in events if e["ph"] == "X"]
    for event in found:
        assert {"name", "cat", "ph", "ts", "dur", "pid", "tid", "args"} == set(event)
        assert (event["dur"], event["pid"]) == (1, 1)
        assert names[event["tid"]].split()[0] == event["cat"]
        assert "pc" in event["args"]
    places = Counter((event["ts"], event["tid"]) for event in found)
    assert set(places.values()) <= {1}
    assert [event["ts"] for event in found] == sorted(event["ts"] for event in found)
    if expected is not None:
        shown = [(e["ts"], names[e["tid"]], e["name"], e["args"].get("line", 0)) for e in found]
        assert shown == expected
    return trace, ran


def one_turn(cycle: int) -> list[tuple[int, str, str, int]]:
    """The events of the loop's bundle."""
    return [
        (cycle, "lr 0", "incr lr0 1", 3),
        (cycle, "mult", "mult.ee r0 lr2 lr2 lr2", 3),
        (cycle, "acc", "acc", 3),
        (cycle, "cond", "bne lr0 lr1 loop", 3),
    ]


START = [(0, "lr 0", "set lr1 2", 1), (0, "lr 1", "set lr2 0", 1)]


def test_every_slot_that_does_something_has_an_event_a_cycle() -> None:
    end = [(4, "acc", "acc.first", 6), (5, "cond", "bkpt", 7)]
    expected = [*START, *one_turn(1), *one_turn(2), *one_turn(3), *end]
    trace, ran = check_trace("loop.s", expected)
    assert trace["otherData"] == {"program": "loop.s", "stopped": "halted", "cycles": 6}
    assert not [event for event in trace["traceEvents"] if event["ph"] == "i"]
    (process,) = [e for e in trace["traceEvents"] if e["name"] == "process_name"]
    assert process["args"]["name"] == "loop.s"
    branch = next(e for e in trace["traceEvents"] if e["name"] == "bne lr0 lr1 loop")
    assert branch["args"] == {"pc": 1, "line": 3, "label": "loop"}
    assert ran.out.splitlines()[-1] == "wrote t.json"


def test_a_long_run_keeps_its_last_bundles_and_says_so() -> None:
    expected = [*one_turn(3), (4, "acc", "acc.first", 6), (5, "cond", "bkpt", 7)]
    trace, ran = check_trace("loop.s --trace-limit 3", expected)
    assert trace["otherData"]["first_cycle_shown"] == 3
    note = "wrote t.json (the last 3 of 6 bundles: --trace-limit)"
    assert ran.out.splitlines()[-1] == note


def test_a_limit_that_fits_cuts_nothing() -> None:
    trace, ran = check_trace("loop.s --trace-limit 6", None)
    assert "first_cycle_shown" not in trace["otherData"]
    assert "--trace-limit" not in ran.out


def test_a_trace_of_an_endless_loop_is_bounded() -> None:
    Path("loop.s").write_text("x: incr lr0 1; b x;;")
    arguments = "loop.s --max-cycles 300_000 --trace-limit 100"
    trace, _ = check_trace(arguments, None, 1)
    events = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    assert len(events) == 200
    assert (events[0]["ts"], events[-1]["ts"]) == (299_900, 299_999)


def test_a_trace_ends_with_what_stopped_it() -> None:
    Path("fault.s").write_text("acc;;\nset lr0 5; ldr_cyclic_mult_reg lr1 cr0 lr0;;\n")
    trace, _ = check_trace("fault.s", [(0, "acc", "acc", 1)], 1)
    (end,) = [event for event in trace["traceEvents"] if event["ph"] == "i"]
    assert end["name"].startswith("fault in bundle 1 (line 2): the cyclic index must be a multiple")
    assert (end["ts"], end["s"], end["args"]) == (1, "g", {"pc": 1})
    Path("loop.s").write_text("acc;; break; acc;;")
    trace, _ = check_trace("loop.s --break", [(0, "acc", "acc", 1)])
    (end,) = [event for event in trace["traceEvents"] if event["ph"] == "i"]
    assert (end["ts"], end["name"]) == (1, "stopped by `break` in front of bundle 1 (line 1)")


def test_what_does_nothing_has_no_event() -> None:
    Path("idle.s").write_text(
        "acc_nop;; incr lr0 0; incr lr1 1;; xmem_nop; mult_nop; aaq_nop; b +1;; break; bkpt;;"
    )
    expected = [(1, "lr 1", "incr lr1 1", 1), (3, "break", "break", 1), (3, "cond", "bkpt", 1)]
    check_trace("idle.s", expected)


def test_bundles_that_were_never_loaded_have_no_event() -> None:
    Path("short.s").write_text("acc;;")
    trace, _ = check_trace("short.s", [(0, "acc", "acc", 1)])
    assert trace["otherData"]["cycles"] == 1024


def test_an_image_has_a_trace_without_lines() -> None:
    Path("loop.hex").write_text("".join(f"{word:#x}\n" for word in assemble(LOOP)))
    turn = [(track, name) for _, track, name, _ in one_turn(0)][:3]
    expected = [(cycle, track, name, 0) for cycle in (1,) for track, name in turn]
    start = [(cycle, track, name, 0) for cycle, track, name, _ in START]
    branch = (1, "cond", "bne lr0 lr1 1", 0)
    trace, _ = check_trace("loop.hex --max-cycles 2", [*start, *expected, branch], 1)
    assert trace["otherData"]["program"] == "loop.hex"


def test_events_of_a_template_name_their_line_and_iteration() -> None:
    Path("loop.s").write_text(
        "{% for row in range(2) %}\n    incr lr0 {{ row + 1 }};;\n{% endfor %}\nbkpt;;\n"
    )
    expected = [(0, "lr 0", "incr lr0 1", 2), (1, "lr 0", "incr lr0 2", 2), (2, "cond", "bkpt", 4)]
    trace, _ = check_trace("loop.s", expected)
    stacks = [event["args"].get("stack") for event in trace["traceEvents"] if event["ph"] == "X"]
    assert stacks == [["for row = 0"], ["for row = 1"], None]

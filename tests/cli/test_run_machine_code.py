"""`ipu-run` on programs of machine code."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from ipu_asm.cli.assembler.command import main as assembler
from ipu_asm.cli.run.command import main
from tests.cli.commands import Ran, run

# Adds 1 to `r0` words from p0 on, and stores bytes from p1 on.
COUNT = """\
    .globl count
    .type count,@function
count:
    lda r1, [p0, #0]
    nop
    nop
    nop
    nop
    ret lr
    nop
    add r1, r1, r0
    st r1, [p1], #4
    st.s8 r1, [p1, #0]
    nop
other:
    mov r7, #9
    done
"""
LISTING = """\
l.o:\tfile format elf32-aie2

Disassembly of section .text:

00000000 <f>:
       0: 99 0e 00 18\tmov r0, #2
       4: 99 0f 02 10\tmul r1, r0, r0
       8: 01 00\tnop
       a: 01 00\tnop
       c: 19 18 00 10\tret lr
      10: 01 00\tnop
      12: 01 00\tnop
      14: 01 00\tnop
      16: 01 00\tnop
      18: 01 00\tnop
"""
RETURN = "\tret lr\n" + "\tnop\n" * 5
FILES = {
    "count.aie2": COUNT,
    "defined.aie2p": ".set base, 5\nmov r0, #base\n.rept 1\nmov r1, #base+1\n.endr\n"
    "end: done\n",
    "lanes.aie2": "vlda.conv.fp32.bf16 bml0, [p0], #32\n" + "nop\n" * 7
    + "vst.conv.bf16.fp32 bml0, [p1], #32\n" + RETURN,
    "listing.txt": LISTING,
    "turns.aie2": "turns: add r1, r1, #-1\njnz r1, #turns\nslot: add r2, r2, #1\n" + "nop\n" * 4
    + "last:" + RETURN,
    "refused.aie2p": "mov r0, #1\nvtanh wl0, bmll0\ndone\n",
}  # fmt: skip


def check(arguments: str, status: int = 0) -> Ran:
    ran = run(main, arguments.split())
    assert ran.status == status, ran.err
    return ran


def test_a_function_gets_arguments_and_returns() -> None:
    words = np.array([41], np.uint32)
    np.save("words.npy", words)
    ran = check(
        "count.aie2 --arg *0x70000 --arg 1 --arg *0x70100 --load words.npy@0x70000 "
        "--dump out.npy@0x70100:2:i32 --print r1,r1:i16"
    )
    assert np.load("out.npy").tolist() == [42, 42]
    lines = ran.out.splitlines()
    assert lines[0] == "returned from the entry"
    assert lines[1].startswith("11 cycles in ")
    assert lines[2:] == ["wrote out.npy (i32 2)", "r1 = 42 (0x2a)", "r1:i16 = [42, 0]"]


def test_an_entry_runs_to_done() -> None:
    ran = check("count.aie2 --entry other --json")
    result = json.loads(ran.out)
    assert (result["stopped"], result["cycles"], result["registers"]["r7"]) == ("done", 2, 9)


def test_names_have_values() -> None:
    ran = check("defined.aie2p --print r0,r1")
    assert "r0 = 5 (0x5)\nr1 = 6 (0x6)\n" in ran.out


def test_a_listing_runs() -> None:
    ran = check("listing.txt --print r1")
    assert ran.out.splitlines()[0] == "returned from the entry"
    assert ran.out.endswith("r1 = 4 (0x4)\n")


def test_an_object_runs_as_the_source_does() -> None:
    assert run(assembler, ["assemble", "-o", "count.o", "count.aie2"]).status == 0
    arguments = "--set p0=0x70000 r0=7 --set p1=0x70100 --print r1"
    outputs = [check(f"{name} {arguments}").out for name in ("count.aie2", "count.o")]
    assert outputs[0].splitlines()[2:] == outputs[1].splitlines()[2:] == ["r1 = 7 (0x7)"]


def test_floats_are_converted_to_bfloat16_and_compared() -> None:
    numbers = np.linspace(-3, 3, 16, dtype=np.float32)
    np.save("numbers.npy", numbers)
    arguments = "lanes.aie2 --set p0=0x70000 p1=0x70100 --load numbers.npy@0x70000:bf16"
    check(f"{arguments} --expect numbers.npy@0x70100:bfloat16 --dump out.npy@0x70100:16:bf16")
    assert np.load("out.npy").dtype == "V2"
    check(f"{arguments} --expect out.npy@0x70100")
    ran = check(f"{arguments} --expect ones@0x70100:16:bf16", status=1)
    assert "ones: element 0: expected 1.0 (0x3f800000), found -3.0 (0xc0400000)" in ran.err
    assert "written by the line 9, bundle at 0x" in ran.err


def test_blocks_come_back_as_numbers() -> None:
    numbers = np.array([1, -1, 0.5, 127 / 64, -2 + 1 / 64, 0, 0.25, 3 / 64], np.float32)
    np.save("numbers.npy", numbers)
    check(
        "count.aie2 --set p0=0x71000 p1=0x71100 --load numbers.npy@0x70000:bfp16ebs8 "
        "--dump back.npy@0x70000:8:bfp16ebs8"
    )
    assert np.load("back.npy").tolist() == numbers.tolist()


def test_what_no_source_states_ends_with_status_3() -> None:
    ran = check("refused.aie2p --dump raw@0x70000:4", status=3)
    assert "ipu-run: unknown: vtanh: bits of the result (line 2, bundle at 0x" in ran.err
    assert "nothing was dumped" in ran.err
    assert not Path("raw").exists()


def test_path_profile_and_coverage_are_written() -> None:
    check(
        "count.aie2 --set p0=0x70000 p1=0x70100 --trace trace.json --profile profile.json "
        "--coverage lcov.info"
    )
    events = json.loads(Path("trace.json").read_text())["traceEvents"]
    assert [each["ts"] for each in events if each["name"] == "ret lr"] == [5]
    profile = json.loads(Path("profile.json").read_text())
    assert profile["message"] == "halted by `ret` in bundle 10 (`count+10`, line 14)"
    store = {"slot": "st", "capacity": 1, "busy": 1, "possible": 11, "share": 0.090909}
    assert store in profile["slots"]
    lcov = Path("lcov.info").read_text()
    assert "DA:5,1\n" in lcov
    assert "DA:16,0\n" in lcov  # of `other`


@pytest.mark.parametrize("name", ["turns.aie2", "turns.o"])
def test_a_profile_is_a_page_with_loops_and_branches_are_covered(name: str) -> None:
    assert run(assembler, ["assemble", "-o", "turns.o", "turns.aie2"]).status == 0
    check(f"{name} --set r1=3 --profile p.html --coverage c.html --json")
    page = Path("p.html").read_text()
    assert "halted by <code>ret</code> in bundle 12" in page
    assert "7 bundles per iteration" in page
    assert "</b> r1, #" in page
    assert "branch outcomes seen: taken, not taken" in Path("c.html").read_text()


def test_branches_with_delay_slots_are_counted_where_they_take_effect() -> None:
    check("turns.aie2 --set r1=3 --coverage lcov.info")
    lcov = Path("lcov.info").read_text()
    assert "BRDA:2,0,0,2\nBRDA:2,0,1,1\n" in lcov


def test_a_saved_state_goes_on_where_it_was_or_begins_another_program() -> None:
    whole = check("turns.aie2 --set r1=3 r2=5 --print r1,r2 --save-state end").out.splitlines()
    check("turns.aie2 --set r1=3 r2=5 --until last --save-state middle")
    ran = check("turns.aie2 --load-state middle --print r1,r2")
    assert ran.out.splitlines()[2:] == whole[3:] == ["r1 = 0 (0x0)", "r2 = 8 (0x8)"]
    ran = check("count.aie2 --entry other --load-state end --print r2,r7")
    assert ran.out.splitlines()[2:] == ["r2 = 8 (0x8)", "r7 = 9 (0x9)"]
    ran = check("count.aie2 --load-state middle", status=2)
    assert "the state is from the middle of another program, turns.aie2" in ran.err


def test_a_state_with_results_in_flight_is_not_saved() -> None:
    ran = check("turns.aie2 --set r1=3 --until slot --save-state middle", status=2)
    assert "middle: results are in flight in front of this bundle" in ran.err
    assert not Path("middle").exists()


def test_a_run_stops_in_front_of_a_label() -> None:
    ran = check("defined.aie2p --until end")
    assert ran.out.startswith("stopped by --until (line 6, bundle at 0x")
    ran = check("defined.aie2p --until missing", status=2)
    assert "no function or label `missing`; there are `end`" in ran.err


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ("count.aie2 --cr 1=2", 2, "--cr: a program of machine code takes no such option"),
        ("count.aie2 --set r99=1", 2, "argument --set: no register `r99`"),
        ("count.aie2 --set p0=0x100000", 2, "`p0` has 20 bits, found 0x100000"),
        ("count.aie2 --set p0", 2, "expected REG=VALUE such as r0=0x1000, found `p0`"),
        ("count.aie2 --arg x", 2, "expected a number such as 4 or *0x70000, found `x`"),
        ("count.aie2 --load zeros@0:4", 2, "data memory is 0x40000 to 0x7ffff, found 4 bytes"),
        ("count.aie2 --entry x", 2, "no function or label `x`; there are `count`, `other`"),
        ("count.aie2 --print r99", 2, "no register `r99`"),
        ("count.aie2", 1, "lda: data memory is 0x40000 to 0x7ffff, found 4 bytes at 0x0 (line 4"),
        ("count.aie2 --load random:1@0x70000:99999999999", 2, "expected at most 16,777,216 bytes"),
        ("count.aie2 --load zeros@0x70000:4:f8", 2, "expected one of the types i8, u8"),
    ],
)
def test_what_cannot_be_run_is_told(arguments: str, status: int, message: str) -> None:
    assert message in check(arguments, status).err


def test_options_of_these_machines_are_refused_for_others() -> None:
    Path("a.ipu").write_text("bkpt;;\n")
    assert "--set: `ipu` has no such machine; see --cr" in check("a.ipu --set r0=1", 2).err


def test_a_session_of_the_terminal_debugger_steps_and_knows_when_a_result_landed() -> None:
    Path("commands.txt").write_text("step 7\nwho r1\nstep\np r1\nc\nrc\n")
    np.save("words.npy", np.array([41], np.uint32))
    ran = check(
        "count.aie2 --set p0=0x70000 --set p1=0x70100 --set r0=1 --set lr=0x40 "
        "--load words.npy@0x70000 --commands commands.txt"
    )
    lines = ran.out.splitlines()
    assert "cycle 8, bundle 8 (`count+8`, line 12)" in lines
    assert any("`lda r1, [p0, #0]`" in line and "landed at cycle 7" in line for line in lines)
    assert "r1 = 42" in ran.out
    assert "halted by `ret`" in ran.out
    assert lines[-1] == "left in front of bundle 0 (`count`, line 4); cycle 0"


@pytest.mark.parametrize("name", ["count.o", "listing.txt"])
def test_objects_and_listings_are_debugged_in_their_disassembly(name: str) -> None:
    assert run(assembler, ["assemble", "-o", "count.o", "count.aie2"]).status == 0
    Path("commands.txt").write_text("step 2\nwho r1\nback\n")
    ran = check(f"{name} --set p0=0x70000 p1=0x70100 --commands commands.txt")
    assert "bundle 2 (" in ran.out
    assert ran.out.endswith("cycle 1\n")

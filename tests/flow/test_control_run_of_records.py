"""The control run of recorded programs, of templates, and of unusual ways through a program."""

from __future__ import annotations

from pathlib import Path
from typing import Mapping, Sequence

import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.flow.control_run.execution import control_run
from ipu_asm.flow.control_run.run import ENDLESS, FAULT, HALTED, ControlRun
from ipu_asm.flow.control_run.summary import summarise
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.source.expansion import SourceSettings
from tests.flow.test_control_run import CRS, accesses_of, check, real_run
from tests.vectors import Record, records

IPU = load_isa("ipu")
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def presets_of(record: Record) -> dict[str, int]:
    init = record["init"]
    return dict.fromkeys((f"cr{number}" for number in range(16)), 0) | {
        f"{file}{number}": int(value)
        for file in ("cr", "lr")
        for number, value in init.get(file, {}).items()
    }


def registers_of(run: ControlRun) -> list[int]:
    values = dict(zip(run.names.names, run.registers))
    found = [values[f"lr{number}"] for number in range(16)]
    return [value % (1 << 32) for value in found if isinstance(value, int)]


@pytest.mark.parametrize("first", range(0, 343, 49))
def test_cycles_registers_and_accesses_are_those_of_recorded_runs(first: int) -> None:
    for record in records("exec")[first : first + 49]:
        program = read_program(IPU, record["asm"])
        presets = presets_of(record)
        run = control_run(program, presets)
        summary = summarise(run)
        assert run.is_complete, record["id"]
        assert summary.cycles == record["bundles_executed"], record["id"]
        assert registers_of(run) == record["final"]["lr"], record["id"]
        executions, _, accesses, ended = real_run(program, run.steps, presets, 10_000)
        if ended == HALTED:  # without its data, a program may fault
            assert summary.executions == [executions[n] for n in range(program.size)]
            assert accesses_of(run, summary) == accesses, record["id"]


def test_no_recorded_fault_is_told_too_early_or_at_another_place() -> None:
    same = 0
    for record in records("faults"):
        program = read_program(IPU, record["asm"])
        if program.findings:
            continue
        run = control_run(program, presets_of(record), 20_000)
        cycles, fault = summarise(run).cycles, record["fault"]
        if run.end.reason == ENDLESS:
            continue
        assert cycles is not None
        assert cycles >= fault["cycles_before"], record["id"]
        if run.end.reason == FAULT and cycles == fault["cycles_before"]:
            assert run.end.address == fault["pc"], record["id"]
            assert registers_of(run) == record["before"]["lr"], record["id"]
            same += 1
    assert same > 40  # the others fault because of data


def test_breaks_change_nothing() -> None:
    for record in records("break"):
        program = read_program(IPU, record["asm"])
        presets = presets_of(record)
        run = control_run(program, presets)
        executions, _, accesses, ended = real_run(program, run.steps, presets, 10_000)
        assert run.end.reason == ended
        assert summarise(run).executions == [executions[n] for n in range(program.size)]
        assert accesses_of(run, summarise(run)) == accesses


TEMPLATES = sorted(EXAMPLES.glob("*.asm"))


@pytest.mark.parametrize("context", [{}, {"taps": 5}, {"taps": 9}], ids=str)
@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_a_template_runs_in_each_context_as_the_control_run_says(
    path: Path, context: Mapping[str, int]
) -> None:
    settings = SourceSettings(overrides=context)
    program = Analyzer(IPU).analyze(path.read_text("utf-8"), settings=settings).effective_program
    assert check(program.text, {**CRS, "cr6": 256, "cr7": 1}, 5_000).is_complete


WAYS = {
    "a loop with two entries": """
        set lr1 5; beq lr0 lr2 second;;
        first: incr lr3 1;;
        second: incr lr0 1;;
        bne lr0 lr1 first;; bkpt;;""",
    "jumped out of, and into again": """
        set lr1 9; set lr2 4;;
        loop: incr lr0 1;; beq lr0 lr2 out;;
        back: incr lr3 2;; bne lr0 lr1 loop;; bkpt;;
        out: incr lr4 1;; b back;;""",
    "two loops that overlap": """
        set lr1 12; set lr2 20;;
        a: incr lr0 1;;
        c: incr lr3 1;; blt lr0 lr1 a;;
        blt lr3 lr2 c;; bkpt;;""",
    "a loop that shares its head": """
        set lr1 3; set lr2 9;;
        head: incr lr0 1;; bne lr0 lr1 head;;
        set lr0 0; incr lr3 1;; blt lr3 lr2 head;; bkpt;;""",
    "a bundle that branches to itself": """
        set lr1 100;; here: incr lr0 1; blt lr0 lr1 here;; bkpt;;""",
    "a jump through a register": """
        set lr1 3; set lr2 4;; loop: incr lr0 1; br lr1;; bkpt;;
        incr lr3 1;; bne lr0 lr2 loop;; bkpt;;""",
    "a jump after the end": "set lr1 2000;; br lr1;; acc;; bkpt;;",
    "a negative jump": "set lr1 -1;; br lr1;; acc;; bkpt;;",
    "signed comparison": """
        set lr0 -3;; loop: incr lr0 1; incr lr1 1;; blt lr0 lr2 loop;; bkpt;;""",
    "a comparison after an overflow": """
        add lr0 lr0 cr9; set lr1 -5;;
        loop: incr lr0 1; incr lr2 1;; bne lr0 lr1 +2;; bkpt;;
        blt lr3 lr0 loop;; bkpt;;""",
    "addresses beyond 32 bits": """
        set lr0 -128; set lr1 5;;
        loop: incr lr2 1; ldr_mult_reg r0 lr0 cr0;; bne lr2 lr1 loop;; bkpt;;""",
    "three loops with bounds that move": """
        set lr1 3; set lr5 4;;
        a: set lr2 0; incr lr3 1;;
        c: set lr4 0; incr lr2 1;;
        d: incr lr4 1; str_acc_reg lr6 cr1; incr lr6 4;; blt lr4 lr2 d;;
        blt lr2 lr3 c;; blt lr3 lr5 a;; bkpt;;""",
    "a first iteration that differs": """
        set lr1 50;; b middle;;
        loop: incr lr3 3; ldr_mult_reg r0 lr3 cr0;;
        middle: incr lr0 1;; bne lr0 lr1 loop;; bkpt;;""",
    "every other iteration": """
        set lr1 40; set lr5 1;;
        loop: sub lr4 lr5 lr4; incr lr0 1;; beq lr4 lr5 +2;; incr lr6 1;; bne lr0 lr1 loop;;
        bkpt;;""",
}


@pytest.mark.parametrize("text", WAYS.values(), ids=WAYS)
def test_an_unusual_way_is_that_of_the_machine(text: str) -> None:
    for presets in ({**CRS, "cr9": 0x7FFFFFFE}, {**CRS, "cr0": 0, "cr9": 0}):
        assert check(text, presets, 5_000).is_complete


def test_taken_and_not_taken_branches_are_counted() -> None:
    text = "set lr1 40; set lr2 7;; l: incr lr0 1;; blt lr2 lr0 +2;; acc;; bne lr0 lr1 l;; bkpt;;"
    run = check(text, {})
    assert summarise(run).taken == {2: (33, 7), 4: (39, 1)}


@pytest.mark.parametrize("seen", [[False, True], [False, False, True]])
def test_a_cancelled_run_ends_at_the_next_look(seen: Sequence[bool]) -> None:
    text = "l: add lr2 lr2 lr4; incr lr4 3;; beq lr5 lr6 l;; bkpt;;"
    looks = iter(seen)
    run = control_run(read_program(IPU, text), {}, is_cancelled=lambda: next(looks))
    assert run.end.reason == "cancelled"
    assert not run.is_complete
    assert next(looks, None) is None
    assert summarise(run).cycles == 2_000 * len(seen) - 1

"""Loops whose registers are moved by a step are as short as their bound, and do the same."""

from __future__ import annotations

import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.flow.packing.pipeline import Options
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program
from ipu_asm.testbench.packing import packed_cycles
from ipu_asm.testbench.rewriting import PipelineResult, pipelined, rebased
from tests.programs import ROOT
from tests.testbench.random_loops import check, random_program

IPU2 = load_isa("ipu2")
PRESETS = {"cr2": 0, "cr3": 0x100, "cr4": 0x200, "cr5": 16}
BODY = """\
    LDR_CYCLIC_MULT_REG lr0 cr3 lr2;;
    MULT.RC.VE lr2 lr1 0 lr2 cr15; ACC.ADD;;
    INC lr0 1; INC lr1 1;;
"""
DOTS = f"""\
    SET lr0 cr0; SET lr1 cr0; SET lr2 cr0;;
    LDR_MULT_REG r0 lr2 cr2;;
input:
{BODY}\
    BNE lr1 cr5 input;;
    STR_ACC_REG lr2 cr4;;
    BKPT;;
"""


def program_of(text: str) -> Program:
    program = read_program(IPU2, text)
    assert program.findings == []
    program.presets = PRESETS
    return program


def check_bundles(text: str, bundles: int, *, stages: int = 4) -> PipelineResult:
    """The only loop gets so many bundles, and its text is read again without findings."""
    result = pipelined(program_of(text), Options(stages=stages))
    assert [loop.bundles[1] for loop in result.loops] == [bundles]
    assert result.program.findings == []
    return result


def test_a_bound_of_the_host_goes_to_a_register_that_is_0_again_behind_the_loop() -> None:
    result = check_bundles(DOTS, 1)
    assert "SET lr3 cr5" in result.program.text
    assert "BNE lr1 lr3 input" in result.program.text
    assert result.program.text.count("SET lr3 cr0") == 1
    [loop] = result.loops
    assert loop.moves == {"lr1": -1, "cr5": -3}
    assert loop.lost == set()


def test_without_another_register_a_bound_of_the_host_is_not_moved() -> None:
    used = "".join(f"    SET lr{n} cr0;;\n" for n in range(3, 16))
    assert pipelined(program_of(used + DOTS)).loops == ()
    pointers = used + DOTS.replace("lr1 0 lr2 cr15", "lr3 0 lr2 cr15").replace(
        "INC lr1 1", "INC lr1 1; INC lr3 1"
    )
    check_bundles(pointers, 1)  # the counter starts one step ahead


def test_a_bound_in_a_loop_register_is_moved_and_moved_back() -> None:
    text = DOTS.replace("cr5 input", "lr4 input").replace(
        "    LDR_MULT", "    SET lr4 cr5;;\n    LDR_MULT"
    )
    made = check_bundles(text, 1).program.text
    assert "DEC lr4 3" in made
    assert "INC lr4 3" in made


def test_one_stage_has_no_prologue_where_overlap_is_not_wanted() -> None:
    made = check_bundles(DOTS, 2, stages=1).program.text
    assert "prologue" not in made


def test_a_loop_that_branches_enter_gets_a_label_in_front() -> None:
    enter = "    BEQ lr2 lr2 input;;\n    B after;;\ninput:\n"
    text = DOTS.replace("input:\n", enter).replace("    STR_ACC", "after:\n    STR_ACC")
    made = check_bundles(text, 1).program.text
    assert "BEQ lr2 lr2 input_begin;;" in made
    assert "\ninput_begin:\n    # prologue of input" in made


def test_a_test_at_the_top_becomes_one_at_the_end() -> None:
    text = DOTS.replace("input:\n", "input:\n    BGE lr1 cr5 after;;\n")
    text = text.replace("BNE lr1 cr5 input;;\n", "B input;;\nafter:\n")
    result = check_bundles(text, 1)
    assert "BGE lr1 cr5 after;;" in result.program.text
    assert "BLT lr1 lr3 input_body;;" in result.program.text


def test_a_label_without_references_does_not_divide_a_loop() -> None:
    text = DOTS.replace("    MULT", "half:\n    MULT")
    assert "half:" not in check_bundles(text, 1).program.text


def test_a_loop_with_80_instructions_reaches_its_slots() -> None:
    body = "".join(
        f"    MULT.RC.VE lr2 lr1 0 lr2 cr15; ACC.ADD;;\n    ADD lr{5 + n % 8} lr1 lr0;;\n"
        for n in range(26)
    )
    result = pipelined(program_of(DOTS.replace(BODY, body + BODY)))
    assert [loop.bundles for loop in result.loops] == [(56, 27)]


def test_a_search_ends_when_its_time_is_over() -> None:
    assert pipelined(program_of(DOTS), Options(is_over=lambda: True)).loops == ()


def test_set_registers_of_ipu_start_a_step_earlier() -> None:
    program = read_program(load_isa("ipu"), """\
    set lr0 0; set lr1 0;;
    set lr2 0; set lr3 16;;
    ldr_mult_reg r0 lr2 cr0;;
input:
    ldr_cyclic_mult_reg lr0 cr1 lr2;;
    mult.ve r0 lr2 lr2 lr2 lr1; acc;;
    incr lr0 128; incr lr1 1;;
    bne lr1 lr3 input;;
    str_acc_reg lr2 cr2; bkpt;;
""")  # fmt: skip
    program.presets = {"cr0": 0, "cr1": 0x10000, "cr2": 0x20000}
    result = rebased(program)
    assert packed_cycles(result.program) == 19
    assert "set lr0 -128" in result.program.text
    assert "before input" not in result.program.text


@pytest.mark.parametrize(
    ("name", "cycles"),
    [("fully_connected", 1_332), ("softmax_rows_partial", 65), ("depthwise", 419)],
)
def test_kernels_reach_their_bound(name: str, cycles: int) -> None:
    path = ROOT / "tests" / "data" / "loops_of_templates" / f"{name}.asm"
    analysis = Analyzer(IPU2).analyze(path.read_text("utf-8"), str(path))
    result = rebased(analysis.effective_program, Options(keeps_registers=False))
    assert packed_cycles(result.program) == cycles


def test_random_programs_end_as_their_options_say() -> None:
    outcomes = [check(random_program(("ipu", "ipu2")[n % 2], n), rebase=n % 4 > 1)
                for n in range(20_000, 20_014)]  # fmt: skip
    assert not [each for each in outcomes if each == "different" or "not proven" in each]
    assert sum(each.endswith("pipelined") and each[0] != "0" for each in outcomes) > 3

"""Loops whose registers are updated less often do the same, in less time."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Mapping

import pytest

from ipu_asm.assembler.encode import encode
from ipu_asm.emulator import Ipu
from ipu_asm.flow.packing.pack import PackingError
from ipu_asm.flow.packing.proof import ProofError
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program
from ipu_asm.targets.ipu.machine.state import SCALAR_NAMES
from ipu_asm.testbench.packing import packed_cycles
from ipu_asm.testbench.rewriting import (
    RebaseResult,
    compare_ends,
    pipelined,
    prove_rebased,
    rebased,
)
from tests.emulator.machines import MAX_CYCLES, differences, state_of
from tests.programs import example_kernels
from tests.vectors import records

IPU = load_isa("ipu")
LOOPS = Path(__file__).resolve().parents[1] / "data" / "loops"
BASES = {"cr0": 0, "cr1": 0x10000, "cr2": 0x20000}
DTYPES = {"INT8": 0, "FP8_E4M3": 1, "FP8_E5M2": 2}
COPY = """\
    set lr1 0; set lr2 0;;
    set lr3 0; set lr4 16;;
    set lr6 -512;;
row:
    ldr_mult_reg r0 lr1 cr0;;
    ldr_cyclic_mult_reg lr2 cr1 lr0;;
    mult.ee r0 lr0 lr0 lr0; acc.first;;
    incr lr1 128; incr lr2 128;;
    incr lr6 512; str_acc_reg lr6 cr2;;
    incr lr3 1;;
    bne lr3 lr4 row;;
    bkpt;;
"""


def program_of(text: str, presets: Mapping[str, int] = BASES) -> Program:
    program = read_program(IPU, text)
    assert program.findings == []
    program.presets = presets
    return program


def check_saved(text: str, presets: Mapping[str, int] = BASES) -> RebaseResult:
    """The program with fewer cycles than packing alone leaves it."""
    program = program_of(text, presets)
    result = rebased(program)
    assert packed_cycles(result.program) < packed_cycles(program)
    return result


def check_kept(text: str, presets: Mapping[str, int] = BASES) -> None:
    """Nothing of a program is rewritten."""
    program = program_of(text, presets)
    result = rebased(program)
    assert result.program is program
    assert (result.loops, result.lost) == ((), ())


def loop_text(name: str) -> str:
    return (LOOPS / name).read_text("utf-8")


def test_pointers_with_equal_values_are_one_and_serve_as_the_counter() -> None:
    result = check_saved(loop_text("add_rows.s"), {**BASES, "cr3": 0x30000})
    assert result.updates == (167, 68)
    assert result.lost == ("lr2", "lr3", "lr5", "lr6")
    assert [line.strip() for line in result.program.text.splitlines()[6:]] == [
        "set lr0 0; set lr1 -128;;",
        "set lr4 -512;;",
        "set lr6 3968;;",
        "",
        "row:",
        "ldr_mult_reg r0 lr1 cr0;",
        "incr lr1 128;;",
        "ldr_cyclic_mult_reg lr1 cr1 lr0;;",
        "ldr_mult_reg r1 lr1 cr2;;",
        "mult.ee r0 lr0 lr0 lr0; acc.first;;",
        "mult.ee r1 lr0 lr0 lr0; acc;;",
        "str_acc_reg lr4 cr3;",
        "incr lr4 512;;",
        "bne lr1 lr6 row;;",
        "",
        "bkpt;;",
    ]


def test_numbers_that_return_in_each_iteration_get_registers_of_their_own() -> None:
    result = check_saved(loop_text("conv_channels.s"))
    assert result.updates == (406, 250)
    assert result.program.text.count("incr lr3") == 0


def test_a_counter_shares_its_bundle_with_the_branch_that_compares_its_old_value() -> None:
    result = check_saved(loop_text("depthwise.s"))
    assert "bne lr1 lr6 channel" in result.program.text
    assert packed_cycles(result.program) == 100


def test_a_loop_that_fits_into_one_bundle_steps_its_pointers_before_it_uses_them() -> None:
    result = check_saved(loop_text("matrix_vector.s"))
    assert packed_cycles(program_of(loop_text("matrix_vector.s"))) == 1_060
    assert packed_cycles(result.program) == 540
    [loop] = result.loops
    assert (loop.label, loop.bundles, loop.stages) == ("input", (5, 1), 1)
    assert loop.moves == {"lr2": -1, "lr5": -1, "lr6": -2}


def test_a_pointer_that_nothing_sets_is_moved_in_front_of_the_loop() -> None:
    text = """\
    set lr3 0; set lr4 9;;
x:  ldr_mult_reg r0 lr0 cr0;;
    incr lr0 128; incr lr3 1;;
    bne lr3 lr4 x;;
    bkpt;;
"""
    for given in (BASES, {**BASES, "lr0": 256}):
        made = check_saved(text, given).program.text
        assert "incr lr0 -128;;\nx:" in made


@pytest.mark.parametrize("name", example_kernels())
def test_the_examples_update_no_register_in_vain(name: str) -> None:
    given = {"cr0": 0, "cr1": 0x8000, "cr2": 0x2000, "cr3": 0x2000, "cr4": 0x2000, "cr6": 0x2000}
    check_kept(example_kernels()[name], given)


def test_nothing_that_only_one_value_of_the_host_makes_true_is_built_in() -> None:
    text = COPY.replace("set lr4 16;;", "add lr4 lr0 cr4;;")
    given = {**BASES, "cr4": 16}
    result = rebased(program_of(text, given))
    assert "cr4" in result.program.text
    assert "bne lr3 lr4 row" in result.program.text
    for trips in (1, 5, 16):
        compare_ends(
            program_of(text, {**BASES, "cr4": trips}),
            program_of(result.program.text, {**BASES, "cr4": trips}),
        )


def test_registers_of_assertions_keep_their_values() -> None:
    assert check_saved(COPY).lost == ("lr1",)
    text = COPY.replace("    bne lr3", "# ASSERT lr1 in 128..2048\n    bne lr3")
    assert check_saved(text).lost == ("lr2",)


def test_a_register_that_is_read_after_the_loop_keeps_its_value() -> None:
    text = COPY.replace("    bkpt;;", "    str_acc_reg lr3 cr2;;\n    bkpt;;")
    result = check_saved(text)
    assert "incr lr3 1" in result.program.text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (COPY.replace("bne lr3 lr4 row", "bne lr3 lr4 -6"), "a distance as its target"),
        (COPY.replace("row:", "row: break;"), "a break shows registers"),
        (COPY.replace("bkpt", "br lr5"), "takes its target from a register"),
        (COPY.replace("set lr4 16", "add lr4 lr0 cr4"), "not known to the end"),
        (COPY.replace("set lr1 0", "set lr1 -1"), "ends with a fault"),
    ],
)
def test_a_program_whose_values_are_not_known_or_seen_is_refused(text: str, reason: str) -> None:
    with pytest.raises(PackingError, match=reason):
        rebased(program_of(text))


def test_a_wrong_rewriting_is_caught_by_the_values() -> None:
    program = program_of(COPY)
    made = rebased(program).program
    prove_rebased(program, made, [BASES])
    for old, new in (("lr2 128", "lr2 129"), ("cr1 lr0", "cr1 lr4"), ("row;;", "row; acc;;")):
        with pytest.raises(ProofError, match="another value"):
            prove_rebased(program, program_of(made.text.replace(old, new, 1)), [BASES])


def test_a_difference_after_a_run_is_found() -> None:
    other = program_of(COPY.replace("mult.ee r0", "mult.ee r1"))
    with pytest.raises(ProofError, match="differs after a run on random data"):
        compare_ends(program_of(COPY), other)


def test_random_loops_keep_all_but_the_registers_that_are_named() -> None:
    saved = 0
    for seed in range(12):
        program = program_of(_random_loop(seed))
        result = rebased(program)
        saved += packed_cycles(program) - packed_cycles(result.program)
    assert saved > 40


def test_recorded_programs_end_in_the_recorded_state_but_for_loop_registers() -> None:
    changed = 0
    for record in records("exec")[::16]:
        start = state_of(record)
        start.set_cr_dtype(DTYPES[record["dtype"]])
        scalars = zip(SCALAR_NAMES, map(int, start.regfile.scalars))
        presets = {name: value for name, value in scalars if name.startswith(("lr", "cr"))}
        program = program_of(record["asm"], presets)
        for kind, ignored in ((rebased, ["lr"]), (pipelined, [])):
            try:
                made = kind(program).program
            except PackingError:
                continue
            end = state_of(record)
            end.set_cr_dtype(DTYPES[record["dtype"]])
            end.load_program(encode(made))
            Ipu(end).run(MAX_CYCLES)
            different = differences(end, bytes(start.xmem.content), record["final"])
            assert different in ([], ignored), record["id"]
            changed += made is not program
    assert changed >= 2


def _random_loop(seed: int) -> str:
    random = Random(seed)
    body = [
        "incr lr1 128",
        f"incr lr2 {random.choice((128, 512))}",
        "incr lr7 128",
        "ldr_mult_reg r0 lr1 cr0",
        "ldr_cyclic_mult_reg lr2 cr1 lr3",
        "ldr_mult_reg r1 lr7 cr0",
        "mult.ve r0 lr6 lr3 lr3 lr3",
        random.choice(("incr lr6 1", "set lr6 3")),
        "acc.first",
        "mult.ve r1 lr6 lr3 lr3 lr3",
        random.choice(("incr lr6 -1", "set lr6 4")),
        "mult.ve r1 lr6 lr3 lr3 lr6",
        "acc",
        "str_acc_reg lr2 cr2",
    ]
    if random.random() < 0.5:
        random.shuffle(body)
    body = [each for each in body if random.random() < 0.85]
    first = ["set lr0 0", "set lr3 0", "set lr1 0", "set lr2 128", "set lr4 0", "set lr7 128"]
    first += [f"set lr5 {random.randint(2, 9)}", f"set lr6 {random.choice((0, 1, 5))}"]
    branch = random.choice(("bne", "blt"))
    inner = ["row: incr lr4 1", *body, f"{branch} lr4 lr5 row"]
    if random.random() < 0.5:
        inner = ["set lr9 3", "outer: set lr4 0", *inner, "incr lr8 1", "bne lr8 lr9 outer"]
    last = ["str_acc_reg lr7 cr2"] if random.random() < 0.3 else []
    return "".join(f"{each};;\n" for each in [*first, *inner, *last, "bkpt"])

"""A loop whose iterations overlap leaves registers and memory as it did, in less time."""

from __future__ import annotations

from random import Random

import pytest

from ipu_asm.flow.control_run.facts import control_facts
from ipu_asm.flow.packing.dependences import dependences_of
from ipu_asm.flow.packing.loop_proof import prove_pipeline
from ipu_asm.flow.packing.modulo import ModuloSchedule
from ipu_asm.flow.packing.pack import PackingError
from ipu_asm.flow.packing.pipeline import Options, PipelinedLoop, loops_to_pipeline, pipelined_loop
from ipu_asm.flow.packing.proof import ProofError
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program
from ipu_asm.testbench.rewriting import one_pipelined, pipelined, prove_loop
from tests.programs import example_kernels

IPU = load_isa("ipu")
PRESETS = {"cr0": 0, "cr1": 0x10000, "cr2": 0x20000, "cr5": 1}
NORMS = """\
    set lr0 -128; set lr3 0;;
    set lr1 -512; set lr2 2048;;
# each row
row:
    incr lr0 128;
    ldr_mult_reg r0 lr0 cr0;;     # a
    ldr_cyclic_mult_reg lr0 cr1 lr3;
    mult.ee r0 lr3 lr3 lr3;
    acc.first;
    agg max value cr5 aaq0;;
    acc.add_aaq aaq0;;
    incr lr1 512;
    str_acc_reg lr1 cr2;
    bne lr0 lr2 row;;
    bkpt;;
"""


def program_of(text: str) -> Program:
    program = read_program(IPU, text)
    assert program.findings == []
    program.presets = PRESETS
    return program


def loop_of(text: str) -> PipelinedLoop:
    program = program_of(text)
    [loop] = loops_of(program)
    return loop


def loops_of(program: Program) -> list[PipelinedLoop]:
    facts = control_facts(program)
    blocks = loops_to_pipeline(program, facts)
    found = [pipelined_loop(program, block, facts, Options()) for block in blocks]
    return [loop for loop in found if loop is not None]


def test_a_loop_is_overlapped_with_prologue_and_epilogue() -> None:
    result = pipelined(program_of(NORMS))
    assert result.cycles == (71, 57)
    [loop] = result.loops
    assert (loop.label, loop.bundles, loop.stages) == ("row", (4, 3), 2)
    assert (
        result.program.text
        == """\
    set lr0 -128; set lr3 0;;
    set lr1 -512; set lr2 2048;;
# each row
    # prologue of row: the first iteration begins
    incr lr0 128;
    ldr_mult_reg r0 lr0 cr0;;
    ldr_cyclic_mult_reg lr0 cr1 lr3;;
    mult.ee r0 lr3 lr3 lr3;
    acc.first;;
row:
    incr lr0 128;
    incr lr1 512;
    ldr_mult_reg r0 lr0 cr0;      # a
    agg max value cr5 aaq0;;
    ldr_cyclic_mult_reg lr0 cr1 lr3;
    acc.add_aaq aaq0;;
    str_acc_reg lr1 cr2;
    mult.ee r0 lr3 lr3 lr3;
    acc.first;
    bne lr0 lr2 row;;

    # epilogue of row: the last iteration ends
    agg max value cr5 aaq0;
    incr lr1 512;;
    acc.add_aaq aaq0;;
    str_acc_reg lr1 cr2;;
    bkpt;;
"""
    )


def test_one_loop_is_pipelined_and_packed_alone() -> None:
    second = NORMS.replace("row", "other").replace("    bkpt;;\n", "")
    program = program_of(second + NORMS)
    [head] = [a for label, a in program.label_addresses.items() if label == "row"]
    made = one_pipelined(program, head)
    assert "prologue of row" in made.text
    assert made.text.startswith(second)
    with pytest.raises(PackingError, match="no schedule of its iterations is shorter"):
        one_pipelined(made, 0)


def test_a_pipelined_program_is_not_pipelined_again() -> None:
    result = pipelined(program_of(NORMS))
    assert pipelined(result.program).loops == ()


@pytest.mark.parametrize(
    "text",
    [
        NORMS.replace("set lr2 2048", "set lr2 0"),  # one trip
        NORMS.replace("row:\n", "row: break;\n"),
        NORMS.replace("row:\n", "row:  # LOOP 17\n"),
        NORMS.replace("    bkpt;;", "    b row;;"),  # entered twice
        NORMS.replace("    bkpt;;", "    beq lr1 lr2 +1;;\n    bkpt;;"),
        example_kernels()["fully_connected.s"],
    ],
)
def test_a_loop_that_cannot_be_overlapped_is_left_alone(text: str) -> None:
    program = program_of(text)
    assert loops_of(program) == []


def test_without_the_values_of_the_host_nothing_is_pipelined() -> None:
    program = read_program(IPU, NORMS.replace("set lr2 2048", "add lr2 lr3 cr7"))
    with pytest.raises(PackingError, match="not known to the end"):
        pipelined(program)


def test_a_run_that_is_too_long_to_compare_is_refused() -> None:
    text = "set lr2 32767;;\ny: set lr1 0; incr lr3 1;;\nx: incr lr1 1;;\nacc;;\nacc;;\nacc;;\n"
    text += "bne lr1 lr2 x;;\nset lr4 40;;\nbne lr3 lr4 y;;\nbkpt;;\n"
    with pytest.raises(
        PackingError, match="cycles is too long to compare, which goes up to 5,000,000"
    ):
        pipelined(program_of(text))


def test_another_schedule_than_the_right_one_is_caught_by_the_values() -> None:
    loop = loop_of(NORMS)
    facts = control_facts(loop.program)
    prove_pipeline(loop, facts)
    with pytest.raises(ProofError):
        prove_pipeline(loop._replace(bundles=loop.bundles[1:]), facts)
    text = loop.pipelined.text
    for old, new, reason in (
        ("incr lr1 512;\n    ldr", "incr lr1 511;\n    ldr", "another value"),
        ("str_acc_reg lr1 cr2", "str_acc_reg lr0 cr2", "another value"),
        ("bne lr0 lr2 row", "bne lr1 lr2 row", "another value"),
        ("agg max value", "agg sum value", "other instructions"),
        ("ldr_mult_reg r0", "ldr_mult_reg r1", "other instructions"),
    ):
        wrong = loop._replace(pipelined=program_of(text.replace(old, new)))
        with pytest.raises(ProofError, match=reason):
            prove_pipeline(wrong, facts)
    schedule = ModuloSchedule(loop.schedule.interval, tuple(t % 3 for t in loop.schedule.times))
    with pytest.raises(ProofError, match="another value"):
        prove_pipeline(loop._replace(schedule=schedule), facts)


def test_memory_that_may_be_accessed_twice_is_not_reordered() -> None:
    """With both regions in the same place, the load must stay behind the store."""
    program = read_program(IPU, NORMS)
    program.presets = {**PRESETS, "cr1": 0x20000}
    [loop] = loops_of(program)
    prove_loop(loop, control_facts(program))
    graph = dependences_of(program, loop.addresses)
    times = {
        program.bundles[each.address].instructions[each.number].mnemonic: time
        for each, time in zip(graph.operations, loop.schedule.times)
    }
    assert times["str_acc_reg"] < times["ldr_cyclic_mult_reg"] + loop.schedule.interval


def test_random_loops_keep_registers_and_memory() -> None:
    saved = 0
    for seed in range(80):
        program = program_of(_random_loop(seed))
        result = pipelined(program)
        saved += result.cycles[0] - result.cycles[1]
    assert saved > 400


def _random_loop(seed: int) -> str:
    random = Random(seed)
    a, b = random.choice(("acc.first", "acc", "acc.max aaq1")), random.randrange(2)
    body = [
        f"incr lr0 128; ldr_mult_reg r{b} lr0 cr0",
        f"ldr_cyclic_mult_reg lr0 cr{random.randrange(2)} lr3",
        f"mult.ee r{random.randrange(2)} lr3 lr3 lr3",
        a,
        f"agg max value cr5 aaq{random.randrange(2)}",
        "acc.add_aaq aaq0",
        "incr lr1 512",
        "str_acc_reg lr1 cr2",
        "add lr5 lr0 lr1",
        "incr lr6 3",
    ]
    chosen = [each for each in body if random.random() < 0.8]
    if random.random() < 0.3:
        random.shuffle(chosen)
    setup = "set lr0 -128; set lr3 0;;\nset lr1 -512; set lr2 12;;\n"
    bundles = "".join(f"{each};;\n" for each in chosen)
    return f"{setup}row: incr lr4 1;;\n{bundles}bne lr4 lr2 row;;\nbkpt;;\n"

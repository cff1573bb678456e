"""A packed program leaves all registers and all of memory as the program does, on any data."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from ipu_asm.assembler.encode import encode
from ipu_asm.emulator import ExecutionFault, Ipu, IpuState
from ipu_asm.flow.packing.pack import PackingError, PackingPlan, plan_packing
from ipu_asm.flow.packing.proof import ProofError
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program
from ipu_asm.testbench.packing import PackResult, packed, prove
from tests.programs import example_kernels
from tests.vectors import Record, records

IPU = load_isa("ipu")
DTYPES = {"INT8": 0, "FP8_E4M3": 1, "FP8_E5M2": 2}
# One record in so many; benchmarks/packing.py packs all of them.
SAMPLE = 8


def program_of(text: str) -> Program:
    return read_program(IPU, text)


def presets_of(record: Record) -> dict[str, int]:
    given = {
        f"{kind}{number}": value
        for kind in ("cr", "lr")
        for number, value in record["init"].get(kind, {}).items()
    }
    return {"cr15": DTYPES.get(record["dtype"], 0), **given}


def saved_bundles(result: PackResult) -> int:
    before, after = result.bundles
    return before - after


@pytest.mark.parametrize("name", example_kernels())
def test_an_example_is_packed_with_proof_and_only_once(name: str) -> None:
    result = packed(program_of(example_kernels()[name]))
    assert (result.runs > 0) == bool(result.edits) == (saved_bundles(result) > 0)
    assert packed(program_of(result.text)).edits == ()


def test_the_examples_are_as_short_as_packing_makes_them_but_for_three() -> None:
    saved = {name: saved_bundles(packed(program_of(t))) for name, t in example_kernels().items()}
    assert {name: count for name, count in saved.items() if count} == {
        "conv3x3_row.s": 1,
        "row_filter.asm taps=3": 2,
        "row_filter.asm taps=5": 2,
    }


def test_recorded_programs_are_packed_with_proof() -> None:
    saved, refused = 0, set()
    for record in records("exec")[::SAMPLE]:
        try:
            result = packed(program_of(record["asm"]), [presets_of(record)])
        except PackingError as error:
            refused.add(str(error))
            continue
        saved += saved_bundles(result)
        assert result.edits == () or result.runs > 0
    assert saved > 20
    assert refused <= {
        "a branch takes its target from a register",
        "every run on random data ends with a fault",
    }


def test_cycles_are_those_of_the_control_run() -> None:
    text = "set lr2 10;;\nloop: incr lr1 1;;\nacc;;\nbne lr1 lr2 loop;;\nbkpt;;\n"
    result = packed(program_of(text))
    assert result.bundles == (5, 4)
    assert result.cycles == (1 + 10 * 3 + 1, 1 + 10 * 2 + 1)


def test_cycles_are_unknown_without_the_values_of_the_host() -> None:
    text = "add lr2 lr0 cr1;;\nloop: incr lr1 1;;\nacc;;\nbne lr1 lr2 loop;;\nbkpt;;\n"
    assert packed(program_of(text)).cycles is None
    assert packed(program_of(text), [{"cr1": 3}]).cycles == (1 + 3 * 3 + 1, 1 + 3 * 2 + 1)


def test_a_program_that_never_halts_is_compared_as_far_as_both_get() -> None:
    result = packed(program_of("top: incr lr1 128;;\nldr_mult_reg r0 lr0 cr0;;\nb top;;\n"))
    assert (result.bundles, result.runs) == ((3, 1), 3)


def test_a_program_that_no_values_let_halt_is_refused_with_their_names() -> None:
    text = "acc;;\nsub lr2 lr0 cr3;;\nldr_mult_reg r0 lr2 cr0;;\nbkpt;;\n"
    with pytest.raises(PackingError, match=r"no values of `cr3`, `cr0` .* give them"):
        packed(program_of(text))


def test_a_program_that_faults_is_refused() -> None:
    text = "set lr1 -1;;\nset lr2 1;;\nset lr3 1;;\nldr_mult_reg r0 lr1 cr0;;\nbkpt;;\n"
    with pytest.raises(PackingError, match="fault"):
        packed(program_of(text), [{"cr0": 0}])


def broken(plan: PackingPlan, written: str) -> PackingPlan:
    return plan._replace(packed=program_of(written))


def test_the_emulator_finds_what_the_control_run_does_not_see() -> None:
    plan = plan_packing(program_of("acc.first;;\nset lr1 0;;\nstr_acc_reg lr1 cr0;;\nbkpt;;\n"))
    prove(plan, {})
    with pytest.raises(ProofError, match="differs after a run on random data"):
        prove(broken(plan, "set lr1 0; acc.first;;\nstr_acc_reg lr1 cr0; reset_acc; bkpt;;\n"), {})


def test_memory_is_as_it_was_where_a_program_faults() -> None:
    """Stores that are done before a fault are done before it in the packed program as well."""
    compared = 0
    for seed in range(30):
        plan = plan_packing(program_of(_faulting_kernel(seed)))
        if not plan.saved_bundles:
            continue
        ends = [_state_at_fault(program, seed) for program in (plan.program, plan.packed)]
        assert ends[0] == ends[1]
        compared += ends[0] is not None
    assert compared > 10


def _faulting_kernel(seed: int) -> str:
    random = Random(seed)
    instructions = (
        "acc", "acc.first", "mult.ee r0 lr0 lr0 lr0", "ldr_mult_reg r0 lr1 cr0", "set lr1 512",
        "str_acc_reg lr1 cr1", "agg sum value cr0 aaq0", "acc.stride 64 off off lr3",
        "str_acc_reg lr0 cr1", "incr lr3 1",
    )  # fmt: skip
    return "".join(f"{random.choice(instructions)};;\n" for _ in range(12)) + "bkpt;;\n"


def _state_at_fault(program: Program, seed: int) -> Any:
    """The memory at a fault, and its cause; None if there is no fault."""
    state = IpuState()
    state.xmem.write_address(0, Random(seed).randbytes(4096))
    state.regfile.set_r_acc_bytes(b"\x01\x02\x03\x74" * 128)
    state.load_program(encode(program))
    try:
        Ipu(state).run(100)
    except ExecutionFault as fault:
        return state.xmem.image(), fault.fault.cause
    return None

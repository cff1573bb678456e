"""A packed program that faults leaves the memory that the program leaves."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from ipu_asm.assembler.encode import encode
from ipu_asm.emulator import ExecutionFault, machine_for
from ipu_asm.flow.packing.pack import PackingError, plan_packing
from ipu_asm.flow.packing.proof import prove_values
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program

STORES = {"ipu": "str_acc_reg lr{} cr2", "ipu2": "STR_ACC_REG lr{} cr2"}
OTHERS = {
    "ipu": (
        "mult.ee r0 lr0 lr0 lr0",
        "mult.ve.cr lr0 lr0 lr0 cr3",
        "acc",
        "acc.first",
        "acc.stride 16 off on lr{}",
        "aaq",
        "agg sum value_cr cr3 aaq0",
        "ldr_cyclic_mult_reg lr0 cr1 lr{}",
        "incr lr{} 1",
        "xmem.store_aaq_result lr{} cr4",
    ),
    "ipu2": (
        "MULT.RC.VE lr0 lr1 1 lr2 cr5",
        "MULT.EE lr0 cr3 1 lr2 cr6",
        "AGG.MAX lr0 cr6",
        "ACC.ADD",
        "ACC.STRIDE 16 off on lr{}",
        "ACC.RESHAPE lrd0 lrd2 lr{}",
        "LDR_MULT_REG r0 lr{} cr3",
        "STR_POST_AAQ_REG lr{} cr4",
        "ACTIVATE.QUANTIZE relu cr5",
        "INC lr{} 1",
    ),
}
FIRST = {
    "ipu": ("set lr{} 3", "set lr{} 1", "add lr{} lr0 cr7", "add lr{} lr0 cr8"),
    "ipu2": ("SET lr{} cr7", "SET lr{} cr8", "INC lr{} 3", "INC lr{} 128"),
}
COUNT = {"ipu": "set lr10 3;;", "ipu2": "SET lr10 cr9;;"}
LOOPS = {
    "ipu": ("incr lr9 1;;", "bne lr9 lr10 loop;;", "bkpt;;"),
    "ipu2": ("INC lr9 1;;", "BNE lr9 lr10 loop;;", "BKPT;;"),
}


def random_program(isa: str, random: Random) -> str:
    def some(most: int) -> list[str]:
        lines = []
        for _ in range(random.randint(1, most)):
            text = random.choice(OTHERS[isa] if random.random() < 0.7 else (STORES[isa],))
            lines.append(f"{text.format(random.randrange(4))};;")
        return lines

    step, branch, halt = LOOPS[isa]
    first = [f"{text.format(random.randrange(4))};;" for text in random.sample(FIRST[isa], 3)]
    return "\n".join(
        [COUNT[isa], *first, *some(4), "loop:", *some(5), step, branch, *some(3), halt]
    )


def end_of(program: Program, seed: int) -> tuple[str, bytes, list[int]]:
    """The instruction that faults, if any, the memory and the registers that change slowly."""
    random = Random(seed)
    model = machine_for(program.isa.name)
    state = model.make_state({})
    data = np.random.default_rng(seed)
    state.xmem.write_address(0, data.integers(256, size=1 << 14, dtype=np.uint8).tobytes())
    block = state.regfile.block
    block[:] = data.integers(256, size=len(block), dtype=np.uint8).tobytes()
    for name, place in model.layout.places.items():
        if isinstance(place, int) and place not in model.layout.constants:
            is_loop = name.startswith("lr")
            state.regfile.scalars[place] = 0 if is_loop else random.choice((0, 3, 16, 128, 0x280))
    state.regfile.set_cr(9, random.randint(1, 4))
    if program.isa.name == "ipu":
        state.regfile.set_cr(15, random.choice((0, 0, 1, 7)))
    else:
        state.regfile.set_cr(5, random.choice((128, 128, 0x1F80)))
        state.regfile.set_cr(6, random.choice((128, 128, 0x0380, 0x2080)))
    state.load_program(encode(program))
    fault = ""
    try:
        model.Machine(state).run(300)
    except ExecutionFault as error:
        fault = error.fault.instruction
    size = model.memory_size
    return fault, state.xmem.read_address(0, size), [state.regfile.get_cr(n) for n in range(16)]


@pytest.mark.parametrize("isa", ["ipu", "ipu2"])
def test_random_programs_that_fault_leave_the_same_memory(isa: str) -> None:
    faulted = packed = 0
    for seed in range(60):
        program = read_program(load_isa(isa), random_program(isa, Random(seed)))
        try:
            plan = plan_packing(program)
        except PackingError:
            continue
        if not plan.saved_bundles:
            continue
        prove_values(plan)
        packed += 1
        for other in range(3):
            old, new = (end_of(each, seed * 10 + other) for each in (program, plan.packed))
            assert bool(old[0]) == bool(new[0]), (seed, program.text, plan.packed.text)
            assert old[1:] == new[1:], (seed, other, program.text, plan.packed.text)
            faulted += bool(old[0])
    assert packed > 20
    assert faulted > 40

"""Random loops of one bundle that add multiples of rows, which cores execute several at a time.

    python -m tests.emulator.core.row_loops 2000 [SALT]

compares as many on both engines, and prints how many differ.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from random import Random
from typing import Any, Final

from ipu_asm.assembler.encode import assemble
from ipu_asm.emulator import ExecutionFault, machine_for
from ipu_asm.emulator.execution_counts import Recording
from ipu_asm.emulator.machine import Engine, SelectiveTest, WatchedRange

ROWS: Final = 300
"""Rows of memory that have elements."""

MASKS: Final = {"ipu": bytes(128), "ipu2": b"\xff" * 128}
"""The content of r_mask that masks nothing."""

# Of each, the first is one that cores know; the others are slower, or spoil the loop.
COUNTS: Final = {"ipu": ("incr lr2 1", "incr lr2 2"), "ipu2": ("INC lr2 1", "INC lr2 3")}
BRANCHES: Final = {
    "ipu": ("bne lr2 lr3 x", "blt lr2 lr3 x", "b x", "bnz lr2 lr3 x", "beq lr6 lr5 x"),
    "ipu2": ("BLT lr2 lr3 x", "BNE lr2 lr3 x", "BEQ lr6 lr5 x", "BGE lr3 lr2 x"),
}
STEPS: Final = {
    "ipu": ("incr lr1 128", "incr lr1 -128", "incr lr1 1", "set lr1 256", "add lr1 lr1 lr4",
            "incr lr6 128"),
    "ipu2": ("INCR_MOD_POW2 lr1 cr1 7", "INC lr1 1", "DEC lr1 1", "ADD lr1 lr1 cr1",
             "INCR_MOD_POW2 lr1 lr4 5", "SET lr1 cr1", "INC lr6 128"),
}  # fmt: skip
LOADS: Final = {
    "ipu": ("ldr_cyclic_mult_reg lr1 cr1 lr6", "ldr_mult_reg r0 lr1 cr1"),
    "ipu2": ("LDR_CYCLIC_MULT_REG lr1 cr3 lr6", "LDR_MULT_REG r0 lr1 cr3"),
}
PRODUCTS: Final = {
    "ipu": ("mult.ve r1 lr6 lr7 lr7 lr2", "mult.ee r0 lr6 lr7 lr7", "mult.ve r0 lr6 lr7 lr8 lr2",
            "mult.ve.cr lr6 lr7 lr7 cr3", "mult.ve r0 lr5 lr7 lr7 lr2"),
    "ipu2": ("MULT.RC.VE lr6 lr2 0 lr7 cr15", "MULT.RC.VE lr6 cr9 0 lr7 cr15",
             "MULT.RC.VV lr6 r0 0 lr7 cr15", "MULT.RC.VE lr6 lr2 0 lr8 cr15",
             "MULT.RC.VE lr5 lr2 1 lr7 cr15"),
}  # fmt: skip
SUMS: Final = {"ipu": ("acc", "acc.first", ""), "ipu2": ("ACC.ADD", "ACC.MAX", "")}
PARTS: Final = (COUNTS, STEPS, LOADS, PRODUCTS, SUMS, BRANCHES)
TYPES: Final = {"ipu": (0, 1, 2), "ipu2": ("INT8", "E1", "E2", "E3", "E4", "E5", "E6", "E7")}


def random_loop(rng: Random, isa: str) -> str:
    """A loop that mostly is of the shape."""
    parts = [rng.choice(part[isa][: 1 if rng.random() < 0.8 else None]) for part in PARTS]
    return f"x: {'; '.join(filter(None, parts))};; bkpt;;"


def random_machine_state(rng: Random, isa: str, text: str) -> Any:
    """A state whose elements are finite but for one row now and then."""
    dtype = rng.choice(TYPES[isa][: 1 if rng.random() < 0.3 else None])
    state = machine_for(isa).State() if isa == "ipu" else machine_for(isa).State(dtype=dtype)
    registers = state.regfile
    state.load_program(assemble(text, isa))
    if isa == "ipu":
        state.set_cr_dtype(dtype)
    most = rng.choice((8, 0x58, 0x7C))
    elements = bytearray(rng.choice((0, 0x80)) | rng.randrange(most) for _ in range(128 * ROWS))
    if rng.random() < 0.3:
        elements[rng.randrange(len(elements))] = rng.choice((0x7F, 0xFF, 0x7C, 0x80))
    state.xmem.write_address(0, bytes(elements))
    state.xmem.write_address(len(state.xmem.content) - len(elements), bytes(elements))
    registers.set_register_bytes("r_mask", 0, MASKS[isa])
    if rng.random() < 0.1:
        registers.set_register_bytes("r_mask", 0, rng.randbytes(128))
    for element in range(2):
        registers.set_register_bytes("r", element, bytes(rng.choices(elements, k=128)))
    registers.set_register_bytes("r_cyclic", 0, bytes(rng.choices(elements, k=512)))
    words = rng.choices((0, 0x3F80_0000, 0xC000_0000, 5), k=128)
    words[rng.randrange(128)] = rng.choice((0, 0, 0, 0x7F80_0000, 0x7FC0_0001, 0x7F7F_FFFF))
    registers.set_register_bytes("r_acc", 0, b"".join(w.to_bytes(4, "little") for w in words))
    size = 128 if isa == "ipu" else 1
    last = len(state.xmem.content) // 128 * size
    registers.set_lr(1, rng.choice((0, 0, size, 200 * size, last - 140 * size)))
    for index, value in ((2, rng.choice((0, 0, 77))), (3, rng.choice((3, 126, 128, 250, 1000))),
                         (4, size), (5, 0), (6, rng.choice((0, 0, 128, 384))),
                         (8, rng.choice((0, 1, 2)))):  # fmt: skip
        registers.set_lr(index, value)
    for index, value in ((1, 1 if isa == "ipu2" else 0), (3, 0), (9, rng.getrandbits(32))):
        registers.set_cr(index, value)
    return state


def check_same(rng: Random, isa: str) -> int:
    """A random loop gives the same on both engines; returns how many bundles the core ran."""
    text, seed = random_loop(rng, isa), rng.random()
    limits = [rng.choice((1, 3, 9, 40, 129, 400)) for _ in range(4)]
    watched = WatchedRange(start := rng.randrange(128 * ROWS), start + 1, 3)
    tail_limit, has_test = rng.choice((0, 500)), rng.random() < 0.3
    results, on_core = [], 0
    for engine in (Engine.NUMPY, Engine.CORE):
        state = random_machine_state(Random(seed), isa, text)
        machine = machine_for(isa).make_machine(state, {})
        machine.engine_choice = engine
        recording, result = Recording(tail_limit), []
        for limit in limits:
            stop = SelectiveTest(lambda pc: False, watched=(watched,)) if has_test else None
            with suppress(ExecutionFault):
                recording.run(machine, limit, stop)
            result.append((machine.cycles, machine.snapshot.pc, state.save()))
        results.append((result, recording.transitions, recording.tail))
        on_core = machine.bundles_on_core
    assert results[0] == results[1], f"{isa}: {text}"
    return on_core


def main(count: int, salt: str = "") -> int:
    """Compare many loops; return the number of those that differ."""
    different = on_core = 0
    for number in range(count):
        try:
            on_core += check_same(Random(f"{salt}{number}"), ("ipu", "ipu2")[number % 2])
        except AssertionError as error:
            different += 1
            print(f"loop {number}: {error}")
    print(f"{count} loops, {on_core} bundles on the core, {different} different")
    return different


if __name__ == "__main__":
    sys.exit(min(main(int(sys.argv[1]), *sys.argv[2:]), 1))

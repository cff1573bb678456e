"""Translated blocks and batches of bundles leave the state that single steps leave."""

import random
from typing import Any

import numpy as np
import pytest

from benchmarks.xdna_runs import KERNELS
from ipu_asm.emulator.code_program import CodeProgram, read_code_program
from ipu_asm.emulator.code_runs import code_model, set_up
from ipu_asm.emulator.stops import EmulatorError
from ipu_asm.targets.aie.machine import batches, blocks, translation
from ipu_asm.targets.aie.machine.blocks import Blocks
from ipu_asm.targets.aie.machine.machine import CoreMachine
from ipu_asm.targets.aie.machine.translation import Block
from tests.targets.aie.machine.plain_machine import Programs, text_of
from tests.vectors import records

RECORDS = records("xdna_exec")
LOOP = "movxm ls, #first\nmovxm le, #last\nadd.nc lc, r1, #0\n" + "nop\n" * 4
DELAY = "nop\n" * 5
SOURCES = {
    "a load of what a block stores": (
        "xdna1",
        LOOP + "first: vlda wl0, [p0], #32; vst wl0, [p1], #32\nlast: nop\nnop\ndone",
        {"p0": 0x70000, "p1": 0x70060},
    ),
    "accumulators in place": (
        "xdna1",
        LOOP + "first: vlda amll0, [p0, #0]; vst amll0, [p0, #32]; vldb wl0, [p1], #32\n"
        "vmac.f bml0, bml0, x0, x0, r0\nlast: nop\nnop\ndone",
        {"p0": 0x70000, "p1": 0x70100, "r0": 28},
    ),
    "an address that is not aligned": (
        "xdna2",
        LOOP + "first: vlda x0, [p0], #64\nlast: nop\nnop\ndone",
        {"p0": 0x70004},
    ),
    "the end of memory": (
        "xdna2",
        LOOP + "first: vlda x0, [p0], #64; add r5, r5, #1\nlast: nop\nnop\ndone",
        {"p0": 0x7F000},
    ),
    "an infinity among products": (
        "xdna2",
        LOOP + "first: vlda x0, [p0], #64; add r5, r5, #1\nvmac.f dm0, dm0, x0, x0, r0\nlast: nop\n"
        "nop\ndone",
        {"p0": 0x70000, "r0": 60},
    ),
    "products in front of a load that is not aligned": (
        "xdna1",
        LOOP + "first: vmac.f bml0, bml0, x0, x0, r0\nlast: vlda wl0, [p0], #32\n" + "nop\n" * 8
        + "vst amll0, [p1], #0\ndone",
        {"p0": 0x70004, "p1": 0x74000, "r0": 28},
    ),
    "jumps and calls": (
        "xdna2",
        f"turn: jl #more\n{DELAY}jnz r1, #turn\n{DELAY}done\n"
        f"more: ret lr\nadd r1, r1, #-1\nnop\nmul r2, r1, r1\nst r2, [p0], #4\nnop\n",
        {"p0": 0x70000},
    ),
    "lanes, conversions and sums": (
        "xdna1",
        LOOP + "first: vlda.conv.fp32.bf16 bml0, [p0], #32; vshuffle x3, x0, x1, r2\n"
        "vst.conv.bf16.fp32 bml0, [p1], #32; vadd.32 x1, x0, x3\n"
        "vldb wl0, [p0, #0]; vadd.f bml1, bml1, bml0, r0; vextract.s32 r3, x1, r17\n"
        "padda.2d [p5], d1; vmac cm4, cm4, x0, x1, r4\nlast: vst amll1, [p2], #32\nnop\ndone",
        {"p0": 0x70000, "p1": 0x74000, "p2": 0x76000, "p5": 0x70000, "dj1": 8, "dn1": 3,
         "r0": 28, "r2": 4, "r4": 0x308},
    ),
}  # fmt: skip


@pytest.fixture(autouse=True)
def everything_is_hot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "_HOT", 0)
    monkeypatch.setattr(blocks, "_WANTED", 0)
    monkeypatch.setattr(translation, "MIN_BUNDLES", 1)
    monkeypatch.setattr(batches, "MIN_BUNDLES", 1)


def made(isa: str, text: str, registers: dict[str, int], data: dict[int, bytes]) -> CoreMachine:
    model = code_model(isa)
    code: CodeProgram = read_code_program(text, isa, model.data_address)
    machine: CoreMachine = model.make_machine(code)
    set_up(machine, code, registers, data)
    machine.start(code.entry(None))
    return machine


def end_of(machine: CoreMachine) -> Any:
    """How a run has ended: state, warnings, and what is told."""
    state = machine.snapshot()
    late = [[tuple(each)[1:] for each in some] for some in state.late]
    return state._replace(late=()), late, sorted(machine.warnings)


def run_slowly(machine: CoreMachine) -> str:
    try:
        machine.run(1 << 20, None, lambda pc: None)
    except EmulatorError as error:
        return str(error)
    return ""


def run_in_blocks(machine: CoreMachine, sizes: list[int]) -> tuple[str, int]:
    """Execute blocks, the first up to these sizes; returns how many bundles were in blocks."""
    state, executed = machine.state, 0
    try:
        while not state.end:
            before = state.executed
            if before >= machine._blocks._slow_until:
                size = sizes.pop() if sizes else 1 << 20
                machine._blocks.run(size, machine.return_address)
                executed += state.executed - before
            if not state.end:
                machine.run(1, None, lambda pc: None)
    except EmulatorError as error:
        return str(error), executed
    return "", executed


def check(
    isa: str, text: str, registers: dict[str, int], data: dict[int, bytes], seed: int = 0
) -> int:
    """Compare both, with blocks of all sizes; returns how many bundles were in blocks."""
    slow, fast = (made(isa, text, registers, data) for _ in range(2))
    start = fast.snapshot()
    reason = run_slowly(slow)
    run_slowly(fast)  # blocks have bundles that were executed before
    executed = 0
    for sizes in ([], random.Random(seed).choices(range(1, 60), k=4)):
        fast.restore(start)
        fast.state.stalls, fast._blocks._slow_until = 0, 0
        found, count = run_in_blocks(fast, sizes)
        assert found == reason
        for one, other in zip(end_of(slow), end_of(fast)):
            assert one == other
        executed += count
    return executed


@pytest.mark.parametrize("isa", ["xdna1", "xdna2"])
def test_random_programs_end_as_in_single_steps(isa: str) -> None:
    executed = 0
    for seed in range(4):
        programs = Programs(isa, 1000 + seed)
        bundles = programs.program()
        executed += check(isa, text_of(bundles), dict(programs.registers()), {}, seed)
    assert executed > 100


@pytest.mark.parametrize("name", SOURCES)
def test_programs_end_as_in_single_steps(name: str) -> None:
    isa, text, registers = SOURCES[name]
    numbers = np.random.default_rng(1).standard_normal(1 << 12).astype(np.float32)
    words = numbers.view(np.uint32) >> 16
    words[800:] = 0x7F80 if "infinity" in name else words[800:]
    data = {0x70000: words.astype(np.uint16).tobytes()}
    assert check(isa, text, {"r1": 24, **registers}, data) > (0 if "aligned" in name else 40)


def random_loop(isa: str, rng: random.Random) -> tuple[str, dict[str, int]]:
    """A loop of loads, stores and products whose places overlap as chance has it."""
    line, half = (32, "am") if isa == "xdna1" else (64, "bm")
    steps = [rng.choice((0, line, line, -line, 4 * line)) for _ in range(4)]
    rows: list[list[str]] = [[] for _ in range(rng.randint(9, 20))]
    queues = [rng.sample(range(len(rows)), 9) for _ in "ab"]

    def accumulator() -> str:
        return f"{half}{rng.choice('lh')}{rng.choice('lh')}{rng.randint(0, 1)}"

    for place, row in enumerate(rows):
        for number, unit in enumerate("ab"):
            if isa == "xdna2" and place in queues[number]:
                form = "fill.512 " if place == min(queues[number]) else "pop.576 "
                form += f"ex{4 * number + rng.randint(0, 2)}, " * (form != "fill.512 ")
                row.append(f"vld{unit}.{form}[p{number}, lf{number}, r{24 + number}]")
            elif unit == "a" and rng.random() < 0.3:
                row.append(f"vlda {accumulator()}, [p2], #{steps[2]}")
            elif rng.random() < 0.6:
                name = f"w{rng.choice('lh')}" if isa == "xdna1" else "x"
                row.append(
                    f"vld{unit} {name}{rng.randint(0, 5)}, [p{number + 4}], #{steps[number]}"
                )
        if rng.random() < 0.3:
            row.append(f"vst {accumulator()}, [p3], #{steps[3]}")
        if rng.random() < 0.6:
            names = ("bm", "x", "x") if isa == "xdna1" else ("dm", "ex", "ex4")
            tile = names[0] + (rng.choice("lh") if isa == "xdna1" else "") + str(rng.randint(0, 1))
            a, b = f"{names[1]}{rng.randint(0, 2)}", f"ex{rng.randint(4, 6)}"
            b = b if isa == "xdna2" else f"x{rng.randint(3, 5)}"
            row.append(f"vmac.f {tile}, {tile}, {a}, {b}, {rng.choice(('r0', 'r0', 'r2'))}")
        elif rng.random() < 0.1:
            row.append("add r5, r5, #1")
    *lines, last = ("; ".join(row) or "nop" for row in rows)
    pointers = {f"p{number}": 0x70000 + 0x400 * rng.randint(0, 4) for number in range(6)}
    pointers["p3"] += rng.choice((0, 0x4000, 0x4000))
    text = LOOP + "first: " + "\n".join(lines) + f"\nlast: {last}\nnop\ndone"
    conf = 28 if isa == "xdna1" else 780
    return text, {**pointers, "r0": conf, "r2": conf + rng.randint(0, 1), "r1": rng.randint(2, 20)}


@pytest.mark.parametrize("isa", KERNELS)
def test_random_loops_end_as_in_single_steps(isa: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes, execute = [], Blocks._executed_at_once

    def counted(self: Blocks, batch: Block, place: Any) -> Any:
        found = execute(self, batch, place)
        sizes.append(batch.size * (found is not place))
        return found

    monkeypatch.setattr(Blocks, "_executed_at_once", counted)
    rng = np.random.default_rng(3)
    words, bytes_ = rng.integers(0x3F00, 0x4000, 1 << 13), rng.integers(110, 130, 1 << 14)
    numbers = words.astype(np.uint16) if isa == "xdna1" else bytes_.astype(np.uint8)
    for seed in range(5):
        text, registers = random_loop(isa, random.Random(seed))
        check(isa, text, registers, {0x70000: numbers.tobytes()}, seed)
    assert sum(sizes) > 500
    assert 0 in sizes  # one that was left


@pytest.mark.parametrize("isa", KERNELS)
def test_batches_tell_observers_of_stores(isa: str) -> None:
    text, configuration = KERNELS[isa]
    told: list[list[Any]] = [[], []]
    for stores, trace in zip(told, (lambda pc: None, None)):
        machine = made(isa, text, {"r0": configuration, "r1": 3}, {0x70000: bytes(range(100)) * 20})
        machine.state.observers.append(stores.append)
        machine.run(1 << 20, trace=trace)
    assert told[0] == told[1] != []


@pytest.mark.parametrize("isa", KERNELS)
def test_kernels_end_as_in_single_steps(isa: str) -> None:
    text, configuration = KERNELS[isa]
    numbers = np.random.default_rng(2).integers(100, 140, 1 << 13).astype(np.uint8)
    data = {0x70000: numbers.tobytes(), 0x75000: bytes(0x1000)}
    assert check(isa, text, {"r0": configuration, "r1": 2}, data) > 400


def test_recorded_programs_end_as_in_single_steps() -> None:
    executed = 0
    for number, record in enumerate(RECORDS):
        registers = {name: int(text, 16) for name, text in record["registers"].items()}
        data = {int(at, 16): bytes.fromhex(each) for at, each in record["memory"].items()}
        if number % 8 == 0:
            executed += check(record["isa"], "\n".join(record["program"]), registers, data)
    assert executed > 50

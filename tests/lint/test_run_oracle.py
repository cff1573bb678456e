"""What the rules about the control run tell of random kernels is what a run of them does."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Iterator, NamedTuple, Sequence

import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.assembler.encode import encode
from ipu_asm.diagnostics import Severity
from ipu_asm.emulator import EmulatorError, Ipu, IpuState
from ipu_asm.flow.control_run.step_reading import steps_of
from ipu_asm.flow.control_run.steps import Step
from ipu_asm.isa import load_isa
from ipu_asm.program.program import Program

IPU = load_isa("ipu")
_ANALYZER = Analyzer(IPU)
_MOST_CYCLES = 3_000
_RING, _WINDOW = 512, 128


class Shadow(NamedTuple):
    """What a run does: addresses by rule, and whether it ends."""

    unloaded: set[int]
    windows: set[int]
    lost: set[int]
    faults: set[int]
    has_ended: bool


class _Ring:
    """The elements of the ring and the registers that have been loaded."""

    def __init__(self) -> None:
        self.elements: set[int] = set()
        self.registers: set[str] = set()

    def load(self, start: int) -> None:
        self.elements |= {(start + number) % _RING for number in range(_WINDOW)}

    def window(self, mnemonic: str, offset: int) -> set[int]:
        size = 1 if mnemonic == "mult.ev" else _WINDOW
        if mnemonic.startswith("mult.ve."):
            return {offset + number for number in range(size) if offset + number < _RING}
        return {(offset + number) % _RING for number in range(size)}


class _Stores:
    """Which executions of stores have lost all of their bytes before anything has read one."""

    def __init__(self) -> None:
        self.owner: dict[tuple[int, int], int] = {}
        self.left: list[int] = []
        self.place: list[int] = []
        self.is_read: list[bool] = []
        self.lost: Counter[int] = Counter()

    def read(self, base: int, start: int, size: int) -> None:
        for byte in range(start, start + size):
            if (base, byte) in self.owner:
                self.is_read[self.owner[base, byte]] = True

    def write(self, address: int, base: int, start: int, size: int) -> None:
        self.left.append(size)
        self.place.append(address)
        self.is_read.append(False)
        for byte in range(start, start + size):
            old = self.owner.get((base, byte))
            self.owner[base, byte] = len(self.left) - 1
            if old is not None:
                self.left[old] -= 1
                if not self.left[old] and not self.is_read[old]:
                    self.lost[self.place[old]] += 1

    def mostly_lost(self) -> set[int]:
        total = Counter(self.place)
        return {address for address, count in self.lost.items() if 2 * count > total[address]}


def shadow_run(program: Program) -> Shadow:
    """Run a program on the emulator, and watch what it loads, reads and stores."""
    state, steps = IpuState(), steps_of(program)
    state.load_program(encode(program))
    machine, ring, stores = Ipu(state), _Ring(), _Stores()
    unloaded: set[int] = set()
    windows: set[int] = set()
    for _ in range(_MOST_CYCLES):
        if state.is_halted:
            return Shadow(unloaded, windows, stores.mostly_lost(), set(), True)
        address = state.program_counter
        try:
            machine.execute_vliw_cycle()
        except EmulatorError:
            return Shadow(unloaded, windows, set(), {address}, True)
        _watch_memory(state, address, steps[address], stores)
        _watch_registers(program, state, address, (ring, unloaded, windows))
    return Shadow(unloaded, windows, set(), set(), False)


def _watch_memory(state: IpuState, address: int, step: Step, stores: _Stores) -> None:
    for access in step.accesses:
        if access.memory == "xmem":
            [(register, _)] = access.offset[1]
            start, base = state.regfile.get_lr(register), access.bases[0]
            if access.kind == "write":
                stores.write(address, base, start, access.size)
            else:
                stores.read(base, start, access.size)


def _watch_registers(
    program: Program, state: IpuState, address: int, seen: tuple[_Ring, set[int], set[int]]
) -> None:
    ring, unloaded, windows = seen
    bundle = program.bundles[program.bundle_at_address[address]]
    words = [[word.lower() for word in each.words] for each in bundle.instructions]
    for mnemonic, *operands in words:
        if mnemonic == "ldr_mult_reg":
            ring.registers.add(operands[0])
        elif mnemonic == "ldr_cyclic_mult_reg":
            ring.load(state.regfile.get_lr(int(operands[2][2:])))
    for mnemonic, *operands in words:
        if not mnemonic.startswith("mult."):
            continue
        if not mnemonic.startswith("mult.ve.") and operands[0] not in ring.registers:
            unloaded.add(address)
        offset = operands[0] if mnemonic.startswith("mult.ve.") else operands[1]
        window = ring.window(mnemonic, state.regfile.get_lr(int(offset[2:])))
        if window and not window & ring.elements:
            (windows if ring.elements else unloaded).add(address)


def told(program: Program, text: str) -> dict[str, set[int]]:
    """The addresses of the findings by code."""
    found: dict[str, set[int]] = {}
    for finding in _ANALYZER.analyze(text).diagnostics:
        if finding.code.startswith("W3"):
            number = program.bundle_at(finding.span.start)
            found.setdefault(finding.code, set()).add(program.addresses[number])
    return found


def check(text: str) -> Shadow:
    """The rules tell of a kernel what its run does, each at the place where it does it."""
    program = _ANALYZER.analyze(text).program
    assert [f.message for f in program.findings if f.severity is Severity.ERROR] == []
    run, codes = shadow_run(program), told(program, text)
    if not run.has_ended:
        return run
    assert codes.get("W301", set()) | codes.get("W302", set()) == run.unloaded | run.windows
    assert run.unloaded <= codes.get("W301", set())
    assert codes.get("W305", set()) == run.lost
    assert codes.get("W303", set()) <= run.faults
    assert bool(run.faults) == bool({"W303", "W310"} & codes.keys())
    return run


def random_kernel(seed: int) -> str:
    """Nested loops that load, multiply and store at offsets that are drawn."""
    random = Random(seed)
    setup = [
        f"set lr{n} {random.choice((0, 0, 128, 256, 512, 384))};;"
        for n in range(10, 16)
        if random.random() < 0.6
    ]
    return "\n".join([*setup, *_loop(random, 0), "bkpt;;"])


def _loop(random: Random, depth: int) -> Iterator[str]:
    yield f"set lr{depth} 0; set lr{depth + 4} {random.randint(1, 5)};;"
    yield f"l{depth}:"
    for _ in range(random.randint(1, 4)):
        if depth < 2 and random.random() < 0.3:
            yield from _loop(random, depth + 1)
            return_after = f"acc; incr lr{depth} 1;;\nblt lr{depth} lr{depth + 4} l{depth};;"
            yield return_after
            return
        yield _bundle(random)
    yield f"incr lr{depth} 1;;"
    yield f"{_bundle(random)[:-2]}; blt lr{depth} lr{depth + 4} l{depth};;"


def _bundle(random: Random) -> str:
    a, b, c, d = (f"lr{random.randrange(10, 16)}" for _ in range(4))
    step = random.choice((128, 128, 256, 512, 384, 0, -128))
    update = random.choice((f"incr {a} {step}", f"set {a} {abs(step)}", "acc_nop", "acc_nop"))
    register = random.choice(("r0", "r0", "r1"))
    access = random.choice((
        f"str_acc_reg {b} cr1", f"xmem.store_aaq_result {c} cr1",
        f"ldr_mult_reg {register} {b} cr1",
        f"ldr_cyclic_mult_reg {c} cr0 {d}", f"ldr_cyclic_mult_reg {c} cr0 {d}",
    ))  # fmt: skip
    product = random.choice((
        f"mult.ee {register} {d} lr0 lr0", f"mult.ve.cr {d} lr0 lr0 cr2", "mult_nop",
        f"mult.ev {register} {d} lr0 lr0", "mult_nop",
    ))  # fmt: skip
    return f"{update}; {access}; {product};;"


@pytest.mark.parametrize("seeds", [range(n, n + 40) for n in range(0, 160, 40)], ids=str)
def test_random_kernels_do_what_is_told(seeds: Sequence[int]) -> None:
    runs = [check(random_kernel(seed)) for seed in seeds]
    assert sum(bool(run.unloaded | run.windows) for run in runs) > 0
    assert sum(run.has_ended for run in runs) > len(seeds) // 2

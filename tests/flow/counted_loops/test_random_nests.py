"""Trips, executions and cycles of random nests of loops are those of an interpreter."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Callable, Iterator

import pytest

from ipu_asm.emulator.code_program import linked
from ipu_asm.emulator.code_runs import code_model
from ipu_asm.flow.counted_loops.loops import CountedLoops, counted_loops
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.line_table import read_effective_program
from ipu_asm.text import SourceFile
from tests.flow.counted_loops.counter_machines import Run, run_colossus, run_engine

SLOTS = ["nop"] * 5
SEEDS = range(150)


class Nest:
    """Lines of a random program; each loop has its own counters, so that nests end."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.labels = 0
        self.registers = 0

    def label(self) -> str:
        self.labels += 1
        return f".L{self.labels}"

    def program(self) -> list[str]:
        raise NotImplementedError

    def fill(self, most: int = 3) -> list[str]:
        return ["nop"] * self.random.randrange(most)


class ColossusNest(Nest):
    """Nests of `rpt`, `brnzdec`, and `brnz` with a decrement before it or after its test."""

    def register(self) -> str:
        self.registers = self.registers % 11 + 1
        return f"$m{self.registers}"

    def program(self) -> list[str]:
        return ["f:", *self.body(3), "exitz $mzero"]

    def body(self, depth: int) -> list[str]:
        parts = [self.loop(depth) for _ in range(self.random.randint(1, 2))] if depth else []
        return [line for part in (self.fill(), *parts, self.fill()) for line in part]

    def constant(self, register: str, value: int) -> list[str]:
        if self.random.random() < 0.3:
            return [f"setzi $m0, {value + 3}", f"add {register}, $m0, -3"]
        return [f"setzi {register}, {value}"]

    def loop(self, depth: int) -> list[str]:
        counter, head = self.register(), self.label()
        trips = self.random.randint(1, 4)
        kind = self.random.choice(["rpt", "rpt register", "brnzdec", "brnz", "jump"])
        if kind.startswith("rpt"):
            length = self.random.randint(1, 3)
            how = self.constant(counter, trips) if kind != "rpt" else []
            count = counter if kind != "rpt" else str(trips)
            repeated = ["{ nop ; fnop }"] * length
            return [*how, f"{{ rpt {count}, {length - 1} ; fnop }}", *repeated]
        if kind == "jump":
            return [f"bri {head}", "nop", f"{head}:"]
        inside = self.body(depth - 1)
        if kind == "brnzdec":
            end = [f"brnzdec {counter}, {head}"]
            return [*self.constant(counter, trips - 1), f"{head}:", *inside, *end]
        step = self.random.choice([1, 2])
        end = [f"add {counter}, {counter}, -{step}", *self.fill(), f"brnz {counter}, {head}"]
        return [*self.constant(counter, trips * step), f"{head}:", *inside, *end]


class EngineNest(Nest):
    """Nests of hardware loops, `jnzd` with an address in a register, and `jnz`."""

    def register(self) -> str:
        self.registers = self.registers % 20 + 1
        return f"r{self.registers}"

    def program(self) -> list[str]:
        return ["f:", *self.body(3), "ret lr", *SLOTS]

    def body(self, depth: int) -> list[str]:
        parts = [self.loop(depth) for _ in range(self.random.randint(1, 2))] if depth else []
        return [line for part in (self.fill(), *parts, self.fill()) for line in part]

    def loop(self, depth: int) -> list[str]:
        counter, head, last = self.register(), self.label(), self.label()
        trips = self.random.randint(1, 4)
        kind = self.random.choice(["hardware", "jnzd", "jnz", "jump"])
        if kind == "jump":
            return [f"j #{head}", *SLOTS, "nop", f"{head}:"]
        if kind == "hardware":
            setup = [f"movxm ls, #{head}", f"movxm le, #{last}", f"mova {counter}, #{trips + 2}"]
            setup += [f"add.nc lc, {counter}, #-2"]
            body = ["nop"] * self.random.randint(6, 9)
            return [*setup, f"{head}:", *body, f"{last}:", "nop"]
        inside = self.body(depth - 1)
        if kind == "jnzd":
            pointer = f"p{depth}"
            setup = [f"movxm {pointer}, #{head}", f"movx {counter}, #{trips - 1}"]
            end = [f"jnzd {counter}, {counter}, {pointer}", *SLOTS]
            return [*setup, f"{head}:", *inside, *end]
        decrement = f"add {counter}, {counter}, #-1"
        if self.random.random() < 0.5:
            end = [decrement, *self.fill(), f"jnz {counter}, #{head}", *SLOTS]
            return [f"mova {counter}, #{trips}", f"{head}:", *inside, *end]
        slots = [decrement, *SLOTS[1:]]
        self.random.shuffle(slots)
        end = [f"jnz {counter}, #{head}", *slots]
        return [f"mova {counter}, #{trips - 1}", f"{head}:", *inside, *end]


FAMILIES = {
    "colossus": (ColossusNest, run_colossus),
    "xdna1": (EngineNest, run_engine),
    "xdna2": (EngineNest, run_engine),
}


def disturbed(lines: list[str], random: Random, isa: str) -> list[str]:
    """Return lines with a few others between them, that data or other code may decide."""
    labels = [line[:-1] for line in lines if line.startswith(".L")] or ["f"]
    found = list(lines)
    for _ in range(random.randint(1, 3)):
        at = random.randrange(1, len(found))
        label, number = random.choice(labels), random.randint(1, 11)
        if isa == "colossus":
            register = f"$m{number}"
            others = [
                f"ld32 {register}, $mzero, $mzero, 0",
                f"setzi {register}, {random.randrange(5)}",
                f"add {register}, {register}, -1",
                f"brz {register}, {label}",
                f"brnzdec {register}, {label}",
                f"bri {label}",
            ]
        else:
            register = f"r{number}"
            others = [
                f"lda {register}, [p7, #0]",
                f"mova {register}, #{random.randrange(5)}",
                f"add {register}, {register}, #-1",
                f"movx lc, #{random.randrange(1, 5)}",
                f"movxm p{random.randint(1, 3)}, #{label}",
                f"movxm le, #{label}",
            ]
        found.insert(at, random.choice(others))
    return found


IDLE = (
    "nop", "nopa", "nops ; nopa", "nopv ; nopx", "nopa ; nopb ; nops ; nopxm ; nopv",
    "mova r30, #3", "vlda wl0, [p7], #0 ; nopx", "vst wl0, [p7, #0] ; mova r30, #3",
)  # fmt: skip


def aligned(lines: list[str], random: Random) -> list[str]:
    """Return lines with bundles of all sizes, and alignments between them."""
    found = []
    for at, line in enumerate(lines):
        # No decrement is moved out of the delay slots, or the loop would not end.
        counts = [line.startswith("add r") for line in lines[at : at + 5]]
        slots = [line.startswith("jnz ") for line in lines[max(0, at - 5) : at]]
        if random.random() < 0.2 and not (any(counts) and any(slots)):
            most = random.choice(["", "", "", ", , 6", ", , 20"])
            found.append(f".p2align {random.randint(2, 6)}{most}")
        found.append(random.choice(IDLE) if line == "nop" else line)
    return found


def check(isa: str, text: str, run: Run) -> CountedLoops:
    """Check that all that is said of a program holds for a run of it."""
    counted = counted_loops(read_program(load_isa(isa), text))
    for loop in counted.loops.values():
        entries = run.entries(loop.first, loop.last)
        assert all(trips == loop.trips for trips in entries), (text, loop, entries)
    whole = counted.whole
    if whole is not None and whole.issued is not None and run.is_complete:
        assert Counter(run.trace) == whole.issued, text
        assert whole.cycles == len(run.trace)
    return counted


def cases() -> Iterator[tuple[str, Random, list[str], Callable[[str, Random], Run]]]:
    for isa, (nest, machine) in FAMILIES.items():
        for seed in SEEDS:
            random = Random(f"{isa} {seed}")
            yield isa, random, nest(random).program(), machine


@pytest.mark.parametrize("isa", FAMILIES)
def test_all_loops_of_nests_with_constants_are_known(isa: str) -> None:
    known = 0
    for name, random, lines, machine in cases():
        if name != isa:
            continue
        text = "\n".join(lines) + "\n"
        run = machine(text, random)
        assert run.is_complete, text
        counted = check(isa, text, run)
        assert counted.whole is not None
        assert counted.whole.cycles == len(run.trace), text
        known += len(counted.loops)
    assert known > len(SEEDS)


def check_executions(isa: str, text: str) -> int:
    """Check that all bundles are executed as often as is said; return the no-ops of alignments."""
    effective = read_effective_program(load_isa(isa), SourceFile(text))
    program = effective.program
    model = code_model(isa)
    machine = model.make_machine(linked(effective, SourceFile(text), model.data_address))
    machine.state.set_register("p7", model.data_address)
    executed: Counter[int] = Counter()
    machine.start(machine.program.entry(None))
    machine.run(100_000, trace=lambda pc: executed.update([machine.program.bundles[pc]]))
    assert machine.state.end == "returned", text
    whole = counted_loops(program).whole
    assert whole is not None, text
    assert whole.issued is not None, text
    assert whole.cycles == machine.state.cycle, text
    issued: Counter[int] = Counter()
    for address, times in whole.issued.items():
        issued[program.bundle_at_address[address]] += times
    assert issued == executed, text
    return sum(program.bundles[number].size for number, _ in program.directives)


@pytest.mark.parametrize("isa", ["xdna1", "xdna2"])
def test_no_ops_of_alignments_are_executed_as_the_machine_does(isa: str) -> None:
    filled = 0
    for seed in range(20):
        random = Random(f"alignments {isa} {seed}")
        lines = aligned(EngineNest(random).program(), random)
        filled += check_executions(isa, ".globl f\n.type f,@function\n" + "\n".join(lines) + "\n")
    assert filled > 100


@pytest.mark.parametrize("isa", FAMILIES)
def test_no_number_is_wrong_where_something_else_is_in_between(isa: str) -> None:
    known = unknown = 0
    for name, random, lines, machine in cases():
        if name != isa:
            continue
        text = "\n".join(disturbed(lines, random, isa)) + "\n"
        for _ in range(3):
            counted = check(isa, text, machine(text, random))
        known += len(counted.loops)
        unknown += counted.whole is None or counted.whole.cycles is None
    assert known
    assert unknown

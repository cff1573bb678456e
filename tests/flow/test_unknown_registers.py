"""What the control run says without the values of CRs holds for every value."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import prod
from random import Random
from re import sub
from typing import Iterator, Mapping, Sequence

import pytest

from ipu_asm.flow.control_run.execution import control_run
from ipu_asm.flow.control_run.facts import ControlFacts, control_facts
from ipu_asm.flow.control_run.run import ENDLESS, FAULT, HALTED, UNKNOWN, ControlRun
from ipu_asm.flow.control_run.summary import summarise
from ipu_asm.flow.control_run.trace import Executed, Node, Progression
from ipu_asm.flow.control_run.values import (
    ByteSums,
    Definition,
    Modulo,
    Product,
    Value,
    byte_sums,
    wrapped,
)
from ipu_asm.flow.loop_numbers import entry_trips_text
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from tests.flow.test_control_run import random_kernel, real_run

IPU = load_isa("ipu")
MOST_CYCLES = 3_000


class TooLongError(Exception):
    """The loop takes more iterations than a test executes."""


class Substitution:
    """Values of a control run with numbers for the unknown registers."""

    def __init__(self, registers: Mapping[str, int]) -> None:
        self._registers = registers
        self._known: dict[Definition, int | None] = {}

    def number(self, value: Value) -> int:
        if isinstance(value, int):
            return wrapped(value)
        total = value.constant
        for part, factor in value.parts:
            definition = part.definition
            if definition is None:
                total += factor * self._registers[part.name]
            else:
                if definition not in self._known:
                    self._known[definition] = self._defined(definition)
                number = self._known[definition]
                if number is None:
                    raise TooLongError
                total += factor * number
        return wrapped(total)

    def _defined(self, definition: Definition) -> int | None:
        if isinstance(definition, Product):
            return self.number(definition.left) * self.number(definition.right)
        if isinstance(definition, Modulo):
            return self.number(definition.value) % definition.modulus
        if isinstance(definition, ByteSums):
            found = byte_sums(self.number(definition.value), self.number(definition.byte))
            assert isinstance(found, int)
            return found
        left, right, left_step, right_step = map(self.number, definition[2:])
        holds = {"<": int.__lt__, "==": int.__eq__, "!=": int.__ne__}[definition.relation]
        for count in range(MOST_CYCLES):
            if holds(left, right) is not definition.outcome:
                return count
            left, right = wrapped(left + left_step), wrapped(right + right_step)
        return None

    def count(self, value: Value | None) -> int:
        assert value is not None
        number = self.number(value) % (1 << 32)
        if number > MOST_CYCLES:
            raise TooLongError
        return number

    def numbers(self, progression: Progression) -> Iterator[int]:
        counts = [range(self.count(count)) for _, count in progression.dimensions]
        if prod(map(len, counts)) > MOST_CYCLES:
            raise TooLongError
        strides = [self.number(stride) for stride, _ in progression.dimensions]
        for places in product(*counts):
            steps = sum(stride * place for stride, place in zip(strides, places))
            yield self.number(progression.start) + steps

    def executions(self, nodes: Sequence[Node], times: int = 1) -> Counter[int]:
        found: Counter[int] = Counter()
        for node in nodes:
            if isinstance(node, Executed):
                found[node.address] += times
            else:
                for segment in node.segments:
                    count = self.count(segment.iterations)
                    found += self.executions(segment.nodes, times * count)
        return found


def check(text: str, presets: Mapping[str, int], values: Mapping[str, int]) -> str:
    """Check one substitution of unknown registers; return how the control run ended."""
    program = read_program(IPU, text)
    assert program.findings == []
    run = control_run(program, presets, 3_000)
    executions, registers, accesses, ended = real_run(
        program, run.steps, {**presets, **values}, MOST_CYCLES
    )
    if ended == "limit":
        return ended
    known = Substitution({f"cr{n}": 0 for n in range(16)} | dict(values))
    try:
        claimed = known.executions(run.nodes)
        offsets = accesses_of(run, known)
    except TooLongError:
        return "limit"
    if ended == FAULT and claimed != executions:  # at an address that depends on what is unknown
        assert executions <= claimed or claimed <= executions
        return FAULT
    if not run.is_complete:
        assert claimed <= executions
        assert offsets <= accesses
        return run.end.reason
    assert run.end.reason == ended
    assert claimed == executions
    assert offsets == accesses
    assert [known.number(value) for value in run.registers[:16]] == registers
    summary = summarise(run)
    for address, count in enumerate(summary.executions):
        assert count is None or count == executions[address]
    return ended if summary.cycles is None else "known"


def accesses_of(run: ControlRun, known: Substitution) -> Counter[tuple[int, int]]:
    found: Counter[tuple[int, int]] = Counter()
    for (address, _), access in summarise(run).accesses.items():
        for progression in access.offsets:
            for offset in known.numbers(progression):
                found[address, offset % (1 << 32)] += 1
    return found


def unknown_kernel(seed: int) -> str:
    """A random kernel with bounds and steps from registers that the host sets."""
    random = Random(seed)
    lines = []
    for line in random_kernel(seed).splitlines():
        if line.count("; ") == 1 and "; set lr" in line and random.random() < 0.6:
            first, second = line.rstrip(";").split("; ")
            bound = f"add {second.split()[1]} lr{random.randrange(10, 16)} cr8"
            if random.random() < 0.5:
                bound = f"sub {second.split()[1]} cr8 cr{random.choice((3, 9))}"
            line = f"{first}; {bound};;"
        elif line.startswith("set lr") and random.random() < 0.4:
            register = line.split()[1].rstrip(";")
            line = f"add {register} lr{random.randrange(16)} cr{random.choice((8, 9, 10))};;"
        lines.append(sub(r"ldr_cyclic_mult_reg (lr\d+) cr0 lr\d+", r"ldr_mult_reg r1 \1 cr0", line))
    return "\n".join(lines)


VALUES = (0, 1, 2, 3, 4, 5, 8, 12, 128, 256, -1, -3, 0x7FFFFFFF, -0x80000000)
PRESETS = {"cr0": 0, "cr1": 0x20000, "cr3": 3, "cr4": 128, "cr5": 512}


@pytest.mark.parametrize("seeds", [range(n, n + 25) for n in range(0, 250, 25)], ids=str)
def test_what_is_said_of_a_random_kernel_holds_for_every_value(seeds: Sequence[int]) -> None:
    ends: Counter[str] = Counter()
    for seed in seeds:
        random = Random(seed)
        for _ in range(4):
            values = {name: random.choice(VALUES) for name in ("cr8", "cr9", "cr10")}
            ends[check(unknown_kernel(seed), PRESETS, values)] += 1
    assert ends[HALTED] >= 2


UNIFORM = {
    "bottom-tested": "again: incr lr0 1; str_acc_reg lr5 cr1;;\nincr lr5 4; bne lr0 lr1 again;;",
    "old value compared": "again: incr lr0 1; str_acc_reg lr0 cr1; bne lr0 lr1 again;;",
    "less": "again: incr lr0 1;;\nincr lr5 4; blt lr0 lr1 again;;",
    "less by steps": "again: incr lr0 3;;\nincr lr5 4; blt lr0 lr1 again;;",
    "down": "add lr0 lr1 cr3;;\nagain: incr lr0 -1;;\nincr lr5 4; blt lr2 lr0 again;;",
    "top-tested": "again: beq lr0 lr1 +3;;\nincr lr0 1; incr lr5 128;;\nb again;;\nincr lr7 1;;",
    "left in the middle": (
        "again: incr lr0 1; incr lr5 8;;\nblt lr1 lr0 +3;;\n"
        "ldr_mult_reg r0 lr5 cr1; incr lr6 2;;\nb again;;\nincr lr7 1;;"
    ),
    "two in each other": (
        "outer: set lr0 0;;\ninner: incr lr0 1; incr lr5 1;;\nblt lr0 lr1 inner;;\n"
        "incr lr2 1; incr lr6 1;;\nbne lr2 lr3 outer;;"
    ),
    "known around unknown": (
        "outer: set lr0 0;;\ninner: incr lr0 1; incr lr5 1;;\nbne lr0 lr1 inner;;\n"
        "incr lr2 1; str_acc_reg lr0 cr1;;\nbne lr2 lr4 outer;;"
    ),
    "two after each other": (
        "first: incr lr0 1; incr lr5 1;;\nbne lr0 lr1 first;;\nset lr2 0;;\n"
        "second: incr lr2 2; incr lr5 3;;\nblt lr2 lr0 second;;"
    ),
    "an unknown step": "again: incr lr0 1; add lr5 lr5 cr8;;\nbne lr0 lr1 again;;\nincr lr5 1;;",
    "an unknown step compared": "again: add lr0 lr0 cr8;;\nincr lr5 1; blt lr0 lr1 again;;",
}


@pytest.mark.parametrize("text", UNIFORM.values(), ids=UNIFORM)
def test_a_loop_with_an_unknown_bound_is_said_for_every_bound(text: str) -> None:
    text = f"add lr1 lr1 cr2; add lr3 lr3 cr9;;\nset lr4 5;;\n{text}\nincr lr8 1;;\nbkpt;;\n"
    ended = 0
    for bound in (*VALUES, 6, 7, 9, 64, 300):
        values = {"cr2": bound, "cr9": 3, "cr8": 2}
        ended += check(text, {"cr1": 0, "cr3": 4}, values) == HALTED
    assert ended >= 5


def facts_of(text: str) -> ControlFacts:
    program = read_program(IPU, f"add lr1 lr1 cr5;;\n{text}\nbkpt;;\n")
    (facts,) = control_facts(program)
    return facts


@pytest.mark.parametrize(
    ("loop", "trips"),
    [
        ("again: incr lr0 1;;\nbne lr0 lr1 again;;", "cr5"),
        ("again: incr lr0 1; bne lr0 lr1 again;;", "cr5 + 1"),
        ("again: incr lr0 1;;\nblt lr0 lr1 again;;", "max(1, cr5)"),
        ("again: incr lr0 -1;;\nblt lr1 lr0 again;;", "max(1, -cr5)"),
        ("again: incr lr0 128;;\nbne lr0 lr1 again;;", "cr5 / 0x80"),
        ("again: incr lr0 128;;\nblt lr0 lr1 again;;", "depends on cr5"),
    ],
)
def test_trips_that_depend_on_a_register_say_how(loop: str, trips: str) -> None:
    facts = facts_of(loop)
    summary = facts.loop_around(1)
    assert summary is not None
    assert facts.is_complete
    assert entry_trips_text(summary) == trips
    assert (summary.least, summary.most, summary.cycles) == (None, None, None)
    assert summary.unknown == facts.summary.unknown == ("cr5",)
    assert facts.summary.cycles is None


def test_addresses_of_a_loop_with_unknown_trips_are_said_in_words() -> None:
    facts = facts_of(
        "again: ldr_mult_reg r0 lr2 cr1; incr lr0 1;;\nincr lr2 128; bne lr0 lr1 again;;"
    )
    [access] = facts.accesses_at(1)
    assert facts.address_text(access) == "cr1 + 0x80 x k, k < cr5"
    assert facts.offset_ranges(access) is None


@pytest.mark.parametrize(
    "loop",
    [
        "again: beq lr0 lr2 +2;;\nset lr2 1;;\nincr lr0 1;;\nbne lr0 lr1 again;;",
        "again: incr lr0 1; beq lr0 lr1 +3;;\nincr lr2 1; beq lr2 lr1 +2;;\nb again;;",
        "set lr3 9;;\nagain: incr lr0 1; beq lr0 lr3 +3;;\nbeq lr0 lr1 +2;;\nb again;;",
        "again: bne lr0 lr1 again;;",
        "bne lr0 lr1 +2;;\nincr lr0 1;;",
    ],
    ids=["path changes", "two exits", "a known exit too", "nothing changes", "no loop"],
)
def test_the_run_ends_at_a_branch_that_leaves_too_much_open(loop: str) -> None:
    facts = facts_of(loop)
    assert not facts.is_complete
    assert facts.run.end.reason == UNKNOWN
    assert facts.run.end.unknown == ("cr5",)


def test_a_loop_that_ends_with_a_fault_of_an_unknown_address_is_not_endless() -> None:
    facts = facts_of("l: incr lr1 128; ldr_mult_reg r0 lr1 cr0; beq lr2 lr2 l;;")
    assert facts.run.end[:3] == (UNKNOWN, 1, ("cr5",))
    assert facts_of("l: ldr_mult_reg r0 lr1 cr0; beq lr2 lr2 l;;").run.end.reason == ENDLESS


@pytest.mark.parametrize(
    ("text", "address", "executions"),
    [
        ("incr lr0 1; ldr_mult_reg r0 lr0 cr0; beq lr0 lr1 l;; acc;; l:", 1, (1, 1)),
        ("l: incr lr0 1; ldr_mult_reg r0 lr0 cr0; bne lr1 lr2 l;;", 1, (1, 1)),
        ("l: acc;; incr lr0 1; ldr_mult_reg r0 lr0 cr0; bne lr1 lr2 l;;", 2, (1, 1)),
        ("ldr_mult_reg r0 lr0 cr0; br lr1;;", 1, (1, 0)),
    ],
)
def test_the_bundle_whose_branch_nobody_can_decide_has_run(
    text: str, address: int, executions: tuple[int, int]
) -> None:
    facts = facts_of(text)
    count, value = executions
    assert facts.run.end == (UNKNOWN, address, ("cr5",), True)
    assert facts.summary.executions[address] == count
    assert facts.run.registers[0] == value
    assert [access.offsets for access in facts.accesses_at(address)] == [[Progression(value)]]
    assert facts.summary.taken == {}


def test_a_bundle_whose_branch_nobody_can_decide_faults_first() -> None:
    facts = facts_of("incr lr0 -1; ldr_mult_reg r0 lr0 cr0; beq lr0 lr1 l;; acc;; l:")
    assert facts.run.end[:2] == (FAULT, 1)

"""The control run of rings, of pairs of bytes, of rows, and of `>=`, beside a toy machine."""

from __future__ import annotations

import re
from collections import Counter
from random import Random
from typing import Mapping

import pytest

from ipu_asm.flow.control_run.execution import control_run
from ipu_asm.flow.control_run.run import FAULT, MAX_STEPS, ControlRun
from ipu_asm.flow.control_run.summary import summarise
from ipu_asm.flow.control_run.trace import numbers
from ipu_asm.flow.control_run.values import value_text
from ipu_asm.program.build import read_program
from tests.flow.test_unknown_registers import Substitution
from tests.flow.toy_machine import TOY, Toy

MOST_CYCLES = 2_000
CRS = {"cr0": 0, "cr1": 1, "cr2": 4, "cr3": 37}


def run_of(
    text: str, registers: Mapping[str, int] = CRS, most_steps: int = MAX_STEPS
) -> ControlRun:
    program = read_program(TOY, text)
    assert program.findings == []
    return control_run(program, registers, most_steps)


def check(text: str, registers: Mapping[str, int] = CRS) -> ControlRun:
    """The control run of a text, which is that of the toy."""
    bundles, labels = [], {}
    for number, part in enumerate(text.split(";;")[:-1]):
        found = re.match(r"\s*(\w+):", part)
        if found:
            labels[found[1]] = number
            part = part[found.end() :]
        bundles.append([each.split() for each in part.split(";") if each.strip()])
    toy = Toy(registers)
    toy.run(bundles, labels, MOST_CYCLES)
    run = run_of(text, registers, 5 * MOST_CYCLES)
    if toy.ended == "limit":
        return run
    assert run.end.reason == toy.ended
    summary = summarise(run)
    assert summary.executions == [toy.executions[number] for number in range(len(bundles))]
    values = [value % (1 << 32) for value in run.registers if isinstance(value, int)]
    assert values[:4] == [toy.registers[f"lr{number}"] for number in range(4)]
    rows: Counter[tuple[int, int]] = Counter()
    for (address, _), access in summary.accesses.items():
        base = sum(run.registers[base] for base in access.access.bases)  # type: ignore[misc]
        for each in access.offsets:
            rows.update((address, number // 128 + base) for number in numbers(each))
    assert rows == toy.rows
    return run


@pytest.mark.parametrize("first", range(0, 100, 50))
def test_random_nests_run_as_on_the_machine(first: int) -> None:
    for seed in range(first, first + 50):
        random = Random(seed)
        registers = {f"cr{n}": random.choice([0, 1, 2, 3, 7, 128, 200, 1 << 31]) for n in range(4)}
        registers |= {f"lr{n}": random.choice([0, 0, 5, 0x01020304, -3]) for n in range(4)}
        check(_random_program(random), registers)


def _random_program(random: Random) -> str:
    lines: list[str] = []
    _add_nest(random, lines, random.randint(1, 3))
    return "\n".join(lines) + "\nhalt;;\n"


def _add_nest(random: Random, lines: list[str], depth: int) -> None:
    label = f"l{len(lines)}"
    lines.append(f"{label}: {_updates(random)};;")
    if depth > 1:
        _add_nest(random, lines, depth - 1)
    elif random.random() < 0.5:
        access = random.choice(["load", "store"])
        lines.append(f"{access} lr{random.randrange(4)} cr{random.randrange(4)};;")
    a, b = random.randrange(4), random.choice(["lr0", "lr1", "lr2", "lr3", "cr1", "cr3"])
    branch = random.choice(["blt", "bge", "bne", "beq"])
    lines.append(f"{_updates(random)}; {branch} lr{a} {b} {label};;")


def _updates(random: Random) -> str:
    first = random.randrange(4)
    second = (first + random.randint(1, 3)) % 4
    return "; ".join(_update(random, register) for register in sorted({first, second}))


def _update(random: Random, register: int) -> str:
    source = random.choice(["lr0", "lr1", "lr2", "lr3", "cr1", "cr2", "cr3"])
    return random.choice(
        [
            f"step lr{register} {random.choice([1, 2, 128, 255])}",
            f"back lr{register} {random.choice([1, 3, 64])}",
            f"ring lr{register} {source} {random.randint(1, 9)}",
            f"ring lr{register} {source} 9",
            f"add lr{register} lr{random.randrange(4)} {source}",
            f"set lr{register} cr{random.randrange(4)}",
            f"step lr{register} 1",
        ]
    )


@pytest.mark.parametrize(
    "text",
    [
        "loop: ring lr1 cr2 9; step lr0 1;; blt lr0 cr3 loop;; halt;;",
        "loop: bytesi lrd2 3; step lr0 1;; load lr0 cr0; bne lr0 cr3 loop;; halt;;",
        "loop: bytesi lrd2 -100; step lr0 1;; bne lr0 cr3 loop;; halt;;",
        "loop: bytes lrd2 lr0; step lr0 1;; bne lr0 cr3 loop;; halt;;",
        "set lr0 cr3;; loop: back lr0 1; ring lr2 lr0 4;; bge lr0 cr2 loop;; halt;;",
        "loop: store lr0 cr1; step lr0 1;; bge lr0 lr1 loop;; halt;;",
        "out: set lr0 cr0; ring lr2 cr1 2;; in: ring lr1 cr2 5; step lr0 1;;"
        "blt lr0 cr2 in;; step lr3 1; bne lr3 cr3 out;; halt;;",
    ],
)
def test_loops_run_as_on_the_machine(text: str) -> None:
    check(text)
    check(text, {**CRS, "cr3": 600})


def test_a_ring_is_settled_by_its_period() -> None:
    text = "loop: ring lr1 cr2 9; step lr0 1;; bne lr0 cr3 loop;; halt;;"
    run = run_of(text, {**CRS, "cr2": 128, "cr3": 100_000_001})
    summary = summarise(run)
    assert summary.cycles == 200_000_004 - 1
    [loop] = summary.loops.values()
    assert (loop.least, loop.most) == (100_000_001, 100_000_001)
    assert run.registers[1] == 128


def test_the_last_row_can_be_reached_in_both_modes_and_no_other() -> None:
    program = read_program(TOY, "loop: store lr0 cr0; step lr0 1;; bne lr0 cr3 loop;; halt;;")
    [access] = summarise(control_run(program, {**CRS, "cr3": 63})).accesses.values()
    assert (access.access.size, access.access.unit, access.access.highest) == (512, 128, 63 * 128)
    run = control_run(program, CRS | {"cr3": 64})
    assert run.end.reason == FAULT
    assert run.registers[0] == 63


def test_unknown_values_are_reduced_as_far_as_sums_allow() -> None:
    text = "ring lr0 cr1 9;; ring lr0 cr1 9; step lr1 9;; ring lr0 lr1 3; bytes lrd2 cr2;; halt;;"
    run = run_of(text, {})
    assert [value_text(value) for value in run.registers[:4]] == [
        "((2 x cr1 + 1) mod 8)", "9", "(bytes of 0 + cr2)", "(bytes of 0 + cr2)",
    ]  # fmt: skip
    for number in (0, 1, 3, 77, 511, 1 << 31, 0xFFFFFFFF):
        registers = {"cr1": number, "cr2": number + 100, "cr0": 0, "cr3": 0}
        known, substitution = run_of(text, registers), Substitution(registers)
        assert [substitution.number(value) for value in run.registers] == list(known.registers)


def test_a_comparison_with_an_unknown_value_is_the_opposite_of_less() -> None:
    text = "loop: step lr0 1; bge cr3 lr0 loop;; halt;;"
    [loop] = summarise(run_of(text, {})).loops.values()
    assert loop.trips is not None
    for number in (0, 1, 5, -4):
        expected = summarise(run_of(text, {"cr3": number})).loops[0].most
        assert Substitution({"cr3": number}).count(loop.trips) == expected

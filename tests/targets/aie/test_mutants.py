"""A mistake put into valid code is found where it is, and nothing else is."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

import pytest

from ipu_asm.flow.accesses import RegisterAccess, accesses_of, needed_distance
from ipu_asm.isa import load_isa
from ipu_asm.targets.aie.operands import BracketType, ImmediateType
from tests.targets.aie.cases import NAMES, analyze, immediates_of, specs_of, written

NOPS = "    nop\n" * 5
RETURN = f"    ret lr\n{NOPS}"


def check_findings(isa: str, text: str) -> list[tuple[str, str]]:
    """What is found in a text: the code, and what it points at."""
    analysis = analyze(isa, text)
    return [(f.code, text[f.span.start : f.span.end]) for f in analysis.diagnostics]


@pytest.mark.parametrize("isa", NAMES)
def test_an_immediate_out_of_its_range_is_found_in_every_form(isa: str) -> None:
    count = 0
    for spec in specs_of(isa):
        for place, operand in enumerate(spec.operands):
            for kind in immediates_of(operand.type):
                assert kind.maximum is not None
                value = f"#{kind.maximum + kind.step}"
                text = _with_operand(spec.mnemonic, written(spec), operand.type, place, value)
                if analyze(isa, text).diagnostics == ():
                    # Another form of the mnemonic takes it, such as a wider register's.
                    continue
                assert check_findings(isa, text) == [("E106", value)], text
                count += 1
    assert count > 100


def _with_operand(mnemonic: str, text: str, kind: object, place: int, value: str) -> str:
    """A form with another immediate in one of its operands."""
    operands, depth, start = [], 0, 0
    rest = text[len(mnemonic) + 1 :]
    for at, letter in enumerate(rest):
        depth += (letter == "[") - (letter == "]")
        if letter == "," and not depth:
            operands.append(rest[start:at].strip())
            start = at + 1
    operands.append(rest[start:].strip())
    if isinstance(kind, BracketType):
        inner = operands[place][1:-1].split(", ")
        pairs = zip(kind.elements, inner)
        shown = [value if isinstance(e.type, ImmediateType) else old for e, old in pairs]
        operands[place] = f"[{', '.join(shown)}]"
    else:
        operands[place] = value
    return f"{mnemonic} {', '.join(operands)}\n"


@pytest.mark.parametrize("isa", NAMES)
def test_two_operations_in_one_slot_are_found(isa: str) -> None:
    random = Random(3)
    slots: dict[str, set[str]] = {}
    for spec in specs_of(isa):
        slots.setdefault(spec.mnemonic, set()).add(spec.slot)
    alone = [spec for spec in specs_of(isa) if len(slots[spec.mnemonic]) == 1]
    for first in random.sample(alone, 100):
        rivals = [spec for spec in alone if spec.slot == first.slot and not spec.delay_slots]
        second = random.choice(rivals)
        text = f"{written(first)}; {written(second, 1)}\n{NOPS}"
        assert check_findings(isa, text) == [("E201", second.mnemonic)]


@pytest.mark.parametrize("isa", NAMES)
def test_every_missing_delay_slot_is_found(isa: str) -> None:
    branches = [spec for spec in specs_of(isa) if spec.delay_slots]
    for spec in branches:
        for count in range(6):
            text = f"a:\n    {written(spec)}\n" + "    nop\n" * count + ".Lfunc_end0:\n"
            expected = [("X102", spec.mnemonic)] if count < 5 else []
            assert check_findings(isa, text) == expected


@pytest.mark.parametrize("isa", NAMES)
def test_every_branch_and_target_in_a_delay_slot_is_found(isa: str) -> None:
    for place in range(5):
        for intruder, found in (("    jl p0\n", "jl"), ("inside:\n    nop\n", "inside")):
            slots = ["    nop\n"] * 5
            slots[place] = intruder
            text = "    jz r0, #inside\n" + "".join(slots) + NOPS
            assert check_findings(isa, text) == [("X102", found)]


class Line(NamedTuple):
    """An operation as a line, and one of the registers that it touches."""

    text: str
    touch: RegisterAccess


def _lines(isa: str, pick: int) -> list[Line]:
    """Every register that an operation touches, for all of them that go on with the next line."""
    machine = load_isa(isa)
    found = []
    for spec in specs_of(isa):
        text = f"    {written(spec, pick)}\n"
        bundle = analyze(isa, text).program.bundles[0]
        if not (spec.delay_slots or spec.flow):
            found += [Line(text, touch) for touch in accesses_of(machine, bundle)]
    return found


def _reads(line: Line, write: RegisterAccess) -> bool:
    """Whether a line reads what was written, some bundles later at the earliest."""
    touch, needed = line.touch, needed_distance(write, line.touch)
    return touch.access == "r" and needed is not None and needed > 1


@pytest.mark.parametrize("isa", NAMES)
def test_a_nop_taken_away_before_a_reader_is_found(isa: str) -> None:
    random = Random(8)
    lines = _lines(isa, 1)
    first = {line.text: line for line in reversed(lines) if line.touch.writes}
    results = [line for line in first.values() if (line.touch.timing.def_cycle or 0) > 1]
    found = tried = 0
    for writer in random.sample(results, 120):
        readers = [line for line in lines if line.touch.units & writer.touch.units]
        readers = [line for line in readers if _reads(line, writer.touch)]
        if not readers:
            continue
        reader = random.choice(readers)
        nops = needed_distance(writer.touch, reader.touch) - 1  # type: ignore[operator]
        valid, mutant = (
            writer.text + "    nop\n" * count + reader.text + RETURN for count in (nops, nops - 1)
        )
        assert check_findings(isa, valid) == []
        findings = analyze(isa, mutant).diagnostics
        start = len(mutant) - len(reader.text + RETURN)
        assert all(start < f.span.start < start + len(reader.text) for f in findings), mutant
        assert {f.code for f in findings} <= {"X101"}, mutant
        found += bool(findings)
        tried += 1
    assert found >= 0.95 * tried
    assert tried >= 60


KERNELS = {
    "xdna1": """
scale:
    vlda wl0, [p0], #32
    vlda wh0, [p0], #32
    lda r1, [p2, #0]
    mova r0, #28
    nop # 5
    vbcst.16 x2, r1
    nop # 1
    vmul.f bmh0, x0, x2, r0
    nop # 5
    vconv.bf16.fp32 wl4, bmh0
    nop # 1
    vst wl4, [p1], #32
""",
    "xdna2": """
scale:
    vldb x0, [p0], #64
    lda r1, [p2, #0]
    mova r0, #60
    nop # 5
    vbcst.16 x2, r1
    nop # 1
    vmul.f dm0, x0, x2, r0
    nop # 5
    vst.conv.bf16.fp32 cml0, [p1], #64
""",
}


@pytest.mark.parametrize("isa", NAMES)
def test_in_a_kernel_every_missing_bundle_is_told_where_it_is_missing(isa: str) -> None:
    lines = (KERNELS[isa] + "    ret lr\n    nop # 5\n").lstrip().splitlines()
    counts = [int(line.partition("#")[2]) if "nop" in line else 0 for line in lines]
    kernel = [(line, count) for line, count in zip(lines, counts)]
    assert check_findings(isa, _spelt(kernel)) == []
    for place in [n for n, count in enumerate(counts[:-1]) if count]:
        fewer = [*kernel[:place], (lines[place], counts[place] - 1), *kernel[place + 1 :]]
        text = _spelt(fewer)
        findings = analyze(isa, text).diagnostics
        told = {text[: f.span.start].count("\n") for f in findings}
        assert told == {_spelt(fewer[: place + 1]).count("\n")}, text
        assert {f.code for f in findings} == {"X101"}


def _spelt(kernel: list[tuple[str, int]]) -> str:
    return "".join("    nop\n" * count if "nop" in line else f"{line}\n" for line, count in kernel)

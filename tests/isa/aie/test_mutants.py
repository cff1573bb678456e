"""A mistake put into valid code is found where it is, and nothing else is."""

from __future__ import annotations

from random import Random

import pytest

from ipu_asm.isa.aie.operands import BracketType, ImmediateType
from tests.isa.aie.cases import NAMES, analyze, immediates_of, specs_of, written

NOPS = "    nop\n" * 5


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

"""A check of a condition says what the evaluator says, or is in doubt."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from random import Random

import pytest

from ipu_asm.debugger.expressions import ExpressionError, LiveContext, evaluate_condition, parse
from ipu_asm.debugger.expressions.compilation import compile_condition
from ipu_asm.debugger.expressions.evaluator import Evaluator
from ipu_asm.emulator import IpuState, core
from ipu_asm.emulator.core import checks
from ipu_asm.emulator.core.checks import Check, Kind, Opcode
from ipu_asm.emulator.core.runner import marks_of
from ipu_asm.emulator.core.runtime import STOPPED, instance_of
from ipu_asm.emulator.machine import SelectiveTest
from ipu_asm.targets.ipu.machine.ipu import Ipu
from tests.debugger.expressions.random_conditions import NAMES, random_condition
from tests.emulator.core.engines import CORE_NAME
from tests.emulator.random_programs import random_state

STATES, CONDITIONS = 10, 40
on_core = pytest.mark.skipif(CORE_NAME != "core", reason="there is no core here")


def may_hold(check: Check, state: IpuState, cycle: int) -> bool:
    """What a core says of a check in front of bundle 1, after one that does nothing."""
    assert Ipu.core is not None
    instance = instance_of(Ipu.core)
    test = SelectiveTest(lambda pc: True, in_front_if={1: [check]})
    nothing = bytes(Ipu.core.bundle_size)
    instance.load_program(2 * nothing, marks_of(test, frozenset(), state.program_limit))
    instance.load_state(state.regfile, state.xmem)
    return instance.execute(0, 2, 0, cycle=cycle - 1).outcome == STOPPED


def truth(context: LiveContext, text: str) -> bool | None:
    """What the evaluator says; None if it fails."""
    try:
        return evaluate_condition(context, text)
    except ExpressionError:
        return None


def check_same(text: str, state: IpuState, cycle: int) -> bool | None:
    """A check that is not in doubt says the same; returns it, or None if there is no check."""
    context = LiveContext(state, cycle, {"x": 3}, NAMES)
    check = compile_condition(context, parse(text).node)
    if check is None:
        return None
    found, expected = may_hold(check, state, cycle), truth(context, text)
    assert found or expected is False, f"{text}: expected {expected}"
    # The opposite fails in the same states.
    opposite = checks.unary(Opcode.NOT, check)
    assert may_hold(opposite, state, cycle) or expected is True, f"{text}: expected {expected}"
    return found


@on_core
@pytest.mark.parametrize("salt", range(4))
def test_random_conditions_hold_in_the_same_states(salt: int) -> None:
    rng, found = Random(salt), []
    for _ in range(STATES):
        state = random_state(rng)
        state.program_counter = 1
        cycle = rng.choice((1, 100, 1 << 33))
        found += [check_same(random_condition(rng), state, cycle) for _ in range(CONDITIONS)]
    # Many fail in every state; of the others, neither all nor none hold.
    assert found.count(None) < 0.7 * len(found)
    assert min(found.count(True), found.count(False)) > len(found) / 10


@on_core
@pytest.mark.parametrize(
    "text",
    ["lr5 > 3", "lr5 > 3 && cycle > 100", "sum(acc) == 7", "nan_count(f32(acc)) > 0",
     "xmem[lr1] == 3", "any(xmem[cr0 + lr1 .. +16] != 0)", "all(acc[0..7] == 0)", "mask[2][5]",
     "note == 4", "pc == x", "max(abs(acc)) > 5 or lr0 in 0..127", "lr1 % 3 == 2 ? lr2 : lr3"],
)  # fmt: skip
def test_what_people_ask_has_a_check(text: str) -> None:
    state = IpuState()
    state.program_counter = 1
    assert check_same(text, state, 1) is not None


@on_core
@pytest.mark.parametrize("function", ["sum", "min", "max"])
@pytest.mark.parametrize("vector", ["i32(acc)", "f32(acc)", "i8(cyclic)", "u16(r0)", "acc[3..77]"])
def test_all_elements_of_a_vector_are_combined_exactly(function: str, vector: str) -> None:
    rng = Random(function + vector)
    for _ in range(STATES):
        state = random_state(rng)
        words = [rng.choice((rng.random() * 1e6, -rng.random())) for _ in range(128)]
        state.regfile.set_register_bytes("r_acc", 0, struct.pack("<128f", *words))
        state.program_counter = 1
        context = LiveContext(state, 1, {}, NAMES)
        value = Evaluator(context).evaluate(parse(f"{function}({vector})").node).value.number
        assert check_same(f"{function}({vector}) == {value!r}", state, 1) is True
        assert check_same(f"{function}({vector}) != {value!r}", state, 1) is False


@pytest.mark.parametrize(("enumeration", "members"), [("Opcode", Opcode), ("Kind", Kind)])
def test_both_sides_number_checks_in_the_same_way(enumeration: str, members: type) -> None:
    source = Path(core.__file__).with_name("checks.h").read_text()
    names = re.search(rf"typedef enum \{{([^}}]*)\}} Check{enumeration};", source)
    assert names is not None
    assert re.findall(r"\w+", names[1]) == [member.name for member in members]  # type: ignore[attr-defined]

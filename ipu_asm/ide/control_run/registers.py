"""The values that a register has at a bundle, in words."""

from __future__ import annotations

from typing import Sequence

from ipu_asm.flow.control_run.access_text import progression_text
from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.control_run.observed import observe
from ipu_asm.flow.control_run.run import Limits
from ipu_asm.flow.control_run.trace import Progression
from ipu_asm.flow.control_run.values import value_text
from ipu_asm.ide.control_run.configurations import origin_of, shown_facts
from ipu_asm.program.program import Program

_MOST_TEXTS = 3
_LIMITS = Limits(most_steps=10_000)
"""A hover executes the program again, which may take a tenth of a second."""


def register_values(program: Program, number: int, register: str) -> str:
    """Return a sentence about the values of a register at bundle `number`; "" if unknown."""
    facts = shown_facts(program)
    if facts is None or not program.bundles[number].size:
        return ""
    place = facts.run.names.positions.get(register)
    if place is None:
        return ""
    if not facts.is_written(register):
        origin = origin_of(program, register)
        constant = _constant(program, facts, register, place)
        return constant + (f", from {origin}" if origin else "")
    address = program.addresses[number]
    if facts.is_complete and facts.summary.executions[address] == 0:
        return ""
    observed = observe(facts.run, {address: [register]}, _LIMITS)
    before, after = observed.values[address, register]
    if not before:
        return ""
    seen = "Values" if observed.is_complete else "First values"
    if before == after:
        return f"{seen} here: {values_text(before)}"
    unit = program.isa.unit
    return f"{seen} before this {unit}: {values_text(before)}; after it: {values_text(after)}"


def values_text(values: Sequence[Progression]) -> str:
    """Return values: `0..127, step 1`. Several progressions are separated by `;`."""
    distinct = list(dict.fromkeys(_without_repetitions(each) for each in values))
    texts = [_values_of(each) for each in distinct[:_MOST_TEXTS]]
    if len(distinct) > _MOST_TEXTS:
        texts.append(f"{len(distinct) - _MOST_TEXTS} more")
    return "; ".join(texts)


def _constant(program: Program, facts: ControlFacts, register: str, place: int) -> str:
    value = facts.run.registers[place]
    is_set = register in {name.lower() for name in facts.presets}
    if not isinstance(value, int):
        return "Set by the host; its value is not known"
    if register in program.isa.constants:
        return f"Always {value}"
    if register in program.isa.resets and not is_set:
        return f"{value:,} ({value % (1 << 32):#x}) unless the host sets it"
    if place >= facts.run.names.changing or is_set:
        return f"Set by the host: {value:,} ({value % (1 << 32):#x})"
    return f"Never written: {value}"


def _without_repetitions(values: Progression) -> Progression:
    kept = tuple(each for each in values.dimensions if each[0] != 0 and each[1] != 1)
    return Progression(values.start, kept)


def _values_of(values: Progression) -> str:
    start = values.start
    if not values.dimensions:
        return f"{start:,}" if isinstance(start, int) else value_text(start)
    stride, count = values.dimensions[0]
    is_known = isinstance(start, int) and isinstance(stride, int) and isinstance(count, int)
    if len(values.dimensions) > 1 or not is_known:
        return progression_text(values)
    assert isinstance(start, int)
    assert isinstance(stride, int)
    assert isinstance(count, int)
    return f"{start:,}..{start + stride * (count - 1):,}, step {stride:,}"

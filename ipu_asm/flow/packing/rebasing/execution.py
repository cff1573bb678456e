"""Execution of the registers that never depend on data, bundle by bundle, with all their values.

Each value is computed twice: with the values of the host, and with random ones in their place. Two
values that are equal both times are equal for all values of the host on the same path, and a value
that is the same both times does not depend on the host, but for a chance of one in 2^32.
"""

from __future__ import annotations

from random import Random
from typing import Iterator, Mapping, Sequence

from ipu_asm.flow.control_run.step_reading import scalar_registers, steps_of
from ipu_asm.flow.control_run.steps import Branch, Step
from ipu_asm.flow.control_run.values import Value
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program

MOST_BUNDLES = 150_000
"""Bundles that are executed at most: a program that is rewritten wrongly may never halt."""

_SEED = 1
_BITS = 32
_MASK = (1 << _BITS) - 1
_HALF = 1 << (_BITS - 1)


class Values(NamedTuple):
    """All registers as unsigned numbers: with the values of the host, and with random ones."""

    given: Sequence[int]
    drawn: Sequence[int]


class Execution(NamedTuple):
    """One execution of a bundle: the values before it and behind its updates, and its branch."""

    address: int
    before: Values
    behind: Values
    taken: bool | None


def executions_of(
    program: Program, presets: Mapping[str, int], most: int = MOST_BUNDLES
) -> Iterator[Execution]:
    """Execute a program to its end, or as many bundles as there may be at most.

    Registers of the host without a value get a random one.
    """
    steps = steps_of(program)
    values = _first_values(program, presets)
    address = 0
    for _ in range(most):
        if not 0 <= address < len(steps):
            return
        step = steps[address]
        behind = _updated(step, values) if step.updates else values
        taken = None if step.branch is None else _is_taken(step.branch, values.given)
        yield Execution(address, values, behind, taken)
        if step.halts:
            return
        target = step.branch.target if step.branch is not None and taken else address + 1
        assert target is not None, "the program takes the target of a branch from a register"
        address, values = target, behind


def path_depends_on_host(program: Program, presets: Mapping[str, int]) -> bool:
    """Return whether a branch compares values whose difference the values of the host decide."""
    branches = [step.branch for step in steps_of(program)]
    for execution in executions_of(program, presets):
        branch = branches[execution.address]
        if branch is not None and branch.relation:
            given, drawn = execution.before
            one = given[branch.left] - given[branch.right]
            if (one - drawn[branch.left] + drawn[branch.right]) & _MASK:
                return True
    return False


def signed(value: int) -> int:
    """Return an unsigned 32-bit number as a signed one."""
    return value - (1 << _BITS) if value & _HALF else value


def _first_values(program: Program, presets: Mapping[str, int]) -> Values:
    names = scalar_registers(program.isa)
    random = Random(_SEED)
    given, drawn = [], []
    stated = {**program.isa.resets, **presets, **program.isa.constants}
    known = {name.lower(): value & _MASK for name, value in stated.items()}
    for place, name in enumerate(names.names):
        other = random.getrandbits(_BITS)
        if place < names.changing:
            given.append(known.get(name, 0))
            drawn.append(known.get(name, 0))
        else:
            given.append(known.get(name, random.getrandbits(_BITS)))
            drawn.append(program.isa.constants.get(name, other))
    return Values(given, drawn)


def _updated(step: Step, values: Values) -> Values:
    given, drawn = list(values.given), list(values.drawn)
    for update in step.updates:
        given[update.register] = _number(update.value(values.given))
        drawn[update.register] = _number(update.value(values.drawn))
    return Values(given, drawn)


def _number(value: Value) -> int:
    assert isinstance(value, int), "all values are known"
    return value & _MASK


def _is_taken(branch: Branch, values: Sequence[int]) -> bool:
    if not branch.relation:
        return True
    return holds(branch.relation, values[branch.left], values[branch.right])


def holds(relation: str, left: int, right: int) -> bool:
    """Return whether a relation of branches holds between two unsigned 32-bit numbers."""
    if relation in ("<", ">="):
        return (signed(left) < signed(right)) is (relation == "<")
    return (left == right) is (relation == "==")

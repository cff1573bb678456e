"""Which instructions may fault, as far as the control run does not prove that they do not.

An instruction that faults undoes its bundle, and all that comes later does not happen. So packing
must not move a store across it. An instruction cannot fault because of a register that never
changes if another one, which demands the same of it, has been executed before.
"""

from __future__ import annotations

from typing import Final, Iterable, Iterator, Mapping, Sequence

from ipu_asm.flow.control_run.facts import ControlFacts, control_facts
from ipu_asm.flow.control_run.run import ENDLESS, HALTED, RAN_OFF
from ipu_asm.flow.control_run.step_reading import mode_of, steps_of
from ipu_asm.flow.control_run.steps import NeededBits, Requirement, Step, UnsupportedProgramError
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program, cached_on_program

MAY_FAULT: Final = "may-fault"
"""The trait of instructions that fault for some data."""

FixedRequirement = tuple[int, tuple[NeededBits, ...]]
"""A register that never changes, and what an instruction demands of it."""

_Place = tuple[int, int]
_Held = Mapping[int, frozenset[FixedRequirement]]


class PossibleFault(NamedTuple):
    """Why an instruction may fault: `always`, or only where it `requires` what does not hold."""

    always: bool
    requires: tuple[FixedRequirement, ...]


class PossibleFaults(NamedTuple):
    """The instructions that may fault, by address and number in the bundle.

    `held` has for each address what surely holds whenever control comes there.
    """

    by_place: Mapping[_Place, PossibleFault]
    held: _Held


@cached_on_program
def possible_faults(program: Program) -> PossibleFaults:
    """Return the instructions of a program that may fault; none for a program with errors."""
    modes: dict[int, list[ControlFacts]] = {}
    for each in control_facts(program):
        modes.setdefault(mode_of(each.presets), []).append(each)
    always: set[_Place] = set()
    required: dict[_Place, dict[FixedRequirement, None]] = {}
    try:
        steps = {mode: steps_of(program, mode) for mode in modes}
    except UnsupportedProgramError:
        steps = {}
    for mode, facts in modes.items() if steps else ():
        for address, requirement, is_fixed in _unproven(steps[mode], facts):
            place = address, requirement.instruction
            if is_fixed:
                key = requirement.register, requirement.needed
                required.setdefault(place, {})[key] = None
            else:
                always.add(place)
    for address, number in enumerate(program.bundle_at_address):
        for nth, instruction in enumerate(program.bundles[number].instructions):
            if instruction.spec is not None and MAY_FAULT in instruction.spec.traits:
                always.add((address, nth))
    found = {
        place: PossibleFault(place in always, tuple(required.get(place, ())))
        for place in sorted({*always, *required})
    }
    return PossibleFaults(found, _held(next(iter(steps.values()), ()), required))


def _unproven(
    steps: Sequence[Step], facts: Iterable[ControlFacts]
) -> Iterator[tuple[int, Requirement, bool]]:
    """Yield what instructions require and some control run does not show to hold.

    The last one says whether it is about registers that never change.
    """
    for each in facts:
        executed: set[int] | None = None
        changing: dict[int, set[int]] = {}
        if each.run.end.reason in (HALTED, RAN_OFF, ENDLESS):
            executed = {node.address for node in each.executions}
            changing = _unknown_values(each)
        for address, step in enumerate(steps):
            if executed is not None and address not in executed:
                continue
            for requirement in step.fixed:
                values = requirement.values(each.run.registers, each.run.registers)
                is_known = executed is not None and all(isinstance(v, int) for v in values)
                if not is_known or requirement.broken(values):
                    yield address, requirement, True
            for number, requirement in enumerate(step.required):
                if executed is None or number in changing.get(address, ()):
                    yield address, requirement, False


def _unknown_values(facts: ControlFacts) -> dict[int, set[int]]:
    """Return the numbers of the requirements, by address, whose values are not all known."""
    found: dict[int, set[int]] = {}
    for node in facts.executions:
        step = facts.run.steps[node.address]
        place = step.first_required
        for number, requirement in enumerate(step.required):
            for start, dimensions in node.values[place : place + len(requirement.registers)]:
                if not all(isinstance(n, int) for pair in ((start, 0), *dimensions) for n in pair):
                    found.setdefault(node.address, set()).add(number)
            place += len(requirement.registers)
    return found


def _held(steps: Sequence[Step], required: Mapping[_Place, Iterable[FixedRequirement]]) -> _Held:
    """Return what all ways to each address have required before."""
    here: dict[int, set[FixedRequirement]] = {}
    for (address, _), keys in required.items():
        here.setdefault(address, set()).update(keys)
    nothing: frozenset[FixedRequirement] = frozenset()
    held: dict[int, frozenset[FixedRequirement]] = {}
    waiting = [(0, nothing)]
    while waiting:
        address, before = waiting.pop()
        both = before & held.get(address, before)
        if address >= len(steps) or held.get(address) == both:
            continue
        held[address] = both
        after = held[address] | here.get(address, set())
        branch = steps[address].branch
        if branch is not None and branch.target is not None:
            waiting.append((branch.target, after))
        if not steps[address].halts and (branch is None or branch.relation):
            waiting.append((address + 1, after))
    return {address: held.get(address, nothing) for address in range(len(steps))}

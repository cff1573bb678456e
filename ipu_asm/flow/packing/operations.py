"""The instructions of straight-line code: what they read, write and access, and possible faults.

An instruction that faults undoes its bundle, and nothing later happens, so packing must not move a
store across it. An instruction cannot fault because of a register that never changes if another
one, which demands the same of it, has been executed before.
"""

from __future__ import annotations

from typing import Callable, Final, Iterable, Iterator, Mapping, Sequence

from ipu_asm.bundle.operand_matching import Instruction
from ipu_asm.flow.accesses import LIVE, RegisterAccess, accesses_of
from ipu_asm.flow.control_flow import solve
from ipu_asm.flow.control_run.facts import ControlFacts, control_facts
from ipu_asm.flow.control_run.run import ENDLESS, HALTED, RAN_OFF
from ipu_asm.flow.control_run.step_reading import mode_of, steps_of
from ipu_asm.flow.control_run.steps import NeededBits, Requirement, Step, UnsupportedProgramError
from ipu_asm.flow.control_run.summary import AccessSummary
from ipu_asm.flow.control_run.trace import extent
from ipu_asm.flow.control_run.values import Value
from ipu_asm.isa.model import Isa
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


class Operation(NamedTuple):
    """One instruction that has an effect: the address of its bundle and its number there.

    `early_reads` are the resources (parts of registers, state) whose value from before the bundle
    it reads, `live_reads` those of which it sees what its bundle writes. `memories` maps each
    memory that it accesses to whether it writes there; in a bundle, instructions execute in the
    order of `turn`. It `may_fault` because of its data, or
    because of registers that change; and if one of the `requires` does not hold, which are about
    registers that never change.
    """

    address: int
    number: int
    slot: str
    early_reads: tuple[str, ...]
    live_reads: tuple[str, ...]
    writes: tuple[str, ...]
    memories: dict[str, bool]
    flow: str | None
    turn: int = 0
    may_fault: bool = False
    requires: tuple[FixedRequirement, ...] = ()

    @property
    def is_break(self) -> bool:
        """Whether it stops a debugger before its bundle."""
        return self.flow == "break"

    @property
    def is_branch(self) -> bool:
        """Whether it decides which bundle is next, or halts."""
        return self.flow is not None and not self.is_break

    @property
    def stores(self) -> bool:
        return any(self.memories.values())


Disjoint = Callable[[Operation, Operation], bool]
"""Whether two operations surely access different bytes of memory, in all executions."""


def operations_of(program: Program, addresses: Sequence[int]) -> list[Operation]:
    """Return the instructions of bundles that have an effect, in the order of the text.

    Control enters at the first of them. What holds there already is not required.
    """
    operations, faults = written_operations(program, addresses), possible_faults(program)
    for place, operation in enumerate(operations):
        fault = faults.by_place.get((operation.address, operation.number))
        if fault is not None:
            held = faults.held.get(addresses[0], frozenset())  # control may never come there
            requires = tuple(each for each in fault.requires if each not in held)
            operations[place] = operation._replace(may_fault=fault.always, requires=requires)
    return operations


def written_operations(program: Program, addresses: Sequence[int]) -> list[Operation]:
    """Return the same instructions without their possible faults."""
    found = []
    for address in addresses:
        bundle = program.bundles[program.bundle_at_address[address]]
        accesses = accesses_of(program.isa, bundle)
        for number, instruction in enumerate(bundle.instructions):
            if instruction.spec is not None and not instruction.is_idle:
                own = [each for each in accesses if each.instruction == number]
                found.append(_operation(program.isa, instruction, address, number, own))
    return found


def by_bundle(operations: Sequence[Operation], addresses: Sequence[int]) -> list[list[Operation]]:
    """Return the operations of each bundle; some bundles may have none."""
    found: dict[int, list[Operation]] = {address: [] for address in addresses}
    for operation in operations:
        found[operation.address].append(operation)
    return list(found.values())


def _operation(
    isa: Isa,
    instruction: Instruction,
    address: int,
    number: int,
    accesses: Sequence[RegisterAccess],
) -> Operation:
    spec = instruction.spec
    assert spec is not None
    early: set[str] = set()
    live: set[str] = set()
    writes: set[str] = set()
    memories: dict[str, bool] = {}
    for access in accesses:
        if _is_memory(isa, access.register):
            memories[access.register] = memories.get(access.register, False) or access.writes
            continue
        if access.writes:
            writes |= access.units
        if access.reads:
            (live if access.timing.read == LIVE else early).update(access.units)
    # An instruction never sees its own result.
    return Operation(
        address,
        number,
        spec.slot,
        tuple(sorted(early | (live & writes))),
        tuple(sorted(live - writes)),
        tuple(sorted(writes)),
        memories,
        spec.flow,
        [slot.name for slot in isa.slots].index(spec.slot),
    )


def _is_memory(isa: Isa, name: str) -> bool:
    space = isa.spaces.get(name)
    return space is not None and not space.is_register


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
    """Return what all paths to each address have required before."""
    here: dict[int, frozenset[FixedRequirement]] = {}
    for (address, _), keys in required.items():
        here[address] = here.get(address, frozenset()) | frozenset(keys)
    nothing: frozenset[FixedRequirement] = frozenset()
    held = solve(
        [_successors(address, step) for address, step in enumerate(steps)],
        {0: nothing} if steps else {},
        lambda address, before: before | here.get(address, nothing),
        frozenset.intersection,
    )
    return {address: held.get(address, nothing) for address in range(len(steps))}


def _successors(address: int, step: Step) -> list[int]:
    """Return the addresses that may follow a bundle, but for those in registers."""
    branch = step.branch
    found = [branch.target] if branch is not None and branch.target is not None else []
    if not step.halts and (branch is None or branch.relation):
        found.append(address + 1)
    return found


class _Extent(NamedTuple):
    """The bytes ``low..end-1`` after `base`, which may be unknown."""

    base: Value
    low: int
    end: int


def disjoint_accesses(facts: ControlFacts | None, *, in_memory: bool = False) -> Disjoint | None:
    """Return the test whether two operations access different bytes, all executions together.

    With `in_memory`, also whether neither of them can fault, which takes the values of their bases.
    None if there are no facts, or if the run does not halt: any two may meet then.
    """
    if facts is None or facts.run.end.reason != HALTED:
        return None
    extents: dict[tuple[int, int], _Extent | None] = {}
    for (address, _), summary in facts.summary.accesses.items():
        if not summary.access.space.is_register:
            extents[address, summary.access.instruction] = _extent(summary, facts)

    def are_disjoint(first: Operation, second: Operation) -> bool:
        one = extents.get((first.address, first.number))
        other = extents.get((second.address, second.number))
        if one is None or other is None or one.base != other.base:
            return False
        if in_memory and one.base != 0:
            return False
        return one.end <= other.low or other.end <= one.low

    return are_disjoint


def _extent(summary: AccessSummary, facts: ControlFacts) -> _Extent | None:
    base = summary.access.base(facts.run.registers)
    ranges = [extent(progression) for progression in summary.offsets]
    known = [each for each in ranges if each is not None]
    if len(known) < len(ranges):
        return None
    low = min(low for low, _ in known)
    end = max(high for _, high in known) + summary.access.size
    if isinstance(base, int):
        return _Extent(0, base + low, base + end)
    return _Extent(base, low, end)

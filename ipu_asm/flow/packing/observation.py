"""Execution of the registers that never depend on data, and what their reads see.

Each value is computed twice: with the values of the host, and with random ones in their place. Two
values that are equal both times are equal for all values of the host on the same path, and a value
that is the same both times does not depend on the host, but for a chance of one in 2^32.
"""

from __future__ import annotations

from itertools import zip_longest
from random import Random
from typing import Iterator, Mapping, Sequence

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.flow.accesses import LIVE, accesses_of
from ipu_asm.flow.control_run.step_reading import scalar_registers, steps_of
from ipu_asm.flow.control_run.steps import Branch, Step
from ipu_asm.flow.control_run.values import Value
from ipu_asm.flow.packing.layout import Place
from ipu_asm.flow.packing.webs import START, Read, Webs, computes
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program

MAX_BUNDLES = 150_000
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
    """One execution of a bundle: the values before it and after its updates, and its branch."""

    address: int
    before: Values
    behind: Values
    taken: bool | None


Event = tuple[object, ...]
"""Instructions of a bundle that update no register, with their values; or the branch's outcome."""
Presets = Sequence[Mapping[str, int]]
"""The values of the host's registers, of each configuration."""


class Decision(NamedTuple):
    """An execution of a branch: whether it was taken, and the values that it could compare."""

    taken: bool
    values: Values


class Observation(NamedTuple):
    """The runs of a program in all configurations.

    `same` has for each read the written registers that always have its value; `constants` that
    value if it is always the same number, whatever values the host sets. `updates` counts the
    executed updates of registers, `digest` stands for all events.
    """

    presets: Presets
    same: Mapping[Read, frozenset[int]]
    constants: Mapping[Read, int]
    executions: Sequence[int]
    decisions: Mapping[int, Sequence[Decision]]
    updates: int
    digest: int


class _Seen:
    """The executions of a read so far."""

    def __init__(self, read: Read, position: int, written: Sequence[int]) -> None:
        self.read, self.position = read, position
        self.same = [other for other in written if other != position]
        self.constant: int | None = None
        self.is_constant = True

    def add(self, execution: Execution) -> None:
        given, drawn = execution.behind if self.read.is_live else execution.before
        value, other = given[self.position], drawn[self.position]
        if self.same:
            self.same = [r for r in self.same if given[r] == value and drawn[r] == other]
        if self.is_constant:
            if self.constant is None:
                self.constant = value
            self.is_constant = value == other == self.constant


def observe(program: Program, webs: Webs, presets: Presets, most: int = MAX_BUNDLES) -> Observation:
    """Execute a program in all configurations of the host, in each of them so many bundles."""
    names = scalar_registers(program.isa)
    positions = names.positions
    written = sorted({positions[web.register] for web in webs.webs if web.writes != {START}})
    seen: dict[int, list[_Seen]] = {}
    for read in webs.seen:
        place = positions[read.register]
        seen.setdefault(read.address, []).append(_Seen(read, place, written))
    counts = [0] * program.size
    decisions: dict[int, list[Decision]] = {}
    digest = 0
    sources = _sources(program)
    for each in presets:
        for execution in executions_of(program, each, most):
            address = execution.address
            counts[address] += 1
            for read_ in seen.get(address, ()):
                read_.add(execution)
            if execution.taken is not None:
                decision = Decision(execution.taken, execution.before)
                decisions.setdefault(address, []).append(decision)
            for event in _events_of(sources[address], execution):
                digest = hash((digest, event))
    known = [read_ for each in seen.values() for read_ in each if counts[read_.read.address]]
    return Observation(
        presets,
        {each.read: frozenset(each.same) for each in known},
        {each.read: each.constant or 0 for each in known if each.is_constant},
        counts,
        decisions,
        executed_updates(program, counts),
        digest,
    )


def events_differ(old: Program, new: Program, presets: Mapping[str, int]) -> bool:
    """Return whether two programs do different things but for updates of registers."""
    pairs = zip_longest(_events(old, presets), _events(new, presets))
    return any(one != other for one, other in pairs)


def _events(program: Program, presets: Mapping[str, int]) -> Iterator[Event]:
    """Yield what each executed bundle does; nothing for those that only update registers."""
    sources = _sources(program)
    for execution in executions_of(program, presets):
        yield from _events_of(sources[execution.address], execution)


_Source = tuple[object, tuple[tuple[int, bool], ...]]
"""An instruction without its registers that can change, and their positions and liveness."""


def _events_of(sources: Sequence[_Source], execution: Execution) -> Iterator[Event]:
    """Yield what the instructions of a bundle do, and then where its branch leads."""
    if sources:
        found: list[object] = []
        for text, registers in sources:
            found.append(text)
            for register, is_live in registers:
                values = execution.behind if is_live else execution.before
                found += (values.given[register], values.drawn[register])
        yield tuple(found)
    if execution.taken is not None:
        yield (execution.taken,)


def _sources(program: Program) -> list[tuple[_Source, ...]]:
    return [_sources_of(program.isa, program.bundles[n]) for n in program.bundle_at_address]


@cached_on_bundle
def _sources_of(isa: Isa, bundle: Bundle) -> tuple[_Source, ...]:
    """Return the instructions of a bundle that do more than to update registers.

    Of a branch, only its outcome counts, and not what it compares.
    """
    found: list[_Source] = []
    positions = scalar_registers(isa).positions
    changing = scalar_registers(isa).changing
    for number, instruction in enumerate(bundle.instructions):
        if instruction.is_idle or computes(instruction) or instruction.spec is None:
            continue
        if instruction.spec.flow in ("branch", "jump"):
            continue
        reads = {
            access.operand: (positions[access.register.lower()], access.timing.read == LIVE)
            for access in accesses_of(isa, bundle)
            if access.instruction == number
            and access.reads
            and positions.get(access.register.lower(), changing) < changing
        }
        words = enumerate(instruction.words[1:])
        rest = ["" if operand in reads else word.lower() for operand, word in words]
        found.append(((instruction.mnemonic, *rest), tuple(reads.values())))
    return tuple(found)


def executed_updates(program: Program, executions: Sequence[int | None]) -> int:
    """Return how many updates of registers are executed, with the executions of each address."""
    counts = enumerate(executions)
    return sum((count or 0) * _updates(program, address) for address, count in counts)


def _updates(program: Program, address: int) -> int:
    instructions = program.bundles[program.bundle_at_address[address]].instructions
    return sum(computes(each) and not each.is_idle for each in instructions)


def updates_at(observation: Observation, places: frozenset[Place]) -> int:
    """Return how often instructions are executed, all together."""
    return sum(observation.executions[address] for address, _ in places if address >= 0)


def executions_of(
    program: Program, presets: Mapping[str, int], most: int = MAX_BUNDLES
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

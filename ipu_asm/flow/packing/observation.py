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
from ipu_asm.flow.packing.layout import Place
from ipu_asm.flow.packing.webs import START, Read, Webs, computes
from ipu_asm.isa.model import Isa
from ipu_asm.isa.storage import signed
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program

MAX_OBSERVED = 100_000
"""Bundles of a run that are evidence for what a rewritten program does: the first ones."""
MAX_BUNDLES = 150_000
"""Bundles that are executed at most: a program that is rewritten wrongly may never halt."""
_SEED = 1
_BITS = 32
_MASK = (1 << _BITS) - 1


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


def observe(
    program: Program,
    webs: Webs,
    presets: Presets,
    branches: Sequence[int | None],
    most: int = MAX_BUNDLES,
) -> Observation:
    """Execute a program in all configurations of the host, in each so many bundles or branches."""
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
    for each, limit in zip(presets, branches):
        for execution in executions_of(program, each, most, limit):
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


def events_differ(
    old: Program, new: Program, presets: Mapping[str, int], *, with_branches: bool = True
) -> bool:
    """Return whether two programs do different things but for updates of registers.

    Of a long run, the evidence is its beginning. Without branches, it does not count how they
    decide.
    """
    limit = branches_within(old, presets, MAX_OBSERVED)
    events = _events(old, presets, limit, with_branches)
    others = _events(new, presets, limit if with_branches else None, with_branches)
    pairs = zip(events, others) if limit and not with_branches else zip_longest(events, others)
    return any(one != other for one, other in pairs)


def _events(
    program: Program, presets: Mapping[str, int], branches: int | None, with_branches: bool
) -> Iterator[Event]:
    """Yield what each executed bundle does; nothing for those that only update registers."""
    sources = _sources(program)
    for execution in executions_of(program, presets, branches=branches):
        taken = execution.taken if with_branches else None
        yield from _events_of(sources[execution.address], execution._replace(taken=taken))


def branches_within(program: Program, presets: Mapping[str, int], bundles: int) -> int | None:
    """Return how many branches the first bundles of a run execute; None if it ends before.

    Runs of a program and of a rewritten one are equally far after as many branches.
    """
    count = number = 0
    for execution in executions_of(program, presets, bundles + 1):
        number += 1
        count += execution.taken is not None
    return count if number > bundles else None


def _events_of(sources: Sequence[Source], execution: Execution) -> Iterator[Event]:
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


def _sources(program: Program) -> list[tuple[Source, ...]]:
    isa, bundles = program.isa, program.bundles
    return [tuple(scalar_reads(isa, bundles[n]).values()) for n in program.bundle_at_address]


class Source(NamedTuple):
    """An instruction without its registers that can change, and their positions and liveness."""

    text: tuple[str, ...]
    registers: tuple[tuple[int, bool], ...]


@cached_on_bundle
def scalar_reads(isa: Isa, bundle: Bundle) -> dict[int, Source]:
    """Return the instructions of a bundle that do more than to update registers, by number.

    Of a branch, only its outcome counts, and not what it compares.
    """
    found: dict[int, Source] = {}
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
        found[number] = Source((instruction.mnemonic, *rest), tuple(reads.values()))
    return found


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
    program: Program,
    presets: Mapping[str, int],
    most: int = MAX_BUNDLES,
    branches: int | None = None,
) -> Iterator[Execution]:
    """Execute a program to its end, or as many bundles or branches as there may be at most.

    Registers of the host without a value get a random one.
    """
    steps = steps_of(program)
    values = _first_values(program, presets)
    address = 0
    for _ in range(most):
        if not 0 <= address < len(steps):
            return
        step = steps[address]
        behind = values
        if step.updates:
            behind = Values(updated(step, values.given), updated(step, values.drawn))
        taken = None if step.branch is None else _is_taken(step.branch, values.given)
        yield Execution(address, values, behind, taken)
        if branches is not None:
            branches -= taken is not None
        if step.halts or branches == 0:
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


def updated(step: Step, values: Sequence[int]) -> Sequence[int]:
    """Return the values of all registers, as unsigned numbers, after the updates of a bundle."""
    found = list(values)
    for update in step.updates:
        value = update.value(values)
        assert isinstance(value, int), "all values are known"
        found[update.register] = value & _MASK
    return found


def _is_taken(branch: Branch, values: Sequence[int]) -> bool:
    if not branch.relation:
        return True
    return holds(branch.relation, values[branch.left], values[branch.right])


def holds(relation: str, left: int, right: int) -> bool:
    """Return whether a relation of branches holds between two unsigned 32-bit numbers."""
    if relation in ("<", ">="):
        return (signed(left) < signed(right)) is (relation == "<")
    return (left == right) is (relation == "==")

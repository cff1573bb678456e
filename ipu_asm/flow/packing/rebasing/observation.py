"""What the run of a program says about the reads of registers that can change."""

from __future__ import annotations

from itertools import zip_longest
from typing import Iterator, Mapping, Sequence

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.flow.accesses import LIVE, accesses_of
from ipu_asm.flow.control_run.step_reading import scalar_registers
from ipu_asm.flow.packing.rebasing.execution import MOST_BUNDLES, Execution, Values, executions_of
from ipu_asm.flow.packing.rebasing.updates import computes
from ipu_asm.flow.packing.rebasing.webs import START, Place, Read, Webs
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program

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
    program: Program, webs: Webs, presets: Presets, most: int = MOST_BUNDLES
) -> Observation:
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

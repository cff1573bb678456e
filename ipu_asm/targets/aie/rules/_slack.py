"""How many bundles closer operations can be issued, on all paths, without changing a result."""

from __future__ import annotations

import re
from typing import Iterator, Mapping, Sequence

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.flow.accesses import LATEST, RegisterAccess, accesses_of, needed_distance
from ipu_asm.flow.landing import LOST_TRACK, PipelineGraph, Place, pipeline_graph
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program

_MAX_STATES = 2_000
# Locks, events, streams, cascades and queues, and whatever ends a program.
_OPAQUE = re.compile(
    r"(?:acq|rel|event|done|mov\.|.*\.(?:tm|compr|sparse|pop|push|fill|flush|peek|reset)).*"
)
_OPAQUE_OPERANDS = frozenset(("ms", "ss", "mcd", "scd", "cntr"))
_OPAQUE_FILES = frozenset(("control", "status", "dp"))
# Stores that meet memory late, or of which no public text says when.
_LATE_STORE = re.compile(r"v?st(?!\.(?:[23]d|128)$)\.")


class Operations(NamedTuple):
    """The accesses of a bundle with their register files, whether it may wait, and use of memory.

    Scalar registers count as one file.
    """

    accesses: tuple[tuple[RegisterAccess, str], ...]
    is_opaque: bool
    uses_memory: bool
    loads: bool
    stores: bool
    stores_late: bool


@cached_on_bundle
def operations_of(isa: Isa, bundle: Bundle) -> Operations:
    accesses = accesses_of(isa, bundle)
    active = [each for each in bundle.instructions if not each.is_idle]
    specs = [each.spec for each in active if each.spec is not None]
    files = {isa.file_of_register[unit].name for each in accesses for unit in each.units}
    words = {word.lower() for each in active for word in each.words[1:]}
    return Operations(
        tuple((each, _file(isa, each)) for each in accesses),
        bundle.has_unknown
        or bool(_OPAQUE_FILES & files or _OPAQUE_OPERANDS & words)
        or any(_OPAQUE.fullmatch(each.mnemonic) for each in specs),
        any(each.traits & {"load", "store"} for each in specs),
        any("load" in each.traits for each in specs),
        any("store" in each.traits for each in specs),
        any(_LATE_STORE.match(each.mnemonic) for each in specs),
    )


def slack_of(first: Operations, second: Operations, distance: int) -> int:
    """Return how many bundles closer two bundles can be issued without changing a result."""
    if first.is_opaque or second.is_opaque:
        return 0
    least = distance
    # A load sees all earlier stores, but only one public source says so.
    if (first.stores and second.loads) or (first.stores_late and second.uses_memory):
        least = max(0, distance - LATEST)
    for one, file in first.accesses:
        for other, other_file in second.accesses:
            overlap = not one.units.isdisjoint(other.units)
            if overlap or file == other_file:
                least = min([least, *_slacks(one, other, distance, overlap)])
    return least


def _slacks(
    one: RegisterAccess, other: RegisterAccess, distance: int, overlap: bool
) -> Iterator[int]:
    """Yield, for each hazard between two accesses, how many bundles closer they can be issued."""
    if one.writes and other.reads and overlap:
        # What reads too early may be a mistake: no-ops between the two were meant for something.
        yield max(0, distance - (needed_distance(one, other) or distance))
    if one.reads and other.writes and overlap:
        needed = needed_distance(other, one)
        if needed is None or distance + needed >= 1:
            yield 0 if needed is None else distance + needed - 1
    # Two results in one cycle may need one port of a register file, and so may two late reads.
    for kind in ("def_cycle", "use_cycle"):
        if not (one.writes and other.writes if kind == "def_cycle" else one.reads and other.reads):
            continue
        cycle, later = (getattr(each.timing, kind) for each in (one, other))
        if cycle is None or later is None or distance + later >= cycle:
            yield max(0, distance + later - cycle - 1) if cycle and later else 0


def _file(isa: Isa, access: RegisterAccess) -> str:
    name = isa.file_of_register[min(access.units)].name
    return name if name in isa.counting.wide_files else ""


class Limit(NamedTuple):
    """At most `slack` no-ops in all can be deleted from the runs `passed`, all on one path."""

    passed: tuple[int, ...]
    slack: int


def limits_of_paths(program: Program, runs: Sequence[range]) -> Iterator[Limit]:
    """Yield what operations before and after no-ops need, on all paths."""
    graph = pipeline_graph(program)._replace(long_loops={})
    numbers = program.bundle_at_address
    operations = [operations_of(program.isa, program.bundles[number]) for number in numbers]
    run_at = {address: number for number, run in enumerate(runs) for address in run}
    for start in _starts(graph, runs):
        yield from _limits_from(start, graph, operations, runs, run_at)


def _starts(graph: PipelineGraph, runs: Sequence[range]) -> set[int]:
    """Return the addresses from which control may soon come to some runs, on any path."""
    before: dict[int, list[int]] = {}
    for address, following in enumerate(graph.following):
        called = graph.calls.get(address)
        own = [*following, *graph.returning.get(address, ()), *([] if called is None else [called])]
        for target in own:
            before.setdefault(target, []).append(address)
    inside = {address for run in runs for address in run}
    found: set[int] = set()
    level = {run.start for run in runs}
    for _ in range(LATEST):
        level = _kept_before(level, before, inside) - found
        found |= level
    return found


def _kept_before(
    level: set[int], before: Mapping[int, Sequence[int]], inside: set[int]
) -> set[int]:
    """Return the last addresses outside of `inside` from which control comes to `level`."""
    waiting, found, seen = [*level], set[int](), set[int]()
    while waiting:
        for address in before.get(waiting.pop(), ()):
            if address not in inside:
                found.add(address)
            elif address not in seen:
                seen.add(address)
                waiting.append(address)
    return found


class _State(NamedTuple):
    """A place on a path, its distance from the start, and the runs that are passed."""

    place: Place
    distance: int
    passed: tuple[int, ...]


def _limits_from(
    start: int,
    graph: PipelineGraph,
    operations: Sequence[Operations],
    runs: Sequence[range],
    run_at: Mapping[int, int],
) -> Iterator[Limit]:
    """Yield what the operations of a bundle need of those after it."""
    first, waiting, seen = operations[start], [_State(Place(start), 0, ())], set[_State]()
    while waiting:
        state = waiting.pop()
        place, distance, passed = state
        if state in seen:
            continue
        seen.add(state)
        if len(seen) > _MAX_STATES:
            yield Limit(tuple(range(len(runs))), 0)
            return
        how = graph.exit_of(place)
        if how and passed:
            yield Limit(passed, 0 if how == LOST_TRACK else _slack_outside(first, distance + 1))
        most = sum(len(runs[number]) for number in passed)
        for step in graph.steps(place):
            run = run_at.get(step.address)
            if run is not None:
                is_entry = step.address == runs[run].start
                found = (*passed, run) if is_entry else passed
                waiting.append(_State(step, distance + 1, found))
            elif distance + 1 - most <= LATEST:
                if passed:
                    slack = slack_of(first, operations[step.address], distance + 1)
                    yield from [Limit(passed, slack)] if slack < most else []
                waiting.append(_State(step, distance + 1, passed))


def _slack_outside(first: Operations, distance: int) -> int:
    """Return how many bundles earlier control can leave the text after a bundle."""
    if first.is_opaque:
        return 0
    least = max(0, distance - LATEST) if first.stores else distance
    for access, _ in first.accesses:
        if access.writes:
            least = min(least, distance - (access.timing.def_cycle or distance))
        if access.reads:
            least = min(least, distance + 1 - (access.timing.use_cycle or distance + 1))
    return max(least, 0)

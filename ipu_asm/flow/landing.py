"""Results on their way: what reads, overwrites or leaves code before a result lands, on all paths.

A result is followed from its write, bundle by bundle, until it lands: through delay slots, around
loops, into functions of the text and back to all their callers. A loop whose constant iterations
take longer than any result is not left on the way.
"""

from __future__ import annotations

from typing import Callable, Iterator, Mapping, Sequence

from ipu_asm.flow.accesses import LATEST, RegisterAccess, accesses_of, needed_distance
from ipu_asm.flow.control_flow import CALL, control_flow_of
from ipu_asm.flow.counted_loops.loops import counted_loops
from ipu_asm.flow.functions import local_labels
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program, cached_on_program

_NO_LOOP = -1

CALLED, RETURNED, LOST_TRACK = "call", "return", "unclear"

Path = tuple[int, ...]
"""Addresses from that of a write to that of an event."""


class Place(NamedTuple):
    """Where a path has come to: an address, the calls to return from, and the loop it is in."""

    address: int
    callers: tuple[int, ...] = ()
    loop_end: int = _NO_LOOP
    crosses: bool = False


class PipelineGraph(NamedTuple):
    """Control between the bundles of a text, calls and returns included, by address.

    `calls` has the last delay slot of each call, and the address of the function, None if it is in
    another file. `returning` has the last delay slot of each return, and the addresses after the
    calls in the text that it returns to. Those `leaving` may also return to, or continue in, code
    outside of the text; those `unclear` may continue anywhere. `long_loops` has the last address of
    each loop that is not left before a result lands, by its first. Those `reached` may be executed.
    """

    accesses: Sequence[tuple[RegisterAccess, ...]]
    following: Sequence[Sequence[int]]
    calls: Mapping[int, int | None]
    returning: Mapping[int, tuple[int, ...]]
    leaving: frozenset[int]
    unclear: frozenset[int]
    long_loops: Mapping[int, int]
    reached: frozenset[int]

    def exit_of(self, place: Place) -> str:
        """Return how control may leave the text after a place, "" if it does not."""
        address = place.address
        if address in self.unclear:
            return LOST_TRACK
        if address in self.calls and self.calls[address] is None:
            return CALLED
        if address in self.returning and address in self.leaving and not place.callers:
            return RETURNED
        return ""

    def steps(self, place: Place) -> Iterator[Place]:
        """Yield where a path may go on in the text."""
        address, callers, loop_end, crosses = place
        if address in self.calls:
            target = self.calls[address]
            if target is not None:
                yield Place(target, (*callers, address + 1), _NO_LOOP, True)
            return
        if address in self.returning:
            targets = callers[-1:] or self.returning[address]
            yield from (Place(each, callers[:-1], _NO_LOOP, True) for each in targets)
            return
        for target in self.following[address]:
            if loop_end == address and target == address + 1:
                continue  # the iterations take longer
            end = self.long_loops.get(target, _NO_LOOP)
            is_entry = end != _NO_LOOP and not target <= address <= end
            is_back = loop_end == address
            yield Place(target, callers, end if is_entry or is_back else loop_end, crosses)


class Meeting(NamedTuple):
    """Two accesses of a register on a path: a write, and what comes too close after it.

    `other` is `distance` bundles after `write`, and should be `needed`, None if a cycle is not
    public. `path` has all addresses from the first to the second; with `crosses` it leads through a
    call or a return.
    """

    write: RegisterAccess
    other: RegisterAccess
    distance: int
    needed: int | None
    path: Path
    crosses: bool

    @property
    def address(self) -> int:
        return self.path[0]

    @property
    def other_address(self) -> int:
        return self.path[-1]


class Departure(NamedTuple):
    """A result that is on its way where control leaves the text, for `remaining` more bundles.

    `how` is one of the constants above; `path` ends with the last bundle that is known.
    """

    write: RegisterAccess
    how: str
    remaining: int
    path: Path


class Flights(NamedTuple):
    """What happens to the results of a text on their way.

    `early` are reads of a register before the result lands in it. `overtaken` are writes issued
    after another one that land before it, so that the older result stays. `overwritten` are writes
    that land before an older instruction has read its operand: their `other` is the read. `paths`
    is the number of different paths that results were followed on.
    """

    early: tuple[Meeting, ...]
    overtaken: tuple[Meeting, ...]
    overwritten: tuple[Meeting, ...]
    departures: tuple[Departure, ...]
    paths: int


class _Walk(NamedTuple):
    """A place that paths lead to, how many there are, and one of them."""

    paths: int
    path: Path


@cached_on_program
def pipeline_graph(program: Program) -> PipelineGraph:
    """Return the graph of all bundles of a text."""
    graph = control_flow_of(program.isa, program.bundles)
    addresses = range(len(graph.numbers))
    calls = _calls(program)
    following = [() if address in calls else graph.following[address] for address in addresses]
    opaque = {a for a in graph.unknown if a not in calls or _is_opaque(program, a)}
    returns = _returns(program, following, calls, graph.returning)
    starts = [address for address in _entries(program) if address < len(following)]
    outside = {each for start in starts for each in _reached(following, calls, start)}
    loops = counted_loops(program).loops.values()
    return PipelineGraph(
        [accesses_of(program.isa, program.bundles[n]) for n in graph.numbers],
        following,
        calls,
        {address: tuple(sorted(returns.get(address, ()))) for address in graph.returning},
        frozenset(a for a in graph.returning if a in outside or not returns.get(a)),
        frozenset(opaque),
        {
            loop.first: loop.last
            for loop in loops
            if loop.trips * (loop.last - loop.first + 1) > LATEST
        },
        frozenset(outside),
    )


def _is_opaque(program: Program, address: int) -> bool:
    bundle = program.bundles[program.bundle_at_address[address]]
    return bundle.has_uncertain_effect or bundle.has_unknown


def _calls(program: Program) -> dict[int, int | None]:
    targets = {(r.bundle, r.use.instruction): r.target for r in program.references}
    found: dict[int, int | None] = {}
    for address, number in enumerate(program.bundle_at_address):
        bundle = program.bundles[number]
        if not bundle.transfers_control:
            continue
        for place, instruction in enumerate(bundle.instructions):
            spec = instruction.spec
            if spec is not None and CALL in spec.traits:
                target = targets.get((number, place))
                is_here = target is not None and target < program.size
                leaves = min(address + spec.delay_slots, program.size - 1)
                found[leaves] = target if is_here else None
    return found


def _entries(program: Program) -> list[int]:
    """Return where other files may enter: at labels that are not local to a function."""
    local = local_labels(program)
    return [0, *(a for label, a in program.label_addresses.items() if label not in local)]


def _reached(
    following: Sequence[Sequence[int]], calls: Mapping[int, int | None], start: int
) -> set[int]:
    """Return the addresses of a function, and of those that it jumps to."""
    found: set[int] = set()
    waiting = [start]
    while waiting:
        address = waiting.pop()
        if address not in found and address < len(following):
            found.add(address)
            waiting += following[address] if address not in calls else [address + 1]
    return found


def _returns(
    program: Program,
    following: Sequence[Sequence[int]],
    calls: Mapping[int, int | None],
    returning: frozenset[int],
) -> dict[int, set[int]]:
    """Return the addresses after the calls in the text that each return leads to."""
    found: dict[int, set[int]] = {}
    for target in {each for each in calls.values() if each is not None}:
        behind = {a + 1 for a, each in calls.items() if each == target and a + 1 < program.size}
        for address in _reached(following, calls, target) & returning:
            found.setdefault(address, set()).update(behind)
    return found


@cached_on_program
def flights_of(program: Program) -> Flights:
    """Follow all results of a text that do not land before the next bundle."""
    search = _Search(pipeline_graph(program))
    for address, accesses in enumerate(search.graph.accesses):
        for access in accesses:
            if access.writes and (access.timing.def_cycle or LATEST) > 1:
                search.follow_result(address, access)
            if access.reads and (access.timing.use_cycle or 1) > 1:
                search.follow_read(address, access)
    return search.flights()


class _Search:
    def __init__(self, graph: PipelineGraph) -> None:
        self.graph = graph
        self._early: list[Meeting] = []
        self._overtaken: list[Meeting] = []
        self._overwritten: list[Meeting] = []
        self._departures: list[Departure] = []
        self._paths = 0
        units = [frozenset[str]().union(*(a.units for a in each)) for each in graph.accesses]
        self._units = units

    def flights(self) -> Flights:
        return Flights(
            tuple(self._early),
            tuple(self._overtaken),
            tuple(self._overwritten),
            tuple(self._departures),
            self._paths,
        )

    def follow_result(self, address: int, write: RegisterAccess) -> None:
        """Follow a result until it lands."""
        latency = write.timing.def_cycle

        def meet(distance: int, place: Place, path: Path) -> None:
            for other in self.graph.accesses[place.address]:
                if not other.units.isdisjoint(write.units):
                    self._meet(write, other, Meeting(write, other, distance, None, path,
                               place.crosses))  # fmt: skip

        for departure in self._paths_from(address, write, (latency or LATEST) - 1, meet):
            self._departures.append(departure)

    def _meet(self, write: RegisterAccess, other: RegisterAccess, meeting: Meeting) -> None:
        if other.reads:
            needed = needed_distance(write, other)
            if needed is None or meeting.distance < needed:
                self._early.append(meeting._replace(needed=needed))
        if other.writes:
            first, second = write.timing.def_cycle, other.timing.def_cycle
            if first is not None and second is not None and meeting.distance + second <= first:
                self._overtaken.append(meeting._replace(needed=first - second + 1))

    def follow_read(self, address: int, read: RegisterAccess) -> None:
        """Find the writes that land before an operand is read late."""

        def meet(distance: int, place: Place, path: Path) -> None:
            for write in self.graph.accesses[place.address]:
                if write.writes and not write.units.isdisjoint(read.units):
                    needed = needed_distance(write, read)
                    if needed is not None and -distance >= needed:
                        least = 1 - needed
                        meeting = Meeting(write, read, distance, least, path, place.crosses)
                        self._overwritten.append(meeting)

        for _ in self._paths_from(address, read, (read.timing.use_cycle or 1) - 1, meet):
            pass  # what other code overwrites is not known

    def _paths_from(
        self,
        address: int,
        access: RegisterAccess,
        bundles: int,
        meet: Callable[[int, Place, Path], None],
    ) -> Iterator[Departure]:
        """Visit what so many next bundles do with a register; yield how paths leave the text."""
        level = {Place(address): _Walk(1, (address,))}
        for distance in range(1, bundles + 1):
            level, departures = self._next(level, access, bundles + 1 - distance)
            yield from departures
            for place, walk in level.items():
                if not self._units[place.address].isdisjoint(access.units):
                    meet(distance, place, walk.path)
        self._paths += sum(walk.paths for walk in level.values())

    def _next(
        self, level: Mapping[Place, _Walk], access: RegisterAccess, remaining: int
    ) -> tuple[dict[Place, _Walk], list[Departure]]:
        """Go one bundle further on all paths."""
        found: dict[Place, _Walk] = {}
        departures: list[Departure] = []
        for place, walk in level.items():
            how = self.graph.exit_of(place)
            if how:
                departures.append(Departure(access, how, remaining, walk.path))
                self._paths += walk.paths
            for step in self.graph.steps(place):
                known = found.get(step)
                count = walk.paths + (known.paths if known else 0)
                found[step] = _Walk(count, known.path if known else (*walk.path, step.address))
        return found, departures

"""In which trips of its loops a control run is at a cycle, and at which cycle a trip begins."""

from __future__ import annotations

from typing import Sequence

from ipu_asm.flow.control_run.run import ControlRun
from ipu_asm.flow.control_run.trace import Executed, LoopRun, Node, Segment
from ipu_asm.named_tuple import NamedTuple


class LoopTrip(NamedTuple):
    """A loop that a run is in: trip `number`, from 1, of `trips`, entered at a cycle."""

    loop: LoopRun
    entered: int
    number: int
    trips: int


class RunTrips:
    """The trips of a run that is complete and whose counts are all known numbers."""

    def __init__(self, run: ControlRun) -> None:
        self._run = run
        # Loops are compared by identity: a run shares no nodes, and they are long to hash.
        self._sizes: dict[int, int] = {}

    def at(self, cycle: int) -> list[LoopTrip]:
        """Return the loops that the run is in before it executes a cycle, outermost first."""
        found: list[LoopTrip] = []
        nodes, start = self._run.nodes, 0
        while (inside := self._node_at(nodes, start, cycle)) is not None:
            loop, entered = inside
            nodes, start, done = self._trip_at(loop, entered, cycle)
            trips = sum(_trips(segment) for segment in loop.segments)
            found.append(LoopTrip(loop, entered, done + 1, trips))
        return found

    def start_of(self, trip: LoopTrip, number: int) -> int:
        """Return the cycle at which a trip of the same entry of a loop begins."""
        cycle, left = trip.entered, number - 1
        for segment in trip.loop.segments:
            if left < _trips(segment):
                periods, left = divmod(left, segment.period)
                parts = segment.periods(trip.loop.head)[:left]
                return cycle + periods * self._size(segment.nodes) + sum(map(self._size, parts))
            cycle += self._cycles(segment)
            left -= _trips(segment)
        return cycle

    def _node_at(self, nodes: Sequence[Node], start: int, cycle: int) -> tuple[LoopRun, int] | None:
        """The loop among nodes that begin at a cycle in which another cycle is, and its entry."""
        for node in nodes:
            size = self._node_size(node)
            if cycle < start + size:
                return None if isinstance(node, Executed) else (node, start)
            start += size
        return None

    def _trip_at(self, loop: LoopRun, start: int, cycle: int) -> tuple[Sequence[Node], int, int]:
        """The trip that a cycle is in: its nodes, its first cycle, and the trips before it."""
        done = 0
        for segment in loop.segments:
            whole = self._cycles(segment)
            if cycle < start + whole:
                break
            start += whole
            done += _trips(segment)
        periods = (cycle - start) // self._size(segment.nodes)
        start += periods * self._size(segment.nodes)
        done += periods * segment.period
        for nodes in segment.periods(loop.head):
            size = self._size(nodes)
            if cycle < start + size:
                break
            start += size
            done += 1
        return nodes, start, done

    def _cycles(self, segment: Segment) -> int:
        return self._size(segment.nodes) * (_trips(segment) // segment.period)

    def _size(self, nodes: Sequence[Node]) -> int:
        return sum(map(self._node_size, nodes))

    def _node_size(self, node: Node) -> int:
        if isinstance(node, Executed):
            return 1
        size = self._sizes.get(id(node))
        if size is None:
            size = self._sizes[id(node)] = sum(map(self._cycles, node.segments))
        return size


def _trips(segment: Segment) -> int:
    """The trips of a segment, which are a number in a run that is complete and known."""
    trips = segment.trips
    assert isinstance(trips, int)
    return trips

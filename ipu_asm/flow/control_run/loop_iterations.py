"""The iterations of a loop that is executed."""

from __future__ import annotations

from typing import NamedTuple, Sequence

from ipu_asm.flow.control_run.trace import Node, Segment
from ipu_asm.flow.control_run.values import Value, minus


class UnknownExit(NamedTuple):
    """A branch that was assumed to stay in its loop.

    `place` is the number of nodes before it in its iteration; `before` and `after` are the values
    of all registers before and after its bundle. `registers` are those that it depends on.
    """

    address: int
    place: int
    iteration: int
    registers: tuple[str, ...]
    before: Sequence[Value]
    after: Sequence[Value]


class Iteration(NamedTuple):
    """An iteration of a loop, with the values of all registers at its end.

    `changes` are the differences of these from the values at the end of the iteration before it.
    """

    nodes: Sequence[Node]
    values: Sequence[Value]
    changes: Sequence[Value]


class LoopIterations:
    """The iterations of an entry of a loop so far; those in `recent` are the last ones.

    `exits` are the branches in them whose outcome is not known.
    """

    def __init__(self, head: int, last: int) -> None:
        self.head = head
        self.last = last
        self.segments: list[Segment] = []
        self.recent: list[Iteration] = []
        self.exits: list[UnknownExit] = []

    def contains(self, address: int) -> bool:
        """Return whether an address is between the first and the last of the loop."""
        return self.head <= address <= self.last

    def finish(self, nodes: Sequence[Node], values: Sequence[Value]) -> None:
        """Add an iteration that reached the head again. Most registers keep the same value."""
        old = self.recent[-1].values if self.recent else values
        changes = [0 if a is b else minus(b, a) for a, b in zip(old, values)]
        self.recent.append(Iteration(nodes, values, changes))

    def end(self, nodes: Sequence[Node]) -> None:
        """End the loop with an iteration that did not reach the head again."""
        self.segments += [Segment(iteration.nodes, 1) for iteration in self.recent]
        if nodes:
            self.segments.append(Segment(nodes, 1))

"""The numbers of a control run: executions of bundles, trips and cycles of loops, addresses."""

from __future__ import annotations

from typing import Mapping, NamedTuple, Sequence

from ipu_asm.flow.control_run.progressions import joined
from ipu_asm.flow.control_run.run import ControlRun
from ipu_asm.flow.control_run.steps import Access
from ipu_asm.flow.control_run.trace import Executed, LoopRun, Node, Progression

Count = int | None
"""A number; None if it depends on a value that is not known."""


class LoopSummary(NamedTuple):
    """All entries of the loop that begins at address `head`.

    `least` and `most` are the trips of an entry; `cycles` are those of its own bundles and of the
    loops inside it, `own_cycles` without these.
    """

    head: int
    entries: Count
    least: Count
    most: Count
    cycles: Count
    own_cycles: Count


class AccessSummary(NamedTuple):
    """All executions of a memory access: its offsets from the base registers."""

    address: int
    access: Access
    offsets: Sequence[Progression]


class RunSummary(NamedTuple):
    """The numbers of a control run. `executions` has a count for each address.

    `taken` has, for each address with a branch, how often it was taken and how often not.
    """

    cycles: Count
    executions: Sequence[Count]
    taken: Mapping[int, tuple[Count, Count]]
    loops: Mapping[int, LoopSummary]
    accesses: Mapping[tuple[int, int], AccessSummary]


def summarise(run: ControlRun) -> RunSummary:
    """Return the numbers of a control run."""
    summary = _Summary(run)
    cycles = summary.add(run.nodes, 1)
    loops = {head: LoopSummary(head, *numbers) for head, numbers in summary.loops.items()}
    accesses = {
        key: AccessSummary(key[0], run.steps[key[0]].accesses[key[1]], joined(offsets))
        for key, offsets in summary.accesses.items()
    }
    taken = {address: (yes, no) for address, (yes, no) in summary.taken.items()}
    return RunSummary(cycles, summary.executions, taken, loops, accesses)


class _Summary:
    def __init__(self, run: ControlRun) -> None:
        self._steps = run.steps
        self.executions: list[Count] = [0] * len(run.steps)
        self.taken: dict[int, list[Count]] = {}
        # Per head: entries, least and most trips, cycles, own cycles.
        self.loops: dict[int, tuple[Count, Count, Count, Count, Count]] = {}
        self.accesses: dict[tuple[int, int], list[Progression]] = {}

    def add(self, nodes: Sequence[Node], times: Count) -> Count:
        """Count nodes that are executed so often; return the cycles of all executions."""
        cycles: Count = 0
        for node in nodes:
            if isinstance(node, Executed):
                self._add_bundle(node, times)
                cycles = _sum(cycles, times)
            else:
                cycles = _sum(cycles, self._add_loop(node, times))
        return cycles

    def _add_bundle(self, node: Executed, times: Count) -> None:
        address = node.address
        self.executions[address] = _sum(self.executions[address], times)
        if node.taken is not None:
            outcomes = self.taken.setdefault(address, [0, 0])
            place = 0 if node.taken else 1
            outcomes[place] = _sum(outcomes[place], times)
        step = self._steps[address]
        first = step.compared
        for number, offsets in enumerate(node.values[first : first + len(step.accesses)]):
            self.accesses.setdefault((address, number), []).append(offsets)

    def _add_loop(self, run: LoopRun, times: Count) -> Count:
        cycles: Count = 0
        own: Count = 0
        trips: Count = 0
        for nodes, count in run.segments:
            here = _product(times, count)
            cycles = _sum(cycles, self.add(nodes, here))
            bundles = sum(isinstance(node, Executed) for node in nodes)
            own = _sum(own, _product(bundles, here))
            trips = _sum(trips, count)
        entries, least, most, all_cycles, all_own = self.loops.get(
            run.head, (0, trips, trips, 0, 0)
        )
        if trips is None or least is None or most is None:
            least = most = None
        else:
            least, most = min(least, trips), max(most, trips)
        self.loops[run.head] = (
            _sum(entries, times), least, most, _sum(all_cycles, cycles), _sum(all_own, own),
        )  # fmt: skip
        return cycles


def _sum(a: Count, b: Count) -> Count:
    return None if a is None or b is None else a + b


def _product(a: Count, b: Count) -> Count:
    return None if a is None or b is None else a * b

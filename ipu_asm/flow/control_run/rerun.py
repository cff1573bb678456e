"""A control run after an edit: what the edit leaves of the trace of before is not executed again.

A node of the trace, which is a bundle or a whole entry of a loop, depends on the steps of its
addresses and on the registers that these read or write. Where all of them are as in the earlier
run, it is the same node. Most edits change few registers, and those only up to the next write.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Mapping, Sequence

from ipu_asm.flow.control_run.execution import Execution, executed
from ipu_asm.flow.control_run.run import ControlRun, Limits, start_of
from ipu_asm.flow.control_run.steps import Step
from ipu_asm.flow.control_run.trace import Executed, LoopRun, Node
from ipu_asm.flow.control_run.values import Value
from ipu_asm.program.program import Program


def run_after_edit(
    program: Program,
    presets: Mapping[str, int],
    limits: Limits,
    steps: Sequence[Step],
    earlier: ControlRun,
) -> ControlRun:
    """Execute a program with `steps`; the result is that of `control_run`.

    `earlier` is the run of an earlier state of the program, with the same limits.
    """
    start = start_of(program, presets, steps)
    if not earlier.states or list(earlier.initial) != list(start.initial):
        return executed(start, limits)
    # Below that number of bundles no limit ends a run, so that the order of execution is the same.
    most = limits.most_steps // 4
    run = _Rerun(start, earlier, limits).run() if earlier.counts[-1] <= most else None
    return run if run is not None and run.counts[-1] <= most else executed(start, limits)


def _changed(earlier: ControlRun, start: ControlRun) -> Sequence[int]:
    """Return the addresses whose steps have changed, or where another loop begins.

    If the number of bundles has changed, all from the first such address on.
    """
    old, new = earlier.steps, start.steps
    changed = {n for n, (a, b) in enumerate(zip(old, new)) if a is not b and a != b}
    if earlier.loops != start.loops:
        changed |= {head for head, _ in earlier.loops.items() ^ start.loops.items()}
    if len(old) == len(new):
        return sorted(changed)
    first = min(changed, default=min(len(old), len(new)))
    return range(first, max(len(old), len(new)) + 1)


class _Rerun:
    def __init__(self, start: ControlRun, earlier: ControlRun, limits: Limits) -> None:
        self._earlier = earlier
        self._steps = start.steps
        self._registers = [step.registers for step in start.steps]
        self._changed = _changed(earlier, start)
        self._execution = Execution(start, limits, {})
        # The registers whose values are not those of the earlier run, also as a bit set.
        self._differing: set[int] = set()
        self._bits = 0

    def run(self) -> ControlRun:
        execution, earlier = self._execution, self._earlier
        nodes = earlier.nodes
        edited = (
            [n for n, node in enumerate(nodes) if self._is_edited(node)] if self._changed else []
        )
        place = 0
        while place < len(nodes):
            at = bisect_left(edited, place)
            stop = edited[at] if at < len(edited) else len(nodes)
            place = self._keep(place, stop)
            if place == len(nodes):
                break
            following = execution.next_node(nodes[place][0])
            if execution.end is not None or following != self._following(place):
                return execution.finished(following)
            self._compare(place)
            place += 1
        if len(earlier.states) == len(nodes):
            execution.end = earlier.end
        return execution.finished(earlier.end.address)

    def _following(self, place: int) -> int:
        """Return the address behind a node of the earlier run; -1 if it ended there."""
        nodes = self._earlier.nodes
        if place + 1 < len(nodes):
            return nodes[place + 1][0]
        return self._earlier.end.address if len(self._earlier.states) > len(nodes) else -1

    def _is_edited(self, node: Node) -> bool:
        first = last = node[0]
        if isinstance(node, LoopRun):
            last = self._earlier.loops[first]
        changed = self._changed
        at = bisect_left(changed, first)
        return at < len(changed) and changed[at] <= last

    def _keep(self, place: int, stop: int) -> int:
        """Take over the nodes before `stop`, up to the first one with other values; return it."""
        states, execution, first = self._earlier.states, self._execution, place
        if not self._bits:
            place = stop
            execution.states += states[first:stop]
            if stop > first:
                execution.values = self._after(stop - 1)
        while place < stop and not self._uses_difference(self._earlier.nodes[place]):
            execution.states.append(execution.values)
            after = self._after(place)
            if after is not states[place]:
                execution.values = self._with_differences(after)
            place += 1
        counts = self._earlier.counts
        moved = execution.count - counts[first]
        execution.nodes += self._earlier.nodes[first:place]
        execution.counts += [count + moved for count in counts[first:place]]
        execution.count = counts[place] + moved
        return place

    def _uses_difference(self, node: Node) -> bool:
        """Return whether a node depends on registers whose values are not those of before."""
        first, bits = node[0], self._bits
        if type(node) is Executed:
            return bool(bits & self._registers[first])
        registers = self._registers[first : self._earlier.loops[first] + 1]
        return any(bits & each for each in registers)

    def _with_differences(self, values: Sequence[Value]) -> list[Value]:
        changed = list(values)
        for register in self._differing:
            changed[register] = self._execution.values[register]
        return changed

    def _after(self, place: int) -> list[Value]:
        """Return the values of the earlier run after a node."""
        states = self._earlier.states
        return states[place + 1] if place + 1 < len(states) else list(self._earlier.registers)

    def _compare(self, place: int) -> None:
        """Find the registers whose values differ from those of the earlier run after a node."""
        values, after = self._execution.values, self._after(place)
        node = self._earlier.nodes[place]
        if isinstance(node, Executed) and not self._is_edited(node):
            updated = {update.register for update in self._steps[node.address].updates}
            if not updated:
                return
            candidates = self._differing | updated
        else:
            candidates = set(range(len(values)))
        self._differing = {n for n in candidates if values[n] != after[n]}
        self._bits = sum([1 << register for register in self._differing])

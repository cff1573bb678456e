"""Detection of loops in a run, from the transitions between bundles alone."""

from __future__ import annotations

from typing import Mapping

from ipu_asm.named_tuple import NamedTuple

Steps = Mapping[tuple[int, int], int]
"""How often control went from one bundle to another."""


class Loop(NamedTuple):
    """A set of bundles that was executed repeatedly.

    `header` is the bundle at which every iteration begins, `body` all bundles of an iteration, with
    the header and inner loops. `entries` counts how often the loop was entered, `iterations` how
    often the header was executed; in a loop that exits at its header the last iteration is partial.
    """

    header: int
    body: frozenset[int]
    entries: int
    iterations: int


def find_loops(first: int, steps: Steps) -> list[Loop]:
    """Return the loops of a run that began at `first`, outer loops before inner ones.

    A loop is a natural loop of the executed control flow. Where control entered the middle of a
    loop, so that it has no single header, the target of its backward branch serves as the header.
    """
    graph = _Graph(first, steps)
    loops: dict[int, set[int]] = {}
    rest = []
    for source, target in sorted(steps):
        if graph.dominates(target, source):
            loops.setdefault(target, set()).update(graph.between(target, source))
        elif target <= source:
            rest.append((source, target))
    natural = dict(loops)
    for source, target in rest:
        # A path through the header of a natural loop around both bundles is an iteration of that
        # loop.
        around = {header for header, body in natural.items() if {source, target} <= body}
        body = graph.between(target, source, around)
        if body:
            loops.setdefault(target, set()).update(body)
    found = [_loop(first, steps, header, body) for header, body in loops.items()]
    return sorted(found, key=lambda loop: (min(loop.body), -len(loop.body)))


def _loop(first: int, steps: Steps, header: int, body: set[int]) -> Loop:
    arrivals = [(source, count) for (source, target), count in steps.items() if target == header]
    iterations = sum(count for _, count in arrivals) + (header == first)
    repeats = sum(count for source, count in arrivals if source in body)
    return Loop(header, frozenset(body), iterations - repeats, iterations)


class _Graph:
    """The executed control flow."""

    def __init__(self, first: int, steps: Steps) -> None:
        self.next: dict[int, list[int]] = {first: []}
        self.before: dict[int, list[int]] = {first: []}
        for source, target in steps:
            self.next.setdefault(source, []).append(target)
            self.next.setdefault(target, [])
            self.before.setdefault(target, []).append(source)
            self.before.setdefault(source, [])
        self._dominators = self._find_dominators(first)

    def dominates(self, one: int, other: int) -> bool:
        """Return whether every path from the start to `other` goes through `one`."""
        return bool(self._dominators[other] >> one & 1)

    def between(self, header: int, last: int, closed: set[int] | None = None) -> set[int]:
        """Return the bundles on paths from `header` to `last`, with both; empty if there is none.

        No path goes through the `closed` ones.
        """
        barriers = closed or set()
        ahead = _reached(header, self.next, barriers) - barriers
        if last not in ahead:
            return set()
        return _reached(last, self.before, {header, *barriers}) & ahead

    def _find_dominators(self, first: int) -> dict[int, int]:
        """For each bundle a bit set of the bundles that dominate it."""
        everything = (1 << max(self.next) + 1) - 1
        dominators = dict.fromkeys(self.next, everything)
        dominators[first] = 1 << first
        changed = True
        while changed:
            changed = False
            for node in sorted(self.next):
                if node == first:
                    continue
                common = everything
                for source in self.before[node]:
                    common &= dominators[source]
                common |= 1 << node
                if common != dominators[node]:
                    dominators[node], changed = common, True
        return dominators


def _reached(start: int, neighbours: Mapping[int, list[int]], barriers: set[int]) -> set[int]:
    """All nodes reachable from `start`; the successors of a barrier are not followed."""
    found: set[int] = set()
    waiting = [start]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            if node not in barriers:
                waiting += neighbours[node]
    return found

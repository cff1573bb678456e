"""The path of a run: transition counts between bundles, and the addresses executed last."""

from __future__ import annotations

from array import array
from collections import Counter
from itertools import pairwise
from typing import Final, Iterable

from ipu_asm.emulator.machine import BulkTrace, Machine, StopTest, Trace, Transitions

MAX_BUNDLES_PER_CALL: Final = 1 << 16
"""Recommended limit on bundles per call of `Recording.run`, which uses 2 bytes for each."""


class Recording:
    """The path of one run, which may take several calls of `run`.

    `first` is the address of its first bundle; `transitions[a, b]` counts how often bundle b was
    executed right after bundle a. A bundle that faults is not counted.
    """

    def __init__(self, tail_limit: int = 0) -> None:
        self.first: int | None = None
        self.transitions: Transitions = Counter()
        self._tail = array("H")
        self.tail_limit = tail_limit
        self._last: int | None = None

    def run(self, machine: Machine, limit: int, stop: StopTest | None = None) -> int:
        """Run as `Machine.run` does, and record the address of each bundle."""
        if machine.state.is_halted:
            return 0
        trace = _Trace(self)
        before = machine.cycles
        try:
            return machine.run(limit, stop, trace)
        finally:
            trace.finish(machine.cycles - before)

    @property
    def visits(self) -> Counter[int]:
        """How often each bundle was executed, by address."""
        visits: Counter[int] = Counter()
        if self.first is not None:
            visits[self.first] = 1
        for (_, address), count in self.transitions.items():
            visits[address] += count
        return visits

    @property
    def last(self) -> int | None:
        """The address of the last bundle; None before the first."""
        return self._last

    @property
    def tail(self) -> array[int]:
        """The addresses of the bundles executed last, up to `tail_limit` of them."""
        return self._tail[-self.tail_limit :] if self.tail_limit else self._tail

    def add(
        self, first: int, last: int, transitions: Iterable[tuple[tuple[int, int], int]]
    ) -> None:
        """Add a way from its first bundle to its last one."""
        if self._last is None:
            self.first = first
        else:
            self.transitions[self._last, first] += 1
        for transition, count in transitions:
            self.transitions[transition] += count
        self._last = last

    def add_addresses(self, addresses: array[int]) -> None:
        """Add the addresses of bundles executed one after the other."""
        self.add(addresses[0], addresses[-1], ())
        self.transitions.update(pairwise(addresses))
        if self.tail_limit:
            self._tail.extend(addresses)
            if len(self._tail) > 2 * self.tail_limit:
                del self._tail[: -self.tail_limit]


class _Trace(BulkTrace):
    """Adds a call of `run` to a recording."""

    def __init__(self, recording: Recording) -> None:
        super().__init__(wants_addresses=recording.tail_limit > 0)
        self._recording = recording
        self._addresses = array("H")
        self._added = 0

    @property
    def append(self) -> Trace:
        """What to call for each bundle: as fast as can be, because it is called in a loop."""
        return self._addresses.append

    def add_addresses(self, addresses: bytes) -> None:
        """Add bundles that an engine has recorded."""
        self._addresses.frombytes(addresses)

    def add_transitions(self, first: int, last: int, transitions: Transitions) -> None:
        """Add what an engine has counted, after the bundles that it recorded one by one."""
        self._add(len(self._addresses))
        counts = [each for each in transitions.items() if each[1] > 0]
        self._recording.add(first, last, counts)
        self._added += 1 + sum(count for _, count in counts)

    def finish(self, executed: int) -> None:
        """End with the call, which executed so many bundles; another one recorded has faulted."""
        self._add(executed - self._added)

    def _add(self, number: int) -> None:
        """Add the first ones of the addresses, and begin anew."""
        if number:
            self._recording.add_addresses(self._addresses[:number])
            self._added += number
        del self._addresses[:]

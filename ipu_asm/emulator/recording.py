"""The path of a run: transition counts between bundles, and the addresses executed last."""

from __future__ import annotations

from array import array
from collections import Counter
from itertools import pairwise
from typing import Final

from ipu_asm.emulator.machine import Machine, StopTest

MAX_BUNDLES_PER_CALL: Final = 1 << 16
"""Recommended limit on bundles per call of `Recording.run`, which uses 2 bytes for each."""


class Recording:
    """The path of one run, which may take several calls of `run`.

    `first` is the address of its first bundle; `transitions[a, b]` counts how often bundle b was
    executed right after bundle a. A bundle that faults is not counted.
    """

    def __init__(self, tail_limit: int = 0) -> None:
        self.first: int | None = None
        self.transitions: Counter[tuple[int, int]] = Counter()
        self._tail = array("H")
        self._tail_limit = tail_limit
        self._last: int | None = None

    def run(self, machine: Machine, limit: int, stop: StopTest | None = None) -> int:
        """Run as `Machine.run` does, and record the address of each bundle."""
        if machine.state.is_halted:
            return 0
        addresses = array("H")
        before = machine.cycles
        try:
            return machine.run(limit, stop, addresses.append)
        finally:
            # The last bundle recorded may have faulted.
            del addresses[machine.cycles - before :]
            if addresses:
                self._add(addresses)

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
    def tail(self) -> array[int]:
        """The addresses of the bundles executed last, up to `tail_limit` of them."""
        return self._tail[-self._tail_limit :] if self._tail_limit else self._tail

    def _add(self, addresses: array[int]) -> None:
        if self._last is None:
            self.first = addresses[0]
        else:
            self.transitions[self._last, addresses[0]] += 1
        self.transitions.update(pairwise(addresses))
        self._last = addresses[-1]
        if self._tail_limit:
            self._tail.extend(addresses)
            if len(self._tail) > 2 * self._tail_limit:
                del self._tail[: -self._tail_limit]

"""Which way a run takes: how often control goes from one bundle to another, and the last steps."""

from __future__ import annotations

from array import array
from collections import Counter
from itertools import pairwise
from typing import Final

from ipu_asm.emulator.ipu import Ipu, StopTest

MOST_AT_ONCE: Final = 1 << 16
"""The most bundles that `Recording.run` should be asked for: it keeps a note of each meanwhile."""


class Recording:
    """The way of one run, however many calls of `run` it takes.

    `first` is the address at which it began, `steps[a, b]` how often bundle b came next after
    bundle a. Only bundles that were executed count; one that faulted was not.
    """

    def __init__(self, tail_limit: int = 0) -> None:
        self.first: int | None = None
        self.steps: Counter[tuple[int, int]] = Counter()
        self._tail = array("H")
        self._tail_limit = tail_limit
        self._last: int | None = None

    def run(self, ipu: Ipu, limit: int, stop: StopTest | None = None) -> int:
        """As `Ipu.run`, at little more than its cost: one note a bundle."""
        if ipu.state.is_halted:
            return 0
        addresses = array("H", [ipu.state.program_counter])
        before = ipu.cycles
        try:
            return ipu.run(limit, _noting(addresses, stop))
        finally:
            # The last note may be of a bundle that stopped the run or could not be executed.
            del addresses[ipu.cycles - before :]
            if addresses:
                self._add(addresses)

    @property
    def visits(self) -> Counter[int]:
        """How often each bundle was executed."""
        visits: Counter[int] = Counter()
        if self.first is not None:
            visits[self.first] = 1
        for (_, address), count in self.steps.items():
            visits[address] += count
        return visits

    @property
    def tail(self) -> array[int]:
        """The addresses of the last bundles, up to `tail_limit` of them."""
        return self._tail[-self._tail_limit :] if self._tail_limit else self._tail

    def _add(self, addresses: array[int]) -> None:
        if self._last is None:
            self.first = addresses[0]
        else:
            self.steps[self._last, addresses[0]] += 1
        self.steps.update(pairwise(addresses))
        self._last = addresses[-1]
        if self._tail_limit:
            self._tail.extend(addresses)
            if len(self._tail) > 2 * self._tail_limit:
                del self._tail[: -self._tail_limit]


def _noting(addresses: array[int], stop: StopTest | None) -> StopTest:
    """A test that notes the address of each bundle it is asked about."""
    note = addresses.append
    if stop is None:
        return note  # type: ignore[return-value]  # None stands for no, and no call is quicker

    def test(address: int) -> bool:
        note(address)
        return stop(address)

    return test

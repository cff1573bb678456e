"""Time travel: keyframes, execution once more from the nearest, and the user's edits on the way.

A moment is a cycle: the number of bundles executed before it. Edits made at a cycle belong to its
state; a keyframe of that cycle is from before them.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Callable, Final, Iterator, NamedTuple

from ipu_asm.debugger.keyframes import Keyframes
from ipu_asm.debugger.regions import Region, write_region
from ipu_asm.emulator.ipu import Ipu, StopTest

SPACING: Final = 4_096
"""Bundles from one keyframe to the next: executing them again takes some 20 milliseconds."""

NEAR: Final = 256
"""How far before the end of a way back a keyframe is left, so that the next step back is short."""

PATIENCE: Final = 512
"""How many bundles are executed between two questions for a pause: at most some 20 milliseconds."""

MEMORY_LIMIT: Final = 256 << 20

Examine = Callable[[], bool]
"""Called on arrival at a cycle, before its edits; whether to stay there."""

Pause = Callable[[], bool]
"""Asked again and again on a long way; whether to leave it."""


class Edit(NamedTuple):
    """A change that the user made at a cycle."""

    region: Region
    data: bytes


class History:
    """The past of a machine, and the way through it. The machine must be run only from here.

    `memory_limit` bounds an estimate of the bytes that keyframes take.
    """

    def __init__(self, ipu: Ipu, memory_limit: int = MEMORY_LIMIT, spacing: int = SPACING) -> None:
        self.ipu = ipu
        self.spacing = spacing
        self.first = ipu.cycles
        self.edits: dict[int, list[Edit]] = {}
        self.end = ipu.cycles
        self.keyframes = Keyframes(ipu.cycles, ipu.state.save(), memory_limit)

    @property
    def cycle(self) -> int:
        """The moment at which the machine stands."""
        return self.ipu.cycles

    def edit(self, where: Region, data: bytes) -> None:
        """Change the machine here and now; a future that was recorded is forgotten.

        Raises ValueError unless `data` has the size of the region.
        """
        write_region(self.ipu.state, where, data)
        cycle = self.cycle
        self.keyframes.cut(cycle)
        self.edits = {when: edits for when, edits in self.edits.items() if when <= cycle}
        self.edits.setdefault(cycle, []).append(Edit(where, data))
        self.end = cycle

    def reset(self) -> None:
        """Back to the state of the beginning, without any edit."""
        self.edits.clear()
        self.keyframes.cut(self.first)
        self.end = self.first
        self._restore(self.first)

    def advance(
        self, until: int, stop: StopTest | None = None, examine: Examine | None = None
    ) -> bool:
        """Go forward to a cycle, following recorded edits; whether `examine` ended the way before.

        A machine that halts stays there. `examine` is asked on each arrival: in front of bundles
        for which `stop` says so, at keyframes and edits, and at the end. Raises `ExecutionFault`
        with the machine in front of the faulty bundle.
        """
        ipu = self.ipu
        while ipu.cycles < until and not ipu.state.is_halted:
            try:
                ipu.run(min(until, self._next_mark()) - ipu.cycles, stop)
            finally:
                self.end = max(self.end, ipu.cycles)
            self._keep_if_due()
            stay = False
            try:
                stay = examine is not None and examine()
            finally:
                self._apply_edits()
            if stay:
                return True
        return False

    def go_to(self, cycle: int, pause: Pause = lambda: False) -> int:
        """Stand at a cycle, or at the last one before it that there is; which one that is.

        A pause, asked for now and then, leaves the machine on the way, at an earlier cycle. Raises
        `ExecutionFault` as `advance` does, if the way leads into a fault.
        """
        cycle = max(cycle, self.first)
        nearest = self.keyframes.before(cycle)
        if cycle < self.cycle or nearest > self.cycle:
            self._restore(nearest)
        near = cycle - NEAR
        is_far = self.cycle + NEAR < near and cycle <= self.end

        def look() -> bool:
            # Edits come after the keyframe of their cycle, so that is made on arrival.
            if is_far and self.cycle == near:
                self._keep()
            return pause()

        while self.cycle < cycle and not self.ipu.state.is_halted:
            mark = near if is_far and self.cycle < near else cycle
            if self.advance(min(mark, self.cycle + PATIENCE), None, look):
                break
        return self.cycle

    def keep(self) -> None:
        """Make a keyframe here, to come back without delay."""
        if self.cycle not in self.edits:
            self._keep()

    def is_edited(self, name: str) -> bool:
        """Whether the user has changed a part anywhere in the history."""
        return any(edit.region.name == name for edits in self.edits.values() for edit in edits)

    def segments(self, until: int) -> Iterator[tuple[int, int]]:
        """First and last cycle of the stretches between keyframes, from a cycle back to the first.

        The machine stands at the first cycle of each. Each begins where the next one ends.
        """
        while until > self.first:
            start = self.keyframes.before(until - 1)
            self._restore(start)
            yield start, until
            until = start

    def _restore(self, cycle: int) -> None:
        self.ipu.state.restore(self.keyframes[cycle])
        self.ipu.cycles = cycle
        self._apply_edits()

    def _apply_edits(self) -> None:
        for edit in self.edits.get(self.cycle, ()):
            write_region(self.ipu.state, edit.region, edit.data)

    def _next_mark(self) -> int:
        """The next cycle with an edit or a keyframe to make."""
        cycle = self.cycle
        marks = [when for when in self.edits if when > cycle]
        cycles = self.keyframes.cycles
        following = bisect_right(cycles, cycle)
        due = cycles[following - 1] + self.spacing
        while due <= cycle:
            due += self.spacing
        return min(*marks, due) if marks else due

    def _keep_if_due(self) -> None:
        if self.cycle - self.keyframes.before(self.cycle) >= self.spacing:
            self._keep()

    def _keep(self) -> bool:
        """Make a keyframe, but none of a machine that has halted: what halted it would be lost."""
        if not self.ipu.state.is_halted:
            self.keyframes.add(self.cycle, self.ipu.state.save())
        return False

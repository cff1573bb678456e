"""Queries about the past, answered by re-execution from the keyframes, the latest segment first.

Runs count no memory accesses, so they are as fast as without these queries. Counts are kept at some
cycles, so that after a step only that step is executed again.
"""

from __future__ import annotations

from array import array
from typing import Final

from ipu_asm.debugger.breakpoints import Condition
from ipu_asm.debugger.conditions import ExpressionCondition, check_of
from ipu_asm.debugger.history import History
from ipu_asm.debugger.regions import MEMORY, Region
from ipu_asm.debugger.runner import Runner
from ipu_asm.emulator.core.checks import ALWAYS, Opcode, unary
from ipu_asm.emulator.execution_counts import AccessCounts, Recording, Touched, last_accesses
from ipu_asm.emulator.machine import WRITES, SelectiveTest, WatchedRange
from ipu_asm.named_tuple import NamedTuple

_EVALUATIONS_BETWEEN_PAUSES: Final = 32
"""Conditions evaluated between two calls of `pause`, at most."""


class QueryInterruptedError(Exception):
    """A query was ended by a pause; the machine is at the cycle where the query began."""


class LastWrite(NamedTuple):
    """The last write to a region: at `cycle`, by `instruction` in the bundle at `pc`.

    `cycle` is the one before the bundle; `landed` is the first with the result, if that is not the
    next one. For an edit by the user, `pc` and `instruction` are None.
    """

    cycle: int
    pc: int | None = None
    instruction: str | None = None
    landed: int | None = None


def last_write(runner: Runner, where: Region) -> LastWrite | None:
    """Return the last write to a region before the current cycle; None if there is none.

    The machine returns to the current cycle. Raises `QueryInterruptedError` if the option
    `pause` ends the query.
    """
    history, now = runner.history, runner.history.cycle
    history.keep()
    try:
        return _find_write(runner, where)
    finally:
        history.go_to(now)


def when_true(runner: Runner, condition: Condition) -> int | None:
    """Return the last cycle up to now at which a condition became true; None if there is none.

    It is the first cycle if the condition has held since then. The machine returns to the current
    cycle. Raises `QueryInterruptedError` if the option `pause` ends the query.
    """
    history, now = runner.history, runner.history.cycle
    changes = _Changes(runner, condition)
    history.keep()
    try:
        for _, end in history.segments(now):
            found = _became_true(runner, changes, end)
            if found is not None:
                return found
        history.go_to(history.first)
        return history.first if condition(history.machine.state) else None
    finally:
        history.go_to(now)


def _find_write(runner: Runner, where: Region) -> LastWrite | None:
    history, now = runner.history, runner.history.cycle
    for start, end in history.segments(now):
        found = _last_write(runner, where, end)
        edited = _last_edit(history, where, start, now)
        if edited is not None and (found is None or found.cycle < edited):
            return LastWrite(edited)
        if found is not None:
            return found
    edited = _last_edit(history, where, now, now)
    return LastWrite(edited) if edited is not None else None


def _last_write(runner: Runner, where: Region, until: int) -> LastWrite | None:
    """The last write on the way to a cycle."""
    machine, history, accesses = runner.machine, runner.history, runner.accesses
    writers = accesses.bundles(where.name, reads=False, writes=True)

    def has_written(_: int) -> bool:
        return machine.snapshot.pc in writers and accesses.has_written(where) is not None

    if where.name == MEMORY:
        written = WatchedRange(where.start, where.start + where.size, WRITES)
        test = SelectiveTest(has_written, watched=(written,))
    else:
        test = SelectiveTest(has_written, after=writers)
    found = None
    while history.cycle < until:
        history.run_to_mark(history.next_pause(until), test)
        pc = machine.snapshot.pc
        writer = accesses.writer(where) if pc in writers else None
        if writer is not None:
            executed = history.cycle - 1 - writer.delay
            landed = history.cycle if writer.delay else None
            found = LastWrite(executed, writer.pc, writer.instruction, landed)
        history.apply_edits()
        _check_pause(runner)
    return found


def _last_edit(history: History, where: Region, first: int, last: int) -> int | None:
    """The last cycle of a range at which the user changed a region."""
    return max(
        (
            cycle
            for cycle, edits in history.edits.items()
            for edit in edits
            if first <= cycle <= last
            and edit.region.name == where.name
            and where.overlaps(edit.region.start, edit.region.size)
        ),
        default=None,
    )


class _Changes:
    """Where a condition begins or ceases to hold: after bundles that write what it reads."""

    def __init__(self, runner: Runner, condition: Condition) -> None:
        self.condition = condition
        self._machine = runner.machine
        self._evaluations = 0
        self._reads = condition.reads if isinstance(condition, ExpressionCondition) else None
        self._addresses = runner.accesses.writers_of(self._reads)
        self._check = ALWAYS if runner.may_change_type else check_of(condition)

        self.tests = {holds: self._next_change(holds) for holds in (False, True)}
        """The tests that the truth of the condition has changed."""

    def _next_change(self, holds: bool) -> SelectiveTest:
        """The test whether the condition holds otherwise than before.

        Now and then it is true without cause, so that a pause need not wait for a change.
        """

        def may_have_changed(_: int) -> bool:
            if self._machine.snapshot.pc not in self._addresses:
                return False
            self._evaluations += 1
            is_due = not self._evaluations % _EVALUATIONS_BETWEEN_PAUSES
            return is_due or self.condition(self._machine.state) is not holds

        check = self._check
        if holds and check != ALWAYS:
            check = unary(Opcode.NOT, check)
        checks = dict.fromkeys(self._addresses, (check,))
        if self._reads is None:
            # Before all bundles, which is equivalent, the core keeps no registers.
            return SelectiveTest(may_have_changed, in_front_if=checks)
        return SelectiveTest(may_have_changed, after_if=checks)


def _became_true(runner: Runner, changes: _Changes, until: int) -> int | None:
    """The last cycle on the way at which a condition starts to hold."""
    history, state = runner.history, runner.machine.state
    found, before = None, changes.condition(state)
    while history.cycle < until:
        history.run_to_mark(history.next_pause(until), changes.tests[before])
        history.apply_edits()
        holds = changes.condition(state)
        if holds and not before:
            found = history.cycle
        before = holds
        _check_pause(runner)
    return found


def _check_pause(runner: Runner) -> None:
    if runner.options.pause():
        raise QueryInterruptedError("a pause came before the answer")


MAX_BUNDLES: Final = 20_000_000
"""Bundles executed again for one answer: more of them take over a second on a core."""
_MAX_KEPT: Final = 16


class CountedAccesses(NamedTuple):
    """The accesses of the bundles from cycle `since` on up to the current one."""

    since: int
    counts: AccessCounts


class LastAccess(NamedTuple):
    """An access that a bundle made at a cycle, which is the one before it."""

    touched: Touched
    pc: int
    cycle: int


class MemoryAccesses:
    """The accesses of the run of one debugger. The machine always returns to its cycle."""

    def __init__(self, runner: Runner, most: int = MAX_BUNDLES) -> None:
        self._runner = runner
        self._most = most
        self._kept: dict[int, CountedAccesses] = {}

    def drop_after(self, cycle: int) -> None:
        """Forget what was counted after a cycle, whose future has changed."""
        self._kept = {when: each for when, each in self._kept.items() if when <= cycle}

    def counted(self) -> CountedAccesses:
        """Return the counts up to the current cycle.

        Of a run that is very long they begin later than it. Raises `QueryInterruptedError`.
        """
        history, now = self._runner.history, self._runner.history.cycle
        if now in self._kept:
            return self._kept[now]
        before = max((when for when in self._kept if when < now), default=None)
        if before is None or now - before > self._most:
            start = max(history.first, now - self._most)
            found = CountedAccesses(start, AccessCounts(self._runner.machine.state.xmem.size))
        else:
            start = before
            found = CountedAccesses(self._kept[before].since, self._kept[before].counts.copy())
        self._count(found.counts, start, now)
        self._keep(now, found)
        return found

    def last(self, is_write: bool) -> LastAccess | None:
        """Return the last access of a kind before the current cycle; None if there was none.

        It is looked for as far back as accesses are counted. Raises `QueryInterruptedError`.
        """
        runner, history = self._runner, self._runner.history
        now, executed = history.cycle, 0
        bundles, delay = runner.accesses.of_memory(is_write)
        if not bundles:
            return None
        history.keep()
        try:
            for start, end in history.segments(now):
                places = self._addresses(end)
                for index in range(len(places) - 1, -1, -1):
                    first = max(0, index - delay)
                    if first or not delay:
                        may_access = not bundles.isdisjoint(places[first : index + 1])
                    else:
                        may_access = True  # a store of an earlier segment may come here
                    found = self._at(start + index, is_write) if may_access else None
                    if found is not None:
                        return found
                executed += end - start
                if executed > self._most:
                    return None
            return None
        finally:
            history.go_to(now)

    def _count(self, counts: AccessCounts, start: int, now: int) -> None:
        history = self._runner.history
        history.keep()
        try:
            history.go_to(start, self._runner.options.pause)
            self._check_pause()
            while history.cycle < now:
                history.run_to_mark(history.next_pause(now), run=counts.run)
                history.apply_edits()
                self._check_pause()
        finally:
            history.go_to(now)

    def _addresses(self, end: int) -> array[int]:
        history, found = self._runner.history, array("H")
        while history.cycle < end:
            recording = Recording(tail_limit=end - history.cycle)
            history.run_to_mark(history.next_pause(end), run=recording.run)
            found.extend(recording.tail)
            history.apply_edits()
            self._check_pause()
        return found

    def _at(self, cycle: int, is_write: bool) -> LastAccess | None:
        history, machine = self._runner.history, self._runner.machine
        history.go_to(cycle)
        machine.run_on_numpy(1)
        of_kind = [each for each in last_accesses(machine) if each.is_write is is_write]
        history.apply_edits()
        return LastAccess(of_kind[-1], machine.snapshot.pc, cycle) if of_kind else None

    def _keep(self, cycle: int, found: CountedAccesses) -> None:
        """Keep counts; above the limit, drop the ones with the nearest neighbours."""
        self._kept[cycle] = found
        if len(self._kept) > _MAX_KEPT:
            cycles = sorted(self._kept)
            gaps = {b: c - a for a, b, c in zip(cycles, cycles[1:], cycles[2:])}
            del self._kept[min(gaps, key=gaps.__getitem__)]

    def _check_pause(self) -> None:
        if self._runner.options.pause():
            raise QueryInterruptedError("a pause came before the answer")

"""The conditions that stop a run: breakpoints, data breakpoints, traps and targets of a step.

Their evaluation changes neither the machine nor a breakpoint: the runner counts hits and logs.
"""

from __future__ import annotations

from typing import Collection, Iterable, Iterator, Mapping, Sequence

from ipu_asm.debugger.breakpoints import (
    Breakpoint,
    Condition,
    DataBreakpoint,
    HitFilter,
    StopCause,
    Trap,
)
from ipu_asm.debugger.conditions import check_of
from ipu_asm.debugger.regions import MEMORY
from ipu_asm.debugger.traps import (
    NUMERIC_TRAPS,
    FailedAssertion,
    TrapAddresses,
    TrapHit,
    TrapMonitor,
)
from ipu_asm.emulator.core.checks import ALWAYS, Check, both
from ipu_asm.emulator.machine import SelectiveTest, StopTest, WatchedRange
from ipu_asm.emulator.state import AnyState
from ipu_asm.emulator.stops import StopReason


class BreakpointSet:
    """Everything that stops a run on request; `traps` maps enabled traps to their conditions.

    It may be changed whenever the machine is stopped; changes apply from the next bundle on.
    """

    def __init__(
        self,
        at_bundles: Sequence[Breakpoint] = (),
        at_data: Sequence[DataBreakpoint] = (),
        traps: Mapping[Trap, Condition | None] | None = None,
    ) -> None:
        self.at_bundles = at_bundles
        self.at_data = at_data
        self.traps = {} if traps is None else traps

    @property
    def filters(self) -> list[HitFilter]:
        return [*self.at_bundles, *self.at_data]

    def is_trapped(self, trap: Trap, state: AnyState) -> bool:
        """Return whether a trap is on and its condition, if any, holds."""
        condition = self.traps.get(trap)
        return trap in self.traps and (condition is None or condition(state))

    def set_at_bundles(self, breakpoints: Sequence[Breakpoint]) -> None:
        self._drop_hits_of_new(breakpoints)
        self.at_bundles = tuple(breakpoints)

    def set_at_data(self, breakpoints: Sequence[DataBreakpoint]) -> None:
        self._drop_hits_of_new(breakpoints)
        self.at_data = tuple(breakpoints)

    def with_hit_conditions(self) -> BreakpointSet:
        return BreakpointSet(
            [breakpoint for breakpoint in self.at_bundles if breakpoint.hit_condition],
            [breakpoint for breakpoint in self.at_data if breakpoint.hit_condition],
        )

    def mark_counted(self, cycle: int) -> None:
        """Record that all hits up to a cycle are counted."""
        for breakpoint in self.filters:
            breakpoint.counted_until = max(breakpoint.counted_until, cycle)

    def drop_hits_after(self, cycle: int) -> None:
        for breakpoint in self.filters:
            breakpoint.drop_hits_after(cycle)

    def _drop_hits_of_new(self, breakpoints: Sequence[HitFilter]) -> None:
        """Drop all hits of breakpoints that are new: they may have missed an edit of the past."""
        known = set(map(id, self.filters))
        for breakpoint in breakpoints:
            if id(breakpoint) not in known:
                breakpoint.drop_hits_after(-1)


class StopConditions:
    """The conditions that stop one run, evaluated before each bundle.

    They refer to that bundle and to the last one executed. With `stop_on_halt` every halt is a
    cause. `monitor` finds the hits of numeric traps.
    """

    def __init__(
        self,
        trap_addresses: TrapAddresses,
        breakpoints: BreakpointSet,
        *,
        targets: Collection[int] = (),
        monitor: TrapMonitor | None = None,
        stop_on_halt: bool = False,
        may_change_type: bool = False,
        is_logging: bool = True,
    ) -> None:
        """`may_change_type`: expressions may mean something else in the course of the run.

        Without `is_logging`, log breakpoints are left out, which never stop, unless they count.
        """
        self._trap_addresses = trap_addresses
        self._machine = trap_addresses.machine
        self._breakpoints = breakpoints
        self._targets = targets
        self._monitor = monitor
        self._stop_on_halt = stop_on_halt
        self._may_change_type = may_change_type
        self._check_of = _always if may_change_type else check_of
        self._breaks = trap_addresses.breaks if Trap.BREAK in breakpoints.traps else frozenset()
        assertions = trap_addresses.assertions
        at_bundles = [*breakpoints.at_bundles, *assertions.log_points]
        self._at_bundles = [each for each in at_bundles if is_logging or not each.only_logs]
        self._assertions = assertions if Trap.ASSERTION in breakpoints.traps else None
        addresses = [breakpoint.addresses for breakpoint in self._at_bundles]
        self._stop_addresses = frozenset().union(*addresses, targets)
        accesses = trap_addresses.accesses
        at_data = [each for each in breakpoints.at_data if is_logging or not each.only_logs]
        self._data = [(data, data.bundles(accesses)) for data in at_data]
        self._data_addresses = frozenset().union(*(bundles for _, bundles in self._data))

    @property
    def test(self) -> StopTest:
        in_front, after = _Checks(), _Checks()
        for breakpoint in self._at_bundles:
            in_front.add(breakpoint.addresses, self._check_of(breakpoint.condition))
        in_front.add(self._targets, ALWAYS)
        watched = self._watch_data(after)
        if self._assertions is not None:
            condition = self._check_of(self._breakpoints.traps.get(Trap.ASSERTION))
            of_assertions = self._assertions.checks(self._may_change_type)
            for mine, theirs in zip((in_front, after), of_assertions):
                for pc, checks in theirs.items():
                    for check in checks:
                        mine.add((pc,), both(check, condition))
        if self._monitor is not None:
            for pc, trap, check in self._monitor.checks():
                after.add((pc,), both(check, self._check_of(self._breakpoints.traps.get(trap))))
        has_assertions = self._assertions is not None and self._assertions.has_conditions
        is_simple = not (after.at or watched or has_assertions or self._breaks)
        return SelectiveTest(
            self._is_at_bundle if is_simple else self._may_stop,
            in_front=in_front.always,
            at_breaks=self._breaks,
            watched=watched,
            in_front_if=in_front.unless_always,
            after_if=after.at,
        )

    def _watch_data(self, after: _Checks) -> tuple[WatchedRange, ...]:
        """Add the checks of data breakpoints on registers; return the ranges of the others."""
        ranges = [data.watched_range for data, _ in self._data if data.region.name == MEMORY]
        regions = self._trap_addresses.accesses.regions
        for data, bundles in self._data:
            if data.region.name != MEMORY:
                check = ALWAYS if data.may_read else regions.changed(data.region)
                after.add(bundles, both(check, self._check_of(data.condition)))
        return tuple(ranges)

    def causes(self) -> list[StopCause]:
        found = list(self._data_causes())
        if self._monitor is not None:
            found += self._numeric(self._monitor.hits())
        if self._assertions is not None:
            found += self._asserted(self._assertions.failed_after())
        if self._machine.state.is_halted:
            return [*found, *self._at_halt()]
        return found + self.causes_in_front()

    def causes_in_front(self) -> list[StopCause]:
        """Return the causes that do not depend on the last bundle executed."""
        state = self._machine.state
        pc = state.program_counter
        found = [
            StopCause(StopReason.BREAKPOINT, f"breakpoint at bundle {pc}", breakpoint)
            for breakpoint in self._at_bundles
            if pc in breakpoint.addresses and breakpoint.holds(state)
        ]
        if pc in self._breaks and self._machine.stops_at(pc) and self._is_trapped(Trap.BREAK):
            description = self._trap_addresses.describe(StopReason.BREAK)
            found.append(StopCause(StopReason.BREAK, description, trap=Trap.BREAK))
        if self._assertions is not None:
            found += self._asserted(self._assertions.failed_before())
        if pc in self._targets:
            found.append(StopCause(StopReason.STEP, f"reached bundle {pc}"))
        return found

    def _may_stop(self, pc: int) -> bool:
        return (
            pc in self._stop_addresses
            or (pc in self._breaks and self._machine.stops_at(pc))
            or (self._machine.snapshot.pc in self._data_addresses and self._has_accessed())
            or (self._assertions is not None and self._assertions.may_fail(pc))
            or (self._monitor is not None and self._monitor.has_hit())
        )

    def _is_at_bundle(self, pc: int) -> bool:
        return pc in self._stop_addresses

    def _has_accessed(self) -> bool:
        return any(True for _ in self._accesses_by_last())

    def _accesses_by_last(self) -> Iterator[tuple[DataBreakpoint, str]]:
        """The data breakpoints whose regions the last bundle accessed, ignoring conditions.

        The bundle must be one that can access the region: after others, an engine need not have
        kept the registers from before the bundle.
        """
        pc = self._machine.snapshot.pc
        for data, bundles in self._data:
            if pc in bundles:
                access = data.access_by_last(self._trap_addresses.accesses)
                if access is not None:
                    yield data, access

    def _data_causes(self) -> Iterator[StopCause]:
        """The data breakpoints that the last bundle executed hit."""
        state, pc = self._machine.state, self._machine.snapshot.pc
        for data, access in self._accesses_by_last():
            if data.holds(state):
                yield StopCause(StopReason.DATA, f"{access} in bundle {pc}", data)

    def _asserted(self, failed: FailedAssertion | None) -> Iterator[StopCause]:
        if failed is not None and self._is_trapped(Trap.ASSERTION):
            yield StopCause(StopReason.ASSERTION, failed.message, trap=Trap.ASSERTION)

    def _numeric(self, hits: Iterable[TrapHit]) -> Iterator[StopCause]:
        pc = self._machine.snapshot.pc
        for trap, events in hits:
            if self._is_trapped(trap):
                numeric = NUMERIC_TRAPS[trap]
                vectors = self._trap_addresses.model.layout.vectors
                what = ", and ".join(
                    numeric.describe(event, event.register in vectors) for event in events
                )
                description = f"{what}, in {self._trap_addresses.lines.describe(pc)}"
                yield StopCause(numeric.reason, description, trap=trap)

    def _at_halt(self) -> Iterator[StopCause]:
        is_bkpt = self._machine.snapshot.pc in self._trap_addresses.halts
        trap = Trap.BKPT if is_bkpt and self._is_trapped(Trap.BKPT) else None
        if trap is not None or self._stop_on_halt:
            reason = StopReason.BKPT if is_bkpt else StopReason.HALTED
            yield StopCause(reason, self._trap_addresses.describe(StopReason.HALTED), trap=trap)

    def _is_trapped(self, trap: Trap) -> bool:
        return self._breakpoints.is_trapped(trap, self._machine.state)


class _Checks:
    def __init__(self) -> None:
        self.at: dict[int, list[Check]] = {}

    def add(self, addresses: Iterable[int], check: Check) -> None:
        for address in addresses:
            self.at.setdefault(address, []).append(check)

    @property
    def always(self) -> frozenset[int]:
        """The addresses with a check that always holds."""
        return frozenset(address for address, checks in self.at.items() if ALWAYS in checks)

    @property
    def unless_always(self) -> dict[int, list[Check]]:
        """The checks by address, without the addresses where one always holds."""
        return {address: checks for address, checks in self.at.items() if ALWAYS not in checks}


def _always(condition: object) -> Check:
    """Stand for `check_of` where a check made now would be wrong later."""
    return ALWAYS

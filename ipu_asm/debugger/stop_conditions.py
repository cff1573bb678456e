"""The conditions that stop a run: breakpoints, data breakpoints, traps and targets of a step.

Their evaluation changes neither the machine nor a breakpoint: the runner counts hits and logs.
"""

from __future__ import annotations

from typing import Callable, Collection, Final, Iterable, Iterator, Mapping, NamedTuple, Sequence

from ipu_asm.assembler.decode import DecodedInstruction
from ipu_asm.debugger.accesses import Accesses
from ipu_asm.debugger.assertions import AssertionChecks, FailedAssertion
from ipu_asm.debugger.breakpoints import Breakpoint, Condition, DataBreakpoint, HitFilter, Trap
from ipu_asm.debugger.regions import MEMORY
from ipu_asm.debugger.stop import StopCause
from ipu_asm.emulator.machine import SelectiveTest, StopTest, WatchedRange
from ipu_asm.emulator.model import machine_for
from ipu_asm.emulator.numeric_events import NumericEvent, Probe
from ipu_asm.emulator.run_end import run_end_of
from ipu_asm.emulator.state import AnyState
from ipu_asm.emulator.stops import StopReason, describe_stop
from ipu_asm.emulator.vliw import AnyMachine
from ipu_asm.program.line_table import LineTable


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
        """All breakpoints of both kinds."""
        return [*self.at_bundles, *self.at_data]

    def is_trapped(self, trap: Trap, state: AnyState) -> bool:
        """Return whether a trap is on and its condition, if any, holds."""
        condition = self.traps.get(trap)
        return trap in self.traps and (condition is None or condition(state))

    def set_at_bundles(self, breakpoints: Sequence[Breakpoint]) -> None:
        """Replace the breakpoints at bundles."""
        self._drop_hits_of_new(breakpoints)
        self.at_bundles = tuple(breakpoints)

    def set_at_data(self, breakpoints: Sequence[DataBreakpoint]) -> None:
        """Replace the data breakpoints."""
        self._drop_hits_of_new(breakpoints)
        self.at_data = tuple(breakpoints)

    def with_hit_conditions(self) -> BreakpointSet:
        """Return the set of the breakpoints with a hit condition, without traps."""
        return BreakpointSet(
            [breakpoint for breakpoint in self.at_bundles if breakpoint.hit_condition],
            [breakpoint for breakpoint in self.at_data if breakpoint.hit_condition],
        )

    def mark_counted(self, cycle: int) -> None:
        """Record that all hits up to a cycle are counted."""
        for breakpoint in self.filters:
            breakpoint.counted_until = max(breakpoint.counted_until, cycle)

    def drop_hits_after(self, cycle: int) -> None:
        """Drop the hits after a cycle."""
        for breakpoint in self.filters:
            breakpoint.drop_hits_after(cycle)

    def _drop_hits_of_new(self, breakpoints: Sequence[HitFilter]) -> None:
        """Drop all hits of breakpoints that are new: they may have missed an edit of the past."""
        known = set(map(id, self.filters))
        for breakpoint in breakpoints:
            if id(breakpoint) not in known:
                breakpoint.drop_hits_after(-1)


class TrapHit(NamedTuple):
    """A trap hit by the last bundle executed, with its numeric events."""

    trap: Trap
    events: Sequence[NumericEvent]


class TrapAddresses:
    """The bundles of a program at which traps can be hit.

    `breaks` have a break instruction, `halts` one that halts the machine; `probes` find numeric
    events, by trap and address; `assertions` are those in comments.
    """

    def __init__(self, machine: AnyMachine, accesses: Accesses, lines: LineTable) -> None:
        self.machine = machine
        self.model = machine_for(machine.state.isa_name)
        self.accesses = accesses
        instructions = accesses.instructions
        breaks = machine.break_slot
        self.breaks = _having(
            instructions,
            lambda instruction: instruction.slot.name == breaks and not instruction.is_idle,
        )
        self.halts = _having(
            instructions,
            lambda instruction: instruction.spec is not None and instruction.spec.flow == "halt",
        )
        makers = {Trap.NAN: self.model.nan_probe, Trap.OVERFLOW: self.model.overflow_probe}
        settings = machine.state.settings
        self.probes = {
            trap: {pc: probe for pc in instructions if (probe := maker(instructions[pc], settings))}
            for trap, maker in makers.items()
            if maker is not None
        }
        self.lines = lines
        self.assertions = AssertionChecks(machine, lines)

    def describe(self, reason: StopReason) -> str:
        """Describe the current stop of the machine in one line."""
        return describe_stop(run_end_of(self.machine, reason, self.lines))

    def monitor(self, traps: Collection[Trap], is_type_edited: bool) -> TrapMonitor | None:
        """Return a monitor for the numeric traps among these; None if none of them can be hit.

        NaNs occur only with float elements, overflows only with integers. `is_type_edited` states
        that the user changes the element type somewhere in the history.
        """
        wanted = [trap for trap in self.probes if trap in traps]
        if not wanted:
            return None
        register = self.model.type_register
        writers = register and self.accesses.bundles(register, reads=False, writes=True)
        is_float = self.model.types_in(self.machine.state).has_float_words
        probes: dict[int, list[tuple[Trap, Probe]]] = {}
        for trap in wanted:
            if writers or is_type_edited or _NUMERIC_TRAPS[trap].is_for_floats is is_float:
                for pc, probe in self.probes[trap].items():
                    probes.setdefault(pc, []).append((trap, probe))
        return TrapMonitor(self.machine, probes) if probes else None


class TrapMonitor:
    """Finds numeric events by comparing the registers before and after the last bundle executed."""

    def __init__(
        self, machine: AnyMachine, probes: Mapping[int, Sequence[tuple[Trap, Probe]]]
    ) -> None:
        self._before = machine.snapshot
        self._now = machine.state.regfile
        self._probes = probes

    @property
    def addresses(self) -> frozenset[int]:
        """The bundles that can hit a trap."""
        return frozenset(self._probes)

    def has_hit(self) -> bool:
        """Return whether the last bundle executed hit a trap, ignoring its condition."""
        return self._before.pc in self._probes and any(True for _ in self.hits())

    def hits(self) -> Iterator[TrapHit]:
        """Yield the traps that the last bundle executed hit, ignoring their conditions."""
        for trap, probe in self._probes.get(self._before.pc, ()):
            events = probe(self._before, self._now)
            if events:
                yield TrapHit(trap, events)


class StopConditions:
    """The conditions that stop one run, evaluated in front of each bundle.

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
    ) -> None:
        self._trap_addresses = trap_addresses
        self._machine = trap_addresses.machine
        self._breakpoints = breakpoints
        self._targets = targets
        self._monitor = monitor
        self._stop_on_halt = stop_on_halt
        self._breaks = trap_addresses.breaks if Trap.BREAK in breakpoints.traps else frozenset()
        assertions = trap_addresses.assertions
        self._at_bundles = [*breakpoints.at_bundles, *assertions.log_points]
        self._assertions = assertions if Trap.ASSERTION in breakpoints.traps else None
        at_bundles = [breakpoint.addresses for breakpoint in self._at_bundles]
        self._stop_addresses = frozenset().union(*at_bundles, targets)
        accesses = trap_addresses.accesses
        self._data = [(data, data.bundles(accesses)) for data in breakpoints.at_data]
        self._data_addresses = frozenset().union(*(bundles for _, bundles in self._data))

    @property
    def test(self) -> StopTest:
        """The test for a run: whether there may be a cause in front of a bundle address."""
        before, after = (
            self._assertions.addresses if self._assertions else (frozenset(), frozenset())
        )
        if self._monitor is not None:
            after |= self._monitor.addresses
        watched: list[WatchedRange] = []
        for data, bundles in self._data:
            if data.region.name == MEMORY:
                watched.append(data.watched_range)
            else:
                after |= bundles
        return SelectiveTest(
            self._may_stop if after or watched or before or self._breaks else self._is_at_bundle,
            in_front=self._stop_addresses | before,
            at_breaks=self._breaks,
            after=after,
            watched=tuple(watched),
        )

    def causes(self) -> list[StopCause]:
        """Return all causes after a run, without counting the hits of breakpoints."""
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
                numeric = _NUMERIC_TRAPS[trap]
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


class _NumericTrap(NamedTuple):
    """A trap for numeric events: its reason, the words that have them, and their description.

    `describe` takes an event, and whether its register is a vector.
    """

    reason: StopReason
    is_for_floats: bool
    describe: Callable[[NumericEvent, bool], str]


def _having(
    instructions: Mapping[int, Sequence[DecodedInstruction]],
    is_wanted: Callable[[DecodedInstruction], bool],
) -> frozenset[int]:
    """The addresses of bundles with an instruction for which `is_wanted` holds."""
    return frozenset(pc for pc in instructions if any(map(is_wanted, instructions[pc])))


def _describe_nans(event: NumericEvent, is_vector: bool) -> str:
    instruction, register, number, first, _ = event
    if number > 1:
        return f"`{instruction}` made {number} NaNs in `{register}`, the first in element {first}"
    place = f", in element {first}" if is_vector else ""
    return f"`{instruction}` made a NaN in `{register}`{place}"


def _describe_overflow(event: NumericEvent, is_vector: bool) -> str:
    instruction, register, number, first, exact = event
    where = f"element {first} of `{register}`"
    if number > 1:
        where = f"{number} elements of `{register}`, the first being element {first}"
    return f"`{instruction}` overflowed in {where} with an exact result of {exact}"


_NUMERIC_TRAPS: Final = {
    Trap.NAN: _NumericTrap(StopReason.NAN, True, _describe_nans),
    Trap.OVERFLOW: _NumericTrap(StopReason.OVERFLOW, False, _describe_overflow),
}

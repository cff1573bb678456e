"""What stops a run by itself: `break` and `bkpt`, NaNs that appear, sums that overflow, faults."""

from __future__ import annotations

from typing import Callable, Final, Mapping, NamedTuple, Sequence

from ipu_asm.debugger.accesses import Accesses
from ipu_asm.debugger.breakpoints import Condition
from ipu_asm.debugger.sentry import Alarm, Sentry
from ipu_asm.debugger.stop import StopCause, Trap
from ipu_asm.emulator.decode import Code
from ipu_asm.emulator.ipu import Ipu
from ipu_asm.emulator.numeric_events import NumericEvent, Probe, nan_probe, overflow_probe
from ipu_asm.emulator.registers import DTYPE, SCALAR_NAMES, VECTORS
from ipu_asm.emulator.stops import StopReason, describe_stop, stop_of
from ipu_asm.program.line_table import LineTable, describe_bundle

TRAPS: Final[Mapping[Trap, Condition | None]] = {Trap.BREAK: None, Trap.FAULT: None}
"""The traps that are on unless someone sets others."""

ELEMENT_TYPE: Final = SCALAR_NAMES[DTYPE]


class TrapWatch:
    """The traps that are on, and where in a program they can be set off.

    `traps` maps each that is on to its condition. With `stop_on_halt` every halt stops.
    """

    def __init__(
        self, ipu: Ipu, accesses: Accesses, lines: LineTable | None, stop_on_halt: bool
    ) -> None:
        self.traps = TRAPS
        self._ipu = ipu
        self._accesses = accesses
        self._lines = lines
        self._stop_on_halt = stop_on_halt
        self._breaks = self._bundles(lambda code: code.slot.name == "break" and not code.is_idle)
        self._halts = self._bundles(lambda code: code.spec is not None and code.spec.flow == "halt")
        self._probes = {
            trap: {pc: probe for pc in accesses.codes if (probe := kind.make(accesses.codes[pc]))}
            for trap, kind in _KINDS.items()
        }

    def is_set_off(self, trap: Trap) -> bool:
        """Whether a trap is on and its condition, if it has one, holds now."""
        if trap not in self.traps:
            return False
        condition = self.traps[trap]
        return condition is None or condition(self._ipu.state)

    def breaks(self) -> frozenset[int]:
        """The bundles whose break slot is to be looked at."""
        return self._breaks if Trap.BREAK in self.traps else frozenset()

    def sentry(self, edited: bool) -> Sentry | None:
        """Who keeps an eye on the numbers of a run; `edited` if users change the element type.

        None if nothing can happen to them, as far as the traps are concerned.
        """
        floats = bool(self._ipu.state.get_cr_dtype())
        both = edited or bool(self._accesses.bundles(ELEMENT_TYPE, reads=False, writes=True))
        probes: dict[int, list[tuple[Trap, Probe]]] = {}
        for trap, kind in _KINDS.items():
            if trap in self.traps and (both or kind.is_for_floats is floats):
                for pc, probe in self._probes[trap].items():
                    probes.setdefault(pc, []).append((trap, probe))
        return Sentry(self._ipu.state.regfile, probes) if probes else None

    def in_front(self) -> list[StopCause]:
        """The break in front of which the machine stands, if that stops."""
        pc = self._ipu.state.program_counter
        if pc not in self.breaks() or not self._ipu.stops_at(pc):
            return []
        if not self.is_set_off(Trap.BREAK):
            return []
        stop = stop_of(self._ipu, StopReason.BREAK, self._lines)
        return [StopCause(StopReason.BREAK, describe_stop(stop), None, Trap.BREAK)]

    def after(self, alarms: Sequence[Alarm]) -> list[StopCause]:
        """What has happened to numbers, as far as that stops."""
        return [
            StopCause(_KINDS[trap].reason, self._describe(trap, pc, incidents), None, trap)
            for trap, pc, incidents in alarms
            if self.is_set_off(trap)
        ]

    def at_halt(self) -> list[StopCause]:
        """The halt that the last bundle has made, if that stops."""
        is_bkpt = self.is_at_bkpt()
        trap = Trap.BKPT if is_bkpt and self.is_set_off(Trap.BKPT) else None
        if trap is None and not self._stop_on_halt:
            return []
        stop = stop_of(self._ipu, StopReason.HALTED, self._lines)
        reason = StopReason.BKPT if is_bkpt else StopReason.HALTED
        return [StopCause(reason, describe_stop(stop), None, trap)]

    def is_at_bkpt(self) -> bool:
        """Whether a machine that has halted did so by an instruction that is there for it."""
        return self._ipu.snapshot.pc in self._halts

    def _bundles(self, wanted: Callable[[Code], bool]) -> frozenset[int]:
        codes = self._accesses.codes
        return frozenset(pc for pc in codes if any(map(wanted, codes[pc])))

    def _describe(self, trap: Trap, pc: int, incidents: Sequence[NumericEvent]) -> str:
        """Incidents in one bundle, and that as `describe_stop` speaks of it."""
        told = ", and ".join(map(_KINDS[trap].describe, incidents))
        place = self._lines.place(pc) if self._lines else None
        return f"{told}, in {describe_bundle(pc, place)}"


class _Kind(NamedTuple):
    """A trap for what happens to numbers: in which mode, how it is found, how it is told."""

    reason: StopReason
    is_for_floats: bool
    make: Callable[[Sequence[Code]], Probe | None]
    describe: Callable[[NumericEvent], str]


def _describe_nans(incident: NumericEvent) -> str:
    code, register, number, first, _ = incident
    if number > 1:
        return f"`{code}` made {number} NaNs in `{register}`, the first in element {first}"
    place = f", in element {first}" if register in VECTORS else ""
    return f"`{code}` made a NaN in `{register}`{place}"


def _describe_overflow(incident: NumericEvent) -> str:
    code, register, number, first, exact = incident
    where = f"element {first} of `{register}`"
    if number > 1:
        where = f"{number} elements of `{register}`, the first being element {first}"
    return f"`{code}` overflowed in {where} with an exact sum of {exact}"


_KINDS: Final = {
    Trap.NAN: _Kind(StopReason.NAN, True, nan_probe, _describe_nans),
    Trap.OVERFLOW: _Kind(StopReason.OVERFLOW, False, overflow_probe, _describe_overflow),
}

"""Traps: where in a program they can be hit, and what finds their numeric events."""

from __future__ import annotations

from typing import Callable, Collection, Final, Iterator, Mapping, Sequence

from ipu_asm.assembler.decode import DecodedInstruction
from ipu_asm.debugger.accesses import Accesses
from ipu_asm.debugger.assertions import AssertionChecks
from ipu_asm.debugger.breakpoints import Trap
from ipu_asm.emulator.core.checks import Check
from ipu_asm.emulator.model import machine_for
from ipu_asm.emulator.numeric_events import NumericEvent, Probe
from ipu_asm.emulator.run import run_end_of
from ipu_asm.emulator.stops import StopReason, describe_stop
from ipu_asm.emulator.vliw import AnyMachine
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable


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

    def may_change_type(self, is_type_edited: bool) -> bool:
        """Return whether the element type can change, by the program or by edits of the user."""
        return self.accesses.may_write_type or is_type_edited

    def monitor(self, traps: Collection[Trap], is_type_edited: bool) -> TrapMonitor | None:
        """Return a monitor for the numeric traps among these; None if none of them can be hit.

        NaNs occur only with float elements, overflows only with integers. `is_type_edited` states
        that the user changes the element type somewhere in the history.
        """
        wanted = [trap for trap in self.probes if trap in traps]
        if not wanted:
            return None
        may_change = self.may_change_type(is_type_edited)
        is_float = self.model.types_in(self.machine.state).has_float_words
        probes: dict[int, list[tuple[Trap, Probe]]] = {}
        for trap in wanted:
            if may_change or NUMERIC_TRAPS[trap].is_for_floats is is_float:
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

    def checks(self) -> Iterator[tuple[int, Trap, Check]]:
        """Yield the bundles that can hit a trap, each with the check that they do."""
        for pc, probes in self._probes.items():
            for trap, probe in probes:
                yield pc, trap, probe.check

    def has_hit(self) -> bool:
        """Return whether the last bundle executed hit a trap, ignoring its condition."""
        return self._before.pc in self._probes and any(True for _ in self.hits())

    def hits(self) -> Iterator[TrapHit]:
        """Yield the traps that the last bundle executed hit, ignoring their conditions."""
        for trap, probe in self._probes.get(self._before.pc, ()):
            events = probe(self._before, self._now)
            if events:
                yield TrapHit(trap, events)


class NumericTrap(NamedTuple):
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


NUMERIC_TRAPS: Final = {
    Trap.NAN: NumericTrap(StopReason.NAN, True, _describe_nans),
    Trap.OVERFLOW: NumericTrap(StopReason.OVERFLOW, False, _describe_overflow),
}

"""The cycles of a run and the trips of its loops, computed without executing its data."""

from __future__ import annotations

from functools import cached_property
from typing import Mapping

from ipu_asm.config.kernel_keys import NAMED_VALUES
from ipu_asm.emulator.model import machine_for
from ipu_asm.emulator.state import AnyState
from ipu_asm.flow.control_run.execution import control_run
from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.control_run.run import ControlRun
from ipu_asm.flow.control_run.steps import UnsupportedProgramError
from ipu_asm.flow.control_run.summary import LoopSummary, RunSummary, RunTrips, summarise
from ipu_asm.flow.control_run.trace import merged
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program

_MAX_STEPS = 20_000
"""Bundles that are executed one by one: these take a third of a second of processor time."""


class PlannedAccesses(NamedTuple):
    """The bytes of memory that a whole run reads and writes, as sorted ranges."""

    reads: tuple[range, ...]
    writes: tuple[range, ...]


class RunLength:
    """How many bundles a program executes, with the registers of a state before its first one."""

    def __init__(self, program: Program, state: AnyState) -> None:
        self._program = program
        self._begins = state.program_counter == 0
        settings = machine_for(program.isa.name).setting_values(state.settings)
        modes = {name: int(settings[name].number) for name in NAMED_VALUES if name in settings}
        self._presets = state.regfile.scalar_values() | modes

    @cached_property
    def _run(self) -> ControlRun | None:
        if not self._begins:
            return None
        try:
            run = control_run(self._program, self._presets, _MAX_STEPS)
        except UnsupportedProgramError:
            return None
        return run if run.is_complete else None

    @cached_property
    def _summary(self) -> RunSummary | None:
        return None if self._run is None else summarise(self._run)

    @property
    def cycles(self) -> int | None:
        """The cycles until the machine halts; None if that is not known."""
        return None if self._summary is None else self._summary.cycles

    @property
    def loops(self) -> Mapping[int, LoopSummary] | None:
        """The numbers of the loops by their first address; None if the run is not known."""
        return None if self._summary is None else self._summary.loops

    @cached_property
    def accesses(self) -> PlannedAccesses | None:
        """The memory that the run accesses; None if that is not known."""
        if self._run is None:
            return None
        facts = ControlFacts(self._presets, self._run)
        found: dict[str, list[range]] = {"read": [], "write": []}
        for each in facts.summary.accesses.values():
            if each.access.space.is_register:
                continue
            ranges = facts.address_ranges(each)
            if ranges is None:
                return None
            found[each.access.kind] += ranges
        return PlannedAccesses(*(tuple(merged(ranges)) for ranges in found.values()))

    @cached_property
    def trips(self) -> RunTrips | None:
        """The trips of the loops at each cycle; None if the cycles are not known."""
        return None if self._run is None or self.cycles is None else RunTrips(self._run)

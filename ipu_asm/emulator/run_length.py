"""The number of cycles of a run, computed without executing its data."""

from __future__ import annotations

from functools import cached_property

from ipu_asm.emulator.state import AnyState
from ipu_asm.flow.control_run.run import control_run
from ipu_asm.flow.control_run.steps import UnsupportedProgramError
from ipu_asm.flow.control_run.summary import summarise
from ipu_asm.program.program import Program

_MOST_STEPS = 20_000
"""Bundles that are executed one by one: these take a third of a second of processor time."""


class RunLength:
    """How many bundles a program executes, with the registers of a state before its first one."""

    def __init__(self, program: Program, state: AnyState) -> None:
        self._program = program
        self._begins = state.program_counter == 0
        self._registers = dict(zip(state.layout.scalar_names, state.regfile.scalars))

    @cached_property
    def cycles(self) -> int | None:
        """The cycles until the machine halts; None if that is not known."""
        if not self._begins:
            return None
        try:
            run = control_run(self._program, self._registers, _MOST_STEPS)
        except UnsupportedProgramError:
            return None
        return summarise(run).cycles if run.is_complete else None

"""What the control run says about a program: once for each configuration of the host."""

from __future__ import annotations

from typing import Mapping, NamedTuple

from ipu_asm.flow.control_run.run import ControlRun, control_run
from ipu_asm.flow.control_run.steps import UnsupportedProgramError
from ipu_asm.flow.control_run.summary import RunSummary, summarise
from ipu_asm.program.program import Program, cached_on_program


class ControlFacts(NamedTuple):
    """The control run of a program and its numbers, with `presets` in registers at the start."""

    presets: Mapping[str, int]
    run: ControlRun
    summary: RunSummary


@cached_on_program
def control_facts(program: Program) -> tuple[ControlFacts, ...]:
    """Return the facts for each configuration of the host.

    There are none for a program with errors, and for an instruction set whose description does not
    say what instructions compute.
    """
    if not program.is_text or not program.isa.spaces or not program.size:
        return ()
    try:
        run = control_run(program, program.presets)
    except UnsupportedProgramError:
        return ()
    return (ControlFacts(program.presets, run, summarise(run)),)

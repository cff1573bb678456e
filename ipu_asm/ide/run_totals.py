"""The numbers of a whole program, for a status bar: cycles, and its part of instruction memory."""

from __future__ import annotations

from ipu_asm.flow.loop_numbers import total_cycles
from ipu_asm.ide.control_run.configurations import configuration_phrase, shown_facts
from ipu_asm.ide.control_run.run import (
    cycles_sentence,
    size_in_memory,
)
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.text import counted


class RunTotals(NamedTuple):
    """The numbers of a whole program, for a status bar.

    `cycles` is None if they are not known. `text` says all of it.
    """

    isa: str
    unit: str
    bundles: int
    limit: int
    cycles: int | None
    text: str


def run_totals(program: Program) -> RunTotals:
    """Return the cycles of a program and its part of instruction memory."""
    isa, facts = program.isa, shown_facts(program)
    size = size_in_memory(isa, program.size)
    cycles = total_cycles(program, facts)
    if facts is not None:
        cycles_text = cycles_sentence(facts) + configuration_phrase(program)
    else:
        cycles_text = "" if cycles is None else counted(cycles, "cycle")
    text = ", ".join(filter(None, (cycles_text, size)))
    return RunTotals(isa.name, isa.unit, program.size, isa.program_limit, cycles, text)

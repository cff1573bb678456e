"""The whole run in words: its cycles, or why they are not known."""

from __future__ import annotations

from typing import Sequence

from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.control_run.run import ENDLESS, FAULT, LIMIT
from ipu_asm.flow.loop_numbers import cycles_of_run
from ipu_asm.isa.forms import NO_LIMIT
from ipu_asm.isa.model import Isa
from ipu_asm.text import counted


def cycles_sentence(facts: ControlFacts) -> str:
    """Return the cycles of a run, or why they are not known, in a few words."""
    end, total = facts.run.end, cycles_of_run(facts)
    if total is not None:
        ends = f", then a fault in bundle {end.address}" if end.reason == FAULT else ""
        return f"{counted(total, 'cycle')}{ends}"
    if end.reason == ENDLESS:
        return "never halts"
    if end.reason == LIMIT:
        return f"more than {facts.summary.cycles or 0:,} cycles"
    return f"cycles depend on {listed(unknown_registers(facts))}"


def unknown_registers(facts: ControlFacts) -> Sequence[str]:
    """Return the registers without a known value that the run depends on."""
    return facts.summary.unknown


def size_in_memory(isa: Isa, count: int) -> str:
    """Return a number of bundles, with the capacity of instruction memory if the set has one."""
    if isa.program_limit == NO_LIMIT:
        return counted(count, isa.unit)
    return f"{count:,} of {counted(isa.program_limit, isa.unit)}"


def listed(names: Sequence[str]) -> str:
    """Return names as a phrase: `cr4, cr5 and cr6`."""
    if not names:
        return "values that are not known"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))

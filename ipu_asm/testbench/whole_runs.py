"""Whole runs of two programs that must do the same: their cycles, and their ends on random data."""

from __future__ import annotations

from typing import Final, Sequence

from ipu_asm.emulator.model import machine_for
from ipu_asm.flow.control_run.facts import ControlFacts, control_facts
from ipu_asm.flow.packing.pack import PackingError, plan_packing
from ipu_asm.flow.packing.proof import ProofError
from ipu_asm.program.program import Program
from ipu_asm.testbench.packing import end_of_run, random_state

MOST_CYCLES: Final = 5_000_000
"""Cycles of the longest program that is run to its end: a second of each run on the core."""

MOST_OBSERVED: Final = 100_000
"""Cycles of the longest program whose registers are observed bundle by bundle."""

_RUNS: Final = 3
_MOST_SEEDS: Final = 12


class TooLongError(PackingError):
    """A run is too long to be compared with that of a rewritten program."""


def whole_cycles(facts: Sequence[ControlFacts], most: int = MOST_CYCLES) -> int:
    """Return the cycles of a program in all configurations together.

    Raises `PackingError` if the control run does not know them, `TooLongError` if there are more
    than `most`.
    """
    total = 0
    for each in facts:
        if not each.is_complete or each.summary.cycles is None:
            raise PackingError(f"its control run is not known to the end: {each.run.end.reason}")
        total += each.summary.cycles
    if total > most:
        message = f"its run of {total:,} cycles is too long to compare, which goes up to {most:,}"
        raise TooLongError(message)
    return total


def packed_cycles(program: Program) -> int:
    """Return the cycles that a program has when it is packed. Raises `PackingError`."""
    return whole_cycles(control_facts(plan_packing(program).packed))


def compare_runs(
    one: Program, other: Program, old: ControlFacts, new: ControlFacts, ignored: frozenset[str]
) -> None:
    """Raise `ProofError` unless runs on random data end with the same registers and memory.

    The second program is called the new one in messages. `ignored` registers may differ.
    """
    runs = 0
    for seed in range(_MOST_SEEDS):
        start = random_state(machine_for(one.isa.name), old.presets, seed)
        first = end_of_run(one, old.presets, start, old.summary.cycles or 0)
        if first is None:
            continue
        second = end_of_run(other, new.presets, start, new.summary.cycles or 0)
        if second is None:
            raise ProofError("the new program faults where the program does not")
        different = [name for name in first.differences(second) if name not in ("pc", *ignored)]
        if different:
            raise ProofError(f"`{different[0]}` differs after a run on random data")
        runs += 1
        if runs == _RUNS:
            return
    if not runs:
        raise ProofError("every run on random data ends with a fault")

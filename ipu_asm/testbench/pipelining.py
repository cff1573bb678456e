"""Software pipelining with proof: only if it saves cycles and changes nothing.

The proof is that of `testbench.packing`: values, decisions and addresses without data, then runs of
both programs on random data, here to their end.
"""

from __future__ import annotations

from typing import Final, NamedTuple, Sequence

from ipu_asm.flow.control_run.facts import ControlFacts, control_facts
from ipu_asm.flow.packing.pack import PackingError
from ipu_asm.flow.packing.pipeline import PipelinedLoop, pipelined_loops, prove_pipeline
from ipu_asm.flow.packing.proof import ProofError
from ipu_asm.program.program import Program
from ipu_asm.testbench.packing import end_of_run, random_state

MOST_CYCLES: Final = 100_000
"""Cycles of the longest program whose loops are pipelined: it is run to its end for the proof."""

_RUNS: Final = 3
_MOST_SEEDS: Final = 12


class OverlappedLoop(NamedTuple):
    """A loop that was pipelined: its label, its bundles before and after, and its stages."""

    label: str
    bundles: tuple[int, int]
    stages: int


class PipelineResult(NamedTuple):
    """A program with pipelined loops, and its cycles before and after."""

    program: Program
    loops: tuple[OverlappedLoop, ...]
    cycles: tuple[int, int]


def pipelined(program: Program) -> PipelineResult:
    """Pipeline the loops of a program where that saves cycles.

    Raises `PackingError` if that cannot be decided or not be proven: the control run must know the
    program to its end, for the values of the host that it has.
    """
    facts = control_facts(program)
    before = _cycles(facts)
    overlapped: list[OverlappedLoop] = []
    cycles, found = before, _best(program, facts, before)
    while found is not None:
        prove_loop(found, facts)
        overlapped.append(_described(found))
        program, facts = found.pipelined, control_facts(found.pipelined)
        cycles = _cycles(facts)
        found = _best(program, facts, cycles)
    return PipelineResult(program, tuple(overlapped), (before, cycles))


def prove_loop(loop: PipelinedLoop, facts: Sequence[ControlFacts]) -> None:
    """Raise `ProofError` unless the program with a pipelined loop does what the program does."""
    prove_pipeline(loop, facts)
    after = control_facts(loop.pipelined)
    for old, new in zip(facts, after, strict=True):
        if old.run.end.reason != new.run.end.reason or old.run.registers != new.run.registers:
            raise ProofError("the pipelined program ends with other loop registers")
        _compare_runs(loop, old, new)


def _compare_runs(loop: PipelinedLoop, old: ControlFacts, new: ControlFacts) -> None:
    runs = 0
    for seed in range(_MOST_SEEDS):
        start = random_state(old.presets, seed)
        one = end_of_run(loop.program, start, old.summary.cycles or 0)
        if one is None:
            continue
        other = end_of_run(loop.pipelined, start, new.summary.cycles or 0)
        if other is None:
            raise ProofError("the pipelined program faults where the program does not")
        different = [name for name in one.differences(other) if name != "pc"]
        if different:
            raise ProofError(f"`{different[0]}` differs after a run on random data")
        runs += 1
        if runs == _RUNS:
            return
    if not runs:
        raise ProofError("every run on random data ends with a fault")


def _best(program: Program, facts: Sequence[ControlFacts], cycles: int) -> PipelinedLoop | None:
    """Return the loop that saves the most cycles when it is pipelined; None if none saves any."""
    limit = program.isa.program_limit
    fitting = [each for each in pipelined_loops(program, facts) if each.pipelined.size < limit]
    saving = [(_cycles(control_facts(each.pipelined)), each) for each in fitting]
    best = min(saving, key=lambda pair: pair[0], default=None)
    return best[1] if best is not None and best[0] < cycles else None


def _cycles(facts: Sequence[ControlFacts]) -> int:
    total = 0
    for each in facts:
        if not each.is_complete or each.summary.cycles is None:
            raise PackingError(f"its control run is not known to the end: {each.run.end.reason}")
        total += each.summary.cycles
    if total > MOST_CYCLES:
        raise PackingError(f"its run of {total:,} cycles is too long to compare")
    return total


def _described(loop: PipelinedLoop) -> OverlappedLoop:
    number = loop.program.bundle_at_address[loop.addresses.start]
    label = loop.program.bundles[number].label or ""
    sizes = len(loop.addresses), len(loop.kernel)
    return OverlappedLoop(label, sizes, loop.schedule.stages)

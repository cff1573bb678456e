"""Software pipelining with proof: only if it saves cycles and changes nothing.

The proof is that of `testbench.packing`: values, decisions and addresses without data, then runs of
both programs on random data, here to their end.
"""

from __future__ import annotations

from typing import Sequence

from ipu_asm.flow.control_run.facts import ControlFacts, control_facts
from ipu_asm.flow.packing.pack import PackingError, packing_blocks
from ipu_asm.flow.packing.pipeline import PipelinedLoop, pipelined_loops, prove_pipeline
from ipu_asm.flow.packing.proof import ProofError
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program
from ipu_asm.testbench.packing import packed
from ipu_asm.testbench.whole_runs import compare_runs, packed_cycles, whole_cycles


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
    before = whole_cycles(facts)
    overlapped: list[OverlappedLoop] = []
    cycles, found = before, _best(program, facts, before)
    while found is not None:
        prove_loop(found, facts)
        overlapped.append(_described(found))
        program, facts = found.pipelined, control_facts(found.pipelined)
        cycles = whole_cycles(facts)
        found = _best(program, facts, cycles)
    return PipelineResult(program, tuple(overlapped), (before, cycles))


def one_pipelined(program: Program, address: int) -> Program:
    """Pipeline the loop at an address, and pack what takes its place.

    Raises `PackingError` if that saves no cycles compared to packing, or is not proven.
    """
    facts = control_facts(program)
    whole_cycles(facts)
    found = [each for each in pipelined_loops(program, facts) if each.addresses.start == address]
    if not found:
        raise PackingError("no schedule of its iterations is shorter")
    prove_loop(found[0], facts)
    before = _packed_inside(program, found[0].addresses)
    after = _packed_inside(found[0].pipelined, range(address, found[0].end))
    if whole_cycles(control_facts(after)) >= whole_cycles(control_facts(before)):
        raise PackingError("what overlaps saves no cycles")
    return after


def _packed_inside(program: Program, addresses: range) -> Program:
    """Pack the blocks that have some of the addresses."""
    starts = [
        block.start
        for block in packing_blocks(program)
        if block.start < addresses.stop and block.stop > addresses.start
    ]
    made = read_program(program.isa, packed(program, None, starts).text)
    made.presets, made.configurations = program.presets, program.configurations
    return made


def pipelined_cycles(program: Program) -> int:
    """Return the cycles of a program whose loops are pipelined, packed. Raises `PackingError`."""
    return packed_cycles(pipelined(program).program)


def prove_loop(loop: PipelinedLoop, facts: Sequence[ControlFacts]) -> None:
    """Raise `ProofError` unless the program with a pipelined loop does what the program does."""
    prove_pipeline(loop, facts)
    after = control_facts(loop.pipelined)
    for old, new in zip(facts, after, strict=True):
        if old.run.end.reason != new.run.end.reason or old.run.registers != new.run.registers:
            raise ProofError("the pipelined program ends with other loop registers")
        compare_runs(loop.program, loop.pipelined, old, new, frozenset())


def _best(program: Program, facts: Sequence[ControlFacts], cycles: int) -> PipelinedLoop | None:
    """Return the loop that saves the most cycles when it is pipelined; None if none saves any."""
    limit = program.isa.program_limit
    fitting = [each for each in pipelined_loops(program, facts) if each.pipelined.size < limit]
    saving = [(whole_cycles(control_facts(each.pipelined)), each) for each in fitting]
    best = min(saving, key=lambda pair: pair[0], default=None)
    return best[1] if best is not None and best[0] < cycles else None


def _described(loop: PipelinedLoop) -> OverlappedLoop:
    number = loop.program.bundle_at_address[loop.addresses.start]
    label = loop.program.bundles[number].label or ""
    sizes = len(loop.addresses), len(loop.kernel)
    return OverlappedLoop(label, sizes, loop.schedule.stages)

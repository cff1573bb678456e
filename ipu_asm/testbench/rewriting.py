"""Rebasing and software pipelining with proof, only where they save cycles.

Rebasing executes fewer updates of loop registers. A register whose updates are gone ends with
another value; nothing else may differ. All instructions but the updates of registers must do the
same with the same values, in the same order, in a run of both programs; then both are run on random
data to their end. Pipelining has the proof of `testbench.packing`, with runs to the end as well.
"""

from __future__ import annotations

from itertools import islice
from random import Random
from typing import Callable, Final, Iterator, Mapping, Sequence

from ipu_asm.diagnostics import Severity
from ipu_asm.flow.control_run.execution import control_run
from ipu_asm.flow.control_run.facts import ControlFacts, control_facts
from ipu_asm.flow.control_run.run import FAULT, HALTED, RAN_OFF
from ipu_asm.flow.control_run.summary import summarise
from ipu_asm.flow.packing.observation import (
    Presets,
    events_differ,
    executed_updates,
    path_depends_on_host,
)
from ipu_asm.flow.packing.pack import PackingError, check_packable, packing_blocks
from ipu_asm.flow.packing.pipeline import PipelinedLoop, pipelined_loops, prove_pipeline
from ipu_asm.flow.packing.proof import ProofError, unknown_registers
from ipu_asm.flow.packing.rebase import loops_in_one_bundle, rebased_programs
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program
from ipu_asm.testbench.packing import (
    MOST_OBSERVED,
    compare_runs,
    packed,
    packed_cycles,
    whole_cycles,
)

_WANTED: Final = 2
_MAX_CYCLES: Final = 20_000
_MAX_STEPS: Final = 1_500
_FACTORS: Final = (2, 3)
_STEPS: Final = (512, 128, 64, 16, 4, 1)
_MAX_DRAWN: Final = 20
Cost = Callable[[Program], int]


class RebaseResult(NamedTuple):
    """A program that updates registers less often, or the same one.

    `updates` are those that are executed, before and after. `lost` are the registers that end with
    another value.
    """

    program: Program
    updates: tuple[int, int]
    lost: tuple[str, ...]


class _Made(NamedTuple):
    """A program, and the rewritings that led to it, each of them from one program to another."""

    program: Program
    rewritings: tuple[tuple[Program, Program], ...] = ()


def rebased(program: Program, cost: Cost = packed_cycles) -> RebaseResult:
    """Rewrite the updates of registers where that lowers a cost, by default the packed cycles.

    Raises `PackingError` if that cannot be decided or not be proven: the control run must know the
    program to its end, for the values of the host that it has.
    """
    presets = every_preset(program)
    found = list(rebased_programs(program, presets, packed_cycles))
    packs_best, _ = min(found, key=lambda each: each[1])
    made = [_Made(program), _Made(packs_best, ((program, packs_best),))]
    updates_least, _ = found[-1]
    made.append(_Made(updates_least, ((program, updates_least),)))
    made += [_shortened(each, presets) for each in made]
    chosen = min(made, key=lambda each: cost(each.program))
    for old, new in chosen.rewritings:
        prove_rebased(old, new, presets)
    lost = compare_ends(program, chosen.program)
    return RebaseResult(chosen.program, (_updates(program), _updates(chosen.program)), lost)


def _shortened(made: _Made, presets: Presets) -> _Made:
    """Return a program that is packed, with those loops in one bundle that fit into it."""
    text = packed(made.program).text
    start = read_program(made.program.isa, text)
    start.presets, start.configurations = made.program.presets, made.program.configurations
    found = loops_in_one_bundle(start, presets)
    return _Made(found, (*made.rewritings, (start, found)))


def _updates(program: Program) -> int:
    every = control_facts(program)
    return sum(executed_updates(program, facts.summary.executions) for facts in every)


def every_preset(program: Program) -> Presets:
    """Return the values of the host that a program has, and others that take other paths.

    So nothing is built into a program that only some of these values make true. Raises
    `PackingError` if the program does not halt, or with no other values.
    """
    check_packable(program)
    facts = control_facts(program)
    whole_cycles(facts, MOST_OBSERVED)
    if any(each.run.end.reason == FAULT for each in facts):
        raise PackingError("its control run ends with a fault")
    found = [each.presets for each in facts]
    others = [other_values(program, each) for each in found[:1]]
    if others[0] is None and len(found) == 1:
        names = ", ".join(f"`{name}`" for name in unknown_registers(program, {})[1])
        raise PackingError(f"no other values of {names} were found with which it halts")
    return [*found, *(others[0] or ())]


def prove_rebased(program: Program, made: Program, presets: Presets) -> None:
    """Raise `ProofError` unless a rebased program does the same, for all `presets`."""
    if any(finding.severity is Severity.ERROR for finding in made.findings):
        raise ProofError("the rebased program has an error")
    if made is not program and any(events_differ(program, made, each) for each in presets):
        raise ProofError("an instruction of the rebased program would see another value")


def compare_ends(program: Program, made: Program) -> tuple[str, ...]:
    """Return the registers that can change and end with other values.

    Raises `ProofError` if the programs end in other ways, or if more than these registers differs
    after runs on random data.
    """
    before, after = control_facts(program), control_facts(made)
    whole_cycles(after)
    lost: set[str] = set()
    for old, new in zip(before, after, strict=True):
        if old.run.end.reason != new.run.end.reason:
            raise ProofError("the rebased program ends in another way")
        ends = zip(old.run.names.names, old.run.registers, new.run.registers)
        lost |= {name for name, one, other in ends if one != other}
    for old, new in zip(before, after, strict=True):
        if made is not program:
            compare_runs(program, made, old, new, frozenset(lost))
    return tuple(name for name in before[0].run.names.names if name in lost)


def other_values(program: Program, presets: Mapping[str, int]) -> list[Mapping[str, int]] | None:
    """Return values of the registers on which control depends, with which it takes other paths.

    None if control depends on some, and no values are found with which the program halts.
    """
    if not path_depends_on_host(program, presets):
        return []
    _, names = unknown_registers(program, {})
    cycles = _cycles(program, presets)
    values = (each for each in _values(names, presets) if _halts_otherwise(program, each, cycles))
    return list(islice(values, _WANTED)) or None


def _halts_otherwise(program: Program, presets: Mapping[str, int], cycles: int | None) -> bool:
    found = _cycles(program, presets)
    return found is not None and found != cycles


def _cycles(program: Program, presets: Mapping[str, int]) -> int | None:
    """Return the cycles of a run that halts soon; None if it does not."""
    run = control_run(program, presets, _MAX_STEPS)
    if run.end.reason not in (HALTED, RAN_OFF):
        return None
    cycles = summarise(run).cycles
    return cycles if cycles is not None and cycles <= _MAX_CYCLES else None


def _values(names: Sequence[str], presets: Mapping[str, int]) -> Iterator[Mapping[str, int]]:
    """Yield changes of one register, of all of them, and random values."""
    known = {name.lower(): value for name, value in presets.items()}
    for chosen in [*([name] for name in names), names]:
        for factor in _FACTORS:
            yield known | {name: known.get(name, 0) * factor for name in chosen}
        for step in _STEPS:
            yield known | {name: known.get(name, 0) + step for name in chosen}
    random = Random(0)
    for _ in range(_MAX_DRAWN):
        yield known | {name: random.randint(1, 9) * random.choice(_STEPS) for name in names}


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

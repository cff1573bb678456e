"""Rebasing and software pipelining with proof, only where they save cycles.

Rebasing executes fewer updates of loop registers. A register whose updates are gone ends with
another value; nothing else may differ. All instructions but the updates of registers must do the
same with the same values, in the same order, in a run of both programs; then both are run on random
data to their end. Pipelining has the proof of `testbench.packing`, with runs to the end as well.
"""

from __future__ import annotations

from functools import partial
from itertools import islice
from random import Random
from typing import Final, Iterator, Mapping, Sequence

from ipu_asm.diagnostics import Severity
from ipu_asm.flow.control_run.execution import control_run
from ipu_asm.flow.control_run.facts import ControlFacts, control_facts
from ipu_asm.flow.control_run.run import FAULT, HALTED, RAN_OFF
from ipu_asm.flow.control_run.summary import summarise
from ipu_asm.flow.packing.loop_forms import BODY, loops_as_blocks
from ipu_asm.flow.packing.loop_proof import prove_executions, prove_pipeline
from ipu_asm.flow.packing.observation import (
    MAX_OBSERVED,
    Presets,
    events_differ,
    executed_updates,
    path_depends_on_host,
)
from ipu_asm.flow.packing.pack import PackingError, check_packable, packing_blocks, plan_packing
from ipu_asm.flow.packing.pipeline import (
    Options,
    PipelinedLoop,
    label_at,
    loop_schedule,
    loops_to_pipeline,
    pipelined_loop,
)
from ipu_asm.flow.packing.proof import ProofError, unknown_registers
from ipu_asm.flow.packing.rebase import rebased_programs
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program
from ipu_asm.testbench.packing import compare_runs, packed, packed_cycles, whole_cycles

_WANTED: Final = 2
_MAX_CYCLES: Final = 20_000
_MAX_STEPS: Final = 1_500
_FACTORS: Final = (2, 3)
_STEPS: Final = (512, 128, 64, 16, 4, 1)
_MAX_DRAWN: Final = 20
_MAX_SEARCHED: Final = 20_000
"""Bundles of a run in which updates are looked for; what is found is proven in more of them."""
_MAX_EQUAL: Final = 4
OVERLAPPING: Final = Options()
REBASED: Final = Options(stages=1, keeps_registers=False)
"""Loops with other updates, whose iterations do not overlap."""


class OverlappedLoop(NamedTuple):
    """A loop that was pipelined: its label, its bundles before and after, and its stages.

    `moves` are the steps by which registers start later, `lost` those that end with other values.
    """

    label: str
    bundles: tuple[int, int]
    stages: int
    moves: Mapping[str, int]
    lost: frozenset[str]


class RebaseResult(NamedTuple):
    """A program that updates registers less often, or the same one.

    `updates` are those that are executed, before and after; `loops` are those in which some are in
    other bundles. `lost` are the registers that end with another value. With `is_long`, only the
    beginning of a run was observed.
    """

    program: Program
    updates: tuple[int, int]
    loops: tuple[OverlappedLoop, ...]
    lost: tuple[str, ...]
    is_long: bool


def rebased(program: Program, options: Options = REBASED) -> RebaseResult:
    """Rewrite the updates of registers, and loops, where that lowers the packed cycles.

    Raises `PackingError` if that cannot be decided or not be proven: the control run must know the
    program to its end, for the values of the host that it has.
    """
    presets = every_preset(program)
    chosen = _fewer_updates(program, presets, options)
    result = pipelined(chosen, options)
    lost = compare_ends(program, result.program)
    before, after = _updates(program), _updates(result.program)
    is_long = whole_cycles(control_facts(program)) > MAX_OBSERVED
    return RebaseResult(result.program, (before, after), result.loops, lost, is_long)


def _fewer_updates(program: Program, presets: Presets, options: Options) -> Program:
    """Return a program with fewer updates that is best when it is pipelined, or the same one.

    What the first bundles of a run seem to allow is looked for again in more of them.
    """
    for observed in (_MAX_SEARCHED, MAX_OBSERVED):
        cost = partial(_cost, options=options)
        found = list(rebased_programs(program, presets, cost, observed, options.is_over))
        least = min(cost for _, cost in found)
        equal = [made for made, cost in found if cost == least][-_MAX_EQUAL:]
        chosen = min(equal, key=lambda each: _planned_cycles(each, options))
        try:
            prove_rebased(program, chosen, presets)
            compare_ends(program, chosen)
        except ProofError:
            continue
        return chosen
    return program


def _planned_cycles(program: Program, options: Options) -> int:
    """Return the packed cycles of a program whose loops are pipelined, without a proof."""
    return packed_cycles(_pipelined(program, options, is_proven=False)[0])


def _cost(program: Program, options: Options) -> int:
    """Return about the cycles of a program that is packed and whose loops are pipelined."""
    facts = control_facts(program)
    whole_cycles(facts)
    lengths = {each.addresses: len(each.bundles) for each in plan_packing(program).blocks}
    begun = dict.fromkeys(lengths, 0)
    for loop in loops_to_pipeline(program, facts):
        found = loop_schedule(program, loop, facts, options)
        if found is not None and found.schedule.interval < lengths.get(loop, 0):
            lengths[loop] = found.schedule.interval
            begun[loop] = found.schedule.interval * (found.schedule.stages - 1)
    total = 0
    for each in facts:
        for block, length in lengths.items():
            loop_runs = each.summary.loops.get(block.start)
            entries = loop_runs.entries if loop_runs is not None and begun[block] else 0
            executions = each.summary.executions[block.start]
            total += (executions or 0) * length + (entries or 0) * begun[block]
    return total


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
    whole_cycles(facts)
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


class PipelineResult(NamedTuple):
    """A program with pipelined loops, and its cycles before and after."""

    program: Program
    loops: tuple[OverlappedLoop, ...]
    cycles: tuple[int, int]


def pipelined(program: Program, options: Options = OVERLAPPING) -> PipelineResult:
    """Pipeline the loops of a program where that saves cycles of the packed program.

    Raises `PackingError` if that cannot be decided or not be proven: the control run must know the
    program to its end, for the values of the host that it has.
    """
    check_packable(program)
    before = whole_cycles(control_facts(program))
    made, loops = _pipelined(program, options, is_proven=True)
    if made is not program:
        compare(program, made, frozenset(name for each in loops for name in each.lost))
    return PipelineResult(made, loops, (before, whole_cycles(control_facts(made))))


def _pipelined(
    program: Program, options: Options, *, is_proven: bool
) -> tuple[Program, tuple[OverlappedLoop, ...]]:
    """Return the program with pipelined loops; the proof is one loop by itself."""
    facts, least = control_facts(program), packed_cycles(program)
    other = loops_as_blocks(program, options.labels)
    if other is not program and packed_cycles(other) <= least:
        if is_proven:
            prove_form(program, other)
        program, facts, least = other, control_facts(other), packed_cycles(other)
    overlapped: list[OverlappedLoop] = []
    # The last one first: the addresses of those before it stay.
    for block in reversed(loops_to_pipeline(program, facts)):
        label = label_at(program, block.start).removesuffix(BODY)
        if options.labels is not None and label not in options.labels:
            continue
        found = pipelined_loop(program, block, facts, options)
        if found is None or found.pipelined.size >= program.isa.program_limit:
            continue
        cycles = packed_cycles(found.pipelined)
        if cycles < least:
            if is_proven:
                prove_loop(found, facts)
            overlapped.insert(0, _described(found))
            program, facts, least = found.pipelined, control_facts(found.pipelined), cycles
    return program, tuple(overlapped)


def one_pipelined(program: Program, address: int) -> Program:
    """Pipeline the loop at an address, and pack what takes its place.

    Raises `PackingError` if that saves no cycles compared to packing, or is not proven.
    """
    facts = control_facts(program)
    whole_cycles(facts)
    check_packable(program)
    blocks = [each for each in loops_to_pipeline(program, facts) if each.start == address]
    found = pipelined_loop(program, blocks[0], facts, Options()) if blocks else None
    if found is None:
        raise PackingError("no schedule of its iterations is shorter")
    prove_loop(found, facts)
    compare(program, found.pipelined, found.lost)
    before = _packed_inside(program, found.addresses)
    after = _packed_inside(found.pipelined, range(found.start, found.end))
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


def prove_loop(loop: PipelinedLoop, facts: Sequence[ControlFacts]) -> None:
    """Raise `ProofError` unless a pipelined loop computes and does what the loop does.

    Runs of both programs on random data are left to `compare`.
    """
    prove_pipeline(loop, facts)
    for old, new in zip(facts, control_facts(loop.pipelined), strict=True):
        prove_executions(loop, old, new)


def prove_form(program: Program, made: Program) -> None:
    """Raise `ProofError` unless a program does the same in loops with a test at their end."""
    if any(finding.severity is Severity.ERROR for finding in made.findings):
        raise ProofError("the program with other loops has an error")
    for old, new in zip(control_facts(program), control_facts(made), strict=True):
        if old.run.end.reason != new.run.end.reason or old.run.registers != new.run.registers:
            raise ProofError("the program with other loops ends in another way")
        if events_differ(program, made, old.presets, with_branches=False):
            raise ProofError("an instruction of another loop would see another value")


def compare(program: Program, made: Program, lost: frozenset[str]) -> None:
    """Raise `ProofError` unless runs of both programs on random data end in the same way."""
    for old, new in zip(control_facts(program), control_facts(made), strict=True):
        compare_runs(program, made, old, new, lost)


def _described(loop: PipelinedLoop) -> OverlappedLoop:
    sizes = len(loop.addresses), len(loop.kernel)
    return OverlappedLoop(loop.label, sizes, loop.schedule.stages, loop.moves, loop.lost)

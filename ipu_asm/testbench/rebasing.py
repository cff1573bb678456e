"""Rebasing with proof: fewer updates of loop registers, only if that saves cycles.

A loop register whose updates are gone ends with another value; nothing else may differ. All
instructions but the updates of registers must do the same with the same values, in the same order,
in a run of both programs; then both are run on random data to their end.
"""

from __future__ import annotations

from itertools import islice
from random import Random
from typing import Callable, Final, Iterator, Mapping, Sequence

from ipu_asm.diagnostics import Severity
from ipu_asm.flow.control_run.execution import control_run
from ipu_asm.flow.control_run.facts import control_facts
from ipu_asm.flow.control_run.run import FAULT, HALTED, RAN_OFF
from ipu_asm.flow.control_run.summary import summarise
from ipu_asm.flow.packing.observation import (
    Presets,
    events_differ,
    executed_updates,
    path_depends_on_host,
)
from ipu_asm.flow.packing.pack import PackingError, check_packable
from ipu_asm.flow.packing.proof import ProofError, unknown_registers
from ipu_asm.flow.packing.rebase import loops_in_one_bundle, rebased_programs
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program
from ipu_asm.testbench.packing import packed
from ipu_asm.testbench.whole_runs import MOST_OBSERVED, compare_runs, packed_cycles, whole_cycles

_WANTED: Final = 2
_MOST_CYCLES: Final = 20_000
_MOST_STEPS: Final = 1_500
_FACTORS: Final = (2, 3)
_STEPS: Final = (512, 128, 64, 16, 4, 1)
_MOST_DRAWN: Final = 20
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
    packs_best = min(found, key=lambda each: each.cost).program
    made = [_Made(program), _Made(packs_best, ((program, packs_best),))]
    made.append(_Made(found[-1].program, ((program, found[-1].program),)))
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
    run = control_run(program, presets, _MOST_STEPS)
    if run.end.reason not in (HALTED, RAN_OFF):
        return None
    cycles = summarise(run).cycles
    return cycles if cycles is not None and cycles <= _MOST_CYCLES else None


def _values(names: Sequence[str], presets: Mapping[str, int]) -> Iterator[Mapping[str, int]]:
    """Yield changes of one register, of all of them, and random values."""
    known = {name.lower(): value for name, value in presets.items()}
    for chosen in [*([name] for name in names), names]:
        for factor in _FACTORS:
            yield known | {name: known.get(name, 0) * factor for name in chosen}
        for step in _STEPS:
            yield known | {name: known.get(name, 0) + step for name in chosen}
    random = Random(0)
    for _ in range(_MOST_DRAWN):
        yield known | {name: random.randint(1, 9) * random.choice(_STEPS) for name in names}

"""Bundles after the end of a run that is not followed to its own end.

A run stops at a branch that nobody can decide, or at its limit. Every way from there on counts as
possible, so what is found for all of them together holds whenever a bundle is executed.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Callable, Iterator, Mapping, Sequence, TypeVar

from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.control_run.run import (
    CANCELLED,
    FAULT,
    LIMIT,
    UNKNOWN,
    ControlRun,
    End,
    Fault,
    Unmet,
    fault_of,
)
from ipu_asm.flow.control_run.steps import value_of
from ipu_asm.flow.control_run.trace import Executed, Progression
from ipu_asm.flow.control_run.values import Value, unknown
from ipu_asm.flow.register_flow import successors_of
from ipu_asm.program.program import Program

State = TypeVar("State")


def starts_after(program: Program, run: ControlRun) -> Sequence[int]:
    """Return the addresses where a run that is not followed to its end may go on."""
    successors = successors_of(program)
    if successors is None or run.end.reason not in (UNKNOWN, LIMIT, CANCELLED):
        return ()
    address, count = run.end.address, len(run.steps)
    starts = successors[address] if run.end.has_run else (address,)
    return [start for start in starts if start < count]


def values_after(program: Program, facts: ControlFacts) -> Mapping[int, Sequence[Value]]:
    """Return the registers before each bundle that may follow the end of a run, by address.

    Those are numbers that are the same however control gets there; others have a name of their own.
    """
    name, inputs = f"values after {sorted(facts.presets.items())}", (facts, successors_of(program))
    return program.cache.whole(name, inputs, lambda: _values_after(program, facts.run))


def _values_after(program: Program, run: ControlRun) -> Mapping[int, Sequence[Value]]:
    varied = [unknown(name) for name in run.names.names]

    def after(address: int, values: Sequence[Value]) -> Sequence[Value]:
        updates = run.steps[address].updates
        if not updates:
            return values
        changed = list(values)
        for update in updates:
            value = update.value(values)
            changed[update.register] = value if isinstance(value, int) else varied[update.register]
        return changed

    def common(one: Sequence[Value], other: Sequence[Value]) -> Sequence[Value]:
        return [a if a == b else each for a, b, each in zip(one, other, varied)]

    last = [v if isinstance(v, int) else each for v, each in zip(run.registers, varied)]
    return follow(program, dict.fromkeys(starts_after(program, run), last), after, common)


def follow(
    program: Program,
    states: dict[int, State],
    after: Callable[[int, State], State],
    join: Callable[[State, State], State],
) -> dict[int, State]:
    """Return the states before all bundles that may follow those in `states`.

    `after` has the state after a bundle, and `join` that after two ways, of which there may only be
    few different ones in a row.
    """
    successors = successors_of(program) or ()
    waiting = sorted(states)
    while waiting:
        address = heappop(waiting)
        state = after(address, states[address])
        for following in successors[address]:
            if following >= len(successors):
                continue
            known = states.get(following)
            joined = state if known is None else join(known, state)
            if known is None or joined != known:
                states[following] = joined
                if following not in waiting:
                    heappush(waiting, following)
    return states


def execution(run: ControlRun, address: int, values: Sequence[Value]) -> Executed:
    """Return an execution of a bundle with registers before it, without what it compares."""
    step, new = run.steps[address], list(values)
    for update in step.updates:
        new[update.register] = update.value(values)
    observed: list[Value] = [0] * step.compared
    observed += [value_of(access.offset, new) for access in step.accesses]
    observed += [new[window.register] for window in step.windows]
    return Executed(address, None, tuple(map(Progression, observed)))


def faults_after(program: Program, facts: ControlFacts) -> Iterator[Fault | Unmet]:
    """Yield what the machine refuses of each bundle after the end of a run, whenever it runs."""
    for address, values in sorted(values_after(program, facts).items()):
        run = facts.run._replace(end=End(FAULT, address), registers=values)
        found = fault_of(program, run)
        if found is not None:
            yield found

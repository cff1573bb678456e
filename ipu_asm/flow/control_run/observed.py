"""The values of registers at places in a program, over all executions of a control run."""

from __future__ import annotations

from typing import Iterable, Mapping, Sequence

from ipu_asm.flow.control_run.execution import executed
from ipu_asm.flow.control_run.progressions import joined
from ipu_asm.flow.control_run.run import DEFAULT_LIMITS, ControlRun, Limits
from ipu_asm.flow.control_run.trace import Progression, executions
from ipu_asm.named_tuple import NamedTuple


class ObservedValues(NamedTuple):
    """The values of a register before and after all executions of a bundle.

    The numbers are signed 32-bit numbers; there are as many as executions, in no certain order.
    Both are empty for a bundle that never runs.
    """

    before: Sequence[Progression]
    after: Sequence[Progression]


class Observation(NamedTuple):
    """Observed values by address and name of the register, in lower case.

    With `is_complete` they are those of all executions, else those of a beginning of the run.
    """

    values: Mapping[tuple[int, str], ObservedValues]
    is_complete: bool


def observe(
    run: ControlRun, places: Mapping[int, Iterable[str]], limits: Limits = DEFAULT_LIMITS
) -> Observation:
    """Return the values of registers at addresses: `places` has names of registers by address.

    The program is executed once, however many places there are. Registers that are not in
    `run.names` have no values.
    """
    observed = _positions(run, places)
    again = executed(run, limits, observed)
    found: dict[tuple[int, int], tuple[list[Progression], list[Progression]]] = {
        (address, register): ([], [])
        for address, registers in observed.items()
        for register in registers
    }
    for node in executions(again.nodes):
        step = run.steps[node.address]
        place = step.first_observed
        for register in observed.get(node.address, ()):
            before, after = found[node.address, register]
            before.append(node.values[place])
            after.append(node.values[place + 1])
            place += 2
    values = {
        (address, run.names.names[register]): ObservedValues(joined(before), joined(after))
        for (address, register), (before, after) in found.items()
    }
    return Observation(values, again.is_complete)


def unobserved(run: ControlRun, places: Mapping[int, Iterable[str]]) -> Observation:
    """Return what `observe` does for a run that executes none of the places."""
    none = ObservedValues([], [])
    names = run.names.names
    values = {(a, names[n]): none for a, found in _positions(run, places).items() for n in found}
    return Observation(values, run.is_complete)


def _positions(run: ControlRun, places: Mapping[int, Iterable[str]]) -> dict[int, list[int]]:
    """Return the positions of registers by address, each once; those unknown to a run are left."""
    positions = run.names.positions
    return {
        address: [positions[name] for name in _lower(names) if name in positions]
        for address, names in places.items()
    }


def _lower(names: Iterable[str]) -> Iterable[str]:
    return dict.fromkeys(name.lower() for name in names)

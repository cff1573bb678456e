"""Other values of the host, for which whatever is true of a program must be true as well."""

from __future__ import annotations

from itertools import islice
from random import Random
from typing import Final, Iterator, Mapping, Sequence

from ipu_asm.flow.control_run.execution import control_run
from ipu_asm.flow.control_run.run import HALTED, RAN_OFF
from ipu_asm.flow.control_run.summary import summarise
from ipu_asm.flow.packing.rebasing.execution import path_depends_on_host
from ipu_asm.flow.packing.trials import unknown_registers
from ipu_asm.program.program import Program

_WANTED: Final = 2
_MOST_CYCLES: Final = 20_000
_MOST_STEPS: Final = 1_500
_FACTORS: Final = (2, 3)
_STEPS: Final = (512, 128, 64, 16, 4, 1)
_MOST_DRAWN: Final = 20


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

"""A control run: how it is bounded, its trace, and how it ended."""

from __future__ import annotations

from typing import Callable, Mapping, Sequence

from ipu_asm.flow.control_run.step_reading import mode_of, scalar_registers, steps_of
from ipu_asm.flow.control_run.steps import ScalarRegisters, Step
from ipu_asm.flow.control_run.trace import Node
from ipu_asm.flow.control_run.values import Value, reduced, unknown
from ipu_asm.flow.loops import loop_ends
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program

MOST_STEPS = 200_000
"""Bundles that are executed one by one, at most; those of settled iterations do not count.

A quarter of them may follow each other without a loop that is settled: loops of kernels are soon
uniform, those of random programs never.
"""


class End(NamedTuple):
    """Why a control run ended, and at which address: `reason` is one of the constants below.

    `unknown` are the registers on whose unknown values the branch at the address depends. With
    `has_run`, the bundle at the address is the last one of the trace: all of it is known but where
    its branch leads.
    """

    reason: str
    address: int
    unknown: tuple[str, ...] = ()
    has_run: bool = False


HALTED, RAN_OFF, FAULT, LIMIT, UNKNOWN = "halted", "ran off its end", "fault", "limit", "unknown"
CANCELLED, ENDLESS = "cancelled", "endless"


class ControlRun(NamedTuple):
    """The trace of a run from address 0, and how it ended.

    `initial` and `registers` are the first and the last values of the registers in `names`. `loops`
    has the last address of each loop, by its first. `states` are the values before each node, and
    before a bundle that ended the run without a node; `counts` are the bundles that had been
    executed one by one then, and at the end. Long runs have neither.
    """

    steps: Sequence[Step]
    names: ScalarRegisters
    loops: Mapping[int, int]
    initial: Sequence[Value]
    nodes: Sequence[Node]
    end: End
    registers: Sequence[Value]
    states: Sequence[list[Value]] = ()
    counts: Sequence[int] = ()

    @property
    def is_complete(self) -> bool:
        """Whether the run has an end, so that the trace is that of a whole run."""
        return self.end.reason in (HALTED, RAN_OFF, FAULT)


class Limits(NamedTuple):
    """How many bundles a run executes one by one at most, and what cancels it.

    With `ignores_faults`, it goes on where what a register must hold is not so.
    """

    most_steps: int = MOST_STEPS
    is_cancelled: Callable[[], bool] | None = None
    ignores_faults: bool = False


DEFAULT_LIMITS = Limits()


def start_of(
    program: Program, presets: Mapping[str, int] | None = None, steps: Sequence[Step] | None = None
) -> ControlRun:
    """Return a run that has executed nothing yet; `steps` are those of the program, if known."""
    names = scalar_registers(program.isa)
    given = {name.lower(): value for name, value in (presets or {}).items()}
    steps = steps_of(program, mode_of(given)) if steps is None else steps
    given = {**program.isa.resets, **given, **program.isa.constants}
    values: list[Value] = [
        reduced(given.get(name, 0 if place < names.changing else unknown(name)))
        for place, name in enumerate(names.names)
    ]
    return ControlRun(steps, names, loop_ends(program), values, (), End(LIMIT, 0), values)

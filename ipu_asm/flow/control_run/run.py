"""Execution of the scalar part of a program, with uniform iterations of loops settled at once.

A loop is executed until three iterations in a row have taken the same path, with the same change of
all registers from one to the next. Every update is a sum of registers, so the change stays the same
for as long as the path does, and the path for as long as the outcome of each comparison in it; that
number of iterations follows from the values and their changes. Loops inside loops are single nodes
of the path, so that nested loops are settled as well.
"""

from __future__ import annotations

from typing import Callable, Mapping, NamedTuple, Sequence

from ipu_asm.flow.control_run.iteration_bounds import base_of, further_iterations
from ipu_asm.flow.control_run.steps import (
    Access,
    Branch,
    ScalarRegisters,
    Step,
    Sum,
    scalar_registers,
    steps_of,
)
from ipu_asm.flow.control_run.trace import (
    Executed,
    LoopRun,
    Node,
    Progression,
    Segment,
    folded,
    strides_between,
)
from ipu_asm.flow.control_run.values import Value, minus, plus, reduced, unknown
from ipu_asm.flow.loops import loops_of
from ipu_asm.program.program import Program

MOST_STEPS = 200_000
"""Bundles that are executed one by one, at most; those of settled iterations do not count."""

_STEPS_BETWEEN_LOOKS = 2_000
_UNIFORM = 3
_DEEPEST = 50
"""Loops in so many loops are executed bundle by bundle, so that the recursion has an end."""


class End(NamedTuple):
    """Why a control run ended, and at which address: `reason` is one of the constants below.

    `unknown` are the values that the branch at the address depends on.
    """

    reason: str
    address: int
    unknown: tuple[str, ...] = ()


HALTED, RAN_OFF, FAULT, LIMIT, UNKNOWN = "halted", "ran off its end", "fault", "limit", "unknown"
CANCELLED, ENDLESS = "cancelled", "endless"


class ControlRun(NamedTuple):
    """The trace of a run from address 0, and how it ended.

    `initial` and `registers` are the first and the last values of the registers in `names`. `loops`
    has the last address of each loop, by its first.
    """

    steps: Sequence[Step]
    names: ScalarRegisters
    loops: Mapping[int, int]
    initial: Sequence[Value]
    nodes: Sequence[Node]
    end: End
    registers: Sequence[Value]

    @property
    def is_complete(self) -> bool:
        """Whether the run has an end, so that the trace is that of a whole run."""
        return self.end.reason in (HALTED, RAN_OFF, FAULT)


def control_run(
    program: Program,
    presets: Mapping[str, int] | None = None,
    most_steps: int = MOST_STEPS,
    is_cancelled: Callable[[], bool] | None = None,
) -> ControlRun:
    """Execute the scalar part of a program.

    `presets` are the values of registers that the host sets. Registers that instructions can change
    are 0 otherwise, the others unknown. Raises `UnsupportedProgramError` for a program with errors
    and for instruction sets that do not describe scalar effects.
    """
    names = scalar_registers(program.isa)
    steps = steps_of(program)
    given = {name.lower(): value for name, value in (presets or {}).items()}
    values: list[Value] = [
        reduced(given.get(name, 0 if place < names.changing else unknown(name)))
        for place, name in enumerate(names.names)
    ]
    ends = {loop.first: loop.last for loop in loops_of(program)}
    start = ControlRun(steps, names, ends, values, (), End(LIMIT, 0), values)
    return executed(start, Limits(most_steps, is_cancelled))


class Limits(NamedTuple):
    """How many bundles a run executes one by one at most, and what cancels it."""

    most_steps: int = MOST_STEPS
    is_cancelled: Callable[[], bool] | None = None


DEFAULT_LIMITS = Limits()


def executed(
    run: ControlRun, limits: Limits, observed: Mapping[int, Sequence[int]] | None = None
) -> ControlRun:
    """Execute a run again from its first values.

    `observed` has registers by address, whose values the trace then has as well, before and after
    the bundle, behind the addresses of its accesses.
    """
    again = _Run(run, limits, observed or {})
    nodes = again.execute()
    assert again.end is not None
    return run._replace(nodes=nodes, end=again.end, registers=again.values)


class _Recent(NamedTuple):
    """An iteration of a loop, the values behind it, and their changes from those before it."""

    nodes: list[Node]
    values: list[Value]
    changes: list[Value]


class _Run:
    def __init__(
        self, run: ControlRun, limits: Limits, observed: Mapping[int, Sequence[int]]
    ) -> None:
        self.values = list(run.initial)
        self.end: End | None = None
        self._steps = run.steps
        self._loops = run.loops
        self._most_steps, self._is_cancelled = limits
        self._observed = observed
        self._count = 0
        self._depth = 0

    def execute(self) -> list[Node]:
        nodes: list[Node] = []
        address = 0
        while self.end is None:
            address = self._advance(nodes, address)
        return nodes

    def _advance(self, nodes: list[Node], address: int) -> int:
        """Execute the bundle or the loop at an address; return the next address."""
        if address in self._loops and self._depth < _DEEPEST:
            self._depth += 1
            run, address = self._loop(address, self._loops[address])
            self._depth -= 1
            nodes.append(run)
            return address
        return self._bundle(nodes, address)

    def _loop(self, head: int, last: int) -> tuple[LoopRun, int]:
        segments: list[Segment] = []
        recent: list[_Recent] = []
        while True:
            nodes: list[Node] = []
            address = self._bundle(nodes, head)
            while self.end is None and address != head and head <= address <= last:
                address = self._advance(nodes, address)
            if self.end is not None or address != head:
                segments += [Segment(each.nodes, 1) for each in recent]
                if nodes:
                    segments.append(Segment(nodes, 1))
                return LoopRun(head, segments), address
            recent.append(self._finished(nodes, recent))
            if len(recent) > _UNIFORM:
                segments.append(Segment(recent.pop(0).nodes, 1))
            if len(recent) == _UNIFORM:
                settled = self._settle(recent, head)
                if settled is not None:
                    segments.append(settled)
                    recent.clear()
                    if self.end is not None:
                        return LoopRun(head, segments), head

    def _finished(self, nodes: list[Node], earlier: Sequence[_Recent]) -> _Recent:
        """Return the iteration that has just ended. Most registers keep the same value."""
        old = earlier[-1].values if earlier else self.values
        changes = [0 if a is b else minus(b, a) for a, b in zip(old, self.values)]
        return _Recent(nodes, self.values, changes)

    def _settle(self, recent: Sequence[_Recent], head: int) -> Segment | None:
        """Fold three uniform iterations and all that follow them on the same path."""
        (first, _, _), (second, _, changes), (third, _, again) = recent
        if changes != again:
            return None
        strides = strides_between(first, second)
        if strides is None or strides != strides_between(second, third):
            return None
        further = further_iterations(self._steps, self.values, third, strides)
        if further is None:
            self.end = End(ENDLESS, head)
            return Segment(folded(first, strides, None), None)
        if further == 0:
            return None
        self.values = [
            value if change == 0 else reduced(plus(value, change, further))
            for value, change in zip(self.values, changes)
        ]
        count = _UNIFORM + further
        return Segment(folded(first, strides, count), count)

    def _bundle(self, nodes: list[Node], address: int) -> int:
        """Execute one bundle; return the next address."""
        self._count += 1
        if address >= len(self._steps):
            self.end = End(RAN_OFF, address)
        elif self._count > self._most_steps:
            self.end = End(LIMIT, address)
        elif (
            self._is_cancelled and self._count % _STEPS_BETWEEN_LOOKS == 0 and self._is_cancelled()
        ):
            self.end = End(CANCELLED, address)
        else:
            return self._execute(nodes, address)
        return address

    def _execute(self, nodes: list[Node], address: int) -> int:
        step, old = self._steps[address], self.values
        branch = step.branch
        observed: list[Progression] = []
        taken, following = self._branch(branch, address, observed)
        if self.end is not None:
            return address
        if step.updates:
            new = old.copy()
            for register, sum_ in step.updates:
                new[register] = reduced(_value(sum_, old))
            self.values = new
        for access in step.accesses:
            offset = _value(access.offset, self.values)
            if self._faults(access, offset):
                self.end, self.values = End(FAULT, address), old
                return address
            observed.append(Progression(offset))
        for register in self._observed.get(address, ()):
            observed += (Progression(old[register]), Progression(self.values[register]))
        nodes.append(Executed(address, taken, tuple(observed)))
        if step.halts:
            self.end = End(HALTED, address)
        return following

    def _branch(
        self, branch: Branch | None, address: int, observed: list[Progression]
    ) -> tuple[bool | None, int]:
        """Return whether a branch is taken, and the next address."""
        if branch is None:
            return None, address + 1
        if branch.indirect >= 0:
            target = self.values[branch.indirect]
            observed.append(Progression(target))
            if isinstance(target, int):
                return True, target if target >= 0 else len(self._steps)
            self.end = End(UNKNOWN, address, target.names)
            return None, address
        assert branch.target is not None
        if not branch.relation:
            return True, branch.target
        left, right = self.values[branch.left], self.values[branch.right]
        observed += (Progression(left), Progression(right))
        difference = minus(left, right)
        if not isinstance(difference, int):
            self.end = End(UNKNOWN, address, difference.names)
            return None, address
        taken = _holds(branch.relation, difference)
        return taken, branch.target if taken else address + 1

    def _faults(self, access: Access, offset: Value) -> bool:
        if not isinstance(offset, int):
            return False
        space = access.space
        if offset % space.step:
            return True
        if space.wraps:
            return False
        base = base_of(access, self.values)
        end = offset + access.size + (base if isinstance(base, int) else 0)
        return offset < 0 or end > space.size


def _value(sum_: Sum, values: Sequence[Value]) -> Value:
    total: Value = sum_[0]
    for register, factor in sum_[1]:
        total = plus(total, values[register], factor)
    return total


def _holds(relation: str, difference: int) -> bool:
    if relation == "<":
        return difference < 0
    return (difference == 0) is (relation == "==")

"""Execution of the scalar part of a program, with uniform iterations of loops settled at once.

A loop is executed until three iterations in a row have taken the same path, with the same change of
all registers from one to the next, or three pairs of iterations. Every update is a sum of
registers, so the change stays the same for as long as the path does, and the path for as long as
the outcome of each comparison in it; that number of iterations follows from the values and their
changes. Loops inside loops are single nodes of the path, so that nested loops are settled as well.
"""

from __future__ import annotations

from typing import Callable, Mapping, Sequence

from ipu_asm.flow.control_run.iteration_bounds import (
    further_iterations,
    guards_of,
    unknown_addresses,
)
from ipu_asm.flow.control_run.loop_iterations import LoopIterations, UnknownExit, settle
from ipu_asm.flow.control_run.run import (
    CANCELLED,
    ENDLESS,
    FAULT,
    HALTED,
    LIMIT,
    MAX_STEPS,
    RAN_OFF,
    UNKNOWN,
    ControlRun,
    End,
    Limits,
    start_of,
)
from ipu_asm.flow.control_run.steps import Access, Branch, Requirement, value_of
from ipu_asm.flow.control_run.trace import (
    Executed,
    LoopRun,
    Node,
    Progression,
    folded,
    strides_between,
)
from ipu_asm.flow.control_run.values import (
    Symbolic,
    Value,
    holds,
    is_unwieldy,
    plus,
    reduced,
    registers_in,
    unsigned,
)
from ipu_asm.program.program import Program

_NONE: tuple[str, ...] = ()
_STEPS_BETWEEN_LOOKS = 2_000
_UNIFORM = 3
_ITERATIONS_A_STEP = 1 << 20
"""Settled iterations that count as one bundle: no kernel runs for ten thousand million of them."""
_OBSERVED_A_STEP = 2
_PARTS_A_STEP = 2
"""Observed registers, and parts of an unknown value, that take as much memory as one bundle."""
_GUARDS_A_STEP = 8
"""Values that decide how pairs of bytes are added, which take as much memory as one bundle."""
_DEEPEST = 50
"""Loops in so many loops are executed bundle by bundle, so that the recursion has an end."""


def control_run(
    program: Program,
    presets: Mapping[str, int] | None = None,
    most_steps: int = MAX_STEPS,
    is_cancelled: Callable[[], bool] | None = None,
) -> ControlRun:
    """Execute the scalar part of a program.

    `presets` are the values of registers that the host sets. The others have the value that they
    have at reset; if the description states none, those that instructions can change are 0, and the
    rest unknown. Raises `UnsupportedProgramError` for a program with errors
    and for instruction sets that do not describe scalar effects.
    """
    return executed(start_of(program, presets), Limits(most_steps, is_cancelled))


def executed(
    run: ControlRun, limits: Limits, observed: Mapping[int, Sequence[int]] | None = None
) -> ControlRun:
    """Execute a run again from its first values.

    `observed` has registers by address, whose values the trace then has as well, before and after
    the bundle, after those of its accesses and windows.
    """
    return _Execution(run, limits, observed or {}).finished()


class _Execution:
    """The state of a run: the values of registers, the trace so far, and its end."""

    def __init__(
        self, run: ControlRun, limits: Limits, observed: Mapping[int, Sequence[int]]
    ) -> None:
        self.values = list(run.initial)
        self.end: End | None = None
        self.nodes: list[Node] = []
        self.count = 0
        self._run = run
        self._steps = run.steps
        self._ends_of_loops = run.loops
        self._most_steps, self._is_cancelled, self._ignores_faults = limits
        # Addresses whose requirements of registers that never change hold.
        self._held: set[int] = set()
        self._observed = observed
        self._last = self._limit()
        # By address: bases never change, so that each is added up once.
        self._bounds: dict[int, Sequence[tuple[int, int | None]]] = {}
        self._cyclic: dict[int, Sequence[int]] = {}
        self._loops: list[LoopIterations] = []

    def _limit(self) -> int:
        """Return the number of bundles that are executed one by one if no loop is settled."""
        return min(self._most_steps, self.count + self._most_steps // 4 + 1)

    def finished(self) -> ControlRun:
        """Execute from address 0 to the end; return the run."""
        address = 0
        while self.end is None:
            address = self._advance(self.nodes, address)
        return self._run._replace(nodes=self.nodes, end=self.end, registers=self.values)

    def _advance(self, nodes: list[Node], address: int) -> int:
        """Execute the bundle or the loop at an address; return the next address."""
        if address not in self._ends_of_loops or len(self._loops) >= _DEEPEST:
            return self._bundle(nodes, address)
        loop = LoopIterations(address, self._ends_of_loops[address], self._cyclic_in(address))
        self._loops.append(loop)
        while self.end is None and address == loop.head:
            address = self._iterate(loop)
        self._loops.pop()
        nodes.append(LoopRun(loop.head, loop.segments))
        return address

    def _cyclic_in(self, head: int) -> Sequence[int]:
        """Return the registers that a loop updates modulo a power of two."""
        if head not in self._cyclic:
            steps = self._steps[head : self._ends_of_loops[head] + 1]
            updates = (update for step in steps for update in step.updates)
            self._cyclic[head] = sorted({each.register for each in updates if each.modulus})
        return self._cyclic[head]

    def _iterate(self, loop: LoopIterations) -> int:
        """Execute one iteration, and all that follow it if they can be settled."""
        nodes: list[Node] = []
        address = self._bundle(nodes, loop.head)
        while self.end is None and address != loop.head and loop.contains(address):
            address = self._advance(nodes, address)
        is_left = self.end is not None or address != loop.head
        if loop.exits and (is_left or len(loop.exits) != len(loop.recent) + 1 or loop.segments):
            self._end_at_unknown_exit(loop, nodes)
            return address
        if is_left:
            loop.end(nodes)
            return address
        loop.finish(nodes, self.values)
        loop.drop_oldest()
        if loop.exits and len(loop.recent) == _UNIFORM:
            return self._settle_unknown_exit(loop)
        return loop.head if loop.exits else self._settle(loop)

    def _settle(self, loop: LoopIterations) -> int:
        """Fold three uniform periods and all that follow them on the same path."""
        for period in loop.periods():
            changes = loop.changes(period)
            if changes is not None and self._folds(loop, period, changes):
                break
        return loop.head

    def _folds(self, loop: LoopIterations, period: int, changes: Sequence[Value]) -> bool:
        """Return whether the last periods are uniform, and those that follow are settled."""
        first, second, third = loop.last_periods(period)
        strides = strides_between(first, second)
        if strides is None or strides != strides_between(second, third):
            return False
        further = further_iterations(self._steps, self.values, third, strides)
        count = None
        if further is None:
            registers = unknown_addresses(self._steps, third, strides)
            if registers:
                self.end = End(UNKNOWN, loop.head, registers)
                loop.end(())
                return True
            self.end = End(ENDLESS, loop.head)
        elif further == 0:
            return False
        else:
            self.values = [
                value if change == 0 else reduced(plus(value, change, further))
                for value, change in zip(self.values, changes)
            ]
            count = _UNIFORM + further
            self.count += further * period // _ITERATIONS_A_STEP
        self._last = self._limit()
        loop.fold(folded(first, strides, count), count, period)
        return True

    def _settle_unknown_exit(self, loop: LoopIterations) -> int:
        settled = settle(self._steps, loop.recent, loop.exits)
        if settled is None:
            self._end_at_unknown_exit(loop, ())
            return loop.head
        loop.segments, self.values, following = settled
        return following

    def _end_at_unknown_exit(self, loop: LoopIterations, nodes: Sequence[Node]) -> None:
        """End the run at the first exit of the loop whose branch condition is not known."""
        first = loop.exits[0]
        if first.iteration < len(loop.recent):
            nodes = loop.recent[first.iteration].nodes
            del loop.recent[first.iteration :]
        last = nodes[first.place]
        assert isinstance(last, Executed)
        loop.end([*nodes[: first.place], last._replace(taken=None)])
        reason = self.end.reason if self.end is not None else UNKNOWN
        reason = reason if reason in (LIMIT, CANCELLED) else UNKNOWN
        self.end = End(reason, first.address, first.registers, has_run=True)
        self.values = list(first.after)

    def _bundle(self, nodes: list[Node], address: int) -> int:
        """Execute one bundle; return the next address."""
        self.count += 1
        if address >= len(self._steps):
            self.end = End(RAN_OFF, address)
        elif self.count > self._last:
            self.end = End(LIMIT, address)
        elif self._is_cancelled and self.count % _STEPS_BETWEEN_LOOKS == 0 and self._is_cancelled():
            self.end = End(CANCELLED, address)
        else:
            return self._execute(nodes, address)
        return address

    def _execute(self, nodes: list[Node], address: int) -> int:
        updates, accesses, branch, halts, windows, fixed, required = self._steps[address]
        old = new = self.values
        observed: list[Progression] = []
        taken: bool | None = None
        following, unknown = address + 1, _NONE
        if branch is not None:
            taken, following, unknown = self._branch(branch, address, observed)
        if updates:
            self.values = new = old.copy()
            for update in updates:
                value = update.value(old)
                if isinstance(value, Symbolic):
                    self.count += len(value.parts) // _PARTS_A_STEP
                    if is_unwieldy(value):
                        self.end, self.values = End(LIMIT, address), old
                        return address
                new[update.register] = value
        if accesses:
            bounds = self._bounds.get(address) or self._bounds_at(address)
            for access, (step, highest) in zip(accesses, bounds):
                offset = value_of(access.offset, new)
                if type(offset) is int and (
                    offset % step or (highest is not None and not 0 <= offset <= highest)
                ):
                    self.end, self.values = End(FAULT, address), old
                    return address
                observed.append(Progression(offset))
        if windows:
            observed += [Progression(new[window.register]) for window in windows]
        for update in updates:
            if not update.is_sum:
                self.count += update.guards // _GUARDS_A_STEP
                observed += map(Progression, guards_of(update, old))
        if required or (fixed and address not in self._held):
            if self._are_refused((*fixed, *required), old, new):
                self.end, self.values = End(FAULT, address), old
                return address
            self._held.add(address)
            observed += [Progression(v) for each in required for v in each.values(old, new)]
        if self._observed:
            registers = self._observed.get(address, ())
            self.count += len(registers) // _OBSERVED_A_STEP
            for register in registers:
                observed += (Progression(old[register]), Progression(new[register]))
        if unknown and taken is not None:
            loop = self._loops[-1]
            place = (address, len(nodes), len(loop.recent))
            loop.exits.append(UnknownExit(*place, unknown, self.values))
        nodes.append(Executed(address, taken, tuple(observed)))
        if halts:
            self.end = End(HALTED, address)
        return following

    def _are_refused(
        self, requirements: Sequence[Requirement], old: Sequence[Value], new: Sequence[Value]
    ) -> bool:
        """Return whether an instruction faults for values before and after a bundle's updates."""
        return not self._ignores_faults and any(
            each.is_certain and each.broken(each.values(old, new)) for each in requirements
        )

    def _branch(
        self, branch: Branch, address: int, observed: list[Progression]
    ) -> tuple[bool | None, int, tuple[str, ...]]:
        """Return whether a branch is taken, the next address, and the registers in doubt.

        A branch in doubt is assumed to stay in the loop around it.
        """
        if branch.indirect >= 0:
            target = self.values[branch.indirect]
            observed.append(Progression(target))
            if isinstance(target, int):
                return True, unsigned(target), ()
            self.end = End(UNKNOWN, address, target.registers, has_run=True)
            return None, address, ()
        assert branch.target is not None
        if not branch.relation:
            return True, branch.target, ()
        left, right = self.values[branch.left], self.values[branch.right]
        observed += (Progression(left), Progression(right))
        taken = holds(branch.relation, left, right)
        if taken is not None:
            return taken, branch.target if taken else address + 1, ()
        registers = registers_in(left, right)
        taken = self._stays(branch.target, address + 1)
        if taken is None:
            self.end = End(UNKNOWN, address, registers, has_run=True)
        return taken, branch.target if taken else address + 1, registers

    def _stays(self, target: int, following: int) -> bool | None:
        """Return which of two addresses is in the loop; None if both are, or none."""
        if not self._loops:
            return None
        loop = self._loops[-1]
        is_inside = loop.contains(target)
        return None if is_inside is loop.contains(following) else is_inside

    def _bounds_at(self, address: int) -> Sequence[tuple[int, int | None]]:
        """Return what offsets from the base registers must be multiples of, and the highest one."""
        accesses = self._steps[address].accesses
        bounds = [(access.space.step, self._highest_offset(access)) for access in accesses]
        self._bounds[address] = bounds
        return bounds

    def _highest_offset(self, access: Access) -> int | None:
        """Return the highest offset that does not fault; None if no offset is too high."""
        if access.highest is None:
            return None
        base = access.base(self.values)
        return access.highest - (base if isinstance(base, int) else 0)

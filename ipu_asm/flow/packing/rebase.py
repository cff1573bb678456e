"""Rebasing: a program with fewer executed updates of registers that never depend on data.

`webs` has the writes of registers and the reads that see them, `observation` the values that they
have in a run, `rewriting` the changes that these allow and their text; this module applies them.
All values of the registers are known, so that every rewriting is proven by execution: each other
instruction gets the same values.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Callable, Iterator, Sequence

from ipu_asm.diagnostics import Severity
from ipu_asm.flow.assertions.comments import AssertionKind, assertion_comments
from ipu_asm.flow.control_flow import basic_blocks
from ipu_asm.flow.control_run.step_reading import steps_of
from ipu_asm.flow.packing.layout import Place
from ipu_asm.flow.packing.observation import MAX_BUNDLES, Presets, observe, signed
from ipu_asm.flow.packing.operations import Operation, operations_of
from ipu_asm.flow.packing.pack import PackingError, check_packable, packing_blocks
from ipu_asm.flow.packing.rewriting import (
    Known,
    Operand,
    Rewriting,
    constant_registers,
    equal_registers,
    free_registers,
    merged_updates,
    other_decisions,
    rewritten,
    set_to,
    setting,
    unread_updates,
)
from ipu_asm.flow.packing.webs import (
    START,
    Read,
    Web,
    computes,
    constant_update,
    instruction_at,
    webs_of,
)
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.distances import is_distance
from ipu_asm.program.program import Program


class _Step(NamedTuple):
    """The only update of a web in a loop, by a constant, and the web's writes outside of it."""

    place: Place
    value: int
    web: Web

    @property
    def outside(self) -> frozenset[Place]:
        """Writes of the same web that are outside the loop."""
        return self.web.writes - {self.place}


class _Loop(NamedTuple):
    """A loop of one basic block that ends with a comparison; its steps by register."""

    operations: Sequence[Operation]
    branch: Operation
    compared: tuple[Read, ...]
    steps: dict[str, _Step]


_ABOUT_VALUES = (AssertionKind.BEFORE, AssertionKind.AFTER, AssertionKind.LOG)
_NAME = re.compile(r"\w+")
_MAX_STEPS = 40
_MAX_LOST = 4
"""Cycles that registers with constants may cost, before enough of them save some in a loop."""
Cost = Callable[[Program], int]


def rebased_programs(
    program: Program, presets: Presets, cost: Cost
) -> Iterator[tuple[Program, int]]:
    """Yield programs with ever fewer executed updates and their costs, the given one first.

    `presets` are the values of the host of each configuration, with which the program halts. A step
    that raises the cost is not taken. Raises `PackingError` if the program cannot be rewritten.
    """
    check_packable(program)
    if any(is_distance(program, reference) for reference in program.references):
        raise PackingError("a branch has a distance as its target: give it a label")
    if any(not update.is_sum for step in steps_of(program) for update in step.updates):
        raise PackingError("an update of a register is no sum")
    blocks = (operations_of(program, block) for block in basic_blocks(program))
    if any(operation.is_break for block in blocks for operation in block):
        raise PackingError("a break shows registers to who debugs: remove it first")
    search = _Search(presets, cost)
    known = search.known(program)
    least = cost(program)
    yield program, least
    for _ in range(_MAX_STEPS):
        found = search.step(known, least)
        if found is None:
            return
        known, reached = found
        least = min(least, reached)
        yield known.program, reached


def loops_in_one_bundle(program: Program, presets: Presets) -> Program:
    """Return a packed program with those of its loops in one bundle that fit into it."""
    search = _Search(presets, lambda _: 0)
    known = search.known(program)
    for _ in range(_MAX_STEPS):
        every = (search.applied(known, change) for change in single_bundles(known))
        following = next((found for found in every if found is not None), None)
        if following is None:
            break
        known = following
    return known.program


class _Search:
    def __init__(self, presets: Presets, cost: Cost) -> None:
        self._presets = presets
        self._cost = cost

    def step(self, known: Known, least: int) -> tuple[Known, int] | None:
        """Return a program with fewer updates, or less cost, and its cost."""
        for kind, most in (
            (merged_updates, least),
            (equal_registers, least),
            (other_decisions, least),
            (old_comparisons, least - 1),
            (constant_registers, least + _MAX_LOST),
        ):
            for change in kind(known):
                found = self.applied(known, change)
                if found is not None and kind is not old_comparisons:
                    found = self._settled(known, found)
                if found is not None:
                    found, reached = self._with_old_comparisons(found)
                    if reached <= most:
                        return found, reached
        return None

    def _with_old_comparisons(self, known: Known) -> tuple[Known, int]:
        """Return a program and its cost, or one that costs less with other comparisons."""
        best = known, self._cost(known.program)
        for change in old_comparisons(known):
            found = self.applied(known, change)
            if found is not None:
                best = min(best, (found, self._cost(found.program)), key=lambda pair: pair[1])
        return best

    def _settled(self, known: Known, found: Known | None) -> Known | None:
        """Return a program without the updates that a rewriting has made superfluous.

        None if it does not execute fewer than before.
        """
        following = found
        while following is not None:
            found = following
            changes = (c for kind in (unread_updates, merged_updates) for c in kind(found))
            every = (self.applied(found, change) for change in changes)
            updates = found.observation.updates
            following = next((e for e in every if e and e.observation.updates < updates), None)
        if found is None or found.observation.updates >= known.observation.updates:
            return None
        return found

    def applied(self, known: Known, change: Rewriting) -> Known | None:
        """Return a program after a rewriting; None if it would do another thing."""
        program = rewritten(known.program, change)
        if program is None or program.size > program.isa.program_limit:
            return None
        if any(finding.severity is Severity.ERROR for finding in program.findings):
            return None
        bundles = sum(known.observation.executions) + len(change.first)
        found = self.known(program, bundles)
        return found if found.observation.digest == known.observation.digest else None

    def known(self, program: Program, most: int = MAX_BUNDLES) -> Known:
        """Return what is known about a program that executes `most` bundles at the most."""
        webs = webs_of(program)
        kept = {
            name.lower()
            for each in assertion_comments(program)
            if each.kind in _ABOUT_VALUES
            for name in _NAME.findall(each.text)
        }
        return Known(program, webs, observe(program, webs, self._presets, most), frozenset(kept))


def old_comparisons(known: Known) -> Iterator[Rewriting]:
    """Yield rewritings in which a branch shares a bundle with the update of what it compares."""
    for loop in _loops(known):
        for read in loop.compared:
            step = loop.steps.get(read.register)
            if step is None or step.place[0] >= loop.branch.address:
                continue
            bound = _with_bound(known, loop, {read.register: -step.value})
            if bound is not None:
                yield bound._replace(moved={step.place: loop.branch.address})


def single_bundles(known: Known) -> Iterator[Rewriting]:
    """Yield rewritings of loops into one bundle, with pointers stepped before they are used."""
    for loop in _loops(known):
        work = [o for o in loop.operations if o != loop.branch and not _updates(known, o)]
        updates = [o for o in loop.operations if _updates(known, o)]
        addresses = {operation.address for operation in work}
        if len(addresses) != 1 or len(updates) != len(loop.steps):
            continue
        if not _fits(known, loop.operations) or len({o.address for o in loop.operations}) < 2:
            continue
        change = _rotated(known, loop, addresses.pop())
        if change is not None:
            yield change


def _loops(known: Known) -> Iterator[_Loop]:
    steps = steps_of(known.program)
    for block in packing_blocks(known.program):
        branch = steps[block[-1]].branch
        operations = operations_of(known.program, block)
        last = [operation for operation in operations if operation.is_branch]
        if branch is None or not branch.relation or branch.target != block.start or len(last) != 1:
            continue
        place = last[0].address, last[0].number
        compared = tuple(read for read in known.webs.seen if read.place == place)
        if len(compared) == 2:
            yield _Loop(operations, last[0], compared, _steps(known, block))


def _steps(known: Known, block: range) -> dict[str, _Step]:
    found: dict[str, _Step] = {}
    for web in known.webs.webs:
        inside = [place for place in web.writes if place[0] in block]
        update = constant_update(known.program, inside[0]) if len(inside) == 1 else None
        if update is not None and update.is_step and web.register not in known.kept:
            found[web.register] = _Step(inside[0], update.value, web)
    return found


def _updates(known: Known, operation: Operation) -> bool:
    return computes(instruction_at(known.program, (operation.address, operation.number)))


def _fits(known: Known, operations: Sequence[Operation]) -> bool:
    counts = Counter(operation.slot for operation in operations)
    slots = known.program.isa.slot_by_name
    return all(count <= slots[name].capacity for name, count in counts.items())


def _rotated(known: Known, loop: _Loop, work: int) -> Rewriting | None:
    """Return the rewriting of a loop into the bundle at address `work`."""
    operands: dict[Operand, str] = {}
    first: list[str] = []
    shifts: dict[str, int] = {}
    for register, step in loop.steps.items():
        is_used = any(read.address == work for read in step.web.uses if read not in loop.compared)
        shifts[register] = -step.value if step.place[0] < loop.branch.address else 0
        if is_used and step.place[0] > work:
            moved = _begun_earlier(known, step)
            if moved is None:
                return None
            operands |= moved.operands
            first += moved.first
            shifts[register] -= step.value
    bound = _with_bound(known, loop, shifts)
    if bound is None:
        return None
    places = {(each.address, each.number): work for each in loop.operations}
    every = {**operands, **bound.operands}
    return Rewriting(every, first=(*first, *bound.first), moved=places)


def _begun_earlier(known: Known, step: _Step) -> Rewriting | None:
    """Return the rewriting in which a web begins one step earlier.

    A register that is 0 at the start of the program is set there.
    """
    register = step.web.register
    presets = {name.lower() for each in known.observation.presets for name in each}
    if step.outside == {START} and register not in presets:
        text = setting(known, register, -step.value)
        return None if text is None else Rewriting(first=(text,))
    found: dict[Operand, str] = {}
    for place in step.outside:
        update = None if place == START else constant_update(known.program, place)
        if update is None or update.is_step or not update.fits(update.value - step.value):
            return None
        found[*place, update.operand] = str(update.value - step.value)
    return Rewriting(found)


def _with_bound(known: Known, loop: _Loop, shifts: dict[str, int]) -> Rewriting | None:
    """Return the rewriting of what a loop's counter is compared with, if its values shift."""
    left, right = loop.compared
    one, other = shifts.get(left.register, 0), shifts.get(right.register, 0)
    if one == other:
        return Rewriting()
    if one and other:
        return None
    bound, shift = (right, one) if one else (left, other)
    if bound not in known.observation.constants or bound.register in loop.steps:
        return None
    value = signed(known.observation.constants[bound]) + shift
    web = known.webs.web_of(bound)
    sets = set_to(known, web, value)
    if sets is not None and web.uses == [bound] and web.register not in known.kept:
        return Rewriting(sets)
    free = free_registers(known)
    text = setting(known, free[0], value) if free else None
    if text is None:
        return None
    return Rewriting({(*bound.place, bound.operand): free[0]}, first=(text,))

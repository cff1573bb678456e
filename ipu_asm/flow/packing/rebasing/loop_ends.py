"""Rewritings of loops that end with updates and a branch that waits for them.

A branch sees the values from before its bundle. So a branch that compares the old value of its
counter, with a bound that is one step less, shares a bundle with the update. And a pointer that is
stepped before it is used, from a value one step less, is stepped in the bundle that uses it.
"""

from __future__ import annotations

from collections import Counter
from typing import Iterator, Sequence

from ipu_asm.flow.control_run.step_reading import steps_of
from ipu_asm.flow.packing.operations import Operation, operations_of
from ipu_asm.flow.packing.pack import packing_blocks
from ipu_asm.flow.packing.rebasing.execution import signed
from ipu_asm.flow.packing.rebasing.rewriting import Operand, Rewriting
from ipu_asm.flow.packing.rebasing.steps import Known, free_registers, set_to, setting
from ipu_asm.flow.packing.rebasing.updates import computes, constant_update, instruction_at
from ipu_asm.flow.packing.rebasing.webs import START, Place, Read, Web
from ipu_asm.named_tuple import NamedTuple


class _Step(NamedTuple):
    """The only update of a web in a loop, by a constant, and the web's writes outside of it."""

    place: Place
    value: int
    web: Web

    @property
    def outside(self) -> frozenset[Place]:
        """The writes of the web outside of the loop."""
        return self.web.writes - {self.place}


class _Loop(NamedTuple):
    """A loop of one basic block that ends with a comparison; its steps by register."""

    operations: Sequence[Operation]
    branch: Operation
    compared: tuple[Read, ...]
    steps: dict[str, _Step]


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

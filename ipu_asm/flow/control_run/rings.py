"""Registers that are steps on a ring: whatever reads them in a loop counts modulo the same size.

Their values may be continued past the end of the ring, so that a loop with an unknown number of
iterations can be settled although the registers go round in it.
"""

from __future__ import annotations

from typing import Iterator, Mapping, Sequence

from ipu_asm.flow.control_run.steps import Step, Update
from ipu_asm.flow.control_run.trace import Executed, Node, executions
from ipu_asm.flow.control_run.values import Value, modulo

Rings = Mapping[int, int]
"""The size of the ring of each register."""

NO_RINGS: Rings = {}


def rings_of(steps: Sequence[Step], nodes: Sequence[Node], values: Sequence[Value]) -> Rings | None:
    """Return the registers on rings in an iteration; None if one is not only used as such.

    `values` are those of all registers at its end.
    """
    found: dict[int, int] = {}
    addresses = {node.address for node in executions(nodes)}
    updates = [update for address in addresses for update in steps[address].updates]
    for update in updates:
        if update.modulus and found.setdefault(update.register, update.modulus) != update.modulus:
            return None
    if not found:
        return NO_RINGS
    updated = {update.register for update in updates}
    zeros = {n for n, value in enumerate(values) if value == 0 and n not in updated}
    if not all(_stays_on_ring(update, found, zeros) for update in updates):
        return None
    return None if any(_leaves_ring(steps[address], found) for address in addresses) else found


def _stays_on_ring(update: Update, rings: Rings, zeros: set[int]) -> bool:
    """Return whether an update reads no register on a ring, or steps or copies one on its ring."""
    sums = [*update.sum[1], *(update.added[1] if update.added is not None else ())]
    read = {register for register, _ in sums} & rings.keys()
    if update.register not in rings:
        return not read
    own = [each for each in update.sum[1] if each[0] not in zeros]
    if update.modulus:
        return read == {update.register} and (update.register, 1) in own
    is_copy = update.is_sum and not update.sum[0] and len(own) == 1 and own[0][1] == 1
    return is_copy and rings.get(own[0][0]) == rings[update.register]


def _leaves_ring(step: Step, rings: Rings) -> bool:
    branch = step.branch
    if branch is not None:
        read = {branch.left, branch.right} if branch.relation else {branch.indirect}
        if read & rings.keys():
            return True
    for access in step.accesses:
        used = {register for register, _ in access.offset[1]} & rings.keys()
        is_index = access.space.is_register and len(access.offset[1]) == 1
        if used and not (is_index and all(rings[each] == access.space.size for each in used)):
            return True
    for each in step.required:
        if any(
            each.first >= 0 or rings[register] % (1 << bits.low + bits.bits)
            for register in each.registers
            if register in rings
            for bits in each.needed
        ):
            return True
    return any(
        window.register in rings and (window.is_clipped or rings[window.register] % window.modulus)
        for window in step.windows
    )


def in_rings(
    rings: Rings, steps: Sequence[Step], nodes: Sequence[Node], strides: Sequence[Value] | None
) -> Sequence[Value] | None:
    """Return strides between iterations, those of values on rings modulo the size of the ring.

    None if an index would not stay aligned.
    """
    if strides is None or not rings:
        return strides
    found: list[Value] = []
    remaining = iter(strides)
    for node in executions(nodes):
        step = steps[node.address]
        for value, modulus, align in zip(node.values, *_moduli(rings, step, node)):
            stride = next(remaining)
            stride = modulo(stride, modulus) if modulus else stride
            if modulus and align > 1 and not _is_aligned(value.start, stride, align):
                return None
            found.append(stride)
    return found


def _is_aligned(start: Value, stride: Value, align: int) -> bool:
    return type(start) is int and type(stride) is int and not (start % align or stride % align)


def _moduli(rings: Rings, step: Step, node: Executed) -> tuple[list[int], list[int]]:
    """Return, for each value of a bundle, the size of its ring or 0, and what it is aligned to."""
    moduli = [0] * len(node.values)
    aligns = [1] * len(node.values)
    for place, access in enumerate(step.accesses, step.compared):
        for register, _ in access.offset[1]:
            moduli[place] = rings.get(register, 0)
            aligns[place] = access.space.step
    for place, window in enumerate(step.windows, step.first_window):
        moduli[place] = rings.get(window.register, 0)
    for place, modulus in zip(range(step.first_guard, len(node.values)), _of_guards(rings, step)):
        moduli[place] = modulus
    place = step.first_required
    for each in step.required:
        for register in each.registers:
            moduli[place] = rings.get(register, 0)
            place += 1
    return moduli, aligns


def _of_guards(rings: Rings, step: Step) -> Iterator[int]:
    for update in step.updates:
        yield from [rings.get(update.register, 0)] * update.guards

"""How many further iterations of a loop take the same path as the last one.

An update that is no sum acts like one for a while: a sum modulo 2^k until it passes a multiple of
2^k, a byte that stays in 0..255 until it reaches a limit. The *guards* of an update are the values
that decide about this. They are recorded with each execution, so that an iteration is only folded
with others that act alike.
"""

from __future__ import annotations

from math import gcd
from typing import Iterator, Mapping, Sequence

from ipu_asm.flow.control_run.steps import (
    Access,
    Branch,
    NeededBits,
    Requirement,
    Step,
    Update,
    value_of,
)
from ipu_asm.flow.control_run.trace import Dimension, Executed, Node, Progression, executions
from ipu_asm.flow.control_run.values import (
    HIGHEST,
    LOWEST,
    MODULUS,
    Value,
    bytes_of,
    minus,
    registers_in,
    signed_bytes_of,
    unsigned,
)
from ipu_asm.isa.storage import signed

Rings = Mapping[int, int]
"""The size of the ring of each register."""
NO_RINGS: Rings = {}
Bound = int | None
"""A number of iterations; None for any number."""
_HIGHEST_BYTE = 255
_FAR = 1 << 10
_PIECES = ((-_FAR, -1), (0, _HIGHEST_BYTE), (_HIGHEST_BYTE + 1, _FAR))
"""In each, a byte is a linear function of the sum that it is limited from."""
_MAX_RESIDUES = 512


def further_iterations(
    steps: Sequence[Step],
    bases: Sequence[Value],
    nodes: Sequence[Node],
    strides: Sequence[Value],
    unknown_exit: int | None = None,
    rings: Rings = NO_RINGS,
) -> Bound:
    """Return how many iterations after this one take the same path without a fault.

    `bases` are the values of all registers, of which those that never change are used. `nodes` are
    the last iteration, `strides` the change of each of its values. The result may be too small,
    never too large.

    Addresses that depend on unknown values are assumed not to fault. If the branch at address
    `unknown_exit` ends the loop after an unknown number of iterations, it is ignored and no address
    is assumed to fault. Nothing bounds the updates of `rings`.
    """
    remaining = iter(strides)
    least: Bound = None
    for executed in executions(nodes):
        own = [next(remaining) for _ in executed.values]
        step = steps[executed.address]
        bounds = [*_bounds_of_guards(step, executed, own, rings)]
        if executed.address != unknown_exit:
            bounds += _bounds_of_branch(step, executed, own)
        if unknown_exit is None:
            bounds += _bounds_of_values(step, bases, executed, own)
        for bound in bounds:
            if bound is not None and (least is None or bound < least):
                least = bound
        if least == 0:
            break
    return least


def unknown_addresses(
    steps: Sequence[Step], nodes: Sequence[Node], strides: Sequence[Value]
) -> tuple[str, ...]:
    """Return the registers on which addresses depend that change from iteration to iteration.

    Without an end of the iterations such an access faults, in one that is not known.
    """
    remaining = iter(strides)
    found: set[str] = set()
    for executed in executions(nodes):
        step, own = steps[executed.address], [next(remaining) for _ in executed.values]
        for place, access in enumerate(step.accesses, step.compared):
            stride, (start, dimensions) = own[place], executed.values[place]
            if stride != 0 and not (access.highest is None and isinstance(stride, int)):
                inner = [value for pair in dimensions for value in pair if value is not None]
                found.update(registers_in(start, stride, *inner))
    return tuple(sorted(found))


def _bounds_of_branch(step: Step, executed: Executed, strides: Sequence[Value]) -> Iterator[Bound]:
    if step.branch is not None and step.branch.relation:
        yield _of_branch(step.branch, executed, strides)
    elif step.compared:
        yield None if strides[0] == 0 and not executed.values[0].dimensions else 0


def _bounds_of_values(
    step: Step, bases: Sequence[Value], executed: Executed, strides: Sequence[Value]
) -> Iterator[Bound]:
    compared = step.compared
    pairs = zip(step.accesses, executed.values[compared:], strides[compared:])
    for access, progression, stride in pairs:
        yield _of_access(access, access.base(bases), progression, stride)
    first = step.first_required
    for each in step.required:
        last = first + len(each.registers)
        yield _of_requirement(each, executed.values[first:last], strides[first:last])
        first = last
    # Windows count modulo their register, so that no value of theirs is a bound.
    first = step.first_observed
    for progression, stride in zip(executed.values[first:], strides[first:]):
        yield _in_range(progression, stride)


def _of_requirement(
    required: Requirement, values: Sequence[Progression], strides: Sequence[Value]
) -> Bound:
    """Return for how many iterations more what a register must hold is known to hold."""
    if all(stride == 0 for stride in strides) or not required.registers:
        return None
    if required.first >= 0 and (strides[-1] != 0 or values[-1].dimensions):
        return 0
    known = [isinstance(progression.start, int) for progression in values]
    if not all(known) or not isinstance(strides[0], int):
        return None  # such values are assumed to hold, as addresses are
    first = values[-1].start if required.first >= 0 else 0
    assert isinstance(first, int)
    bounds = [
        _of_bits(each, values[0], strides[0])
        for each in required.needed
        if unsigned(first) <= each.number
    ]
    return min((bound for bound in bounds if bound is not None), default=None)


def _of_bits(needed: NeededBits, progression: Progression, stride: int) -> Bound:
    start, moving = progression.start, [each for each in progression.dimensions if each[0] != 0]
    size = 1 << needed.low + needed.bits
    assert isinstance(start, int)
    if stride % size == 0:
        return None
    if size <= _MAX_RESIDUES:
        residues = {start % size}
        for step, count in moving:
            if not isinstance(step, int):
                return 0
            most = size if not isinstance(count, int) else min(count, size)
            residues = {(r + step * number) % size for r in residues for number in range(most)}
        for later in range(1, size // gcd(stride, size) + 1):
            if not all(needed.holds(residue + stride * later) for residue in residues):
                return later - 1
        return None
    return _of_bytes(needed, start, moving, stride)


def _of_bytes(
    needed: NeededBits, start: int, dimensions: Sequence[Dimension], stride: int
) -> Bound:
    """Return for how many steps bits stay in a range, while no byte below them overflows."""
    steps = signed_bytes_of(stride)
    inner = [(signed_bytes_of(step), count) for step, count in dimensions if isinstance(step, int)]
    is_byte = needed.bits == 8 and needed.low % 8 == 0 and len(needed.numbers) == 1
    if not is_byte or len(inner) < len(dimensions):
        return 0
    least: Bound = None
    for place, byte in enumerate(bytes_of(start)[: needed.low // 8 + 1]):
        extent = extent_of(byte, [(digits[place], count) for digits, count in inner])
        numbers = needed.numbers[0] if place == needed.low // 8 else range(256)
        if extent is None or extent[0] not in numbers or extent[1] not in numbers:
            return 0
        bound = within(extent[0], extent[1], numbers[0], numbers[-1], steps[place])
        if bound is not None and (least is None or bound < least):
            least = bound
    return least


def _bounds_of_guards(
    step: Step, executed: Executed, strides: Sequence[Value], rings: Rings
) -> Iterator[Bound]:
    first = step.first_guard
    for update in step.updates:
        last = first + update.guards
        if update.guards and update.register not in rings:
            yield bound_of(update, executed.values[first:last], strides[first:last])
        first = last


def _of_branch(branch: Branch, executed: Executed, strides: Sequence[Value]) -> Bound:
    left, right = executed.values[:2]
    relation, taken = branch.relation, bool(executed.taken)
    if relation == ">=":
        relation, taken = "<", not taken
    change = minus(strides[0], strides[1])
    if change == 0 and (strides[0] == 0 or relation != "<"):
        return None
    start = minus(left.start, right.start)
    if not isinstance(start, int) or not isinstance(change, int):
        return 0
    difference = [(minus(a[0], b[0]), a[1]) for a, b in zip(left.dimensions, right.dimensions)]
    extent = extent_of(start, difference)
    if extent is None:
        return 0
    outcome = _same_outcome(relation, taken, *extent, change)
    if relation != "<" and extent[2]:
        return outcome  # equality holds modulo 2^32: the registers may leave the signed range
    bounds = [outcome]
    bounds += [_in_range(left, strides[0]), _in_range(right, strides[1])]
    return min((bound for bound in bounds if bound is not None), default=None)


def _same_outcome(
    relation: str, taken: bool, low: int, high: int, single: bool, change: int
) -> Bound:
    """Return for how many steps by `change` a difference in ``low..high`` keeps its outcome."""
    if change == 0:
        return None
    if relation == "<":
        if taken:
            return None if change < 0 else max(0, (-1 - high) // change)
        return None if change > 0 else max(0, low // -change)
    if (relation == "==") is taken:  # the difference is 0, and would not be any more
        return 0
    if single:
        steps = steps_to_zero(low, change)
        return None if steps is None else steps - 1
    if low > 0:
        return None if change > 0 else (low - 1) // -change
    if high < 0:
        return None if change < 0 else (-1 - high) // change
    return 0


def steps_to_zero(difference: int, change: int) -> int | None:
    """Return after how many steps, at least one, a difference is a multiple of 2^32."""
    divisor = gcd(change, MODULUS)
    if difference % divisor:
        return None
    period = MODULUS // divisor
    steps = -difference // divisor * pow(change // divisor, -1, period) % period
    return steps or period


def _in_range(progression: Progression, stride: Value) -> Bound:
    """Return for how many steps by `stride` all values stay in the signed range."""
    if not isinstance(progression.start, int) or not isinstance(stride, int):
        return None
    extent = extent_of(progression.start, progression.dimensions)
    return 0 if extent is None else within(extent[0], extent[1], LOWEST, HIGHEST, stride)


def _of_access(access: Access, base: Value, progression: Progression, stride: Value) -> Bound:
    if isinstance(stride, int) and stride % access.space.step:
        return 0
    if access.highest is None:
        return None
    if not isinstance(progression.start, int) or not isinstance(stride, int):
        return None
    extent = extent_of(progression.start, progression.dimensions)
    if extent is None:
        return None
    most = access.highest - (base if isinstance(base, int) else 0)
    return within(extent[0], extent[1], 0, most, stride)


def guards_of(update: Update, values: Sequence[Value]) -> list[Value]:
    """Return the guards of an update, `update.guards` values, for values before the bundle."""
    total = value_of(update.sum, values)
    if update.added is None:
        return [total] if update.modulus else []
    added = value_of(update.added, values)
    if isinstance(total, int) and isinstance(added, int):
        step, old = signed(added, 8), bytes_of(total)
        return [step, *old, *(byte + step for byte in old)]
    unknown = (added, total) if isinstance(total, int) else (total, added)
    return [*unknown, *[0] * (update.guards - len(unknown))]


def bound_of(update: Update, guards: Sequence[Progression], strides: Sequence[Value]) -> Bound:
    """Return for how many iterations more an update acts as in this one.

    `strides` are the changes of its guards from one iteration to the next.
    """
    if all(stride == 0 for stride in strides):
        return None
    if update.added is None:
        return _of_modulo(update.modulus, guards[0], strides[0])
    if not isinstance(guards[0].start, int) or strides[0] != 0:
        return 0
    middle = 1 + (len(guards) - 1) // 2
    bounds = [_in_piece(*each, _PIECES[1:2]) for each in zip(guards[1:middle], strides[1:middle])]
    bounds += [_in_piece(*each, _PIECES) for each in zip(guards[middle:], strides[middle:])]
    return min((bound for bound in bounds if bound is not None), default=None)


def _of_modulo(modulus: int, guard: Progression, stride: Value) -> Bound:
    if isinstance(stride, int) and stride % modulus == 0:
        return None
    if not isinstance(guard.start, int) or not isinstance(stride, int):
        return 0
    moving = [
        (step, count)
        for step, count in guard.dimensions
        if not isinstance(step, int) or step % modulus
    ]
    extent = extent_of(guard.start % modulus, moving)
    if extent is None or extent[0] < 0 or extent[1] >= modulus:
        return 0
    return within(extent[0], extent[1], 0, modulus - 1, stride)


def _in_piece(guard: Progression, stride: Value, pieces: Sequence[tuple[int, int]]) -> Bound:
    """Return for how many iterations more a guard stays in the piece in which it is."""
    if stride == 0:
        return None
    if not isinstance(guard.start, int) or not isinstance(stride, int):
        return 0
    extent = extent_of(guard.start, guard.dimensions)
    for least, most in pieces if extent is not None else ():
        assert extent is not None
        if least <= extent[0] and extent[1] <= most:
            return within(extent[0], extent[1], least, most, stride)
    return 0


def extent_of(start: int, dimensions: Sequence[Dimension]) -> tuple[int, int, bool] | None:
    """Return the lowest and the highest value, and whether there is one only; None if unknown."""
    low = high = start
    for stride, count in dimensions:
        if not isinstance(stride, int) or not isinstance(count, int):
            return None
        low += min(0, stride * (count - 1))
        high += max(0, stride * (count - 1))
    return low, high, all(count == 1 or stride == 0 for stride, count in dimensions)


def within(low: int, high: int, least: int, most: int, stride: int) -> Bound:
    """Return for how many steps by `stride` numbers in ``low..high`` stay in ``least..most``."""
    if stride == 0:
        return None
    return max(0, (most - high) // stride if stride > 0 else (low - least) // -stride)

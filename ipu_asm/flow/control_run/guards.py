"""For how long updates that are no sums act like sums.

A sum modulo 2^k is a sum until it passes a multiple of 2^k, and a byte that stays in 0..255 is one
until it reaches a limit. The *guards* of an update are the values that decide about this. They are
recorded with each execution, so that an iteration is only folded with others that act alike.
"""

from __future__ import annotations

from typing import Sequence

from ipu_asm.flow.control_run.bounds import Bound, extent_of, within
from ipu_asm.flow.control_run.steps import Update, value_of
from ipu_asm.flow.control_run.trace import Progression
from ipu_asm.flow.control_run.values import Value, bytes_of, signed_byte

_HIGHEST_BYTE = 255
_FAR = 1 << 10
_PIECES = ((-_FAR, -1), (0, _HIGHEST_BYTE), (_HIGHEST_BYTE + 1, _FAR))
"""In each, a byte is a linear function of the sum that it is limited from."""


def guards_of(update: Update, values: Sequence[Value]) -> list[Value]:
    """Return the guards of an update, `update.guards` values, for values before the bundle."""
    total = value_of(update.sum, values)
    if update.added is None:
        return [total] if update.modulus else []
    added = value_of(update.added, values)
    if isinstance(total, int) and isinstance(added, int):
        step, old = signed_byte(added), bytes_of(total)
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

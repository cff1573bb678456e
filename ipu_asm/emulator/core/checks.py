"""Checks: short programs by which a core finds out that a stop test need not be asked.

A check computes one number between two bundles, from the registers, the memory, and the registers
from before the last bundle; the stop test cannot be true where that number is zero. A check that is
in doubt counts as true. `checks.h` executes them.
"""

from __future__ import annotations

import struct
from enum import IntEnum, auto
from typing import Final

from ipu_asm.emulator.registers import RegisterLayout
from ipu_asm.named_tuple import NamedTuple

_WORD: Final = (1 << 32) - 1


class Opcode(IntEnum):
    """The instructions of checks, in the order of `CheckOpcode`; names with REAL take doubles."""

    END = 0
    STOP_IF = auto()
    PUSH = auto()
    LOAD = auto()
    LOAD_BEFORE = auto()
    LOAD_MEMORY = auto()
    NEXT_PC = auto()
    LAST_PC = auto()
    CYCLE = auto()
    TO_REAL = auto()
    TO_TRUTH = auto()
    REAL_TO_TRUTH = auto()
    IS_NAN = auto()
    NOT = auto()
    NEGATE = auto()
    INVERT = auto()
    ABSOLUTE = auto()
    REAL_NEGATE = auto()
    REAL_ABSOLUTE = auto()
    ADD = auto()
    SUBTRACT = auto()
    MULTIPLY = auto()
    DIVIDE = auto()
    REMAINDER = auto()
    AND = auto()
    OR = auto()
    XOR = auto()
    SHIFT_LEFT = auto()
    SHIFT_RIGHT = auto()
    EQUAL = auto()
    LESS = auto()
    LESS_OR_EQUAL = auto()
    MINIMUM = auto()
    MAXIMUM = auto()
    REAL_ADD = auto()
    REAL_SUBTRACT = auto()
    REAL_MULTIPLY = auto()
    REAL_DIVIDE = auto()
    REAL_EQUAL = auto()
    REAL_LESS = auto()
    REAL_LESS_OR_EQUAL = auto()
    REAL_MINIMUM = auto()
    REAL_MAXIMUM = auto()
    JUMP = auto()
    JUMP_UNLESS = auto()
    NEXT_LANE = auto()
    FOLD = auto()
    CHANGED = auto()
    NEW_NANS = auto()
    SUM_OVERFLOWS = auto()


class Kind(IntEnum):
    """The types of elements that checks load, in the order of `CheckKind`."""

    I8 = 0
    U8 = auto()
    I16 = auto()
    U16 = auto()
    I32 = auto()
    U32 = auto()
    F32 = auto()

    @property
    def size(self) -> int:
        """The size of an element in bytes."""
        return (1, 1, 2, 2, 4, 4, 4)[self]


class Check(NamedTuple):
    """The words of a check or of a part of one, and how many numbers it keeps at a time."""

    words: tuple[int, ...]
    depth: int = 1


def number(value: int) -> Check:
    """Return a check for a whole number. Raises `struct.error` beyond 64 bits."""
    return Check((Opcode.PUSH, *struct.unpack("<2I", struct.pack("<q", value))))


def real(value: float) -> Check:
    return Check((Opcode.PUSH, *struct.unpack("<2I", struct.pack("<d", value))))


ALWAYS: Final = number(1)
"""The check of a stop test that must be asked."""

NEXT_PC: Final = Check((Opcode.NEXT_PC,))
LAST_PC: Final = Check((Opcode.LAST_PC,))
CYCLE: Final = Check((Opcode.CYCLE,))


def load(kind: Kind, offset: int, stride: int = 0, *, is_before: bool = False) -> Check:
    """Return a check for an element at an offset among the registers, or `stride` on in each lane.

    With `is_before` they are those from before the bundle.
    """
    return Check((Opcode.LOAD_BEFORE if is_before else Opcode.LOAD, kind, offset, stride))


def load_memory(address: Check, kind: Kind, stride: int = 0, lanes: int = 1) -> Check:
    """Return a check for an element of memory; in doubt unless all lanes lie within it."""
    size = stride * (lanes - 1) + kind.size
    return Check((*address.words, Opcode.LOAD_MEMORY, kind, stride, size), address.depth)


def unary(opcode: Opcode, operand: Check) -> Check:
    """Return the check for an operation on one number."""
    return Check((*operand.words, opcode), operand.depth)


def binary(opcode: Opcode, one: Check, other: Check) -> Check:
    """Return the check for an operation on two numbers."""
    return Check((*one.words, *other.words, opcode), max(one.depth, other.depth + 1))


def choice(test: Check, one: Check, other: Check) -> Check:
    """Return the check for one number if a third is not zero, else for the other."""
    words = (
        *test.words, Opcode.JUMP_UNLESS, len(one.words) + 2,
        *one.words, Opcode.JUMP, len(other.words),
        *other.words,
    )  # fmt: skip
    return Check(words, max(test.depth, one.depth, other.depth))


def folded(opcode: Opcode, start: Check, body: Check, lanes: int) -> Check:
    """Return the check that combines a start with a number of each lane, one after the other.

    The body must not contain another one. One that only loads neighbours needs no loop.
    """
    if len(body.words) == 4 and body.words[0] is Opcode.LOAD:
        _, kind, offset, stride = body.words
        if stride == Kind(kind).size:
            return Check((*start.words, Opcode.FOLD, opcode, kind, offset, lanes), start.depth)
    again = Opcode.NEXT_LANE, lanes, len(body.words) + 2
    return Check((*start.words, *body.words, opcode, *again), max(start.depth, body.depth + 1))


def both(one: Check, other: Check) -> Check:
    """Return the check for two conditions, of which the second is not looked at in vain."""
    if ALWAYS in (one, other):
        return other if one == ALWAYS else one
    return choice(one, other, number(0))


def changed(start: int, size: int) -> Check:
    """Return the check for bytes of the registers that differ from those before the bundle."""
    return Check((Opcode.CHANGED, start, start + size))


def new_nans(start: int, size: int) -> Check:
    """Return the check for words of the registers that are NaN and were not before the bundle."""
    return Check((Opcode.NEW_NANS, start, size // 4))


def sum_overflows(before: int, after: int) -> Check:
    """Return the check for sums beyond int32, of a vector before the bundle and one after it."""
    return Check((Opcode.SUM_OVERFLOWS, before, after))


def register_offset(layout: RegisterLayout, name: str) -> int:
    """Return where a register, or a group of scalars, begins in the core: scalars come last."""
    group = layout.group_places.get(name)
    place = layout.places[name] if group is None else group.start
    return place.start if isinstance(place, slice) else layout.block_size + 4 * place

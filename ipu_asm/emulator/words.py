"""32-bit words as int32 or float32, and the machine's rules for NaN.

An operation that creates a NaN creates 0x7FC00000. An operand that is NaN is propagated with its
payload and made quiet; of two, the first operand is propagated.
"""

from __future__ import annotations

import math
import struct
from typing import Any, Final, Iterable

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint32]
Floats = NDArray[np.float32]

CANONICAL_NAN: Final = 0x7FC0_0000
_QUIET: Final = 0x0040_0000
_SIGN: Final = 0x8000_0000
_INFINITY: Final = 0x7F80_0000
LANES: Final = 128
_FLOAT: Final = struct.Struct("<f")
_WORD: Final = struct.Struct("<I")


def is_nan_word(word: int) -> bool:
    """Return whether a word is NaN as a float32."""
    return word & ~_SIGN > _INFINITY


def to_float(word: int) -> float:
    """Return the float32 value of a word; a NaN becomes quiet."""
    if is_nan_word(word):
        word |= _QUIET
    value: float = _FLOAT.unpack(_WORD.pack(word))[0]
    return value


def to_word(value: float) -> int:
    """Return the word of a number rounded to float32; beyond the largest float32 it is infinity."""
    try:
        packed = _FLOAT.pack(value)
    except OverflowError:
        packed = _FLOAT.pack(math.copysign(math.inf, value))
    return int.from_bytes(packed, "little")


def product(a: float, b: float) -> float:
    """Return a x b in double precision."""
    if math.isnan(a):
        return a
    if math.isnan(b):
        return b
    return canonical_nan_result(a * b)


def sum_in_order(numbers: Iterable[float]) -> float:
    """Return 0.0 plus the numbers, added one by one in double precision."""
    total = 0.0
    for number in numbers:
        if math.isnan(number):
            return number
        total += number
        if math.isnan(total):
            return canonical_nan_result(total)
    return total


def canonical_nan_result(value: float) -> float:
    """Return the result of an operation on numbers, with the machine's bits if it is NaN."""
    return math.nan if math.isnan(value) else value


def is_nan(words: Words) -> NDArray[np.bool_]:
    """Return a truth value per word: whether it is NaN as a float32."""
    return (words & ~np.uint32(_SIGN)) > np.uint32(_INFINITY)


def quiet_nans(words: Words) -> None:
    """Make every NaN quiet, in place."""
    np.bitwise_or(words, np.uint32(_QUIET), out=words, where=is_nan(words))


def repair_nans(results: Words, first: Words, second: Words) -> None:
    """Give each NaN among the float32 results of an operation its bits, in place.

    The bits are those of the first operand, or else the second one, that is NaN.
    """
    quiet, created = np.uint32(_QUIET), np.uint32(CANONICAL_NAN)
    bits = np.where(is_nan(second), second | quiet, created)
    bits = np.where(is_nan(first), first | quiet, bits)
    np.copyto(results, bits, where=is_nan(results))


def sum_words(first: Words, *others: Words) -> Words:
    """Return the float32 sums of words, added one by one in double precision and rounded once."""
    totals = first.view("<f4").astype(np.float64)
    nans = np.where(is_nan(first), first | np.uint32(_QUIET), np.uint32(0))
    for other in others:
        totals = totals + other.view("<f4")
        created = np.where(np.isnan(totals), np.uint32(CANONICAL_NAN), np.uint32(0))
        fresh = np.where(is_nan(other), other | np.uint32(_QUIET), created)
        nans = np.where(nans != 0, nans, fresh)
    return np.where(nans != 0, nans, totals.astype("<f4").view("<u4"))


def float_texts(data: bytes | bytearray) -> list[str]:
    """Return the shortest decimal of each little-endian float32 that round-trips exactly."""
    texts = [str(number) for number in np.frombuffer(data, "<f4")]
    # Numpy switches to exponents sooner than Python does.
    return [repr(float(text)) if "e" in text else text for text in texts]


def _propagates_nan_payloads(kind: Any) -> bool:
    """Whether numpy additions on this processor propagate quiet NaNs as the machine does.

    The machine propagates the first of two. Adding one number to an array is tried as well; adding
    one NaN to an array is not, because its result differs.
    """
    first = np.arange(0x7FC0_0001, 0x7FC0_0081, dtype="<u4")
    a = first.view("<f4").astype(kind)
    b = np.arange(0xFFC0_1001, 0xFFC0_1081, dtype="<u4").view("<f4").astype(kind)
    numbers = np.ones(LANES, kind)
    in_place = a.copy()
    np.add(in_place, b, in_place)
    sums = (a + b, a + numbers, numbers + a, a + numbers[0], in_place)
    return all(np.array_equal(total.astype("<f4").view("<u4"), first) for total in sums)


NAN_PAYLOADS_PROPAGATE: Final = _propagates_nan_payloads("<f4") and _propagates_nan_payloads("<f8")
"""Whether only invalid operations leave wrong NaN bits in a sum; depends on the processor."""


class FloatErrors:
    """The float errors that numpy reported while the machine ran.

    numpy keeps its error handler in a context variable, where the garbage collector cannot follow
    references. So the handler must not refer to the machine, which owns that context.
    """

    __slots__ = ("invalid",)

    def __init__(self) -> None:
        self.invalid = False

    def note(self, error: str, flag: int) -> None:
        """Record an invalid operation; called by numpy, see `numpy.seterrcall`."""
        self.invalid = True

"""The machine of XDNA1 as a value: shapes of its products, and how it adds floating-point numbers.

All terms of a sum, products of bfloat16 numbers and float32 accumulators, are aligned to the
largest exponent among them with 23 fraction bits, each rounded to nearest even. Their sum is exact
and rounded once; results below the normal numbers are +0. This is known from results of silicon.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, Sequence

import numpy as np
from numpy.typing import NDArray

from ipu_asm.targets.aie.machine.deferred import Methods, Terms
from ipu_asm.targets.aie.machine.model import model_of
from ipu_asm.targets.aie.machine.operations import Generation
from ipu_asm.targets.aie.machine.products import Shape
from ipu_asm.targets.aie.machine.state import RegisterStorage
from ipu_asm.targets.xdna1.description import FAMILIES, PAIR_NAMES

_SHAPES = {
    (0, 1, 0): Shape(4, 8, 8, 8, 8, 32),
    (0, 2, 0): Shape(4, 4, 8, 16, 8, 32),
    (0, 1, 1): Shape(0, 2, 32, 8, 8, 32),
    (0, 3, 0): Shape(4, 2, 8, 16, 16, 32),
    (1, 0, 0): Shape(4, 2, 4, 32, 16, 64),
    (1, 2, 0): Shape(2, 8, 8, 16, 8, 64),
    (1, 2, 1): Shape(4, 8, 4, 16, 8, 64),
    (1, 3, 0): Shape(2, 4, 8, 16, 16, 64),
    (1, 3, 1): Shape(4, 4, 4, 16, 16, 64),
}
"""Without 4x16x8 of 4-bit operands, whose order in registers is not public."""

_MATRIX, _PAIRS = "matrix", "pairs"
_FLOAT_SHAPES = {(2, 3, 0): _MATRIX, (2, 3, 1): _PAIRS}

_LANES: Final = 16
_SPECIAL: Final = 1 << 20
"""In place of the exponent of an infinity or a NaN: larger than any other."""

_ZERO: Final = -(1 << 18)
"""In place of the exponent of a zero: products with it are smaller than any other term, unless the
other operand is special."""

_SCALE: Final = 278
"""A term with exponent E and significand s of 24 bits is s * 2 ** (E - 278)."""

_WORDS = np.arange(1 << 16)
_EXPONENT_FIELDS = _WORDS >> 7 & 255
_EXPONENTS = np.where(_WORDS & 0x7FFF == 0, _ZERO, np.maximum(_EXPONENT_FIELDS, 1))
_EXPONENTS[_EXPONENT_FIELDS == 255] = _SPECIAL
_EXPONENTS_OF_SUMS = np.maximum(_EXPONENT_FIELDS, 1) + 128.0
"""The exponent of a term by the upper half of a float32 word that is not 0."""

_EXPONENTS_OF_SUMS[_EXPONENT_FIELDS == 255] = _SPECIAL
with np.errstate(invalid="ignore"):
    _VALUES = (_WORDS.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
_FACTORS = np.stack((_VALUES, _EXPONENTS + 0.5), -1)
"""The number of each bfloat16 word, and its share of the exponent of a product."""

_SMALLEST_NORMAL = 2.0**-126


def multiply_floats(
    terms: Terms, a: bytes, b: bytes, accumulators: Sequence[bytes], signs: Sequence[bool]
) -> bytes:
    """Return sums of bfloat16 products and accumulators in 16 lanes."""
    left, right = _operands(terms, [a], [b])
    sums = _product_sums(terms, left, right, accumulators, signs)
    if sums is not None:
        return sums
    shape = np.broadcast_shapes(left.shape, right.shape)
    words = [np.broadcast_to(each, shape).reshape(_LANES, -1) for each in (left, right)]
    return _special_sums(words[0], words[1] ^ 0x8000 * terms.is_negated, accumulators, signs)


# Many products at once. Each term is rounded to the unit of the largest one by adding and
# subtracting a number whose last bit has that unit: 1.5 * 2 ** 52 units.

_ROUNDERS = np.ldexp(1.5, np.arange(512) + (53 - _SCALE))
_ROUNDERS[0] = 0.0
_ROUNDER_OF_SUM = np.ldexp(1.5, 52 - 23)
_EXPONENT_BITS = 0x7FF << 52
_NOTHING: Final = -(1 << 14)


class _Sums:
    """Terms of products with room for an accumulator, by term, lane and product."""

    def __init__(self, terms: NDArray[np.float64], rounders: NDArray[np.float64]) -> None:
        self.results = np.zeros(rounders.shape, np.float32)
        self._terms = terms
        self._rounders = rounders
        self._bits = terms[-1].view(np.int64)
        self._rounded = np.empty_like(terms)
        self._units = np.empty_like(rounders)

    def add(self, where: slice, accumulators: NDArray[Any]) -> None:
        """Add products to zeros and normal numbers."""
        terms, rounded = self._terms[:, :, where], self._rounded[:, :, where]
        units = self._units[:, where]
        terms[-1] = accumulators
        np.bitwise_and(self._bits[:, where], _EXPONENT_BITS, out=units.view(np.int64))
        np.multiply(units, _ROUNDER_OF_SUM, out=units)
        np.maximum(units, self._rounders[:, where], out=units)
        np.add(terms, units, out=rounded)
        np.subtract(rounded, units, out=rounded)
        self.results[:, where] = rounded.sum(0, out=units)

    def is_plain(self, rows: NDArray[Any]) -> bool:
        """Return whether all are zeros, or normal numbers above the smallest one."""
        sizes = rows.view(np.uint32) & np.uint32(0x7FFF_FFFF)
        return not ((sizes - np.uint32(1) < 0x80_0000) | (sizes >= 0x7F80_0000)).any()


def prepared(terms: Terms, a: bytes, b: bytes, count: int) -> _Sums | None:
    """Return the terms of many products; None if a factor is an infinity or a NaN."""
    # Products are the last axis: numpy's inner loops are long.
    words = [np.ascontiguousarray(np.frombuffer(each, np.uint16).reshape(count, -1).T)
             for each in (a, b)]  # fmt: skip
    if any((each & 0x7F80 == 0x7F80).any() for each in words):
        return None
    left, right = (_by_term(terms.shape, *pair) for pair in enumerate(map(_numbers, words)))
    one, other = (_by_term(terms.shape, *pair) for pair in enumerate(map(_short_exponents, words)))
    found = np.empty((len(left) + 1, _LANES, count))
    np.multiply(left, right, out=found[:-1].reshape(np.broadcast_shapes(left.shape, right.shape)))
    if terms.is_negated:
        np.negative(found, out=found)
    largest = (one + other).max(0).reshape(_LANES, count)
    return _Sums(found, _ROUNDERS[np.maximum(largest, 0)])


def _by_term(shape: str, side: int, words: NDArray[Any]) -> NDArray[Any]:
    """Return words of the left or right factors by term, row and column of lanes, and product."""
    if shape != _MATRIX:
        return words.reshape(2, _LANES, -1)
    if side:
        return words.reshape(8, 1, 4, -1)
    return words.reshape(4, 8, 1, -1).transpose(1, 0, 2, 3)


def _numbers(words: NDArray[np.uint16]) -> NDArray[np.float64]:
    return (words.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def _short_exponents(words: NDArray[np.uint16]) -> NDArray[np.int16]:
    exponents = np.maximum((words >> 7 & 255).astype(np.int16), 1)
    exponents[words & 0x7FFF == 0] = _NOTHING
    return exponents


def _operands(
    terms: Terms, a: Sequence[bytes], b: Sequence[bytes]
) -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
    """Return the words of factors: the last axis is that of a sum, those before it are lanes."""
    left, right = (np.frombuffer(b"".join(each), np.uint16) for each in (a, b))
    if terms.shape == _MATRIX:
        return left.reshape(-1, 4, 1, 8), right.reshape(-1, 1, 8, 4).transpose(0, 1, 3, 2)
    both = (each.reshape(-1, 2, _LANES).transpose(0, 2, 1) for each in (left, right))
    return next(both), next(both)


def _product_sums(
    terms: Terms,
    left: NDArray[np.uint16],
    right: NDArray[np.uint16],
    accumulators: Sequence[bytes],
    signs: Sequence[bool],
) -> bytes | None:
    one, other = _FACTORS[left], _FACTORS[right]
    products = one[..., 0] * other[..., 0]
    exponents = one[..., 1] + other[..., 1]
    depth = products.shape[-1]
    if terms.is_negated:
        products = -products
    return _sums(products.reshape(-1, depth), exponents.reshape(-1, depth), accumulators, signs)


def add_floats(first: bytes, second: bytes, is_difference: bool) -> bytes:
    """Return sums or differences of accumulators by lanes."""
    none = np.zeros((len(first) // 4, 0))
    sums = _sums(none, none, (first, second), (False, is_difference))
    if sums is not None:
        return sums
    words = none.astype(np.uint16)
    return _special_sums(words, words, (first, second), (False, is_difference))


def _sums(
    products: NDArray[Any],
    exponents: NDArray[Any],
    accumulators: Sequence[bytes],
    signs: Sequence[bool],
) -> bytes | None:
    """Return the sums of all lanes; None where a term is an infinity or a NaN."""
    largest = exponents.max(1, initial=0.0)
    added = []
    for data, is_negated in zip(accumulators, signs):
        words = np.frombuffer(data, np.uint32)
        own = _EXPONENTS_OF_SUMS[words >> 16]
        own[words << 1 == 0] = _ZERO
        largest = np.maximum(largest, own)
        values = np.frombuffer(data, np.float32).astype(np.float64)
        added.append(-values if is_negated else values)
    if largest.max() >= _SPECIAL // 2:
        return None
    unit = np.exp2(largest - _SCALE)
    total = np.rint(products / unit[:, None]).sum(1)
    for values in added:
        total += np.rint(values / unit)
    rounded = total.astype(np.float32) * unit
    kept = np.where(np.abs(rounded) >= _SMALLEST_NORMAL, rounded, 0.0)
    found: bytes = kept.astype(np.float32).tobytes()
    return found


def _special_sums(
    left: NDArray[Any], right: NDArray[Any], accumulators: Sequence[bytes], signs: Sequence[bool]
) -> bytes:
    """Return the sums of all lanes, computed one by one."""
    words = [np.frombuffer(data, np.uint32).tolist() for data in accumulators]
    found = [
        _special_sum(
            list(zip(left[lane].tolist(), right[lane].tolist())),
            [(each[lane], sign) for each, sign in zip(words, signs)],
        )
        for lane in range(len(left))
    ]
    return np.array(found, np.uint32).tobytes()


def _special_sum(
    products: Sequence[tuple[int, int]], accumulators: Sequence[tuple[int, bool]]
) -> int:
    """Return the sum of one lane as a word, whatever its terms are.

    A NaN has the sign of the sum that its fields give, and the lowest bit set.
    """
    terms: list[tuple[int, int]] = []
    infinities: set[bool] = set()
    nans: list[int] = []
    is_nan = False
    for a, b in products:
        (ea, ma), (eb, mb) = (_fields(word, 7) for word in (a, b))
        is_negative = bool((a ^ b) >> 15)
        is_zero = ea + ma == 0 or eb + mb == 0
        is_nan |= (ea == 255 and ma > 0) or (eb == 255 and mb > 0)
        if (ea == 255 and ma == 0) or (eb == 255 and mb == 0):
            is_nan |= is_zero
            if not is_zero and not (ea == 255 and ma) and not (eb == 255 and mb):
                infinities.add(is_negative)
        if not is_zero:
            size = (ma | (ea > 0) << 7) * (mb | (eb > 0) << 7) << 9
            terms.append((max(ea, 1) + max(eb, 1) + 1, -size if is_negative else size))
    only_accumulator = not terms and len(accumulators) == 1
    for word, is_negated in accumulators:
        exponent, fraction = _fields(word, 23)
        is_negative = bool(word >> 31) != is_negated
        if exponent == 255 and fraction:
            is_nan = True
            nans.append(word)
        elif exponent == 255:
            infinities.add(is_negative)
        if exponent + fraction:
            size = fraction | (exponent > 0) << 23
            terms.append((max(exponent, 1) + 128, -size if is_negative else size))
    is_nan |= len(infinities) == 2
    if is_nan and nans and only_accumulator:
        return nans[0]
    if infinities and not is_nan:
        return 0xFF80_0000 if True in infinities else 0x7F80_0000
    return _rounded_sum(terms, is_nan=is_nan)


def _fields(word: int, fraction_bits: int) -> tuple[int, int]:
    return word >> fraction_bits & 255, word & (1 << fraction_bits) - 1


def _rounded_sum(terms: Sequence[tuple[int, int]], *, is_nan: bool) -> int:
    largest = max((exponent for exponent, _ in terms), default=0)
    total = sum(_to_nearest(size, largest - exponent) for exponent, size in terms)
    size = abs(total)
    if not size:
        return 0x7F80_0001 if is_nan else 0
    sign = 0x8000_0000 if total < 0 else 0
    lead = size.bit_length() - 24
    significand = _to_nearest(size, lead) if lead > 0 else size << -lead
    if significand >> 24:
        significand, lead = significand >> 1, lead + 1
    exponent = largest + lead - 128
    fraction = significand & 0x7F_FFFF
    if is_nan:
        return sign | 0x7F80_0000 | (fraction if 0 < exponent < 255 else 0) | 1
    if exponent <= 0:
        return 0
    return sign | 0x7F80_0000 if exponent >= 255 else sign | exponent << 23 | fraction


def _to_nearest(value: int, shift: int) -> int:
    """Return a signed number divided by 2 ** shift, to nearest, ties to even."""
    quotient = value >> shift
    rest = value - (quotient << shift)
    half = (1 << shift) >> 1
    return quotient + (rest > half or (rest == half > 0 and quotient & 1))


GENERATION = Generation(
    storage=RegisterStorage(FAMILIES, PAIR_NAMES),
    landing_of=lambda mnemonic: None,
    families_without_bypass=frozenset(),
    shapes=_SHAPES,
    float_shapes=_FLOAT_SHAPES,
    multiply_floats=Methods(multiply_floats, prepared),
    add_floats=add_floats,
    defers_floats=True,
    shuffle_modes=48,
    ups_saturates=True,
)

MODEL = model_of("xdna1", Path(__file__).parent, GENERATION)

"""The element types: the value of each byte, the byte of each value, and all products of two.

`E1` to `E7` are 8-bit floats with 1 to 7 exponent bits. Their exponent field of all ones means NaN;
they have no infinity.
"""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ipu_asm.emulator.words import CANONICAL_NAN, Floats, Words
from ipu_asm.named_tuple import NamedTuple

Elements = NDArray[np.uint8]

_SIGN: Final = 0x80


class ElementType(IntEnum):
    """The element types. The value of a float type is the number of its exponent bits."""

    INT8 = 0
    E1 = 1
    E2 = 2
    E3 = 3
    E4 = 4
    E5 = 5
    E6 = 6
    E7 = 7


class Products(NamedTuple):
    """All products of an element type, as words: int32 in INT8, else float32.

    `pairs[a << 8 | b]` and `rows[a][b]` are a x b, `squares[a]` is a x a.
    """

    pairs: Words
    rows: list[Words]
    squares: Words


@lru_cache(maxsize=len(ElementType))
def element_values(kind: ElementType) -> NDArray[Any]:
    """Return the values of the 256 elements: int32 in INT8, else float32. Do not change them."""
    codes = np.arange(256, dtype=np.uint8)
    if kind is ElementType.INT8:
        return codes.view(np.int8).astype("<i4")
    values = _float_values(kind, codes & ~np.uint8(_SIGN))
    negative: Floats = np.where(codes & _SIGN, -values, values).astype("<f4")
    negative.view("<u4")[np.isnan(values)] = CANONICAL_NAN
    return negative


def encode_floats(kind: ElementType, values: Any) -> Elements:
    """Return the elements of a float type that are nearest to float32 values, ties to even.

    Values beyond the largest element, infinities among them, become that element. What is below the
    smallest normal number never rounds up to it.
    """
    floats = np.asarray(values, "<f4")
    numbers = np.abs(floats.astype(np.float64))
    mantissa_bits, bias, largest = _format(kind)
    one = 1 << mantissa_bits
    # |x| = fraction * 2^exponent with the fraction in [0.5, 1).
    exponents = np.frexp(numbers)[1].astype(np.int64) - 1 + bias
    with np.errstate(all="ignore"):
        subnormal = np.minimum(np.rint(np.ldexp(numbers, mantissa_bits + bias - 1)), one - 1)
        mantissas = np.rint(np.ldexp(numbers, mantissa_bits + bias - exponents) - one)
    normal = exponents * one + mantissas
    codes = np.where((exponents >= 1) & (numbers > 0), normal, subnormal)
    codes = np.where(np.isinf(numbers), largest, np.minimum(codes, largest))
    signs = np.where(np.signbit(floats), _SIGN, 0)
    nan = min(largest + 1 + (mantissa_bits > 0), 0x7F)
    return np.where(np.isnan(floats), nan, codes + signs).astype(np.uint8)


@lru_cache(maxsize=len(ElementType))
def products_of(kind: ElementType) -> Products:
    """Return the products of an element type."""
    values = element_values(kind)
    with np.errstate(all="ignore"):
        table = np.multiply.outer(values, values)
    words: Words = table.view("<u4")
    if kind is not ElementType.INT8:
        words[np.isnan(table)] = CANONICAL_NAN
    return Products(words.reshape(-1), list(words), words.diagonal().copy())


def _float_values(kind: ElementType, codes: Elements) -> NDArray[np.float64]:
    """The values of elements without a sign."""
    mantissa_bits, bias, largest = _format(kind)
    fractions = (codes & ((1 << mantissa_bits) - 1)) / (1 << mantissa_bits)
    exponents = (codes >> mantissa_bits).astype(np.int64)
    significands = np.where(exponents > 0, fractions + 1, fractions)
    values = np.ldexp(significands, np.maximum(exponents, 1) - bias)
    return np.where(codes > largest, np.nan, values)


def _format(kind: ElementType) -> tuple[int, int, int]:
    """Mantissa bits, bias, and the code of the largest element of a float type."""
    mantissa_bits = 7 - kind
    bias = (1 << (kind - 1)) - 1
    return mantissa_bits, bias, (((1 << kind) - 1) << mantissa_bits) - 1

"""The element types: the value of each byte, and the table of all products of two elements."""

from __future__ import annotations

import math
from bisect import bisect_left
from enum import IntEnum
from functools import lru_cache
from typing import Any, Final, SupportsIndex

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from ipu_asm.emulator.arguments import real_number, whole_number
from ipu_asm.emulator.element_types import ElementType, Fp8Format
from ipu_asm.emulator.words import CANONICAL_NAN, LANES, Words, is_nan
from ipu_asm.named_tuple import NamedTuple

Elements = NDArray[np.uint8]


class DType(IntEnum):
    """The element types, by their value in `cr15`."""

    INT8 = 0
    FP8_E4M3 = 1
    FP8_E5M2 = 2


NUMPY_TYPES: Final[dict[DType, Any]] = {
    DType.INT8: np.int8,
    DType.FP8_E4M3: ml_dtypes.float8_e4m3fn,
    DType.FP8_E5M2: ml_dtypes.float8_e5m2,
}
ONE: Final = {DType.INT8: 0x01, DType.FP8_E4M3: 0x38, DType.FP8_E5M2: 0x3C}
"""The encoding of 1 in each type."""


class Products(NamedTuple):
    """All products of an element type, as words: int32 in INT8, else float32.

    `pairs[a << 8 | b]` and `rows[a][b]` are a x b; `ones` is 128 times the element 1.
    """

    pairs: Words
    rows: list[Words]
    ones: Elements


def element_type(code: int) -> DType:
    """Return the element type of a `cr15` value. Raises ValueError for an unknown one."""
    if not isinstance(code, SupportsIndex) or code not in NUMPY_TYPES:
        known = ", ".join(f"{dtype.value} ({dtype.name})" for dtype in DType)
        raise ValueError(f"an element type is one of {known}, found {code}")
    return DType(code)


def element_values(dtype: DType) -> NDArray[Any]:
    """Return the values of the 256 elements: int32 in INT8, else float32."""
    values = np.arange(256, dtype=np.uint8).view(NUMPY_TYPES[dtype])
    if dtype is DType.INT8:
        integers: NDArray[np.int32] = values.astype("<i4")
        return integers
    floats: NDArray[np.float32] = values.astype("<f4")
    # A NaN element becomes the machine's NaN with the sign of the element.
    signs = np.arange(256, dtype="<u4") >> 7 << 31
    np.copyto(floats.view("<u4"), signs | CANONICAL_NAN, where=np.isnan(floats))
    return floats


@lru_cache(maxsize=len(DType))
def products_of(code: int) -> Products:
    """Return the products of an element type. Of two NaNs the first is propagated.

    Raises ValueError for an unknown `cr15` value.
    """
    dtype = element_type(code)
    values = element_values(dtype)
    with np.errstate(all="ignore"):
        table = np.multiply.outer(values, values)
    words: Words = table.view("<u4")
    if dtype is not DType.INT8:
        own = np.broadcast_to(values.view("<u4"), words.shape)
        words[np.isnan(table)] = CANONICAL_NAN
        np.copyto(words, own, where=is_nan(own))
        np.copyto(words, own.T, where=is_nan(own.T))
    ones = np.full(LANES, ONE[dtype], np.uint8)
    return Products(words.reshape(-1), list(words), ones)


def ipu_mult(a: int, b: int, dtype: DType) -> int | float:
    """Return the product of two elements, given as bytes: an int in INT8, else a float.

    Raises ValueError for an unknown element type, TypeError for what is no whole number.
    """
    a, b = whole_number(a, "an element"), whole_number(b, "an element")
    values = element_values(element_type(dtype))
    with np.errstate(all="ignore"):
        product: int | float = (values[a & 0xFF] * values[b & 0xFF]).item()
    return product


def ipu_add(a: int | float, b: int | float, dtype: DType) -> int | float:
    """Return the sum of two words, given as values: an int32 that wraps in INT8, else a float32.

    Raises ValueError for an unknown element type, TypeError for what is no number.
    """
    a, b = real_number(a, "a word"), real_number(b, "a word")
    if element_type(dtype) is DType.INT8:
        return (int(a) + int(b) + (1 << 31) & 0xFFFF_FFFF) - (1 << 31)
    with np.errstate(all="ignore"):
        return float(np.float32(np.float32(a) + np.float32(b)))


FP8_NAN: Final = 0x7F


@lru_cache(maxsize=4)
def _values(dtype: DType) -> tuple[float, ...]:
    """The values of the 256 codes."""
    return tuple(float(value) for value in element_values(dtype).tolist())


@lru_cache(maxsize=4)
def _ladder(dtype: DType) -> tuple[float, ...]:
    """The finite non-negative values in ascending order; the index of each is its code."""
    return tuple(value for value in _values(dtype)[:128] if math.isfinite(value))


def _code(dtype: DType, value: float) -> int:
    """The code of a number, rounded to nearest, ties to even. Raises OverflowError."""
    sign = 0x80 if math.copysign(1.0, value) < 0 else 0
    if math.isnan(value):
        return FP8_NAN | sign
    ladder, size = _ladder(dtype), abs(value)
    if math.isinf(value) and math.inf in _values(dtype):
        return _values(dtype).index(math.inf) | sign
    above = bisect_left(ladder, size)
    if above < len(ladder) and ladder[above] == size:
        return above | sign
    step = ladder[-1] - ladder[-2]
    upper = ladder[above] if above < len(ladder) else ladder[-1] + step
    middle = (ladder[above - 1] + upper) / 2
    code = above if size > middle or (size == middle and above % 2 == 0) else above - 1
    if code >= len(ladder):
        raise OverflowError
    return code | sign


def _format(dtype: DType, most: float) -> Fp8Format:
    return Fp8Format(lambda: _values(dtype), lambda value: _code(dtype, value), most)


ELEMENT_TYPES: Final = {
    name: ElementType(name, "fp8", 1, "", _format(dtype, most))
    for name, dtype, most in (("e4m3", DType.FP8_E4M3, 448.0), ("e5m2", DType.FP8_E5M2, 57_344.0))
}

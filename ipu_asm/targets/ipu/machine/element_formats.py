"""The 8-bit floats of the IPU as element types of expressions."""

from __future__ import annotations

import math
from bisect import bisect_left
from functools import lru_cache
from typing import Final

from ipu_asm.emulator.element_types import ElementType, Fp8Format
from ipu_asm.targets.ipu.machine.elements import DType, element_values

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
    for name, dtype, most in (
        ("e4m3", DType.FP8_E4M3, 448.0),
        ("e5m2", DType.FP8_E5M2, 57_344.0),
    )
}

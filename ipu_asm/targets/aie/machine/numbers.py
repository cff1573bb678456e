"""Numbers of the vector units in numpy: rounding, saturation, conversions.

Lanes of integers are int64. Rounding modes are those of `crRnd`, saturation is that of `crSat`.
"""

from __future__ import annotations

from typing import Any, Callable, Final, Mapping

import numpy as np
from numpy.typing import NDArray

from ipu_asm.emulator.stops import UnknownResultError

Lanes = NDArray[Any]

_DTYPES = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
_SIGNED = {8: np.int8, 16: np.int16, 32: np.int32, 64: np.int64}
_FLOOR = 0
_BLOCK = 8
_SYMMETRIC: Final = 3
MAX_SHIFT: Final = 31
"""Of a shift register, which has six bits; whether the upper half is negative is not public."""

_Ties = Callable[[Lanes, Lanes], Any]
_DIRECTED: Mapping[int, Callable[[Lanes], Any]] = {
    _FLOOR: lambda negative: False,
    1: lambda negative: True,
    2: lambda negative: negative,
    3: lambda negative: ~negative,
}
"""Whether an inexact quotient is stepped up: floor, ceiling, towards zero, away from it."""

_TIES: Mapping[int, _Ties] = {
    8: lambda negative, odd: False,
    9: lambda negative, odd: True,
    10: lambda negative, odd: negative,
    11: lambda negative, odd: ~negative,
    12: lambda negative, odd: odd,
    13: lambda negative, odd: ~odd,
}
"""Whether a tie is stepped up: to -inf, +inf, zero, away from it, to even, to odd."""

# The same of a magnitude: whether it is stepped away from zero.
_AWAY: Mapping[int, Callable[[Lanes], Any]] = {
    _FLOOR: lambda negative: negative,
    1: lambda negative: ~negative,
    2: lambda negative: False,
    3: lambda negative: True,
}
_AWAY_TIES: Mapping[int, _Ties] = {
    8: lambda negative, odd: negative,
    9: lambda negative, odd: ~negative,
    10: lambda negative, odd: False,
    11: lambda negative, odd: True,
    12: lambda negative, odd: odd,
    13: lambda negative, odd: ~odd,
}


def lanes_of(data: bytes, bits: int, *, is_signed: bool) -> Lanes:
    """Return the lanes of a register as int64; unsigned ones of 64 bits wrap."""
    if bits == 4:
        pairs = np.frombuffer(data, np.uint8)
        lanes = np.stack((pairs & 15, pairs >> 4), -1).reshape(-1).astype(np.int64)
        signed: Lanes = (lanes ^ 8) - 8
        return signed if is_signed else lanes
    return np.frombuffer(data, (_SIGNED if is_signed else _DTYPES)[bits]).astype(np.int64)


def bytes_of(lanes: Lanes, bits: int) -> bytes:
    """Return lanes, cut to `bits`, as the bytes of a register."""
    if bits == 4:
        low = lanes.astype(np.uint8) & 15
        return (low[::2] | low[1::2] << 4).astype(np.uint8).tobytes()
    return lanes.astype(_DTYPES[bits]).tobytes()


def rounds_up(mode: int, negative: Lanes, odd: Lanes, rest: Lanes, half: Any) -> Lanes:
    """Return which quotients a rounding mode increments; they were rounded towards -inf.

    `rest` is the remainder of each division by 2 * `half`.

    Raises `UnknownResultError` for a mode that nothing is known of.
    """
    if mode in _DIRECTED:
        stepped: Lanes = (rest != 0) & _DIRECTED[mode](negative)
        return stepped
    if mode not in _TIES:
        raise UnknownResultError(_no_mode(mode))
    ties = (rest == half) & (rest != 0) & _TIES[mode](negative, odd)
    up: Lanes = (rest > half) | ties
    return up


def shifted_right(lanes: Lanes, shift: int, mode: int) -> Lanes:
    """Return lanes divided by a power of two, rounded."""
    quotient = lanes >> shift
    rest = lanes - (quotient << shift)
    up = rounds_up(mode, lanes < 0, (quotient & 1).astype(bool), rest, (1 << shift) >> 1)
    return quotient + up


def saturated(lanes: Lanes, bits: int, saturation: int, *, is_signed: bool) -> Lanes:
    """Return lanes limited to `bits`: 0 not at all, 1 limited, 3 limited symmetrically.

    Raises `UnknownResultError` for another number.
    """
    if saturation == 0:
        return lanes
    if saturation not in (1, _SYMMETRIC):
        raise UnknownResultError(f"no public source says what crSat = {saturation} does")
    high = (1 << bits - is_signed) - 1
    low = 0 if not is_signed else -high - (saturation != _SYMMETRIC)
    return np.clip(lanes, low, high)


def checked_shift(shift: int) -> int:
    """Return a shift. Raises `UnknownResultError` for one with the highest bit set."""
    if shift > MAX_SHIFT:
        raise UnknownResultError(f"whether a shift of {shift} is negative is not public")
    return shift


def bf16_of_fp32(words: Lanes, mode: int) -> Lanes:
    """Return float32 words rounded to bfloat16 words; denormals are kept, NaNs stay NaNs."""
    words = words.astype(np.int64)
    top, rest = words >> 16, words & 0xFFFF
    negative, odd = top >= 0x8000, (top & 1).astype(bool)
    if mode in _AWAY:
        up = (rest != 0) & _AWAY[mode](negative)
    elif mode in _AWAY_TIES:
        up = (rest > 0x8000) | ((rest == 0x8000) & _AWAY_TIES[mode](negative, odd))
    else:
        raise UnknownResultError(_no_mode(mode))
    is_special = top & 0x7F80 == 0x7F80
    is_lost = is_special & (rest != 0) & (top & 0x7F == 0)
    rounded: Lanes = np.where(is_special, top + is_lost, top + up)
    return rounded


def s32_of_bf16(words: Lanes, shift: int) -> Lanes:
    """Return the floors of bfloat16 words times 2 ** shift, saturated; a NaN gives the maximum."""
    values = np.ldexp((words.astype(np.uint32) << 16).view(np.float32).astype(np.float64), shift)
    values = np.nan_to_num(values, nan=np.inf, posinf=np.inf, neginf=-np.inf)
    clipped: Lanes = np.clip(np.floor(values), -(2.0**31), 2.0**31 - 1)
    return clipped.astype(np.int64)


def bfp16_of_fp32(words: Lanes, mode: int) -> bytes:
    """Return float32 words as blocks of eight: all mantissas, then the exponents of the blocks.

    Raises `UnknownResultError` for infinities, NaNs and denormals.
    """
    words = words.astype(np.int64).reshape(-1, _BLOCK)
    exponents = words >> 23 & 255
    fraction = words & 0x7F_FFFF
    shared = exponents.max(1, keepdims=True)
    if (shared == 255).any():
        raise UnknownResultError("no public source says how infinities and NaNs become blocks")
    if (fraction[exponents == 0] != 0).any():
        raise UnknownResultError("no public source says how denormals become blocks")
    values = np.where(exponents == 0, 0, fraction | 1 << 23)
    values = np.where(words >> 31 != 0, -values, values)
    shift = np.minimum(17 + shared - np.maximum(exponents, 1), 60)
    quotient = values >> shift
    rest = values - (quotient << shift)
    half = np.left_shift(1, shift) >> 1
    up = rounds_up(mode, values < 0, (quotient & 1).astype(bool), rest, half)
    mantissas = np.clip(quotient + up, -128, 127)
    blocks: bytes = mantissas.astype(np.int8).tobytes() + shared.astype(np.uint8).tobytes()
    return blocks


def fp32_of_bf16(data: bytes) -> bytes:
    """Return bfloat16 numbers as float32 numbers, denormals and NaNs included."""
    return (np.frombuffer(data, np.uint16).astype(np.uint32) << 16).tobytes()


def _no_mode(mode: int) -> str:
    return f"no public source says how crRnd = {mode} rounds"

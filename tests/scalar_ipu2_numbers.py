"""Elements, masks and activations of the IPU 2 in plain Python: see `tests.scalar_ipu2`."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Final

from tests.scalar_machine import CANONICAL_NAN, Nan, Number, signed

LANES: Final = 128
LARGEST_INT: Final = (1 << 31) - 1


def element(byte: int, exponent_bits: int) -> Number:
    """The value of an element: int8 for 0 exponent bits, else an 8-bit float."""
    if exponent_bits == 0:
        return signed(byte, 8)
    fraction_bits = 7 - exponent_bits
    exponent = byte >> fraction_bits & (1 << exponent_bits) - 1
    fraction = (byte & (1 << fraction_bits) - 1) / (1 << fraction_bits)
    if exponent == (1 << exponent_bits) - 1:
        return Nan(CANONICAL_NAN)
    significand = fraction if exponent == 0 else 1 + fraction
    bias = 2 ** (exponent_bits - 1) - 1
    return math.copysign(significand * 2.0 ** (max(exponent, 1) - bias), -1 if byte >> 7 else 1)


def shifted_mask(mask: int, distance: int, partition: int) -> list[int]:
    """The bits of a mask, by element, after its shift by up to three elements within groups."""
    bits = [mask >> lane & 1 for lane in range(LANES)]
    group = LANES // partition if partition else LANES
    for _ in range(min(abs(distance), 3)):
        if distance > 0:
            bits = [0 if lane % group == 0 else bits[lane - 1] for lane in range(LANES)]
        else:
            bits = [0 if (lane + 1) % group == 0 else bits[lane + 1] for lane in range(LANES)]
    return bits


def activated(code: int, x: float, alpha: float) -> float:
    """An activation function of a number, which may be NaN."""
    if code == 7:
        return x if x >= 0 else alpha * (math.exp(x) - 1)
    return activation(code)(x)


@cache
def activation(code: int) -> Callable[[float], float]:
    """The activation function with a code; past the last one they all do nothing."""
    functions = (
        _identity, _relu, _relu6, _sigmoid, math.tanh, _gelu, _softplus, _identity, _exp2,
        _reciprocal, _rsqrt, _silu,
    )  # fmt: skip
    return functions[code] if code < len(functions) else _identity


def rounded(x: float, largest: int) -> int | None:
    """A number as an integer from -largest - 1 to largest, ties to even; None for NaN."""
    if math.isnan(x):
        return None
    return largest if x > largest else round(max(x, -largest - 1))


def _identity(x: float) -> float:
    return x


def _relu(x: float) -> float:
    return x if x > 0 else 0.0


def _relu6(x: float) -> float:
    if x < 0:
        return 0.0
    return 6.0 if x > 6 else x


def _sigmoid(x: float) -> float:
    if x >= 0:
        return 1 / (1 + math.exp(-x))
    z = math.exp(x)
    return z / (1 + z)


def _gelu(x: float) -> float:
    return x * (0.5 * (1 + math.erf(x / math.sqrt(2))))


def _softplus(x: float) -> float:
    if abs(x) > 20:
        return x if x > 0 else math.exp(x)
    return math.log1p(math.exp(x))


def _exp2(x: float) -> float:
    try:
        return math.exp(x * 0.6931471805599453)
    except OverflowError:
        return math.inf


def _reciprocal(x: float) -> float:
    return 1 / x if x != 0 else 0.0


def _rsqrt(x: float) -> float:
    return 1 / math.sqrt(x) if x > 0 else 0.0


def _silu(x: float) -> float:
    return x * _sigmoid(x)

"""The activation functions, in double precision.

Those of correctly rounded operations work on arrays. The others call Python's mathematical library
for one number at a time: numpy's results depend on the processor.
"""

from __future__ import annotations

import math
from typing import Any, Callable, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Doubles: TypeAlias = NDArray[np.float64]

_LN_2: Final = 0.6931471805599453
_SOFTPLUS_LIMIT: Final = 20.0

NAMES: Final = (
    "identity", "relu", "relu6", "sigmoid", "tanh", "gelu", "softplus", "elu", "exp2",
    "reciprocal", "rsqrt", "silu",
)  # fmt: skip
"""The functions by code. Codes past the last one act as `identity`."""


def activate(code: int, numbers: Doubles, elu_alpha: float) -> Doubles:
    """Return the function with a code of each number. Floating-point errors must be ignored."""
    name = NAMES[code] if code < len(NAMES) else NAMES[0]
    if name == "identity":
        return numbers
    if name in _OF_ARRAYS:
        return _OF_ARRAYS[name](numbers)
    if name == "elu":
        return np.array([_elu(x, elu_alpha) for x in numbers.tolist()])
    return np.array([_OF_NUMBERS[name](x) for x in numbers.tolist()])


def _relu(numbers: Doubles) -> Doubles:
    return np.where(numbers > 0, numbers, 0.0)


def _relu6(numbers: Doubles) -> Doubles:
    """NaN stays, and so does -0."""
    positive = np.where(numbers < 0, 0.0, numbers)
    return np.where(positive > 6, 6.0, positive)


def _reciprocal(numbers: Doubles) -> Doubles:
    return np.where(numbers == 0, 0.0, 1.0 / numbers)


def _rsqrt(numbers: Doubles) -> Doubles:
    return np.where(numbers > 0, 1.0 / np.sqrt(numbers), 0.0)


def _sigmoid(x: float) -> float:
    if x >= 0:
        return 1.0 / (1.0 + math.exp(-x))
    z = math.exp(x)
    return z / (1.0 + z)


def _gelu(x: float) -> float:
    return x * (0.5 * (1.0 + math.erf(x / math.sqrt(2.0))))


def _softplus(x: float) -> float:
    if x > _SOFTPLUS_LIMIT:
        return x
    if x < -_SOFTPLUS_LIMIT:
        return math.exp(x)
    return math.log1p(math.exp(x))


def _elu(x: float, alpha: float) -> float:
    return x if x >= 0 else alpha * (math.exp(x) - 1.0)


def _exp2(x: float) -> float:
    try:
        return math.exp(x * _LN_2)
    except OverflowError:
        return math.inf


def _silu(x: float) -> float:
    return x * _sigmoid(x)


_OF_ARRAYS: Final[dict[str, Callable[[Doubles], Doubles]]] = {
    "relu": _relu,
    "relu6": _relu6,
    "reciprocal": _reciprocal,
    "rsqrt": _rsqrt,
}
_OF_NUMBERS: Final[dict[str, Callable[[float], Any]]] = {
    "sigmoid": _sigmoid,
    "tanh": math.tanh,
    "gelu": _gelu,
    "softplus": _softplus,
    "exp2": _exp2,
    "silu": _silu,
}

"""Values of scalar registers: 32-bit numbers, or sums with values that are not known.

A number is an `int` in the signed range. A `Symbolic` value is a constant plus multiples of unknown
values, each named by its register or by where it came from.
"""

from __future__ import annotations

from typing import NamedTuple

BITS = 32
LOWEST, HIGHEST = -(1 << (BITS - 1)), (1 << (BITS - 1)) - 1
MODULUS = 1 << BITS


class Symbolic(NamedTuple):
    """A constant plus the sum of multiples of unknown values, sorted by their names."""

    constant: int
    parts: tuple[tuple[str, int], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the unknown values."""
        return tuple(name for name, _ in self.parts)


Value = int | Symbolic


def unknown(name: str) -> Symbolic:
    """Return the unknown value of that name."""
    return Symbolic(0, ((name, 1),))


def wrapped(value: int) -> int:
    """Return a number modulo 2^32, as a signed number."""
    if LOWEST <= value <= HIGHEST:
        return value
    return (value - LOWEST) % MODULUS + LOWEST


def unsigned(value: int) -> int:
    """Return a signed 32-bit number as an unsigned one."""
    return value % MODULUS


def plus(a: Value, b: Value, factor: int = 1) -> Value:
    """Return ``a + factor * b``, without reducing it modulo 2^32."""
    if isinstance(a, int) and isinstance(b, int):
        return a + factor * b
    parts = dict(_parts(a))
    for name, count in _parts(b):
        parts[name] = parts.get(name, 0) + factor * count
    constant = _constant(a) + factor * _constant(b)
    left = tuple(sorted((name, count) for name, count in parts.items() if count))
    return Symbolic(constant, left) if left else constant


def minus(a: Value, b: Value) -> Value:
    """Return ``a - b``, without reducing it modulo 2^32."""
    return plus(a, b, -1)


def reduced(value: Value) -> Value:
    """Return a value with its constant reduced modulo 2^32."""
    if isinstance(value, int):
        return wrapped(value)
    return Symbolic(wrapped(value.constant), value.parts)


def _parts(value: Value) -> tuple[tuple[str, int], ...]:
    return () if isinstance(value, int) else value.parts


def _constant(value: Value) -> int:
    return value if isinstance(value, int) else value.constant

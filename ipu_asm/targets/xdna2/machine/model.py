"""The machine of XDNA2 as a value: shapes of its products, and how it adds floating-point numbers.

Products of bfloat16 numbers and sums are rounded once each, as IEEE 754 says, and a sum of eight
products of a block is exact before it is added: the rules of the vendor's simulator. Those of the
hardware are not public.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Sequence

import numpy as np
from numpy.typing import NDArray

from ipu_asm.emulator.stops import UnknownResultError
from ipu_asm.targets.aie.machine.deferred import Methods, Terms
from ipu_asm.targets.aie.machine.model import model_of
from ipu_asm.targets.aie.machine.operations import Generation
from ipu_asm.targets.aie.machine.products import Shape
from ipu_asm.targets.aie.machine.state import RegisterStorage
from ipu_asm.targets.xdna2.description import FAMILIES, PAIR_NAMES

_SHAPES = {
    (0, 1, 1): Shape(0, 1, 64, 8, 8, 32),
    (0, 1, 0): Shape(8, 8, 8, 8, 8, 32),
    (0, 2, 0): Shape(8, 4, 8, 16, 8, 32),
    (0, 3, 0): Shape(8, 2, 8, 16, 16, 32),
    (1, 0, 0): Shape(4, 2, 8, 32, 16, 64),
    (1, 2, 0): Shape(4, 8, 8, 16, 8, 64),
    (1, 3, 0): Shape(4, 4, 8, 16, 16, 64),
}

_LANES, _BLOCKS = "lanes", "blocks"
_FLOAT_SHAPES = {(2, 3, 1): _LANES, (2, 1, 0): _BLOCKS}
_MANTISSAS = 64
_BLOCKS_SIZE = 72
_VECTOR_SIZES = (64, 128)
_BLOCK_BIAS = 266
_DELAYED_MOVE = re.compile(r"mov\.d([1-6])")
_RESULTS = 64


def _landing(mnemonic: str) -> int | None:
    """Return the cycle in which a result lands that forms do not state; None if unknown.

    A load that steps in dimensions is one that does not; `vfloor` is as late as the slowest
    conversion of its unit, because no public source has its cycles.
    """
    delayed = _DELAYED_MOVE.fullmatch(mnemonic)
    if delayed:
        return 1 + int(delayed[1])
    if ".ups." in mnemonic:
        return 9
    return 4 if mnemonic.startswith("vfloor") else None


def multiply_floats(
    terms: Terms, a: bytes, b: bytes, accumulators: Sequence[bytes], signs: Sequence[bool]
) -> bytes:
    """Return the sum of products and accumulators for each lane."""
    if terms.shape == _BLOCKS:
        return _block_products(terms, a, b, accumulators, signs)
    if len(a) != len(b) or len(a) not in _VECTOR_SIZES:
        raise UnknownResultError("what products of lanes do with exponents is not public")
    left, right = (_floats(data) for data in (a, b))
    _refuse_special(left, right)
    total = left * right
    if terms.is_negated:
        total = -total
    for data, is_negated in zip(accumulators, signs):
        values = np.frombuffer(data, np.float32)[: len(total)]
        _refuse_special(total, values)
        total = total - values if is_negated else total + values
    return total.tobytes()


class _Sums:
    """What products add, by lane; float32 holds it."""

    def __init__(self, sums: NDArray[np.float32], lanes: int) -> None:
        self.results = np.zeros((lanes, len(sums)), np.float32)
        self._sums = np.ascontiguousarray(sums.T)
        self._lanes = len(self._sums)

    def add(self, where: slice, accumulators: NDArray[Any]) -> None:
        """Round each sum once; lanes without products are 0."""
        sums, lanes = self._sums[:, where], self._lanes
        np.add(sums, accumulators[:lanes], out=self.results[:lanes, where])

    def is_plain(self, rows: NDArray[Any]) -> bool:
        """Return whether all numbers are finite."""
        return bool(np.isfinite(rows).all())


def prepared(terms: Terms, a: bytes, b: bytes, count: int) -> _Sums | None:
    """Return the sums of many products; None if float32 holds one of them not exactly."""
    left, right = (np.frombuffer(data, np.uint8).reshape(count, -1) for data in (a, b))
    sizes = left.shape[1], right.shape[1]
    if terms.shape == _LANES:
        if sizes[0] != sizes[1] or sizes[0] not in _VECTOR_SIZES:
            return None
        sums = _floats(a) * _floats(b)
        sums = np.negative(sums) if terms.is_negated else sums
        return _Sums(sums.reshape(count, -1), terms.size // 4)
    if terms.is_negated or sizes != (_BLOCKS_SIZE, _BLOCKS_SIZE):
        return None
    one, other = (
        each[:, :_MANTISSAS].view(np.int8).reshape(count, 8, 8).astype(np.float32)
        for each in (left, right)
    )
    exponents = left[:, _MANTISSAS:], right[:, _MANTISSAS:]
    if any((own == 255).any() for own in exponents):
        return None
    sums = one @ other.transpose(0, 2, 1)
    one, other = (_POWERS[own] for own in exponents)
    if all((_SURE[0] <= own).all() and (own <= _SURE[1]).all() for own in exponents):
        sums *= one[:, :, None]
        sums *= other[:, None]
    else:
        exact = sums * (one[:, :, None].astype(np.float64) * other[:, None])
        sums = exact.astype(np.float32)
        if (sums != exact).any():
            return None
    sums += np.float32(0)  # no sum is -0
    return _Sums(sums.reshape(count, -1), terms.size // 4)


_POWERS = np.ldexp(np.float32(1), np.arange(256) - _BLOCK_BIAS // 2)
"""What a mantissa is multiplied by, by the exponent of its block."""

_SURE = 70, 188
"""Between these exponents float32 holds each sum of a block exactly."""


def add_floats(first: bytes, second: bytes, is_difference: bool) -> bytes:
    """Return sums or differences of accumulators by lanes."""
    a, b = (np.frombuffer(data, np.float32) for data in (first, second))
    _refuse_special(a, b)
    return (a - b if is_difference else a + b).tobytes()


def _floats(data: bytes) -> NDArray[np.float32]:
    return (np.frombuffer(data, np.uint16).astype(np.uint32) << 16).view(np.float32)


def _refuse_special(*operands: NDArray[Any]) -> None:
    if not all(np.isfinite(operand).all() for operand in operands):
        raise UnknownResultError("sums with infinities and NaNs are not public")


def _block_products(
    terms: Terms, a: bytes, b: bytes, accumulators: Sequence[bytes], signs: Sequence[bool]
) -> bytes:
    """Return the products of every block of `a` with every block of `b`, added to an accumulator.

    A mantissa counts as 2 ** (exponent - 133).
    """
    if terms.is_negated or any(signs) or len(accumulators) > 1:
        raise UnknownResultError("which terms of products of blocks are negated is not public")
    if len(a) != _BLOCKS_SIZE or len(b) != _BLOCKS_SIZE:
        raise UnknownResultError("products of blocks are public for registers of eight blocks")
    left, right = (np.frombuffer(data[:_MANTISSAS], np.int8).reshape(8, 8) for data in (a, b))
    exponents = [np.frombuffer(data[_MANTISSAS:], np.uint8).astype(np.int64) for data in (a, b)]
    for mantissas, own in zip((left, right), exponents):
        if (own == 255).any() and mantissas[own == 255].any():
            raise UnknownResultError("what the exponent 255 of a block means is not public")
    products = left.astype(np.float64) @ right.astype(np.float64).T
    places = exponents[0][:, None] + exponents[1] - _BLOCK_BIAS
    sums = np.ldexp(products, places).reshape(-1)
    if not accumulators:
        return _to_float32(sums, np.zeros(_RESULTS)).tobytes()
    values = np.frombuffer(accumulators[0], np.float32)
    _refuse_special(values)
    return _to_float32(sums, values.astype(np.float64)).tobytes()


def _to_float32(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the sum of two numbers rounded once.

    In float64 it is rounded to odd: an inexact result with an even last bit is replaced by its
    neighbour on the side of the exact sum, so that rounding it again to float32 is as of that sum.
    """
    total = a + b
    part = total - a
    error = (a - (total - part)) + (b - part)
    bits = total.view(np.int64)
    is_moved = (error != 0) & (bits & 1 == 0)
    away = np.where((error > 0) == (total > 0), 1, -1)
    moved: NDArray[np.float64] = (bits + np.where(is_moved, away, 0)).view(np.float64)
    return np.add(moved, 0.0, dtype=np.float64).astype(np.float32)


GENERATION = Generation(
    storage=RegisterStorage(FAMILIES, PAIR_NAMES),
    landing_of=_landing,
    families_without_bypass=frozenset(("bm", "cm", "dm", "half")),
    shapes=_SHAPES,
    float_shapes=_FLOAT_SHAPES,
    multiply_floats=Methods(multiply_floats, prepared),
    add_floats=add_floats,
    defers_floats=False,
    shuffle_modes=54,
    ups_saturates=False,
)

MODEL = model_of("xdna2", Path(__file__).parent, GENERATION)

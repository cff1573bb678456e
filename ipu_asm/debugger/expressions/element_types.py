"""Element types: conversion between bytes and numbers, and the range of each type.

`i8` is a signed byte, `u8` an unsigned one; `e4m3` and `e5m2` are the 8-bit floats; `mask` is a
mask of 128 bits, `bit` one bit of it.
"""

from __future__ import annotations

import math
import struct
from bisect import bisect_left
from functools import lru_cache
from typing import Final, NamedTuple

from ipu_asm.expressions.arithmetic import Number
from ipu_asm.expressions.errors import number_text
from ipu_asm.isa.ipu.machine.elements import DType, element_values

FP8_NAN: Final = 0x7F


class ElementType(NamedTuple):
    """A type whose elements take `size` bytes. `kind` is int, float, fp8, mask or bit."""

    name: str
    kind: str
    size: int
    code: str
    """For int and float the format character of module `struct`; otherwise empty."""

    @property
    def is_float(self) -> bool:
        """Whether the elements are floating-point numbers."""
        return self.kind in ("float", "fp8")

    @property
    def bits(self) -> int:
        """Number of bits of one element."""
        return 1 if self.kind == "bit" else 8 * self.size

    @property
    def lowest(self) -> int:
        """The smallest number that an integer type accepts: negative if the type is signed."""
        return -(1 << self.bits - 1) if self.code.islower() else 0

    @property
    def highest(self) -> int:
        """The greatest number that an integer type accepts: all bits set, even if signed."""
        return (1 << self.bits) - 1

    def unsigned(self) -> ElementType:
        """Return the unsigned integer type of the same size, for access to the raw bits."""
        return TYPES[f"u{self.bits}"]

    def decode(self, data: bytes | bytearray) -> tuple[Number, ...]:
        """Decode little-endian bytes to numbers."""
        if self.kind == "fp8":
            values = fp8_values(self.name)
            return tuple([values[byte] for byte in data])
        if self.kind == "mask":
            starts = range(0, len(data), self.size)
            return tuple(int.from_bytes(data[i : i + self.size], "little") for i in starts)
        count = len(data) // self.size
        return struct.unpack(f"<{count}{self.code}", data)

    def encode(self, value: Number) -> bytes:
        """Encode a number as `size` bytes. Raises ValueError with the accepted range."""
        if self.is_float:
            return self._encode_float(value)
        if not isinstance(value, int):
            raise ValueError(f"`{self.name}` takes a whole number, found {number_text(value)}")
        if not self.lowest <= value <= self.highest:
            raise ValueError(
                f"`{self.name}` holds {self.lowest} to {self.highest}, found {number_text(value)}"
            )
        return (value & self.highest).to_bytes(self.size, "little")

    def _encode_float(self, value: Number) -> bytes:
        try:
            if self.kind == "fp8":
                return bytes((_fp8_code(self.name, float(value)),))
            return struct.pack("<f", value)
        except (OverflowError, struct.error):
            most = "3.4028235e+38" if self.kind == "float" else f"{_ladder(self.name)[-1]:g}"
            raise ValueError(
                f"`{self.name}` holds up to {most}, found {number_text(value)}"
            ) from None


TYPES: Final = {
    name: ElementType(name, kind, size, code)
    for name, kind, size, code in (
        ("i8", "int", 1, "b"), ("u8", "int", 1, "B"),
        ("i16", "int", 2, "h"), ("u16", "int", 2, "H"),
        ("i32", "int", 4, "i"), ("u32", "int", 4, "I"), ("f32", "float", 4, "f"),
        ("e4m3", "fp8", 1, ""), ("e5m2", "fp8", 1, ""),
    )
}  # fmt: skip
MASK: Final = ElementType("mask", "mask", 16, "")
BIT: Final = ElementType("bit", "bit", 1, "")
FP8: Final = "fp8"
TYPE_ALIASES: Final = {
    "int8": "i8", "uint8": "u8", "int16": "i16", "uint16": "u16", "int32": "i32", "uint32": "u32",
    "float32": "f32", "fp8_e4m3": "e4m3", "fp8_e5m2": "e5m2",
}  # fmt: skip
_OF_DTYPE: Final = {DType.INT8: "i8", DType.FP8_E4M3: "e4m3", DType.FP8_E5M2: "e5m2"}
_DTYPE_OF: Final = {name: dtype for dtype, name in _OF_DTYPE.items()}


def named_type(name: str, dtype: int) -> ElementType | None:
    """Return the type of that name, or None; `fp8` is the type `cr15` selects, or else e4m3."""
    if name == FP8:
        kind = element_of(dtype)
        return kind if kind.is_float else TYPES["e4m3"]
    return TYPES.get(TYPE_ALIASES.get(name, name))


def element_of(dtype: int) -> ElementType:
    """Return the element type that the `cr15` value `dtype` selects; i8 for an unknown value."""
    return TYPES[_OF_DTYPE[DType(dtype)]] if dtype in _OF_DTYPE else TYPES["i8"]


def word_of(dtype: int) -> ElementType:
    """Return the accumulator word type for the `cr15` value `dtype`: f32 for floats, else i32."""
    return TYPES["f32" if element_of(dtype).is_float else "i32"]


@lru_cache(maxsize=4)
def fp8_values(name: str) -> tuple[float, ...]:
    """Return the values of the 256 codes of an fp8 type."""
    return tuple(float(value) for value in element_values(_DTYPE_OF[name]).tolist())


@lru_cache(maxsize=4)
def _ladder(name: str) -> tuple[float, ...]:
    """The finite non-negative values in ascending order; the index of each is its code."""
    values = fp8_values(name)[:128]
    return tuple(value for value in values if math.isfinite(value))


def _fp8_code(name: str, value: float) -> int:
    """The code of a number, rounded to nearest, ties to even. Raises ValueError on overflow."""
    sign = 0x80 if math.copysign(1.0, value) < 0 else 0
    if math.isnan(value):
        return FP8_NAN | sign
    ladder, size = _ladder(name), abs(value)
    if math.isinf(value) and math.inf in fp8_values(name):
        return fp8_values(name).index(math.inf) | sign
    above = bisect_left(ladder, size)
    if above < len(ladder) and ladder[above] == size:
        return above | sign
    step = ladder[-1] - ladder[-2]
    upper = ladder[above] if above < len(ladder) else ladder[-1] + step
    middle = (ladder[above - 1] + upper) / 2
    code = above if size > middle or (size == middle and above % 2 == 0) else above - 1
    if code >= len(ladder):
        raise ValueError(f"`{name}` holds up to {ladder[-1]:g}, found {value!r}")
    return code | sign

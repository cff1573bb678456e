"""Element types: conversion between bytes and numbers, and the range of each type.

`i8` is a signed byte, `u8` an unsigned one; `mask` is a mask of 128 bits, `bit` one bit of it. The
8-bit floats are those of a machine.
"""

from __future__ import annotations

import struct
from functools import cached_property
from typing import Any, Callable, Final, Mapping, Sequence

from ipu_asm.expressions import Number
from ipu_asm.expressions.tree import number_text
from ipu_asm.named_tuple import NamedTuple


class Fp8Format:
    """An 8-bit float: the values of the 256 codes, computed when first needed, and their inverse.

    `encode` returns the code of a number. It raises OverflowError beyond the range. Where numpy
    lacks the type, `encode_array` returns the codes of an array of float32 as the machine does.
    """

    def __init__(
        self,
        compute: Callable[[], Sequence[float]],
        encode: Callable[[float], int],
        most: float,
        encode_array: Callable[[Any], Any] | None = None,
    ) -> None:
        """`most` is the largest finite value."""
        self._compute = compute
        self.encode = encode
        self.most = most
        self.encode_array = encode_array

    @cached_property
    def values(self) -> tuple[float, ...]:
        """The value of each code."""
        return tuple(self._compute())


class ElementType(NamedTuple):
    """A type whose elements take `size` bytes. `kind` is int, float, fp8, mask or bit.

    `code` is the format character of module `struct` for int and float, otherwise empty; `format`
    is that of an 8-bit float. A float of 2 bytes is a bfloat16.
    """

    name: str
    kind: str
    size: int
    code: str = ""
    format: Fp8Format | None = None

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
        if self.format is not None:
            values = self.format.values
            return tuple([values[byte] for byte in data])
        if self.kind == "mask":
            starts = range(0, len(data), self.size)
            return tuple(int.from_bytes(data[i : i + self.size], "little") for i in starts)
        if self is BF16:
            return struct.unpack(f"<{len(data) // 2}f", bfloat16_as_float32(data))
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
                f"`{self.name}` takes {self.lowest} to {self.highest}, found {number_text(value)}"
            )
        return (value & self.highest).to_bytes(self.size, "little")

    def _encode_float(self, value: Number) -> bytes:
        number = None
        try:
            if self is BF16:
                return _as_bfloat(struct.pack("<f", value))
            if self.format is None:
                return struct.pack("<f", value)
            number = float(value)
            return bytes((self.format.encode(number),))
        except (OverflowError, struct.error):
            most = f"{self.format.most:g}" if self.format else "3.4028235e+38"
            found = number_text(value) if number is None else repr(number)
            raise ValueError(f"`{self.name}` holds up to {most}, found {found}") from None


def bfloat16_as_float32(data: bytes | bytearray) -> bytes:
    """Return bfloat16 as float32, whose upper halves they are."""
    found = bytearray(2 * len(data))
    found[2::4], found[3::4] = data[::2], data[1::2]
    return bytes(found)


def _as_bfloat(data: bytes) -> bytes:
    """Return a float32 as bfloat16, rounded to nearest, ties to even; a NaN remains one."""
    word = int.from_bytes(data, "little")
    is_nan = word & 0x7FFF_FFFF > 0x7F80_0000
    rounded = word | 0x40_0000 if is_nan else word + 0x7FFF + (word >> 16 & 1)
    return (rounded >> 16).to_bytes(2, "little")


TYPES: Final = {
    name: ElementType(name, kind, size, code)
    for name, kind, size, code in (
        ("i8", "int", 1, "b"), ("u8", "int", 1, "B"),
        ("i16", "int", 2, "h"), ("u16", "int", 2, "H"),
        ("i32", "int", 4, "i"), ("u32", "int", 4, "I"), ("f32", "float", 4, "f"),
    )
}  # fmt: skip
"""The types that every machine has."""
MASK: Final = ElementType("mask", "mask", 16)
BIT: Final = ElementType("bit", "bit", 1)
BF16: Final = ElementType("bf16", "float", 2)
FP8: Final = "fp8"
TYPE_ALIASES: Final = {
    "int8": "i8", "uint8": "u8", "int16": "i16", "uint16": "u16", "int32": "i32", "uint32": "u32",
    "float32": "f32",
}  # fmt: skip


class RegisterTypes:
    """The types of registers and memory in one mode of a machine; one object for each mode.

    `name` is that of the mode for users, None if the state selects none. `element` is the type of
    the elements that instructions load and multiply, `word` that of their results, and `vectors`
    has the type of every vector register. `has_float_words`: results are floating-point numbers.
    `address_unit` is the number of bytes for which the addresses of instructions count one.
    """

    def __init__(
        self,
        name: str | None,
        *,
        element: ElementType,
        word: ElementType,
        vectors: Mapping[str, ElementType],
        has_float_words: bool | None = None,
        address_unit: int = 1,
    ) -> None:
        """`has_float_words` is given where results are not numbers of the type `word`."""
        self.name = name
        self.element = element
        self.word = word
        self.vectors = vectors
        self.address_unit = address_unit
        self.has_float_words = word.is_float if has_float_words is None else has_float_words

"""Values of expressions: single numbers and vectors."""

from __future__ import annotations

from ipu_asm.emulator.element_types import BIT, MASK, ElementType
from ipu_asm.expressions.arithmetic import Number
from ipu_asm.expressions.errors import number_text
from ipu_asm.named_tuple import NamedTuple


class Value(NamedTuple):
    """One number or a vector of them.

    `kind` is the type of a value that was read from a register or memory or converted to a type;
    None for a computed value.
    """

    numbers: tuple[Number, ...]
    kind: ElementType | None = None
    is_vector: bool = False
    raw_bits: tuple[Number, ...] | None = None
    """The bits of floats that were read; `numbers` does not preserve those of a NaN."""

    @property
    def number(self) -> Number:
        """The number of a single value."""
        return self.numbers[0]

    def expand_mask(self) -> Value:
        """Return a single mask as its 128 bits, any other value unchanged."""
        if self.kind != MASK or self.is_vector:
            return self
        return Value(bits_of(self.numbers[0]), BIT, True)

    def describe(self) -> str:
        """Describe the value for a message."""
        return f"{len(self.numbers)} values" if self.is_vector else f"{number_text(self.number)}"


def converted(value: Value, kind: ElementType) -> Value:
    """Convert computed numbers to a type: integers keep their low bits, floats are rounded.

    Raises ValueError.
    """
    data = b"".join(_element(number, kind) for number in value.numbers)
    return Value(kind.decode(data), kind, value.is_vector)


def _element(number: Number, kind: ElementType) -> bytes:
    if isinstance(number, int) and not kind.is_float:
        return (number & kind.highest).to_bytes(kind.size, "little")
    if not kind.is_float:
        raise ValueError(f"`{kind.name}` takes a whole number, found {number!r}; use `int(...)`")
    return kind.encode(number)


def bits_of(mask: Number) -> tuple[Number, ...]:
    """Return the 128 bits of a mask, the lowest first."""
    return tuple(int(mask) >> bit & 1 for bit in range(MASK.bits))

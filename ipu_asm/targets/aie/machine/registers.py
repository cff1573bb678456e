"""The registers of a generation as storage: parts that hold values, and registers made of them.

Registers overlap where they share parts. A part of up to 64 bits holds an int, a wider one bytes.
"""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from ipu_asm.diagnostics.suggestions import nearest_of
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.targets.aie.registers import Family

_MAX_INT_BITS = 64
_ADDRESS_BITS = 20
_WIDTHS = {
    **dict.fromkeys(("p", "m", "dn", "dj", "dc", "sp", "lr", "ls", "le"), _ADDRESS_BITS),
    "s": 6, "qh": 64, "w": 256, "am": 256, "bm": 512, "half": 512,
}  # fmt: skip
_WORD_BITS = 32


class Part(NamedTuple):
    """A part of registers that no other register is a part of, and its width in bits."""

    name: str
    bits: int

    @property
    def is_vector(self) -> bool:
        """Whether its value is bytes instead of an int."""
        return self.bits > _MAX_INT_BITS

    @property
    def zero(self) -> Any:
        return bytes(self.bits // 8) if self.is_vector else 0

    def cut(self, value: int) -> Any:
        """Return the low bits of a number as a value of the part."""
        value &= (1 << self.bits) - 1
        return value.to_bytes(self.bits // 8, "little") if self.is_vector else value


class RegisterStorage:
    """The parts of all registers; `parts_of` maps a register in lower case to its part numbers.

    The parts of a register are in the order of their bits, the lowest first.
    """

    def __init__(self, families: Sequence[Family], pair_names: Mapping[str, str]) -> None:
        self.parts: list[Part] = []
        self.parts_of: dict[str, tuple[int, ...]] = {}
        self.families: dict[str, str] = {}
        for family in families:
            for number, register in enumerate(family.file.registers):
                name = register.lower()
                self.families[name] = family.name
                if family.parts:
                    names = family.parts[number]
                    # A pair is named with its upper half first.
                    ordered = reversed(names) if ":" in name else names
                    self.parts_of[name] = tuple(
                        part for each in ordered for part in self.parts_of[each.lower()]
                    )
                else:
                    bits = _WIDTHS.get(name, _WIDTHS.get(family.name, _WORD_BITS))
                    self.parts_of[name] = (len(self.parts),)
                    self.parts.append(Part(name, bits))
        for other, pair in pair_names.items():
            self.parts_of[other.lower()] = self.parts_of[pair.lower()]

    def parts_named(self, name: str) -> tuple[int, ...]:
        """Return the part numbers of a register, in any case. Raises LookupError."""
        found = self.parts_of.get(name.strip().lower())
        if found is None:
            near = nearest_of(name.lower(), list(self.parts_of))
            meant = f"; did you mean `{near}`?" if near else ""
            raise LookupError(f"no register `{name}`{meant}")
        return found

    def width(self, numbers: Sequence[int]) -> int:
        """Return the bits of a register with these parts."""
        return sum(self.parts[number].bits for number in numbers)

    def joined(self, numbers: Sequence[int], values: Sequence[Any]) -> int:
        """Return the number in a register, from the values of its parts; None counts as 0."""
        found = shift = 0
        for number, value in zip(numbers, values):
            part = self.parts[number]
            found |= (int.from_bytes(value, "little") if part.is_vector else value or 0) << shift
            shift += part.bits
        return found

    def split(self, numbers: Sequence[int], value: int) -> list[Any]:
        """Return the values of the parts of a register that holds a number, which is cut."""
        found = []
        for number in numbers:
            part = self.parts[number]
            found.append(part.cut(value))
            value >>= part.bits
        return found

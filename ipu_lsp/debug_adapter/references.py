"""References of the protocol: to memory as text, to variables as numbers.

`0x1000` is an address of xmem, `r_acc` a register, `r_acc+0x40` a byte offset in a register.
Registers also have numeric addresses, far beyond xmem, because some clients continue to read and
write at the last address that they received. Addresses of bundles are a separate space: `0x7`.
"""

from __future__ import annotations

import re
from typing import Final, Generic, Hashable, TypeVar

from ipu_asm.debugger.regions import MEMORY, Region, RegionMap
from ipu_asm.named_tuple import NamedTuple

_T = TypeVar("_T", bound=Hashable)

REGISTERS_AT: Final = 0x8000_0000
"""Address of the first register."""
DISTANCE: Final = 0x1000
"""Distance between the addresses of consecutive registers."""

_NUMBER: Final = re.compile(r"-?[0-9]{1,20}|0[xX][0-9a-fA-F]{1,16}")
_REFERENCE: Final = re.compile(r"(\w{1,20})(?:\+(\w{1,18}))?", re.ASCII)


class MemoryReference(NamedTuple):
    """A byte of xmem or of a register, from which offsets count. It may be out of range.

    `size` is that of the memory or register in bytes, `origin` the address of its first byte.
    """

    part: str
    start: int
    size: int
    origin: int

    @property
    def address(self) -> str:
        """The address of the byte, which is a valid reference, too."""
        return shown_address(self.origin + self.start)

    def moved(self, offset: int) -> MemoryReference:
        """Return the reference so many bytes further on."""
        return self._replace(start=self.start + offset)


def reference_of(region: Region) -> str:
    """Return the memory reference of a region."""
    if region.name == MEMORY:
        return f"{region.start:#x}"
    return f"{region.name}+{region.start:#x}" if region.start else region.name


def read_reference(text: str, regions: RegionMap) -> MemoryReference | None:
    """Parse a memory reference of a machine; None if it is invalid."""
    number = _number(text)
    if number is not None:
        return _at_address(number, regions)
    match = _REFERENCE.fullmatch(text)
    if match is None or match[1].lower() not in regions.sizes:
        return None
    offset = _number(match[2] or "0")
    return None if offset is None else _within(match[1].lower(), offset, regions)


def code_address(text: str) -> int | None:
    """Parse the address of a bundle; None if it is invalid.

    The result may be outside of program memory.
    """
    return _number(text)


def shown_address(address: int) -> str:
    """Format an address: hexadecimal, or decimal if negative, as hexadecimal has no sign in DAP."""
    return f"{address:#x}" if address >= 0 else str(address)


def _at_address(address: int, regions: RegionMap) -> MemoryReference:
    number, start = divmod(address - REGISTERS_AT, DISTANCE)
    registers = _registers(regions)
    if 0 <= number < len(registers):
        return _within(registers[number], start, regions)
    return _within(MEMORY, address, regions)


def _within(part: str, start: int, regions: RegionMap) -> MemoryReference:
    origin = 0
    if part != MEMORY:
        origin = REGISTERS_AT + DISTANCE * _registers(regions).index(part)
    return MemoryReference(part, start, regions.sizes[part], origin)


def _registers(regions: RegionMap) -> list[str]:
    return [name for name in regions.sizes if name != MEMORY]


def _number(text: str) -> int | None:
    if not _NUMBER.fullmatch(text):
        return None
    return int(text, 16 if text[:2].lower() == "0x" else 10)


class VariableReferences(Generic[_T]):
    """Numbers for objects. No number is reused in a session, so that a stale one is detected."""

    def __init__(self) -> None:
        self._things: dict[int, _T] = {}
        self._numbers: dict[_T, int] = {}
        self._next = 1

    def number(self, thing: _T) -> int:
        """Return the number of an object, the same one until the machine moves."""
        if thing not in self._numbers:
            self._numbers[thing] = self._next
            self._things[self._next] = thing
            self._next += 1
        return self._numbers[thing]

    def get(self, number: int) -> _T | None:
        """Return the object of a number; None if it is stale or unknown."""
        return self._things.get(number)

    def was_given(self, number: int) -> bool:
        """Return whether a number has ever been assigned."""
        return 0 < number < self._next

    def clear(self) -> None:
        """Forget all objects: the machine moves."""
        self._things.clear()
        self._numbers.clear()

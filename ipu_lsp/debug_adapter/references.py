"""Memory references: how clients speak of bytes.

`0x1000` is an address of xmem, `r_acc` a register; `r_acc+0x40` are its bytes from there on.
Registers have addresses too, far behind xmem: some clients go on reading, and even write, at the
address that they were told last. Bundles have numbers of their own: `0x7`.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ipu_asm.debugger.regions import MEMORY, SIZES, Region
from ipu_asm.emulator.state import INST_MEM_SIZE

REGISTERS_AT: Final = 0x8000_0000
"""The address of the first register."""
DISTANCE: Final = 0x1000
"""From the address of one register to that of the next."""

_REGISTERS: Final = [name for name in SIZES if name != MEMORY]
_STARTS: Final = {name: REGISTERS_AT + DISTANCE * i for i, name in enumerate(_REGISTERS)}
_NUMBER: Final = re.compile(r"-?[0-9]{1,20}|0[xX][0-9a-fA-F]{1,16}")
_REFERENCE: Final = re.compile(r"(\w{1,20})(?:\+(\w{1,18}))?", re.ASCII)


class MemoryReference(NamedTuple):
    """A byte of a part of the machine, from which offsets count. It may lie outside of the part."""

    part: str
    start: int

    @property
    def size(self) -> int:
        """How many bytes the part has."""
        size: int = SIZES[self.part]
        return size

    @property
    def address(self) -> str:
        """The address of the byte, which is a reference again."""
        return shown_address(_STARTS.get(self.part, 0) + self.start)


def reference_of(region: Region) -> str:
    """How a client is told of the bytes of a region."""
    if region.name == MEMORY:
        return f"{region.start:#x}"
    return f"{region.name}+{region.start:#x}" if region.start else region.name


def read_reference(text: str) -> MemoryReference | None:
    """What a client means; None for what is no reference."""
    number = _number(text)
    if number is not None:
        return _at_address(number)
    match = _REFERENCE.fullmatch(text)
    if match is None or match[1].lower() not in SIZES:
        return None
    offset = _number(match[2] or "0")
    return None if offset is None else MemoryReference(match[1].lower(), offset)


def code_address(text: str) -> int | None:
    """The number of a bundle as a client speaks of it; None for what is none.

    It may lie outside of program memory.
    """
    return _number(text)


def is_code(address: int) -> bool:
    """Whether program memory has a bundle of that number."""
    return 0 <= address < INST_MEM_SIZE


def shown_address(address: int) -> str:
    """An address as clients read it: without `0x` it is decimal, which alone can be negative."""
    return f"{address:#x}" if address >= 0 else str(address)


def _at_address(address: int) -> MemoryReference:
    number, start = divmod(address - REGISTERS_AT, DISTANCE)
    if 0 <= number < len(_REGISTERS):
        return MemoryReference(_REGISTERS[number], start)
    return MemoryReference(MEMORY, address)


def _number(text: str) -> int | None:
    if not _NUMBER.fullmatch(text):
        return None
    return int(text, 16 if text[:2].lower() == "0x" else 10)

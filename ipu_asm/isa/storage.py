"""The storage of a machine as data: register files and memories."""

from __future__ import annotations

import re
from typing import Iterable

from ipu_asm.named_tuple import NamedTuple

_NUMBERED = re.compile(r"([A-Za-z_]+)([0-9]+)")
_MAX_RANGES = 5


class RegisterFile(NamedTuple):
    """Registers of one kind, with `elements` numbers in each.

    `title` is the noun for one register, for messages.
    """

    name: str
    title: str
    registers: tuple[str, ...]
    summary: str
    elements: int = 1

    def as_phrase(self) -> str:
        """Return the registers as a phrase: `lr0` to `lr15`, or a list of up to three."""
        if len(self.registers) > 3:
            return f"`{self.registers[0]}` to `{self.registers[-1]}`"
        return ", ".join(f"`{register}`" for register in self.registers)

    def as_ranges(self) -> str:
        """Return the registers as ranges: `r0-r31`, or `wl0-wl11` and `wh0-wh11`.

        Assumes that registers with the same prefix have consecutive numbers.
        """
        ranges: dict[str, list[str]] = {}
        for register in self.registers:
            match = _NUMBERED.fullmatch(register)
            ranges.setdefault(match[1] if match else register, []).append(register)
        if len(ranges) > _MAX_RANGES:
            return self.as_phrase()
        ends = ([each[0], each[-1]] if len(each) > 1 else each for each in ranges.values())
        return ", ".join(f"`{'-'.join(pair)}`" for pair in ends)


class AddressSpace(NamedTuple):
    """What instructions address by numbers: a memory, or a register of many elements.

    An access outside of `size` bytes faults, unless the space `wraps`: then addresses count modulo
    `size`. An address that is no multiple of `step` faults.

    A memory with `rows` is addressed by the numbers of rows, of so many bytes each, in each mode of
    the machine. There are as many rows in every mode; an access that begins in the last one may run
    over its end. A register with `parts` consists of these registers, one after the other.
    """

    size: int
    wraps: bool = False
    step: int = 1
    is_register: bool = False
    rows: tuple[int, ...] = ()
    parts: tuple[str, ...] = ()

    def row(self, mode: int) -> int:
        """Return the bytes of an address in a mode of the machine."""
        return self.rows[mode if mode < len(self.rows) else 0] if self.rows else 1

    def highest(self, size: int, mode: int) -> int:
        """Return the highest address, in bytes, at which so many bytes can be accessed."""
        if not self.rows:
            return self.size - size
        return (self.size // max(self.rows) - 1) * self.row(mode)


class MemLines(NamedTuple):
    """The form of a word in a `mem` image: `prefix`, then at least `digits` hexadecimal digits.

    With `reads_numbers`, a reader takes number literals in any base.
    """

    prefix: str
    digits: int
    reads_numbers: bool = False


class MemoryRegion(NamedTuple):
    """Bytes ``first..last`` of a memory, both included.

    Instructions can only be fetched from a region with `has_code`. Neighbouring words can only be
    accessed in the same cycle in an `interleaved` region.
    """

    first: int
    last: int
    has_code: bool
    interleaved: bool


class Memory(NamedTuple):
    """The memory map of one of the machines that execute an instruction set."""

    name: str
    title: str
    regions: tuple[MemoryRegion, ...]

    def region_of(self, address: int) -> MemoryRegion | None:
        """Return the region that contains an address, None if there is none."""
        found = (region for region in self.regions if region.first <= address <= region.last)
        return next(found, None)


class BundleLayouts:
    """Bundles of different sizes: the bytes and the slots of each."""

    def __init__(self, layouts: Iterable[tuple[int, frozenset[str]]]) -> None:
        self._layouts = sorted(layouts, key=lambda each: each[0])
        self._known: dict[tuple[str, ...], int | None] = {}

    def size_of(self, slots: tuple[str, ...]) -> int | None:
        """Return the bytes of the smallest bundle with an instruction in each of some slots."""
        if slots not in self._known:
            wanted = set(slots)
            fitting = (size for size, layout in self._layouts if wanted <= layout)
            self._known[slots] = next(fitting, None) if len(wanted) == len(slots) else None
        return self._known[slots]

    def beside(self, slot: str) -> frozenset[str]:
        return frozenset().union(*(each for _, each in self._layouts if slot in each)) - {slot}


class CodeSizes(NamedTuple):
    """Sizes of code in bytes: of a single instruction and of a bundle in brackets.

    `no_op` is the instruction with which the assembler fills up to an alignment; the largest one
    has `filling` bytes. `layouts` are the bundles, if they differ in size.
    """

    single: int
    bundle: int
    no_op: str
    filling: int
    layouts: BundleLayouts | None = None


def signed(value: int, bits: int = 32) -> int:
    """Return the lowest bits of a number as a signed number, in two's complement."""
    sign = 1 << bits - 1
    return (value & (sign << 1) - 1 ^ sign) - sign

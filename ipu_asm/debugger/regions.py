"""Named parts of a machine's state: scalar registers, vector registers, memory, program counter."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from ipu_asm.emulator.core import checks
from ipu_asm.emulator.core.checks import Check, Opcode
from ipu_asm.emulator.registers import RegisterFile, RegisterLayout
from ipu_asm.emulator.state import AnyState
from ipu_asm.named_tuple import NamedTuple

MEMORY: Final = "xmem"
COUNTER: Final = "pc"
_WORD: Final = 4


class Region(NamedTuple):
    """`size` bytes from byte `start` on of the register or memory `name`."""

    name: str
    start: int
    size: int

    def overlaps(self, start: int, size: int) -> bool:
        """Return whether a range of bytes of the same register or memory shares a byte with it."""
        return start < self.start + self.size and self.start < start + size


class RegionMap:
    """The parts of the states of one machine, by name.

    `sizes` are in bytes. Scalars and the program counter are little-endian; a group of scalars has
    the bytes of all of them.
    """

    def __init__(self, layout: RegisterLayout, memory_size: int) -> None:
        self._layout = layout
        self.sizes = {
            MEMORY: memory_size,
            COUNTER: _WORD,
            **dict.fromkeys(layout.scalar_names, _WORD),
            **{name: place.stop - place.start for name, place in layout.vector_places.items()},
            **{name: _WORD * len(scalars) for name, scalars in layout.groups.items()},
        }

    def whole(self, name: str) -> Region:
        """Return the region of a whole register or memory. Raises ValueError for another name."""
        return self.region(name, 0, self.sizes.get(name, 0))

    def region(self, name: str, start: int, size: int) -> Region:
        """Return a region. Raises ValueError for an unknown name or bytes out of range."""
        if name not in self.sizes:
            raise ValueError(f"a place is a register or `{MEMORY}`, found `{name}`")
        total = self.sizes[name]
        if start < 0 or size < 1 or start + size > total:
            raise ValueError(
                f"`{name}` has {total:#x} bytes, found a range of {size} from {start:#x} on"
            )
        return Region(name, start, size)

    def text(self, where: Region) -> str:
        """Return the text of a region for messages."""
        if where == self.whole(where.name):
            return where.name
        return f"{where.name}[{where.start:#x}..+{where.size}]"

    def content(self, registers: RegisterFile, where: Region) -> bytes:
        """Return the bytes of a part of a register, other than the program counter."""
        vector = self._layout.vector_places.get(where.name)
        if vector is not None:
            start = vector.start + where.start
            return bytes(registers.block[start : start + where.size])
        words = (registers.scalars[index] for index in self._indices(where.name))
        content = b"".join(word.to_bytes(_WORD, "little") for word in words)
        return content[where.start : where.start + where.size]

    def write(self, registers: RegisterFile, where: Region, data: bytes) -> None:
        """Overwrite a part of a register, other than the program counter.

        Raises ValueError for a register that is constant.
        """
        vector = self._layout.vector_places.get(where.name)
        if vector is not None:
            start = vector.start + where.start
            registers.block[start : start + where.size] = data
            return
        indices = self._indices(where.name)
        for index in indices:
            if index in self._layout.constants:
                name, value = self._layout.scalar_names[index], self._layout.constants[index]
                raise ValueError(f"`{name}` is always {value}, so that nothing can be assigned")
        content = bytearray(self.content(registers, self.whole(where.name)))
        content[where.start : where.start + where.size] = data
        for number, index in enumerate(indices):
            word = content[_WORD * number : _WORD * number + _WORD]
            registers.scalars[index] = int.from_bytes(word, "little")

    def changed(self, where: Region) -> Check:
        """Return the check that a bundle has changed a part of a register."""
        if where.name == COUNTER:
            # It counts up by one; a branch changes it.
            next_one = checks.binary(Opcode.ADD, checks.LAST_PC, checks.number(1))
            is_next = checks.binary(Opcode.EQUAL, checks.NEXT_PC, next_one)
            return checks.unary(Opcode.NOT, is_next)
        start = checks.register_offset(self._layout, where.name) + where.start
        return checks.changed(start, where.size)

    def _indices(self, name: str) -> range:
        """The scalars of a register or a group."""
        group = self._layout.group_places.get(name)
        if group is not None:
            return range(group.start, group.stop)
        index = self._layout.places[name]
        assert isinstance(index, int)
        return range(index, index + 1)


@lru_cache(maxsize=16)
def region_map(layout: RegisterLayout, memory_size: int) -> RegionMap:
    """Return the parts of the states with this layout and this size of memory."""
    return RegionMap(layout, memory_size)


def regions_of(state: AnyState) -> RegionMap:
    """Return the parts of a state."""
    return region_map(state.layout, state.memory_size)


def read_region(state: AnyState, where: Region) -> bytes:
    """Return the current bytes of a region."""
    start, end = where.start, where.start + where.size
    if where.name == MEMORY:
        return bytes(memoryview(state.xmem.content)[start:end])
    if where.name == COUNTER:
        return state.program_counter.to_bytes(_WORD, "little")[start:end]
    return regions_of(state).content(state.regfile, where)


def write_region(state: AnyState, where: Region, data: bytes) -> None:
    """Write `data` to a region of the machine.

    Raises ValueError if the sizes differ, or for a constant register.
    """
    regions = regions_of(state)
    if len(data) != where.size:
        raise ValueError(f"`{regions.text(where)}` takes {where.size} bytes, found {len(data)}")
    if where.name == MEMORY:
        state.xmem.write_address(where.start, data)
    elif where.name == COUNTER:
        content = bytearray(read_region(state, regions.whole(COUNTER)))
        content[where.start : where.start + where.size] = data
        state.program_counter = int.from_bytes(content, "little")
    else:
        regions.write(state.regfile, where, data)

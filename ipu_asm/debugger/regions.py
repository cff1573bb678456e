"""Named parts of a machine's state: scalar registers, vector registers, memory, program counter."""

from __future__ import annotations

from typing import Final, NamedTuple

from ipu_asm.isa.ipu.machine.registers import SCALAR_NAMES, VECTORS
from ipu_asm.isa.ipu.machine.state import IpuState
from ipu_asm.isa.ipu.registers import XMEM_SIZE

MEMORY: Final = "xmem"
COUNTER: Final = "pc"
_WORD: Final = 4
_SCALARS: Final = {name: index for index, name in enumerate(SCALAR_NAMES)}
_BLOCKS: Final = {
    f"{name}{element}" if vector.elements > 1 else name: vector.place(element)
    for name, vector in VECTORS.items()
    for element in range(vector.elements)
}
SIZES: Final = {
    MEMORY: XMEM_SIZE,
    COUNTER: _WORD,
    **dict.fromkeys(SCALAR_NAMES, _WORD),
    **{name: place.stop - place.start for name, place in _BLOCKS.items()},
}
"""Size of each part in bytes, by name. Scalars and the program counter are little-endian."""


class Region(NamedTuple):
    """`size` bytes from byte `start` on of the register or memory `name`."""

    name: str
    start: int
    size: int

    def overlaps(self, start: int, size: int) -> bool:
        """Return whether a range of bytes of the same register or memory shares a byte with it."""
        return start < self.start + self.size and self.start < start + size

    def __str__(self) -> str:
        if self == whole_region(self.name):
            return self.name
        return f"{self.name}[{self.start:#x}..+{self.size}]"


def whole_region(name: str) -> Region:
    """Return the region of a whole register or memory. Raises ValueError for an unknown name."""
    return region(name, 0, SIZES.get(name, 0))


def region(name: str, start: int, size: int) -> Region:
    """Return a region. Raises ValueError for an unknown name or bytes out of range."""
    if name not in SIZES:
        raise ValueError(f"a place is a register or `{MEMORY}`, found `{name}`")
    if start < 0 or size < 1 or start + size > SIZES[name]:
        raise ValueError(
            f"`{name}` has {SIZES[name]:#x} bytes, found a range of {size} from {start:#x} on"
        )
    return Region(name, start, size)


def read_region(state: IpuState, where: Region) -> bytes:
    """Return the current bytes of a region."""
    start, end = where.start, where.start + where.size
    if where.name == MEMORY:
        return bytes(memoryview(state.xmem.content)[start:end])
    return _register_bytes(state, where.name)[start:end]


def write_region(state: IpuState, where: Region, data: bytes) -> None:
    """Write `data` to a region of the machine. Raises ValueError if the sizes differ."""
    if len(data) != where.size:
        raise ValueError(f"`{where}` takes {where.size} bytes, found {len(data)}")
    if where.name == MEMORY:
        state.xmem.write_address(where.start, data)
    elif where.name in _BLOCKS:
        start = _BLOCKS[where.name].start + where.start
        state.regfile.block[start : start + where.size] = data
    else:
        content = bytearray(_register_bytes(state, where.name))
        content[where.start : where.start + where.size] = data
        _set_word(state, where.name, int.from_bytes(content, "little"))


def register_place(name: str) -> int | slice:
    """Return where `RegFile` keeps a register: its index in `scalars`, or its slice of `block`."""
    return _SCALARS[name] if name in _SCALARS else _BLOCKS[name]


def _register_bytes(state: IpuState, name: str) -> bytes:
    if name in _BLOCKS:
        return bytes(state.regfile.block[_BLOCKS[name]])
    word = state.program_counter if name == COUNTER else state.regfile.scalars[_SCALARS[name]]
    return word.to_bytes(_WORD, "little")


def _set_word(state: IpuState, name: str, word: int) -> None:
    if name == COUNTER:
        state.program_counter = word
    else:
        state.regfile.scalars[_SCALARS[name]] = word

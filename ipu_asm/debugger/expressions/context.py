"""What an expression reads: registers, memory, labels and notes, of a live or a saved state."""

from __future__ import annotations

from typing import Final, Mapping, Protocol, Sequence

from ipu_asm.debugger.regions import Region, write_region
from ipu_asm.emulator.memory import Image
from ipu_asm.emulator.state import SavedState
from ipu_asm.isa.ipu.machine.state import IpuState
from ipu_asm.isa.ipu.registers import XMEM_SIZE

_EMPTY: Final[Mapping[str, int]] = {}
_NO_NAMES: Final[Mapping[str, str]] = {}
_PAGE: Final = 4096


class Context(Protocol):
    """Read access to registers and memory, and the names that the program defines.

    `block` and `scalars` have the layout of a `RegFile`. `labels` maps labels to bundle addresses;
    `names` maps names from register notes to the expressions they stand for.
    """

    @property
    def block(self) -> bytes | bytearray: ...
    @property
    def scalars(self) -> Sequence[int]: ...
    @property
    def pc(self) -> int: ...
    @property
    def cycle(self) -> int: ...
    @property
    def labels(self) -> Mapping[str, int]: ...
    @property
    def names(self) -> Mapping[str, str]: ...

    def read_memory(self, address: int, size: int) -> bytes | bytearray:
        """Return `size` bytes of xmem from `address` on; the range must lie within xmem."""


class Writable(Context, Protocol):
    """A context that can be written. Callers check the value before they call `edit`."""

    def edit(self, where: Region, data: bytes) -> None:
        """Overwrite a region; `data` has exactly the region's size."""


class _NamedContext:
    def __init__(
        self,
        cycle: int = 0,
        labels: Mapping[str, int] = _EMPTY,
        names: Mapping[str, str] = _NO_NAMES,
    ) -> None:
        self.cycle, self.labels, self.names = cycle, labels, names


class LiveContext(_NamedContext):
    """The current state of a machine. The caller that runs the machine updates `cycle`."""

    def __init__(
        self,
        state: IpuState,
        cycle: int = 0,
        labels: Mapping[str, int] = _EMPTY,
        names: Mapping[str, str] = _NO_NAMES,
    ) -> None:
        super().__init__(cycle, labels, names)
        self._state = state
        self.block = state.regfile.block
        self.scalars = state.regfile.scalars

    @property
    def pc(self) -> int:
        """The address of the bundle to execute next."""
        return self._state.program_counter

    def read_memory(self, address: int, size: int) -> bytearray:
        """Return a copy of `size` bytes of xmem from `address` on."""
        return self._state.xmem.read_address(address, size)

    def edit(self, where: Region, data: bytes) -> None:
        """Overwrite a region without recording it in a debugger's history; see `assign_with`."""
        write_region(self._state, where, data)


class SavedContext(_NamedContext):
    """A saved state of a machine."""

    def __init__(
        self,
        saved: SavedState,
        cycle: int = 0,
        labels: Mapping[str, int] = _EMPTY,
        names: Mapping[str, str] = _NO_NAMES,
    ) -> None:
        super().__init__(cycle, labels, names)
        self.block = saved.block
        self.scalars = saved.scalars
        self.pc = saved.pc
        self._memory = saved.memory

    def read_memory(self, address: int, size: int) -> bytes:
        """Return `size` bytes of xmem from `address` on."""
        first, last = address // _PAGE, (address + size - 1) // _PAGE
        pages = b"".join(_page(self._memory, number) for number in range(first, last + 1))
        start = address - first * _PAGE
        return pages[start : start + size]


def _page(memory: Image, number: int) -> bytes:
    group = len(memory[0])
    assert group * len(memory) * _PAGE == XMEM_SIZE
    return memory[number // group][number % group]

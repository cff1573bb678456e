"""What expressions are about: the machine as it runs, or as it was saved."""

from __future__ import annotations

from typing import Final, Mapping, Protocol, Sequence

from ipu_asm.debugger.regions import Region, write_region
from ipu_asm.emulator.memory import XMEM_SIZE, Image
from ipu_asm.emulator.state import IpuState, SavedState

_EMPTY: Final[Mapping[str, int]] = {}
_NO_NAMES: Final[Mapping[str, str]] = {}
_PAGE: Final = 4096


class Context(Protocol):
    """Registers and memory to read, and the names that a program adds.

    `block` and `scalars` are laid out as in a `RegFile`. `labels` maps to addresses of bundles;
    `names` maps what the author calls things to expressions.
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
        """Bytes of xmem; the range lies in it."""


class Writable(Context, Protocol):
    """A machine that takes values as well. What is written has been checked."""

    def edit(self, where: Region, data: bytes) -> None:
        """Fill a region; `data` has its size."""


class _Names:
    def __init__(
        self,
        cycle: int = 0,
        labels: Mapping[str, int] = _EMPTY,
        names: Mapping[str, str] = _NO_NAMES,
    ) -> None:
        self.cycle, self.labels, self.names = cycle, labels, names


class LiveContext(_Names):
    """A machine as it is now. `cycle` is to be kept up to date by whoever lets it run."""

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
        """A copy of bytes of xmem."""
        return self._state.xmem.read_address(address, size)

    def edit(self, where: Region, data: bytes) -> None:
        """Fill a region, behind the back of a debugger: see `assign_in`."""
        write_region(self._state, where, data)


class SavedContext(_Names):
    """A machine as it was."""

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
        """Bytes of xmem."""
        first, last = address // _PAGE, (address + size - 1) // _PAGE
        pages = b"".join(_page(self._memory, number) for number in range(first, last + 1))
        start = address - first * _PAGE
        return pages[start : start + size]


def _page(memory: Image, number: int) -> bytes:
    group = len(memory[0])
    assert group * len(memory) * _PAGE == XMEM_SIZE
    return memory[number // group][number % group]

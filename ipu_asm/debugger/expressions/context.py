"""What an expression reads: registers, memory, labels and notes, of a live or a saved state."""

from __future__ import annotations

from typing import Final, Mapping, Protocol, Sequence

from ipu_asm.debugger.expressions.machine_view import Location, MachineView, Space, view_of
from ipu_asm.debugger.expressions.values import Value
from ipu_asm.debugger.regions import Region, write_region
from ipu_asm.emulator.model import Setting, machine_for
from ipu_asm.emulator.state import PAGE, AnyState, SavedState, page_of

_EMPTY: Final[Mapping[str, int]] = {}
_NO_NAMES: Final[Mapping[str, str]] = {}


class Context(Protocol):
    """Read access to registers and memory, and the names that the program defines.

    `view` is the machine in its present mode, whose layout `block` and `scalars` have. `settings`
    are those of the host by name. `labels` maps labels to bundle addresses; `names` maps names from
    register notes to the expressions they stand for.
    """

    @property
    def view(self) -> MachineView: ...
    @property
    def settings(self) -> Mapping[str, Setting]: ...

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

    def block_numbers(self, name: str) -> Sequence[float]:
        """Return the numbers of a register with blocks; nothing for others and saved states."""


class Writable(Context, Protocol):
    """A context that can be written. Callers check the value before they call `edit`."""

    def edit(self, where: Region, data: bytes) -> None:
        """Overwrite a region; `data` has exactly the region's size."""


class LiveContext:
    """The current state of a machine. The caller that runs the machine updates `cycle`."""

    def __init__(
        self,
        state: AnyState,
        cycle: int = 0,
        labels: Mapping[str, int] = _EMPTY,
        names: Mapping[str, str] = _NO_NAMES,
    ) -> None:
        self.cycle, self.labels, self.names = cycle, labels, names
        self._state = state
        self._model = machine_for(state.isa_name)
        self.block: bytearray = state.regfile.block
        self.scalars: list[int] = state.regfile.scalars
        self.settings = self._model.setting_values(state.settings)

    @property
    def view(self) -> MachineView:
        return view_of(self._model, self._model.types_in(self._state))

    @property
    def pc(self) -> int:
        return self._state.program_counter

    def read_memory(self, address: int, size: int) -> bytearray:
        return self._state.xmem.read_address(address, size)

    def block_numbers(self, name: str) -> list[float]:
        blocks = self._state.block_numbers().get(name, ())
        return [float(number) for block in blocks for number in block]

    def edit(self, where: Region, data: bytes) -> None:
        """Overwrite a region without recording it in a debugger's history; see `assign_with`."""
        write_region(self._state, where, data)


class SavedContext:
    """A saved state of a machine, at first without names of the program."""

    def __init__(self, saved: SavedState, cycle: int) -> None:
        self.cycle, self.labels, self.names = cycle, _EMPTY, _NO_NAMES
        model, settings = machine_for(saved.origin.isa_name), saved.origin.settings
        self.view = view_of(model, model.types_of(saved.scalars, settings))
        self.settings = model.setting_values(settings)
        self.block = saved.block
        self.scalars = saved.scalars
        self.pc = saved.pc
        self._memory = saved.memory

    def read_memory(self, address: int, size: int) -> bytes:
        first, last = address // PAGE, (address + size - 1) // PAGE
        pages = b"".join(page_of(self._memory, number) for number in range(first, last + 1))
        start = address - first * PAGE
        return pages[start : start + size]

    def block_numbers(self, name: str) -> tuple[()]:
        return ()


def read(context: Context, location: Location) -> Value:
    if location.space is Space.BITS:
        first = location.start // 8
        data = context.block[first : (location.start + location.elements - 1) // 8 + 1]
        bits = int.from_bytes(data, "little") >> location.start % 8
        numbers: tuple[int | float, ...] = tuple(bits >> i & 1 for i in range(location.elements))
    elif location.space in (Space.PC, Space.CYCLE):
        numbers = (context.pc if location.space is Space.PC else context.cycle,)
    else:
        numbers = location.kind.decode(content_at(context, location))
    raw_bits = None
    if location.kind.is_float:
        raw_bits = location.kind.unsigned().decode(content_at(context, location))
    return Value(numbers, location.kind, location.length is not None, raw_bits)


def content_at(context: Context, location: Location) -> bytes | bytearray:
    if location.space is Space.SCALARS:
        words = context.scalars[location.start : location.start + location.elements]
        return b"".join(word.to_bytes(4, "little") for word in words)
    if location.space is Space.MEMORY:
        return context.read_memory(location.start, location.size)
    return context.block[location.start : location.start + location.size]

"""The state of a core for debuggers: registers as bytes, bundles by number, blocks as numbers."""

from __future__ import annotations

from math import ldexp
from typing import Any, Callable, Final, Hashable, Iterator, Mapping, Sequence

from ipu_asm.emulator.code_program import CodeProgram
from ipu_asm.emulator.registers import RegisterLayout, Vector
from ipu_asm.emulator.state import InFlight, MachineState, SavedState
from ipu_asm.targets.aie.machine.machine import CoreMachine
from ipu_asm.targets.aie.machine.state import (
    BY_HOST,
    MEMORY_SIZE,
    RING,
    RegisterStorage,
    Store,
    Write,
)

_WORD_BITS: Final = 32
_MAX_BUNDLES: Final = 1 << 14
RESULTS: Final = ("am", "bm", "cm", "dm")
"""The families of accumulators."""

_BLOCK: Final = 8
_SIGN: Final = 0x80
_BIAS: Final = 127 + 6
"""A mantissa of a block counts as 2 ** (exponent - 133)."""


MakeCore = Callable[[CodeProgram], CoreMachine]


class Cells:
    """Where the parts of registers are: indices of scalars and bytes of the block, by part."""

    def __init__(self, storage: RegisterStorage) -> None:
        self.storage = storage
        self._files: dict[str, list[str]] = {}
        numbers: dict[str, list[int]] = {}
        for number, (name, bits) in enumerate(storage.parts):
            if bits <= _WORD_BITS:
                file = storage.families[name]
                self._files.setdefault(file, []).append(name)
                numbers.setdefault(file, []).append(number)
        self.scalars = [number for found in numbers.values() for number in found]
        narrow = frozenset(self.scalars)
        self.starts: dict[int, int] = {}
        end = 0
        for parts in sorted(storage.parts_of.values(), key=len, reverse=True):
            files = {storage.families[storage.parts[part].name] for part in parts}
            is_wide = len(files) == 1 and narrow.isdisjoint(parts)
            if is_wide and self.starts.keys().isdisjoint(parts):
                for part in parts:
                    self.starts[part] = end
                    end += storage.parts[part].bits // 8

    def layout(self) -> RegisterLayout:
        vectors = {
            name: Vector(start, size)
            for name, parts in self.storage.parts_of.items()
            if name in self.storage.families
            for start, size in self._bytes(parts)
        }
        return RegisterLayout(self._files, vectors)

    def _bytes(self, parts: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Yield start and size of a register in the block, if its parts are consecutive there."""
        end = self.starts.get(parts[0], -1)
        for part in parts:
            if self.starts.get(part) != end:
                return
            end += self.storage.parts[part].bits // 8
        if end >= 0:
            yield self.starts[parts[0]], end - self.starts[parts[0]]


class CoreState(MachineState[Any]):
    """The state of a core that is stepped; `core` is there once a program is loaded.

    The host sets up the core before a machine is made of the state.
    """

    memory_size = MEMORY_SIZE
    program_limit = _MAX_BUNDLES
    cells: Cells
    make_core: MakeCore
    core: CoreMachine

    def __init__(self, settings: Hashable = ()) -> None:
        super().__init__(settings)
        self.numbers: dict[int, int] = {}
        self._addresses: list[int] = []
        self._shown = self._reset = bytes(self._regfile.block), tuple(self._regfile.scalars)
        self._first = 0
        self._is_loaded = False
        self.stores: list[Store] = []
        self.reads: list[tuple[int, int]] = []

    def load_kernel(self, kernel: Any, entry: str | None = None) -> None:
        """Load the linked code of a kernel with its data; registers are unchanged."""
        code: CodeProgram = kernel.code
        self.load_code(code, entry)
        self._shown = self._reset
        self.take_edits()
        for address, data in code.data.items():
            self._xmem.write_address(address, data)

    def load_code(self, code: CodeProgram, entry: str | None = None) -> None:
        """Load a linked program; `entry` is the function or label to begin at.

        Raises `ProgramError` for an unknown entry.
        """
        self.core = type(self).make_core(code)
        self._is_loaded = True
        self.lines = code.lines
        self._addresses = code.addresses
        self.numbers = {address: number for number, address in enumerate(self._addresses)}
        self.program_limit = len(self._addresses)
        words = (code.code_at(address) for address in self._addresses)
        self._inst_mem = [int.from_bytes(word, "little") for word in words]
        self.core.state.memory = self._xmem.content
        self.core.state.observers.append(self._stored)
        self.core.state.reads = self.reads
        first = code.entry(entry)
        self.core.start(first)
        self._first = self.numbers.get(first, 0)

    @property
    def first_bundle(self) -> int:
        return self._first

    @property
    def program_counter(self) -> int:
        return int(self._regfile.pc)

    @program_counter.setter
    def program_counter(self, number: int) -> None:
        self._regfile.set_pc(number)
        if self._is_loaded and number < len(self._addresses):
            core = self.core.state
            core.pc, core.end, core.branch = self._addresses[number], "", None

    @property
    def is_halted(self) -> bool:
        return self._is_loaded and bool(self.core.state.end)

    def finish(self) -> None:
        if self._is_loaded:
            self.core.state.drain()
            self.show()

    def save(self) -> SavedState:
        if not self._is_loaded:
            return super().save()
        self.take_edits()
        return super().save()._replace(pipeline=self.core.snapshot(has_memory=False))

    def restore(self, saved: SavedState) -> None:
        super().restore(saved)
        if saved.pipeline is None:
            self.take_edits()
        else:
            self.core.restore(saved.pipeline)
            self.show()

    def take_core(self, core: CoreMachine) -> None:
        """Become the state of another machine of the same program, with nothing in flight."""
        self.core.take(core)
        self.show()

    @property
    def further(self) -> dict[str, str]:
        core = self.core
        queues = {name: held.hex() for name, held in core.state.queues.items()}
        return {**queues, "return": hex(core.return_address)}

    @further.setter
    def further(self, values: Mapping[str, str]) -> None:
        queues = dict(values)
        self.core.return_address = int(queues.pop("return"), 0)
        self.core.state.queues.update((name, bytes.fromhex(each)) for name, each in queues.items())

    def show(self) -> None:
        """Update registers and program counter from the core."""
        core, file = self.core.state, self._regfile
        core.settle()
        values = [cell[1] for cell in core.cells]
        for write in self.landing:
            values[write[0]] = write[1]
        file.scalars[:] = [values[part] for part in self.cells.scalars]
        parts = self.cells.storage.parts
        for part, start in self.cells.starts.items():
            value, size = values[part], parts[part].bits // 8
            is_bytes = parts[part].is_vector
            file.block[start : start + size] = value if is_bytes else value.to_bytes(size, "little")
        file.pc = self.numbers.get(core.pc, self.program_limit)
        self._shown = bytes(file.block), tuple(file.scalars)

    def take_edits(self) -> None:
        """Hand registers that were edited to the core."""
        if not self._is_loaded:
            return
        block, scalars = self._shown
        file = self._regfile
        if file.scalars != list(scalars):
            for part, new, old in zip(self.cells.scalars, file.scalars, scalars):
                if new != old:
                    self._edit(part, new)
        if file.block != block:
            for part, start in self.cells.starts.items():
                end = start + self.cells.storage.parts[part].bits // 8
                if file.block[start:end] != block[start:end]:
                    self._edit(part, int.from_bytes(file.block[start:end], "little"))
        self._shown = bytes(file.block), tuple(file.scalars)

    def _edit(self, part: int, value: int) -> None:
        self.landing[:] = [write for write in self.landing if write[0] != part]
        cut = self.cells.storage.parts[part].cut(value)
        self.core.state.cells[part] = (part, cut, BY_HOST, BY_HOST, 0, "")

    def accessing(self, number: int, trait: str) -> list[str]:
        """Return the instructions of a bundle that load or that store, as text."""
        unit = self.core.program.unit_at(self._addresses[number])
        return [
            f"{each.mnemonic} {', '.join(each.operands)}"
            for each in (unit.instructions if unit else ())
            if trait in each.form.traits
        ]

    @property
    def landing(self) -> list[Any]:
        """The writes that land before the next bundle reads."""
        core = self.core.state
        return core.flight[core.cycle % RING]

    def _stored(self, store: Store) -> None:
        self.stores.append(store)
        self._xmem.note_write(store.address, store.before)

    def block_numbers(self) -> Mapping[str, Sequence[Sequence[float]]]:
        found = {}
        if self._is_loaded:
            self.take_edits()
        for name, family in self.cells.storage.families.items():
            if family == "ex" and self._is_loaded:
                data = self._content_of(name)
                found[name] = [
                    [
                        (mantissa ^ _SIGN) - _SIGN
                        and ldexp((mantissa ^ _SIGN) - _SIGN, own - _BIAS)
                        for mantissa in data[_BLOCK * block : _BLOCK * block + _BLOCK]
                    ]
                    for block, own in enumerate(data[_BLOCK * _BLOCK :])
                ]
        return found

    def _content_of(self, name: str) -> bytes:
        """The bytes of a register as the next bundle reads it."""
        core, parts = self.core.state, self.cells.storage.parts_of[name]
        landing = {write[0]: write[1] for write in self.landing}
        values = [landing.get(part, core.cells[part][1]) for part in parts]
        width = self.cells.storage.width(parts)
        return self.cells.storage.joined(parts, values).to_bytes(width // 8, "little")

    def in_flight(self) -> list[InFlight]:
        """Return the results that land after the next bundle, and those still to be computed."""
        core = self.core.state
        core.settle()
        found: dict[tuple[int, int, int], list[Write]] = {}
        for write in core.writes_in_flight():
            if write.landing > core.cycle:
                found.setdefault((write.landing, write.issue, write.pc), []).append(write)
        results = [
            InFlight(
                name, self.numbers.get(pc, 0), core.cycle - issue, landing - core.cycle,
                self._content(some),
            )
            for (landing, issue, pc), writes in found.items()
            for name, some in self._by_register(writes)
        ]  # fmt: skip
        for _, late in core.late_operations():
            landings = {cycles for _, cycles in late.targets}
            if landings:
                name = self._name([part for part, _ in late.targets])
                issue = core.cycle - late.issue
                number = self.numbers.get(late.pc, 0)
                results.append(InFlight(name, number, issue, max(landings) - issue, None))
        return sorted(results, key=lambda each: (each.lands_in, each.issued_before))

    def _by_register(self, writes: Sequence[Write]) -> Iterator[tuple[str, Sequence[Write]]]:
        """Yield writes by the widest registers that are written whole."""
        parts = tuple(write.part for write in writes)
        first = 0
        while first < len(parts):
            ends = (end for end in range(len(parts), first, -1))
            end = next(e for e in ends if e == first + 1 or self._whole(parts[first:e]))
            yield self._name(parts[first:end]), writes[first:end]
            first = end

    def _whole(self, parts: Sequence[int]) -> str:
        """Return the register that has exactly these parts; empty if there is none."""
        named = self.cells.storage.parts_of.items()
        return next((name for name, own in named if own == tuple(parts)), "")

    def _content(self, writes: Sequence[Write]) -> bytes:
        parts = [write.part for write in writes]
        value = self.cells.storage.joined(parts, [write.value for write in writes])
        return value.to_bytes(-(-self.cells.storage.width(parts) // 8), "little")

    def _name(self, parts: Sequence[int]) -> str:
        """Return the register of some parts, or the names of all parts."""
        names = self.cells.storage.parts
        return self._whole(parts) or ", ".join(names[part].name for part in parts)

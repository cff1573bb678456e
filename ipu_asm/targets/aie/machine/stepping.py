"""The core as debuggers step it: bundles by their numbers in the source, registers as bytes.

Registers show what the next bundle reads in its first cycle; results that land later are in flight.
What fills the end of a section has the numbers after those of the source.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import groupby
from operator import itemgetter
from typing import Any, Callable, Final, Hashable, Iterator, Mapping, Sequence

import numpy as np
from ml_dtypes import bfloat16

from ipu_asm.emulator.code_program import CodeProgram
from ipu_asm.emulator.element_types import BF16, TYPES, RegisterTypes
from ipu_asm.emulator.engine import Engine
from ipu_asm.emulator.execution_counts import Touched
from ipu_asm.emulator.faults import EmulatorError, ExecutionFault, Fault
from ipu_asm.emulator.machine import RunCounter, SelectiveTest, StopTest, Trace
from ipu_asm.emulator.model import MachineModel
from ipu_asm.emulator.registers import RegisterFile, RegisterLayout, Vector
from ipu_asm.emulator.state import InFlight, MachineState, SavedState
from ipu_asm.targets.aie.machine.machine import CoreMachine
from ipu_asm.targets.aie.machine.registers import RegisterStorage
from ipu_asm.targets.aie.machine.state import (
    BY_HOST,
    DONE,
    MEMORY_SIZE,
    RETURNED,
    RING,
    Store,
    Write,
)

_WORD_BITS: Final = 32
_MAX_BUNDLES: Final = 1 << 14
_RESULTS: Final = ("am", "bm", "cm", "dm")
"""The families of accumulators."""

_ROW_BYTES: Final = 16
_SHORT_TILE: Final = 64
"""Bytes of a tile of 4 x 4 sums of XDNA1; others have 8 columns."""


MakeCore = Callable[[CodeProgram], CoreMachine]


class _Cells:
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
    cells: _Cells
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
        self.numbers.clear()
        self.lines = code.lines
        rows = code.lines.program.bundle_at_address if code.lines else []
        extra = code.fill()
        for bundle, units in groupby(sorted(code.bundles.items()), key=itemgetter(1)):
            numbers = range(bisect_left(rows, bundle), bisect_right(rows, bundle))
            addresses = [address for address, _ in units]
            self.numbers.update(zip(addresses, numbers))
            extra += addresses[len(numbers) :]
        for address in sorted(extra):
            self.numbers.setdefault(address, len(self.numbers))
        self._addresses = sorted(self.numbers, key=self.numbers.__getitem__)
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


class SteppedCore:
    """The machine of a `CoreState`; `cycles` counts the bundles executed so far."""

    break_slot = ""
    execution_order: tuple[str, ...] = ()
    engine_choice = Engine.AUTO
    engine_used = "the only one"
    latest_store = RING

    def __init__(self, state: CoreState) -> None:
        self.state = state
        self.cycles = 0
        self.snapshot = type(state.regfile)()
        self._begun_at = 0
        self.counter: RunCounter | None = None
        state.take_edits()
        # A return to what the host has put into the link register ends the program.
        state.core.start(state.core.state.pc)
        state.show()

    @property
    def end(self) -> str:
        """The instruction that has ended the program."""
        return {RETURNED: "ret", DONE: "done"}.get(self.state.core.state.end, "")

    def stops_at(self, pc: int) -> bool:
        """Return False: no bundle stops debuggers."""
        return False

    def run(self, limit: int, stop: StopTest | None = None, trace: Trace | None = None) -> int:
        """Run as `VliwMachine.run` does."""
        if self.counter is not None and trace is None:
            return self.counter.run(self, limit, stop)
        state, core = self.state, self.state.core
        state.take_edits()
        if limit < 1 or state.is_halted:
            return 0
        quick = _places_only(stop)
        begun = 1

        def begin(number: int) -> None:
            self.snapshot.pc = number
            self._begun_at = core.state.cycle
            state.xmem.written.clear()
            state.stores.clear()
            state.reads.clear()
            if trace is not None:
                trace(number)

        def ends_before(address: int) -> bool:
            nonlocal begun
            number = state.numbers.get(address)
            if number is None:
                # No code at all is a fault of the next bundle; other code belongs to this one.
                return begun == limit and core.program.unit_at(address) is None
            if begun == limit:
                return True
            if stop is not None and (quick is None or number in quick):
                state.show()
                self.cycles = first + begun
                if stop(number):
                    return True
            if quick is None or begun == limit - 1:
                state.show()
                self.snapshot.copy_from(state.regfile)
            begin(number)
            begun += 1
            return False

        def leap(bundles: int) -> int:
            nonlocal begun
            begun += bundles
            return limit - begun - 1

        first = self.cycles
        self.snapshot.copy_from(state.regfile)
        begin(state.program_counter)
        state.xmem.recording = True
        try:
            is_free = stop is None and trace is None
            core.run(1 << 62, ends_before, leap=leap if is_free else None)
        except EmulatorError as error:
            if state.numbers.get(core.state.pc, state.program_limit) == self.snapshot.pc:
                begun -= 1
            self.cycles = first + begun
            state.show()
            raise ExecutionFault(self._fault(error)) from None
        finally:
            state.xmem.recording = False
            self.cycles = first + begun
            state.show()
        return begun

    run_on_numpy = run

    def _fault(self, error: EmulatorError) -> Fault:
        number = self.state.program_counter
        mnemonic, _, cause = str(error).partition(": ")
        lines = self.state.lines
        place = lines.place(number) if lines else None
        return Fault(
            number, self.cycles, 0, "", mnemonic if cause else "", cause or mnemonic, {},
            line=place.line if place else None, span=place.span if place else None,
        )  # fmt: skip

    def written(self, name: str) -> list[tuple[int, int]]:
        """Return the bundles whose results have landed with the last one, and the cycles since."""
        core = self.state.core.state
        parts = self.state.cells.storage.parts_of.get(name, ())
        writes = [Write(*core.cells[part]) for part in parts]
        writes += [Write(*write) for write in self.state.landing if write[0] in parts]
        return [
            (self.state.numbers.get(write.pc, 0), core.cycle - 1 - write.issue)
            for write in writes
            if self._begun_at < write.landing <= core.cycle and write.issue >= 0
        ]

    def core_runner(self) -> None:
        """Return None: no faster engine runs machine code."""

    def touched(self) -> Iterator[Touched]:
        """Yield the loads of the last bundle, and the stores that have landed with it."""
        state = self.state
        loads = state.accessing(self.snapshot.pc, "load")
        for number, (start, size) in enumerate(state.reads):
            # A bundle that computes addresses of several loads reads in their order.
            text = loads[min(number, len(loads) - 1)] if loads else ""
            yield Touched(text, start, size, is_write=False)
        for store in state.stores:
            text = next(iter(state.accessing(state.numbers.get(store.pc, 0), "store")), "")
            yield Touched(text, store.address, len(store.data), is_write=True)

    def loaded(self, start: int, end: int) -> bool:
        """Return whether the last bundle has read bytes of a range."""
        return any(first < end and start < first + size for first, size in self.state.reads)

    def stored(self, start: int, end: int) -> list[int]:
        """Return the bundles whose stores have changed bytes of a range with the last one."""
        return [
            self.state.numbers.get(store.pc, 0)
            for store in self.state.stores
            if store.address < end and start < store.address + len(store.data)
        ]


def _places_only(stop: StopTest | None) -> frozenset[int] | None:
    """The bundles in front of which alone a stop test can be true; None if there may be others."""
    if stop is None:
        return frozenset()
    if not isinstance(stop, SelectiveTest):
        return None
    if stop.after or stop.watched or stop.after_if or stop.at_breaks:
        return None
    return stop.in_front | frozenset(stop.in_front_if)


def stepping_model(isa_name: str, make_core: MakeCore, storage: RegisterStorage) -> MachineModel:
    """Return the machine of a generation for debuggers."""
    cells = _Cells(storage)
    layout = cells.layout()
    registers = type("Registers", (RegisterFile,), {"layout": layout, "__slots__": ()})
    own = {"isa_name": isa_name, "registers": registers, "cells": cells}
    own["make_core"] = staticmethod(make_core)
    state = type("State", (CoreState,), own)
    families = storage.families
    types = {name: TYPES["f32"] if families[name] in _RESULTS else BF16 for name in layout.vectors}
    shown = RegisterTypes(None, element=TYPES["u8"], word=TYPES["i32"], vectors=types)
    results = [layout.vectors[name] for name in layout.vectors if families[name] in _RESULTS]
    first = min(each.start for each in results)
    last = max(each.start + each.size for each in results)
    has_short = "am" in families.values()

    def row_bytes(start: int, size: int) -> int:
        """A row of a tile: of sums, or of factors, 8 numbers of 16 bits."""
        is_short = not first <= start < last or (has_short and size <= _SHORT_TILE)
        return _ROW_BYTES if is_short else 2 * _ROW_BYTES

    widest = {name for name in layout.vectors if families[name] in ("x", "dm", "cm", "q")}
    if any(families[name] == "dm" for name in widest):
        widest = {name for name in widest if families[name] != "cm"}
    return MachineModel(
        isa_name,
        state=state,
        machine=SteppedCore,  # type: ignore[arg-type]  # it offers what debuggers use
        types_of=lambda scalars, settings: shown,
        element_types={"bf16": BF16},
        numpy_types={"bf16": bfloat16, "i16": np.int16, "u16": np.uint16},
        type_aliases={"bfloat16": "bf16"},
        scopes=_scopes(layout),
        row_bytes=row_bytes,
        vectors_shown=[name for name in layout.vectors if name in widest],
    )


def _scopes(layout: RegisterLayout) -> Mapping[str, Sequence[str]]:
    """Scopes of pointers, scalars, and the rest."""
    pointers = ("p", "m", "dn", "dj", "dc")
    names = {file: layout.scalar_names[at.start : at.stop] for file, at in layout.files.items()}
    scopes = {"Scalar registers": names.pop("r")}
    scopes["Pointers and modifiers"] = tuple(n for file in pointers for n in names.pop(file, ()))
    modes = {file: names.pop(file) for file in ("control", "status") if file in names}
    scopes["Special registers"] = tuple(name for found in names.values() for name in found)
    scopes["Control and status"] = tuple(name for found in modes.values() for name in found)
    return scopes

"""The machine of a generation as a value, and its core as debuggers step it.

It steps bundles by their numbers in the source, and has registers as bytes.

Registers show what the next bundle reads in its first cycle; results that land later are in flight.
What fills the end of a section has the numbers after those of the source.
"""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import Final, Iterator, Mapping, Sequence

import numpy as np
from ml_dtypes import bfloat16

from ipu_asm.emulator.code_program import CodeProgram
from ipu_asm.emulator.code_runs import CodeModel, RandomRegisters
from ipu_asm.emulator.element_types import BF16, TYPES, RegisterTypes
from ipu_asm.emulator.execution_counts import Touched
from ipu_asm.emulator.machine import Engine, RunCounter, SelectiveTest, StopTest, Trace
from ipu_asm.emulator.model import MachineModel
from ipu_asm.emulator.registers import RegisterFile, RegisterLayout
from ipu_asm.emulator.stops import EmulatorError, ExecutionFault, Fault
from ipu_asm.targets.aie.machine.core_state import RESULTS, Cells, CoreState, MakeCore
from ipu_asm.targets.aie.machine.machine import CoreMachine
from ipu_asm.targets.aie.machine.operations import Generation
from ipu_asm.targets.aie.machine.semantics import SemanticsTable, read_rules
from ipu_asm.targets.aie.machine.state import RING, RegisterStorage, Write
from ipu_asm.targets.aie.registers import numbered

_ROW_BYTES: Final = 16
_SHORT_TILE: Final = 64
"""Bytes of a tile of 4 x 4 sums of XDNA1; others have 8 columns."""


class SteppedCore:
    """The machine of a `CoreState`; `cycles` counts the bundles executed so far."""

    break_slot = ""
    execution_order: tuple[str, ...] = ()
    """It executes units of code; machines of words have the order of their slots."""

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
        return self.state.core.ended_by

    def stops_at(self, pc: int) -> bool:
        """Return False: no bundle stops debuggers."""
        return False

    def run(self, limit: int, stop: StopTest | None = None, trace: Trace | None = None) -> int:
        """Run as `VliwMachine.run` does."""
        if self.counter is not None and trace is None:
            return self.counter.run(self, limit, stop)
        self.state.take_edits()
        return 0 if limit < 1 or self.state.is_halted else self._run(limit, stop, trace)

    def _run(self, limit: int, stop: StopTest | None, trace: Trace | None) -> int:
        state, core = self.state, self.state.core
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
        """Yield the memory accesses of the last cycle: its loads, and the stores that landed."""
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
    cells = Cells(storage)
    layout = cells.layout()
    registers = type("Registers", (RegisterFile,), {"layout": layout, "__slots__": ()})
    own = {"isa_name": isa_name, "registers": registers, "cells": cells}
    own["make_core"] = staticmethod(make_core)
    state = type("State", (CoreState,), own)
    families = storage.families
    types = {name: TYPES["f32"] if families[name] in RESULTS else BF16 for name in layout.vectors}
    shown = RegisterTypes(None, element=TYPES["u8"], word=TYPES["i32"], vectors=types)
    results = [layout.vectors[name] for name in layout.vectors if families[name] in RESULTS]
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


DATA_ADDRESS: Final = 0x7_8000
"""Where the data of a program are placed: the upper half of the tile's own memory."""

_ARGUMENTS = {
    "p": numbered("p", 6),
    "r": numbered("r", 8),
}


_RANDOM = RandomRegisters(numbered("p", 8), numbered("m", 8), numbered("r", 32), ("lc", "ls", "le"))


def model_of(isa_name: str, folder: Path, generation: Generation) -> CodeModel:
    """Return the machine of a generation, whose `effects.txt` is in `folder`."""
    semantics = SemanticsTable(read_rules(folder))

    def make_machine(program: CodeProgram) -> CoreMachine:
        return CoreMachine(program, generation, semantics)

    stepping = cache(partial(stepping_model, isa_name, make_machine, generation.storage))
    return CodeModel(make_machine, DATA_ADDRESS, _ARGUMENTS, _RANDOM, stepping)

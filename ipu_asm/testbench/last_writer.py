"""Which instruction wrote an element, found by executing the run once more in a debugger."""

from __future__ import annotations

import time
from typing import Final

from ipu_asm.debugger.debugger import Debugger, DebugOptions
from ipu_asm.debugger.queries import LastWrite, QueryInterruptedError, last_write
from ipu_asm.debugger.regions import MEMORY, Region, read_region
from ipu_asm.debugger.writers import describe_instruction, instruction_place
from ipu_asm.diagnostics.rendering import render_place
from ipu_asm.emulator.faults import EmulatorError
from ipu_asm.emulator.model import machine_for
from ipu_asm.emulator.state import AnyState
from ipu_asm.flow.accesses import decoded_accesses
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.testbench.array_origins import ElementOrigin, Source
from ipu_asm.testbench.execution import Execution, Leg

_LONGEST_SEARCH_S: Final = 5.0
_MOST_RANGES: Final = 4


class Writer(NamedTuple):
    """What wrote an element, as lines of text, and the place in the source, if there is one."""

    text: str
    place: str = ""


def writer_of(execution: Execution, origin: ElementOrigin, content: bytes) -> Writer | None:
    """Return what wrote an element that has a content now, in the legs that are known.

    None if they were changed since, so that nothing certain can be said.
    """
    where = _region(execution.machine.state, origin)
    if where is None:
        return None
    name, stores = _name(where), ""
    deadline = time.monotonic() + _LONGEST_SEARCH_S
    try:
        for leg in reversed(execution.legs):
            search = _Search(execution, leg, deadline)
            if read_region(search.debugger.state, where) != content:
                return Writer(f"{name} was written by the host after cycle {leg.last}")
            found = search.writer(where, name)
            if found is not None:
                return found
            stores = search.stores() if where.name == MEMORY else ""
            content = read_region(_state_before(execution, leg), where)
    except (QueryInterruptedError, EmulatorError):
        return Writer(f"what wrote {name} was not found within {_LONGEST_SEARCH_S:.0f} s")
    return Writer(f"no instruction has written {name} since the kernel was begun{stores}")


class _Stored(NamedTuple):
    """A part of a register that a store copied; `late` has written it afterwards in its bundle."""

    register: Region
    late: str


class _Search:
    """A leg of a run, executed again by a debugger, which is at its end."""

    def __init__(self, execution: Execution, leg: Leg, deadline: float) -> None:
        self._execution = execution
        self._leg = leg
        self._source = execution.kernel.source
        options = DebugOptions(
            settings=execution.settings, pause=lambda: time.monotonic() > deadline
        )
        self.debugger = Debugger(execution.lines, _state_before(execution, leg), options)
        self.debugger.machine.engine_choice = execution.machine.engine_choice
        length = leg.last - leg.first
        if self.debugger.history.go_to(length) != length:
            raise QueryInterruptedError("the run takes too long to be repeated")

    def writer(self, where: Region, name: str) -> Writer | None:
        """The last instruction of the leg that wrote a region, and what it wrote."""
        found = last_write(self.debugger.runner, where)
        if found is None or found.pc is None:
            return None
        text = f"{name} was written by {self._author(found)}"
        stored = self._stored(found.cycle, where) if where.name == MEMORY else None
        if stored is not None:
            before, held = last_write(self.debugger.runner, stored.register), _name(stored.register)
            if before is not None and before.pc is not None:
                text += f"\nand held what {self._author(before)} had left in {held}"
                found = before
            elif before is None and self._leg.first == 0:
                text += f"\nbefore any instruction had written {held}"
            text += f"; {stored.late} beside the store comes too late" if stored.late else ""
        place = instruction_place(self.debugger, found.pc or 0, found.instruction)
        return Writer(text, render_place(self._source, place.span) if place else "")

    def stores(self) -> str:
        """What all stores of the run have written, in words; empty if the leg is not the run."""
        execution, planned = self._execution, self.debugger.planned_accesses
        is_whole = len(execution.legs) == 1 and execution.machine.state.is_halted
        if planned is None or not is_whole:
            return ""
        if not planned.writes:
            return "; it has no stores"
        shown = [f"{each.start:#x}..{each.stop - 1:#x}" for each in planned.writes[:_MOST_RANGES]]
        more = ", ..." if len(planned.writes) > _MOST_RANGES else ""
        return f"; its stores have written {', '.join(shown)}{more}"

    def _author(self, write: LastWrite) -> str:
        where = describe_instruction(self.debugger, write.pc or 0, write.instruction)
        return f"`{write.instruction}` in {where}, cycle {write.cycle + self._leg.first}"

    def _stored(self, cycle: int, where: Region) -> _Stored | None:
        """The part of a vector register that the bundle at a cycle has stored to a region.

        The debugger is left where the last write to that part is to be searched. None if the store
        is not a copy of one register.
        """
        debugger = self.debugger
        debugger.history.go_to(cycle)
        debugger.history.go_to(cycle + 1)  # a single bundle, of which every write is recorded
        machine = debugger.machine
        store = debugger.runner.accesses.has_written(where)
        starts = [start for start, old in machine.state.xmem.written if start <= where.start]
        if store is None or store.spec is None or not starts:
            return None
        accesses = decoded_accesses(debugger.model.isa, store.spec, store.registers)
        vectors = machine.state.layout.vector_places
        read = {each.register for each in accesses if each.reads and each.register in vectors}
        if len(read) != 1:
            return None
        (name,) = read
        offset = where.start - max(starts)
        if offset + where.size > vectors[name].stop - vectors[name].start:
            return None
        register = Region(name, offset, where.size)
        stored = read_region(machine.state, where)
        writer = debugger.runner.accesses.has_written(register)
        order = machine.execution_order
        is_late = writer is not None and (
            order.index(writer.slot.name) > order.index(store.slot.name)
        )
        if writer is None or is_late:
            debugger.history.go_to(cycle)
        if read_region(machine.state, register) != stored:
            return None
        return _Stored(register, f"`{writer}`" if is_late else "")


def _state_before(execution: Execution, leg: Leg) -> AnyState:
    """Make a state with the program and the content that was saved at the start of a leg."""
    kernel = execution.kernel
    state: AnyState = machine_for(kernel.isa.name).make_state(execution.settings)
    state.restore(leg.start)
    state.load_program(kernel.words, execution.lines)
    return state


def _region(state: AnyState, origin: ElementOrigin) -> Region | None:
    """The region of an element of the state of an execution."""
    if origin.source is Source.MEMORY:
        return Region(MEMORY, origin.start, origin.size)
    for name, place in state.layout.vector_places.items():
        if place.start <= origin.start < place.stop:
            return Region(name, origin.start - place.start, origin.size)
    return None


def _name(where: Region) -> str:
    """The text of the region of one element."""
    number = f"{where.start:#x}" if where.name == MEMORY else where.start // where.size
    return f"`{where.name}[{number}]`"

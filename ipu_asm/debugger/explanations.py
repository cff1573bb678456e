"""Explanations of a wrong result: missing inputs, the address of a fault, the last writer."""

from __future__ import annotations

from typing import Any, Collection, Mapping

from ipu_asm.config.kernel_keys import WIDE, WIDE_MODES
from ipu_asm.debugger.conditions import ExpressionCondition
from ipu_asm.debugger.debugger import Debugger, DebugOptions
from ipu_asm.debugger.expressions import LiveContext
from ipu_asm.debugger.queries import last_write, when_true
from ipu_asm.debugger.regions import Region
from ipu_asm.emulator.state import AnyState
from ipu_asm.emulator.stops import describe_address
from ipu_asm.flow.control_run.step_reading import scalar_registers, steps_of
from ipu_asm.flow.control_run.steps import Access, Step, Sum, UnsupportedProgramError
from ipu_asm.flow.host_inputs import host_registers
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable, SourceLocation, describe_bundle
from ipu_asm.program.program import Program
from ipu_asm.program.register_notes import (
    MemoryNote,
    bases_of,
    memory_notes,
    note_at,
    register_notes,
)


class Writer(NamedTuple):
    """The instruction that wrote last, its bundle, and the cycle in which that was executed."""

    instruction: str
    pc: int
    cycle: int
    where: str

    def __str__(self) -> str:
        return f"`{self.instruction}` in {self.where}, cycle {self.cycle:,}"


_MAX_PURPOSE = 24
_MAX_REGISTERS = 6


class MissingInputs(NamedTuple):
    """Registers that a program reads without a given value, each with its purpose in brackets.

    `has_data` is whether something was loaded to memory.
    """

    registers: tuple[str, ...]
    has_data: bool

    def sentence(self, remedy: str) -> str:
        """Return what is missing and what to do; empty if nothing is."""
        missing = []
        if self.registers:
            *first, last = self.registers
            names = f"{', '.join(first)} and {last}" if first else last
            missing.append(f"no value was given for {names}")
        if not self.has_data:
            missing.append("no data were loaded")
        return f"{', and '.join(missing)}: {remedy}" if self.registers else ""


_WORD = 1 << 32


class FaultAddress(NamedTuple):
    """An access outside of memory, with the registers before its bundle.

    `offsets` are the registers that instructions can change, `bases` the others, in units of `unit`
    bytes. `after` is what the access sees of the only offset where the bundle itself steps it.
    `condition` is the expression that holds where the access is within memory.
    """

    start: int
    size: int
    offsets: tuple[str, ...]
    bases: tuple[str, ...]
    unit: int
    condition: str
    after: int | None = None


def fault_address(debugger: Debugger) -> FaultAddress | None:
    """Return the access of the next bundle that ends outside of memory; None if none does."""
    program, pc = debugger.program, debugger.state.program_counter
    mode = debugger.options.settings.get(WIDE)
    try:
        steps = steps_of(program, WIDE_MODES.index(mode) if mode in WIDE_MODES else 0)
    except UnsupportedProgramError:
        return None
    names, values = scalar_registers(program.isa).names, debugger.state.regfile.scalar_values()
    for access in steps[pc].accesses if 0 <= pc < len(steps) else ():
        offset = _before_bundle(access.offset, steps[pc])
        if access.space.is_register or access.highest is None or offset is None:
            continue
        access = access._replace(offset=offset)
        start = _start(access, names, values)
        if start > access.highest:
            registers = tuple(names[register] for register, _ in offset[1])
            bases = tuple(names[register] for register in access.bases)
            after = _sum(offset, names, values)
            is_stepped = len(registers) == 1 and after != values[registers[0]]
            condition = _condition(access, names)
            stepped = after if is_stepped else None
            unit = access.unit
            return FaultAddress(start, access.size, registers, bases, unit, condition, stepped)
    return None


def last_in_range(debugger: Debugger, context: LiveContext, found: FaultAddress) -> int | None:
    """Return the last cycle up to now at which an access was within memory; None if there is none.

    Raises `QueryInterruptedError`.
    """

    def now() -> LiveContext:
        context.cycle = debugger.cycle
        return context

    outside = f"!({found.condition})"
    condition = ExpressionCondition(now, outside, on_error=lambda error: False)
    try:
        cycle = when_true(debugger.runner, condition)
    finally:
        context.cycle = debugger.cycle
    return None if cycle is None or cycle <= debugger.history.first else cycle - 1


def address_lines(debugger: Debugger, found: FaultAddress) -> list[str]:
    """Return the registers of an address, one a line, with old and new value, and its region.

    A line says where a base register differs from its region in the head comment.
    """
    program, values = debugger.program, debugger.state.regfile.scalar_values()
    lines = []
    for name in found.offsets:
        text = f"{name} = {describe_address(values[name])}"
        if found.after is not None:
            text = (
                f"{name} = {describe_address(found.after)}, {describe_address(values[name])} before"
            )
        lines.append(text)
    bases = bases_of(program)
    for name in found.bases:
        text, note = f"{name} = {describe_address(values[name])}", bases.get(name)
        if note is not None and values[name] * found.unit != note.start:
            text += f", but {note.name} is at {note.start // found.unit:#x} in the head comment"
        elif note is not None:
            text += f", {_extent(note)}"
        lines.append(text)
    hit = note_at(memory_notes(program), found.start)
    if hit is not None and hit not in [bases.get(name) for name in found.bases]:
        lines.append(f"{found.start:#x} is in {_extent(hit)}")
    return lines


def _extent(note: MemoryNote) -> str:
    end = f"..{note.start + note.size:#x}" if note.size is not None else ""
    return f"{note.name} {note.start:#x}{end}"


def _before_bundle(sum_: Sum, step: Step) -> Sum | None:
    """A sum of values after the updates of a bundle, as one of values before it; None if none."""
    updates = {update.register: update for update in step.updates}
    constant, registers = sum_[0], dict[int, int]()
    for register, factor in sum_[1]:
        update = updates.get(register)
        if update is not None and not update.is_sum:
            return None
        inner = (0, ((register, 1),)) if update is None else update.sum
        constant += factor * inner[0]
        for name, each in inner[1]:
            registers[name] = registers.get(name, 0) + factor * each
    return constant, tuple(registers.items())


def _start(access: Access, names: tuple[str, ...], values: dict[str, int]) -> int:
    base = access.base([values[name] for name in names])
    assert isinstance(base, int), "a machine knows its registers"
    return _sum(access.offset, names, values) + base


def _sum(sum_: Sum, names: tuple[str, ...], values: dict[str, int]) -> int:
    constant, registers = sum_
    return (constant + sum(factor * values[names[number]] for number, factor in registers)) % _WORD


def _condition(access: Access, names: tuple[str, ...]) -> str:
    """The expression that holds where an access is within memory."""
    constant, registers = access.offset
    terms = [
        names[number] if factor == 1 else f"{factor} * {names[number]}"
        for number, factor in registers
    ]
    if constant or not terms:
        terms.append(str(constant))
    offset = f"(({' + '.join(terms)}) & 0xffffffff)"
    unit = f" * {access.unit}" if access.unit != 1 else ""
    bases = [f"({names[register]} & 0xffffffff){unit}" for register in access.bases]
    return f"{' + '.join([offset, *bases])} <= {access.highest}"


def missing_inputs(
    program: Program, state: AnyState, given: Collection[str], has_data: bool
) -> MissingInputs:
    """Return the host inputs that a program reads and that were not given.

    `given` are the names of registers that the host has set. Constants, registers that an option of
    the machine sets, and those whose purpose in the header is to be zero, are not missing.
    """
    notes = register_notes(program)
    found = [
        name
        for name in host_registers(program)
        if name not in given
        and not _is_set(state, name)
        and notes.get(name, "").split()[:1] not in (["0"], ["0:"])
    ]
    shown = [name_with_purpose(name, notes.get(name, "")) for name in found[:_MAX_REGISTERS]]
    if len(found) > _MAX_REGISTERS:
        shown.append(f"{len(found) - _MAX_REGISTERS} more")
    return MissingInputs(tuple(shown), has_data)


def name_with_purpose(name: str, note: str) -> str:
    purpose = note.split(" (")[0].split(",")[0].strip()
    return f"{name} ({purpose})" if 0 < len(purpose) <= _MAX_PURPOSE else name


def _is_set(state: AnyState, name: str) -> bool:
    place = state.layout.places.get(name)
    return place is None or int(state.regfile.scalars[place]) != 0


def last_writer(
    lines: LineTable, start: AnyState, settings: Mapping[str, Any], cycles: int, region: Region
) -> Writer | None:
    """Return what wrote to a region last in the first cycles of a run; None if nothing did.

    `start` is a state as it was before the run, with the program loaded; it is changed.
    """
    debugger = Debugger(lines, start, DebugOptions(settings=settings))
    debugger.go_to(cycles)
    return writer_of(debugger, region)


def writer_of(debugger: Debugger, region: Region) -> Writer | None:
    """Return what wrote to a region last up to the current cycle; None if no instruction did."""
    found = last_write(debugger.runner, region)
    if found is None or found.pc is None or found.instruction is None:
        return None
    where = describe_instruction(debugger, found.pc, found.instruction)
    return Writer(found.instruction, found.pc, found.cycle, where)


def instruction_place(
    debugger: Debugger, pc: int, instruction: str | None
) -> SourceLocation | None:
    """Return the place of an instruction of the bundle at an address, by its decoded text.

    The place of the bundle if it has no such instruction; None if the program has no such bundle.
    """
    for each in debugger.runner.accesses.instructions.get(pc, ()):
        if str(each) == instruction:
            return debugger.lines.instruction_place(pc, each.slot.name, each.place)
    return debugger.lines.place(pc)


def describe_instruction(debugger: Debugger, pc: int, instruction: str | None) -> str:
    """Describe the bundle at an address by address, label, line of the instruction, expansion."""
    place = instruction_place(debugger, pc, instruction)
    return describe_bundle(pc, debugger.lines.place(pc), place and place.line)

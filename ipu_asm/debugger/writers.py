"""Which instruction of a finished run wrote to a place last, found by running the program again."""

from __future__ import annotations

from typing import Any, Mapping

from ipu_asm.debugger.debugger import Debugger, DebugOptions
from ipu_asm.debugger.queries import last_write
from ipu_asm.debugger.regions import Region
from ipu_asm.emulator.state import AnyState
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable, SourceLocation, describe_bundle


class Writer(NamedTuple):
    """The instruction that wrote last, its bundle, and the cycle in which that was executed."""

    instruction: str
    pc: int
    cycle: int
    where: str

    def __str__(self) -> str:
        return f"`{self.instruction}` in {self.where}, cycle {self.cycle:,}"


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
    """Return where an instruction of the bundle at an address stands, by its decoded text.

    That of the bundle if it has no such instruction; None if the program has no such bundle.
    """
    for each in debugger.runner.accesses.instructions.get(pc, ()):
        if str(each) == instruction:
            return debugger.lines.instruction_place(pc, each.slot.name, each.place)
    return debugger.lines.place(pc)


def describe_instruction(debugger: Debugger, pc: int, instruction: str | None) -> str:
    """Describe the bundle at an address by address, label, line of the instruction, expansion."""
    place = instruction_place(debugger, pc, instruction)
    return describe_bundle(pc, debugger.lines.place(pc), place and place.line)

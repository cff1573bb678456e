"""Description of an instruction set as its package states it, not validated yet."""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Sequence

from ipu_asm.isa.model import Field
from ipu_asm.isa.operands import OperandType
from ipu_asm.isa.storage import AddressSpace, RegisterFile
from ipu_asm.isa.surface import Surface

InstructionTable = Mapping[str, Mapping[str, Mapping[str, Any]]]


class IsaError(Exception):
    """An invalid description of an instruction set; `mistakes` lists all errors."""

    def __init__(self, name: str, mistakes: Sequence[str]) -> None:
        self.mistakes = tuple(mistakes)
        count = "1 mistake" if len(mistakes) == 1 else f"{len(mistakes)} mistakes"
        lines = "".join(f"\n  {mistake}" for mistake in mistakes)
        super().__init__(f"instruction set {name}: {count}{lines}")


class SlotDescription(NamedTuple):
    """A slot as described by its package; `fields` is the order of its operand types.

    With `width`, instructions state the positions of their fields: every operand has a `low`, and
    every instruction its `fixed_bits`. With `layout`, the fields from the highest bit down, which
    begins with the opcode, `fixed_bits` may be omitted.
    """

    name: str
    title: str
    default: str
    fields: tuple[str, ...] = ()
    capacity: int = 1
    exclusive_writes: bool = False
    width: int | None = None
    layout: tuple[Field, ...] = ()

    def opcode_width(self, instructions: int) -> int:
        """Return the width of the opcode field for a number of instructions."""
        return self.layout[0].width if self.layout else max(1, (instructions - 1).bit_length())


class IsaDescription(NamedTuple):
    """Everything that a package states about its instruction set. Slots run from high to low bits.

    `executor` is the class that has the methods which instructions name in `execute_fn`; empty for
    a set without an emulator, whose instructions name none. `units_of`: see `FormsDescription`.
    `spaces` are what instructions access by addresses; see `isa/scalar.py`. `scratch` registers
    hold nothing when a program begins.
    """

    name: str
    title: str
    surface: Surface
    slots: tuple[SlotDescription, ...]
    instructions: InstructionTable
    operand_types: Mapping[str, OperandType]
    register_files: tuple[RegisterFile, ...]
    program_limit: int
    executor: str = ""
    units_of: Mapping[str, frozenset[str]] = {}
    spaces: Mapping[str, AddressSpace] = {}
    scratch: frozenset[str] = frozenset()

"""Description of an instruction set as its package states it, not validated yet."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from ipu_asm.isa.model import Field
from ipu_asm.isa.operands import OperandType
from ipu_asm.isa.storage import AddressSpace, MemLines, RegisterFile
from ipu_asm.isa.surface import Surface
from ipu_asm.named_tuple import NamedTuple

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

    With `shares_fields`, operands of different types share fields: see `layout.shared_fields`. Then
    the slot has at least `least_width` bits, for which the field of the type `widened` is extended.
    `simulation_only`: the machine does not have the slot.
    """

    name: str
    title: str
    default: str
    fields: tuple[str, ...] = ()
    capacity: int = 1
    exclusive_writes: bool = False
    width: int | None = None
    layout: tuple[Field, ...] = ()
    shares_fields: bool = False
    least_width: int = 0
    widened: str = ""
    simulation_only: bool = False

    def opcode_width(self, instructions: int) -> int:
        """Return the width of the opcode field for a number of instructions."""
        return self.layout[0].width if self.layout else max(1, (instructions - 1).bit_length())


class IsaDescription(NamedTuple):
    """Everything that a package states about its instruction set. Slots run from high to low bits.

    `executor` is the class that has the methods which instructions name in `execute_fn`; empty for
    a set without an emulator, whose instructions name none. `units_of`: see `FormsDescription`.
    `spaces` are what instructions access by addresses; see `isa/scalar.py`. `scratch` registers
    hold nothing when a program begins. `pseudo_instructions` maps mnemonics to entries with
    `operands`, `doc` and `becomes`: the instruction that has their bits, with the names of operands
    and registers in place of its own. For the last four fields see `Isa`.
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
    pseudo_instructions: Mapping[str, Mapping[str, Any]] = {}
    family: str = ""
    constants: Mapping[str, int] = {}
    resets: Mapping[str, int] = {}
    mem_lines: MemLines | None = None

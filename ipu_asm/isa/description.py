"""What a package of data says of its instruction set, before anything is proven."""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Sequence

from ipu_asm.isa.model import Field, RegisterFile, Surface
from ipu_asm.isa.operands import OperandType

InstructionTable = Mapping[str, Mapping[str, Mapping[str, Any]]]


class IsaError(Exception):
    """A description of an instruction set that does not hold; `mistakes` has all of them."""

    def __init__(self, name: str, mistakes: Sequence[str]) -> None:
        self.mistakes = tuple(mistakes)
        count = "1 mistake" if len(mistakes) == 1 else f"{len(mistakes)} mistakes"
        lines = "".join(f"\n  {mistake}" for mistake in mistakes)
        super().__init__(f"instruction set {name}: {count}{lines}")


class SlotDescription(NamedTuple):
    """A slot as a package of data describes it; `fields` is the order of its operand types.

    With `width` the fields are where the instructions say, not where the layout would put them:
    every operand has a `low`, and every instruction its `fixed_bits` unless `layout`, the fields
    from the highest bit down, begins with the opcode's.
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
        """How many bits the opcode field has where the slot has that many instructions."""
        return self.layout[0].width if self.layout else max(1, (instructions - 1).bit_length())


class IsaDescription(NamedTuple):
    """All that a package says of its instruction set. Slots stand from high bits to low ones.

    `executor` is the class whose methods the instructions name by `execute_fn`; empty where nothing
    executes them, and then they name none. `units_of` is that of `FormsDescription`.
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

"""What the instruction reference is opened at: the instruction that a place is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ipu_asm.ide.place import Mnemonic, OperandAt, place_at
from ipu_asm.isa.model import InstructionSpec

if TYPE_CHECKING:
    from ipu_asm.analysis.analyzer import Analysis


def instruction_at(analysis: Analysis, offset: int) -> InstructionSpec | None:
    """The instruction whose name or operand stands at an offset.

    None for anything else, and for a name that nobody knows.
    """
    place = place_at(analysis.program, offset)
    if not isinstance(place, Mnemonic | OperandAt):
        return None
    return analysis.program.bundles[place.bundle].instructions[place.instruction].spec

"""The instruction at a position, at which the editor opens the instruction reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ipu_asm.ide.place import Mnemonic, OperandAt, place_at
from ipu_asm.isa.model import InstructionSpec

if TYPE_CHECKING:
    from ipu_asm.analysis.analyzer import Analysis


def instruction_at(analysis: Analysis, offset: int) -> InstructionSpec | None:
    """Return the instruction whose mnemonic or operand is at an offset.

    Returns None for any other syntax element and for an unknown mnemonic.
    """
    place = place_at(analysis.program, offset)
    if not isinstance(place, Mnemonic | OperandAt):
        return None
    return analysis.program.bundles[place.bundle].instructions[place.instruction].spec

"""Description of IPU 2: surface, slots, and the instructions of `instruction_spec`."""

from __future__ import annotations

from ipu_asm.isa.build import IsaDescription, SlotDescription, build_isa
from ipu_asm.isa.model import Isa
from ipu_asm.targets.ipu2.instruction_spec import INSTRUCTION_SPEC
from ipu_asm.targets.ipu2.manifest import MANIFEST
from ipu_asm.targets.ipu2.pseudo_instructions import PSEUDO_INSTRUCTIONS
from ipu_asm.targets.ipu2.registers import (
    CONSTANTS,
    MEM_LINES,
    OPERAND_TYPES,
    REGISTER_FILES,
    RESETS,
    SCRATCH,
    SPACES,
    UNITS_OF,
)
from ipu_asm.targets.ipu2.surface import SURFACE
from ipu_asm.targets.ipu_family import PROGRAM_LIMIT
from ipu_asm.targets.ipu_family.reload import reloaded_on_change

# From the highest bits of the word to the lowest; operand types share fields.
SLOTS = (
    SlotDescription("cond", "Control flow", "NOP", shares_fields=True),
    SlotDescription(
        "lr",
        "Loop registers",
        "NOP",
        capacity=3,
        exclusive_writes=True,
        shares_fields=True,
        least_width=20,
        widened="LrModPow2KImmediate",
    ),
    SlotDescription("load", "Load", "NOP", shares_fields=True),
    SlotDescription("mult", "Multiply", "NOP", shares_fields=True),
    SlotDescription("acc", "Accumulate", "NOP", shares_fields=True),
    SlotDescription("aaq", "Activation and quantisation", "NOP", shares_fields=True),
    SlotDescription("store", "Store", "NOP", shares_fields=True),
    SlotDescription(
        "acc_store", "Accumulator store", "NOP", shares_fields=True, simulation_only=True
    ),
    SlotDescription("break", "Break", "NOP", shares_fields=True),
)


@reloaded_on_change(INSTRUCTION_SPEC)
def load() -> Isa:
    """Return the instruction set, rebuilt if entries of `INSTRUCTION_SPEC` have changed."""
    return build_isa(
        IsaDescription(
            name="ipu2",
            family="ipu_family",
            title=MANIFEST.title,
            surface=SURFACE,
            slots=SLOTS,
            instructions=INSTRUCTION_SPEC,
            pseudo_instructions=PSEUDO_INSTRUCTIONS,
            operand_types=OPERAND_TYPES,
            register_files=REGISTER_FILES,
            program_limit=PROGRAM_LIMIT,
            executor="Ipu2",
            units_of=UNITS_OF,
            spaces=SPACES,
            scratch=SCRATCH,
            constants=CONSTANTS,
            resets=RESETS,
            mem_lines=MEM_LINES,
        )
    )

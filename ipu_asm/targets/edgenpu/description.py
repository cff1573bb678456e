"""The description of EdgeNPU."""

from __future__ import annotations

from functools import lru_cache

from ipu_asm.isa.build import IsaDescription, SlotDescription, build_isa
from ipu_asm.isa.model import Field, Isa
from ipu_asm.targets.edgenpu.instruction_spec import INSTRUCTION_SPEC
from ipu_asm.targets.edgenpu.manifest import MANIFEST
from ipu_asm.targets.edgenpu.operands import OPERAND_TYPES, REGISTER_FILES, UNITS_OF
from ipu_asm.targets.edgenpu.surface import SURFACE

LAYOUT = (
    Field("opcode", 60, 4),
    Field("flags", 56, 4),
    Field("dst", 48, 8),
    Field("src0", 40, 8),
    Field("src1", 32, 8),
    Field("immediate", 0, 32),
)

# The instruction buffer has 16 KiB.
PROGRAM_LIMIT = 2048


@lru_cache(maxsize=1)
def load() -> Isa:
    """Return the instruction set, built from `INSTRUCTION_SPEC`."""
    return build_isa(
        IsaDescription(
            name="edgenpu",
            title=MANIFEST.title,
            surface=SURFACE,
            slots=(SlotDescription("main", "Instruction", "", width=64, layout=LAYOUT),),
            instructions=INSTRUCTION_SPEC,
            operand_types=OPERAND_TYPES,
            register_files=REGISTER_FILES,
            program_limit=PROGRAM_LIMIT,
            units_of=UNITS_OF,
        )
    )

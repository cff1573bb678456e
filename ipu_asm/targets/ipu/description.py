"""Description of the IPU: surface, slots, and the instructions of `instruction_spec`."""

from __future__ import annotations

from ipu_asm.isa.build import IsaDescription, SlotDescription, build_isa
from ipu_asm.isa.model import Isa
from ipu_asm.targets.ipu.instruction_spec import INSTRUCTION_SPEC
from ipu_asm.targets.ipu.manifest import MANIFEST
from ipu_asm.targets.ipu.registers import OPERAND_TYPES, REGISTER_FILES, SCRATCH, SPACES
from ipu_asm.targets.ipu.surface import SURFACE
from ipu_asm.targets.ipu_family import PROGRAM_LIMIT as PROGRAM_LIMIT
from ipu_asm.targets.ipu_family.reload import reloaded_on_change

# From the highest bits of the word to the lowest. Append new field types to a slot's list.
SLOTS = (
    SlotDescription("break", "Break", "break_nop", ("LrIdx", "BreakImmediate")),
    SlotDescription("xmem", "Memory", "xmem_nop", ("MultStageReg", "LrIdx", "CrIdx")),
    SlotDescription(
        "mult", "Multiply", "mult_nop", ("MultStageReg", "LrIdx", "CrIdx", "AaqRegIdx")
    ),
    SlotDescription(
        "acc",
        "Accumulate",
        "acc_nop",
        ("AaqRegIdx", "ElementsInRow", "HorizontalStride", "VerticalStride", "LrIdx"),
    ),
    SlotDescription(
        "aaq",
        "Activation and quantisation",
        "aaq_nop",
        ("AggMode", "PostFn", "CrIdx", "AaqRegIdx"),
    ),
    SlotDescription(
        "lr",
        "Loop registers",
        "incr lr0 0",
        ("LrIdx", "LcrIdx", "Immediate"),
        capacity=2,
        exclusive_writes=True,
    ),
    SlotDescription("cond", "Control flow", "b +1", ("LrIdx", "Label")),
)


@reloaded_on_change(INSTRUCTION_SPEC)
def load() -> Isa:
    """Return the instruction set, rebuilt if entries of `INSTRUCTION_SPEC` have changed."""
    return build_isa(
        IsaDescription(
            name="ipu",
            family="ipu_family",
            title=MANIFEST.title,
            surface=SURFACE,
            slots=SLOTS,
            instructions=INSTRUCTION_SPEC,
            operand_types=OPERAND_TYPES,
            register_files=REGISTER_FILES,
            program_limit=PROGRAM_LIMIT,
            executor="Ipu",
            spaces=SPACES,
            scratch=SCRATCH,
        )
    )

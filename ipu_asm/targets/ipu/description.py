"""Description of the IPU: surface, slots, and the instructions of `instruction_spec`."""

from __future__ import annotations

from ipu_asm.isa.build import IsaDescription, SlotDescription, build_isa
from ipu_asm.isa.model import Isa
from ipu_asm.isa.surface import ForeignMnemonic, ForeignSyntax, by_name
from ipu_asm.targets.ipu.instruction_spec import INSTRUCTION_SPEC
from ipu_asm.targets.ipu.manifest import MANIFEST
from ipu_asm.targets.ipu.registers import OPERAND_TYPES, REGISTER_FILES, SCRATCH, SPACES
from ipu_asm.targets.ipu_family import PROGRAM_LIMIT as PROGRAM_LIMIT
from ipu_asm.targets.ipu_family import surface as ipu_family
from ipu_asm.targets.ipu_family.surface import common_mnemonics, reloaded_on_change

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


MNEMONICS = common_mnemonics() | by_name(
    {
        "mov mv movi li ldi": ForeignMnemonic(
            "`set` writes a number into a loop register, `add` with a zero copies one", ("set",)
        ),
        "nop noop": ForeignMnemonic(
            "a slot that a bundle does not name is idle; a bundle that does nothing is `acc_nop`",
            ("acc_nop",),
            is_idle=True,
        ),
        "bgt": ForeignMnemonic("`blt` with the two registers swapped branches on greater"),
        "bge": ForeignMnemonic(
            "no branch is taken on greater or equal; `blt` can branch past a `b` instead"
        ),
        "ble": ForeignMnemonic(
            "no branch is taken on less or equal; `blt` with the two registers swapped can branch "
            "past a `b` instead"
        ),
        "beqz": ForeignMnemonic("`beq` compares with a second register, such as one that holds 0"),
        "bnez": ForeignMnemonic("`bne` compares with a second register, such as one that holds 0"),
        # The second IPU, and kernels between the two.
        "acc.add": ForeignMnemonic("", ("acc",), is_renamed=True),
        "acc.add.first": ForeignMnemonic("", ("acc.first",), is_renamed=True),
        "str_post_aaq_reg": ForeignMnemonic("", ("xmem.store_aaq_result",), is_renamed=True),
        "activate.quantize": ForeignMnemonic("`aaq` turns the accumulator into bytes"),
        "mult.rc.vv": ForeignMnemonic("`mult.ee` multiplies r0 or r1 by elements of r_cyclic"),
        "mult.rc.ve": ForeignMnemonic("`mult.ve.cr` multiplies elements of r_cyclic by a cr"),
        "mult.ve.cyclic": ForeignMnemonic(
            "`mult.ve.cr` takes a cr", ("mult.ve", "mult.ve.cr"), is_renamed=True
        ),
        "inc": ForeignMnemonic("`incr` takes the number to add", ("incr",)),
        "dec decr subi": ForeignMnemonic("`incr` with a negative number counts down"),
        "addi": ForeignMnemonic("`incr` adds a number to a loop register"),
        "ld ldr lw load": ForeignMnemonic(
            "`ldr_mult_reg`, `ldr_cyclic_mult_reg` and `ldr_mult_mask_reg` read memory"
        ),
        "st str sw store": ForeignMnemonic(
            "`str_acc_reg` and `xmem.store_aaq_result` write memory"
        ),
    }
)
FOREIGN = ForeignSyntax(MNEMONICS, sigils="%$")

HINTS = {
    **ipu_family.SURFACE.hints,
    "register =": "registers are written by instructions, without `=`: `set lr0 5` puts a number "
    "into a loop register",
}

SURFACE = ipu_family.SURFACE._replace(foreign=FOREIGN, hints=HINTS)

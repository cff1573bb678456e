"""Description of the IPU: registers, operand types, slots, and the surface of its assembly."""

from __future__ import annotations

from ipu_asm.isa.build import IsaDescription, SlotDescription, build_isa
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import IntegerType, KeywordType, OperandType, RegisterType
from ipu_asm.isa.storage import AddressSpace, RegisterFile
from ipu_asm.isa.surface import ForeignMnemonic, ForeignSyntax, by_name
from ipu_asm.targets.ipu.instruction_spec import INSTRUCTION_SPEC
from ipu_asm.targets.ipu.manifest import MANIFEST
from ipu_asm.targets.ipu_family import PROGRAM_LIMIT as PROGRAM_LIMIT
from ipu_asm.targets.ipu_family import descriptions as ipu_family
from ipu_asm.targets.ipu_family.descriptions import (
    CONFIG_REGISTERS,
    IMMEDIATE_BOUNDS,
    LABEL,
    VERTICAL_STRIDE,
    common_mnemonics,
    reloaded_on_change,
)
from ipu_asm.targets.ipu_family.descriptions import LOOP as LOOP

MULT_STAGE = RegisterFile(
    "mult_stage",
    "mult-stage register",
    ("r0", "r1", "mem_bypass"),
    "128 elements of one byte, the first factor of the multiplier; loaded by `ldr_mult_reg`",
    elements=128,
)

CONFIG = RegisterFile(
    "cr",
    "config register",
    CONFIG_REGISTERS,
    "32 bits, set by the host before a run; `cr15` selects the element type "
    "(0 INT8, 1 FP8_E4M3, 2 FP8_E5M2)",
)

AAQ = RegisterFile(
    "aaq",
    "aaq register",
    ("aaq0", "aaq1", "aaq2", "aaq3"),
    "32 bits: a scalar that `agg` made out of the accumulator",
)

REGISTER_FILES = (MULT_STAGE, LOOP, CONFIG, AAQ)

SPACES = {
    "xmem": AddressSpace(MANIFEST.memory_size),
    "r_cyclic": AddressSpace(512, wraps=True, step=128, is_register=True),
}

# The host sets none of these, so that they hold nothing before a kernel has loaded them.
SCRATCH = frozenset((*MULT_STAGE.registers, "r_cyclic"))

_TYPES: tuple[OperandType, ...] = (
    RegisterType("MultStageReg", 2, [MULT_STAGE], REGISTER_FILES),
    RegisterType("LrIdx", 4, [LOOP], REGISTER_FILES),
    RegisterType("CrIdx", 4, [CONFIG], REGISTER_FILES),
    RegisterType("LcrIdx", 5, [LOOP, CONFIG], REGISTER_FILES),
    RegisterType("AaqRegIdx", 2, [AAQ], REGISTER_FILES),
    KeywordType(
        "ElementsInRow",
        2,
        "number of elements in a row",
        {
            "8": "16 rows of 8 elements",
            "16": "8 rows of 16 elements",
            "32": "4 rows of 32 elements",
            "64": "2 rows of 64 elements",
        },
    ),
    KeywordType(
        "HorizontalStride",
        3,
        "horizontal stride",
        {
            "off": "every column",
            "on": "columns 0, 2, 4, ...",
            "on_inv": "columns 1, 3, 5, ...",
            "on_expand": "columns 0, 2, 4, ..., then zeros up to the row's old length",
            "on_inv_expand": "columns 1, 3, 5, ..., then zeros up to the row's old length",
        },
        reserved="reserved",
    ),
    VERTICAL_STRIDE,
    KeywordType(
        "AggMode",
        1,
        "aggregation mode",
        {
            "sum": "the sum of the accumulator's 128 words",
            "max": "the greatest of the accumulator's 128 words and the aaq register's old value",
        },
    ),
    KeywordType(
        "PostFn",
        2,
        "post function",
        {
            "value": "the aggregate as it is",
            "value_cr": "the aggregate times the cr register",
            "inv": "1 / aggregate as a float32; 0 for 0",
            "inv_sqrt": "1 / sqrt(aggregate) as a float32; 0 unless it is above 0",
        },
    ),
    IntegerType("Immediate", 16, *IMMEDIATE_BOUNDS, every_file=REGISTER_FILES),
    IntegerType("BreakImmediate", 16, *IMMEDIATE_BOUNDS, signed=False, every_file=REGISTER_FILES),
    LABEL,
)

OPERAND_TYPES = {operand_type.name: operand_type for operand_type in _TYPES}

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
        "aaq", "Activation and quantisation", "aaq_nop", ("AggMode", "PostFn", "CrIdx", "AaqRegIdx")
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

"""Register files and operand types of the IPU."""

from __future__ import annotations

from ipu_asm.isa.operand_types import IntegerType, KeywordType, RegisterType
from ipu_asm.isa.operands import OperandType
from ipu_asm.isa.storage import AddressSpace, RegisterFile
from ipu_asm.targets.ipu.manifest import MANIFEST
from ipu_asm.targets.ipu_family.registers import (
    CONFIG_REGISTERS,
    IMMEDIATE_BOUNDS,
    LABEL,
    VERTICAL_STRIDE,
)
from ipu_asm.targets.ipu_family.registers import LOOP as LOOP

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

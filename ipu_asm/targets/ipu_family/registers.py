"""Registers and operand types that all IPUs share."""

from __future__ import annotations

from ipu_asm.isa.operand_types import KeywordType, LabelType
from ipu_asm.isa.storage import RegisterFile

LOOP = RegisterFile(
    "lr",
    "loop register",
    tuple(f"lr{number}" for number in range(16)),
    "32 bits: counters, addresses and indices; written by the lr slot only",
)
CONFIG_REGISTERS = tuple(f"cr{number}" for number in range(16))

IMMEDIATE_BOUNDS = (-(1 << 15), (1 << 16) - 1)
LABEL = LabelType("Label", 10)
VERTICAL_STRIDE = KeywordType(
    "VerticalStride",
    2,
    "vertical stride",
    {"off": "every row", "on": "rows 0, 2, 4, ...", "on_inv": "rows 1, 3, 5, ..."},
    reserved="reserved",
)

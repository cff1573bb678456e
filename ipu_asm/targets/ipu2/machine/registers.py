"""The registers of the machine: their layout, their content at reset, and views as arrays."""

from __future__ import annotations

from typing import Final

from ipu_asm.emulator.registers import RegisterLayout, Vector
from ipu_asm.targets.ipu2.registers import CONFIG, CONSTANTS, PAIR, RESETS
from ipu_asm.targets.ipu_family.machine.registers import IpuRegisterFile
from ipu_asm.targets.ipu_family.registers import LOOP

R_REG_SIZE: Final = 128
WORDS_SIZE: Final = 512
MASK_SIZE: Final = 16

VECTORS: Final = {
    "r": Vector(0, R_REG_SIZE, 2),
    "mem_bypass": Vector(256, R_REG_SIZE),
    "r_cyclic": Vector(384, 4 * R_REG_SIZE),
    "r_mask": Vector(896, R_REG_SIZE),
    "r_acc": Vector(1024, WORDS_SIZE),
    "mult_res": Vector(1536, WORDS_SIZE),
    "post_aaq_reg": Vector(2048, WORDS_SIZE),
    "r_wide": Vector(2560, WORDS_SIZE, 2, ("r0_wide", "r1_wide")),
    "r_cyclic_wide": Vector(3584, 4 * WORDS_SIZE),
}

LAYOUT: Final = RegisterLayout(
    {"lr": LOOP.registers, "cr": CONFIG.registers},
    VECTORS,
    groups={
        pair: LOOP.registers[2 * number : 2 * number + 2]
        for number, pair in enumerate(PAIR.registers)
    },
    constants=CONSTANTS,
    initial={**RESETS, "r_mask": b"\xff" * R_REG_SIZE},
)
CR: Final = LAYOUT.files["cr"].start
"""Index of `cr0` among the scalars. That of `lr0` is 0."""


class Ipu2RegisterFile(IpuRegisterFile):
    """The registers, in the state after reset: `cr15` is 128, all bits of `r_mask` are 1.

    `cr0` and `cr1` are constant.
    """

    __slots__ = ()

    layout = LAYOUT

"""The registers of the machine: their layout, their content at reset, and views as arrays."""

from __future__ import annotations

from typing import Final

from ipu_asm.emulator.registers import RegisterFile, RegisterLayout, Vector
from ipu_asm.isa.ipu2.registers import CONFIG, CONSTANTS, PAIR, RESETS
from ipu_asm.isa.ipu_family.registers import LOOP

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


class Ipu2RegisterFile(RegisterFile):
    """The registers, in the state after reset: `cr15` is 128, all bits of `r_mask` are 1.

    The arrays are views: r_acc and mult_res as 128 words, in unsigned, int32 and float32 form.
    """

    __slots__ = (
        "acc_floats",
        "acc_ints",
        "acc_words",
        "product_floats",
        "product_ints",
        "product_words",
    )

    layout = LAYOUT

    def __init__(self) -> None:
        super().__init__()
        self.acc_words = self.view("r_acc", "<u4")
        self.acc_ints = self.acc_words.view("<i4")
        self.acc_floats = self.acc_words.view("<f4")
        self.product_words = self.view("mult_res", "<u4")
        self.product_ints = self.product_words.view("<i4")
        self.product_floats = self.product_words.view("<f4")

    def get_lr(self, index: int) -> int:
        """Return a loop register. Raises IndexError."""
        return self.get_scalar("lr", index)

    def set_lr(self, index: int, value: int) -> None:
        """Set a loop register to the low 32 bits of a value. Raises IndexError."""
        self.set_scalar("lr", index, value)

    def get_cr(self, index: int) -> int:
        """Return a config register. Raises IndexError."""
        return self.get_scalar("cr", index)

    def set_cr(self, index: int, value: int) -> None:
        """Set a config register to the low 32 bits of a value; `cr0` and `cr1` are constant.

        Raises IndexError.
        """
        self.set_scalar("cr", index, value)

    def get_r_acc_bytes(self) -> bytearray:
        """Return a copy of the accumulator's 512 bytes."""
        return self.get_register_bytes("r_acc")

    def set_r_acc_bytes(self, data: bytes | bytearray | memoryview) -> None:
        """Overwrite the accumulator. Raises ValueError unless `data` has 512 bytes."""
        self.set_register_bytes("r_acc", 0, data)

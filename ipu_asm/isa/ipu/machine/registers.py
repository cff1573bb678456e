"""The registers of the IPU."""

from __future__ import annotations

from typing import Final

from ipu_asm.emulator.registers import RegisterFile, RegisterLayout, Vector
from ipu_asm.isa.ipu.registers import AAQ, CONFIG, LOOP

LANES: Final = 128
R_REG_SIZE: Final = 128
R_ACC_SIZE: Final = 4 * LANES
CYCLIC_SIZE: Final = 512

VECTORS: Final = {
    "r": Vector(0, R_REG_SIZE, 2),
    "mem_bypass": Vector(256, R_REG_SIZE),
    "r_cyclic": Vector(384, CYCLIC_SIZE),
    "r_mask": Vector(896, R_REG_SIZE),
    "r_acc": Vector(1024, R_ACC_SIZE),
    "mult_res": Vector(1536, R_ACC_SIZE),
    "aaq_result": Vector(2048, R_REG_SIZE),
}
LAYOUT: Final = RegisterLayout(
    {file.name: file.registers for file in (LOOP, CONFIG, AAQ)},
    VECTORS,
)
SCALAR_NAMES: Final = LAYOUT.scalar_names
PLACES: Final = LAYOUT.places
BLOCK_SIZE: Final = LAYOUT.block_size
LR: Final = LAYOUT.files[LOOP.name].start
CR: Final = LAYOUT.files[CONFIG.name].start
AAQ_START: Final = LAYOUT.files[AAQ.name].start
DTYPE: Final = CR + 15
"""Index of `cr15`, the element type, among the scalars."""

MULT_STAGE_MAP: Final = {0: ("r", 0), 1: ("r", 1), 2: ("mem_bypass", 0)}
"""Name and element of the register for each mult-stage register number."""


class RegFile(RegisterFile):
    """The registers, initially all zero. Words are unsigned 32-bit patterns.

    `block` holds the vectors as bytes, `scalars` lr0-15, cr0-15, aaq0-3, in this order. The arrays
    are views of `block`: r_acc and mult_res as 128 words, in unsigned, int32 and float32 form.
    """

    __slots__ = (
        "acc_floats",
        "acc_ints",
        "acc_words",
        "product_floats",
        "product_ints",
        "product_words",
    )  # fmt: skip

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
        return self.get_scalar(LOOP.name, index)

    def set_lr(self, index: int, value: int) -> None:
        """Set a loop register to the low 32 bits of a value. Raises IndexError."""
        self.set_scalar(LOOP.name, index, value)

    def get_cr(self, index: int) -> int:
        """Return a config register. Raises IndexError."""
        return self.get_scalar(CONFIG.name, index)

    def set_cr(self, index: int, value: int) -> None:
        """Set a config register to the low 32 bits of a value. Raises IndexError."""
        self.set_scalar(CONFIG.name, index, value)

    def get_aaq(self, index: int) -> int:
        """Return an aaq register. Raises IndexError."""
        return self.get_scalar(AAQ.name, index)

    def set_aaq(self, index: int, value: int) -> None:
        """Set an aaq register to the low 32 bits of a value. Raises IndexError."""
        self.set_scalar(AAQ.name, index, value)

    def get_r_acc_bytes(self) -> bytearray:
        """Return a copy of the accumulator's 512 bytes."""
        return self.get_register_bytes("r_acc")

    def set_r_acc_bytes(self, data: bytes | bytearray | memoryview) -> None:
        """Overwrite the accumulator. Raises ValueError unless `data` has 512 bytes."""
        self.set_register_bytes("r_acc", 0, data)

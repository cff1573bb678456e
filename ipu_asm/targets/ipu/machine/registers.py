"""The registers of the IPU."""

from __future__ import annotations

from typing import Final

from ipu_asm.emulator.registers import RegisterLayout, Vector
from ipu_asm.targets.ipu.registers import AAQ, CONFIG, LOOP
from ipu_asm.targets.ipu_family.machine.registers import IpuRegisterFile

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


class RegFile(IpuRegisterFile):
    """The registers, initially all zero. Words are unsigned 32-bit patterns.

    `block` holds the vectors as bytes, `scalars` lr0-15, cr0-15, aaq0-3, in this order.
    """

    __slots__ = ()

    layout = LAYOUT

    def get_aaq(self, index: int) -> int:
        """Return an aaq register. Raises IndexError."""
        return self.get_scalar(AAQ.name, index)

    def set_aaq(self, index: int, value: int) -> None:
        """Set an aaq register to the low 32 bits of a value. Raises IndexError."""
        self.set_scalar(AAQ.name, index, value)

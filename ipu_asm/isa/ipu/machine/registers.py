"""The register file: all vectors in one block of bytes, all scalars in one list.

Two copies therefore save the state before a bundle, and array views of vectors remain valid.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ipu_asm.isa.ipu.registers import AAQ, CONFIG, LOOP, MULT_STAGE

LANES: Final = 128
R_REG_SIZE: Final = 128
R_ACC_SIZE: Final = 4 * LANES
CYCLIC_SIZE: Final = 512
WORD_MASK: Final = 0xFFFF_FFFF


class Vector(NamedTuple):
    """A vector register, or `elements` of them, each of `size` bytes, from `start` in the block."""

    start: int
    size: int
    elements: int = 1

    def place(self, element: int) -> slice:
        """Return the bytes of one register in the block. Raises IndexError."""
        if not 0 <= element < self.elements:
            raise IndexError(f"element must be below {self.elements}, found {element}")
        start = self.start + element * self.size
        return slice(start, start + self.size)


VECTORS: Final = {
    "r": Vector(0, R_REG_SIZE, 2),
    "mem_bypass": Vector(256, R_REG_SIZE),
    "r_cyclic": Vector(384, CYCLIC_SIZE),
    "r_mask": Vector(896, R_REG_SIZE),
    "r_acc": Vector(1024, R_ACC_SIZE),
    "mult_res": Vector(1536, R_ACC_SIZE),
    "aaq_result": Vector(2048, R_REG_SIZE),
}
BLOCK_SIZE: Final = 2176

SCALAR_NAMES: Final = LOOP.registers + CONFIG.registers + AAQ.registers
LR: Final = 0
CR: Final = LR + len(LOOP.registers)
AAQ_START: Final = CR + len(CONFIG.registers)
DTYPE: Final = CR + 15
"""Index of `cr15`, the element type, among the scalars."""

MULT_STAGE_MAP: Final = {0: ("r", 0), 1: ("r", 1), 2: ("mem_bypass", 0)}
"""Name and element of the register for each mult-stage register number."""

PLACES: Final[dict[str, int | slice]] = {
    **{name: index for index, name in enumerate(SCALAR_NAMES)},
    **{
        name: VECTORS[vector].place(element)
        for name, (vector, element) in zip(MULT_STAGE.registers, MULT_STAGE_MAP.values())
    },
}
"""Position of each register that an operand can name: an index of `scalars`, a slice of `block`."""


class RegFile:
    """The registers, initially all zero. Words are unsigned 32-bit patterns.

    `block` holds the vectors as bytes, `scalars` lr0-15, cr0-15, aaq0-3, in this order. The arrays
    are views of `block`: r_acc and mult_res as 128 words, in unsigned, int32 and float32 form.
    """

    __slots__ = (
        "acc_floats",
        "acc_ints",
        "acc_words",
        "block",
        "pc",
        "product_floats",
        "product_ints",
        "product_words",
        "scalars",
    )  # fmt: skip

    def __init__(self) -> None:
        self.block = bytearray(BLOCK_SIZE)
        self.scalars = [0] * len(SCALAR_NAMES)
        self.pc = 0
        self.acc_words = self._words("r_acc", "<u4")
        self.acc_ints = self.acc_words.view("<i4")
        self.acc_floats = self.acc_words.view("<f4")
        self.product_words = self._words("mult_res", "<u4")
        self.product_ints = self.product_words.view("<i4")
        self.product_floats = self.product_words.view("<f4")

    def _words(self, name: str, kind: str) -> NDArray[np.uint32]:
        return np.frombuffer(self.block, kind, LANES, VECTORS[name].start)

    def copy_from(self, other: RegFile) -> None:
        """Copy every register of another register file."""
        self.block[:] = other.block
        self.scalars[:] = other.scalars
        self.pc = other.pc

    def get_lr(self, index: int) -> int:
        """Return a loop register. Raises IndexError."""
        return self.scalars[_scalar(LR, len(LOOP.registers), index)]

    def set_lr(self, index: int, value: int) -> None:
        """Set a loop register to the low 32 bits of a value. Raises IndexError."""
        self.scalars[_scalar(LR, len(LOOP.registers), index)] = value & WORD_MASK

    def get_cr(self, index: int) -> int:
        """Return a config register. Raises IndexError."""
        return self.scalars[_scalar(CR, len(CONFIG.registers), index)]

    def set_cr(self, index: int, value: int) -> None:
        """Set a config register to the low 32 bits of a value. Raises IndexError."""
        self.scalars[_scalar(CR, len(CONFIG.registers), index)] = value & WORD_MASK

    def get_aaq(self, index: int) -> int:
        """Return an aaq register. Raises IndexError."""
        return self.scalars[_scalar(AAQ_START, len(AAQ.registers), index)]

    def set_aaq(self, index: int, value: int) -> None:
        """Set an aaq register to the low 32 bits of a value. Raises IndexError."""
        self.scalars[_scalar(AAQ_START, len(AAQ.registers), index)] = value & WORD_MASK

    def get_register_bytes(self, name: str, element: int = 0) -> bytearray:
        """Return a copy of a vector register: `r` (elements 0 and 1), `r_acc`, ... see `VECTORS`.

        Raises KeyError and IndexError.
        """
        return self.block[_vector(name).place(element)]

    def set_register_bytes(
        self, name: str, element: int, data: bytes | bytearray | memoryview
    ) -> None:
        """Overwrite a vector register. Raises ValueError unless `data` has exactly its size.

        Raises KeyError and IndexError for a register that does not exist.
        """
        vector = _vector(name)
        if len(data) != vector.size:
            raise ValueError(f"`{name}` takes {vector.size} bytes, found {len(data)}")
        self.block[vector.place(element)] = data

    def get_r_acc_bytes(self) -> bytearray:
        """Return a copy of the accumulator's 512 bytes."""
        return self.get_register_bytes("r_acc")

    def set_r_acc_bytes(self, data: bytes | bytearray | memoryview) -> None:
        """Overwrite the accumulator. Raises ValueError unless `data` has 512 bytes."""
        self.set_register_bytes("r_acc", 0, data)

    def set_pc(self, address: int) -> None:
        """Set the program counter. Raises ValueError for a negative address."""
        if address < 0:
            raise ValueError(f"the program counter is never negative, found {address}")
        self.pc = address


def _scalar(first: int, count: int, index: int) -> int:
    if not 0 <= index < count:
        raise IndexError(f"register number must be below {count}, found {index}")
    return first + index


def _vector(name: str) -> Vector:
    if name not in VECTORS:
        raise KeyError(f"no vector register `{name}`; there are {', '.join(VECTORS)}")
    return VECTORS[name]

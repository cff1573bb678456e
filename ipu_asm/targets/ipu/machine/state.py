"""The state of the IPU's machine."""

from __future__ import annotations

from typing import Final

from ipu_asm.emulator.arguments import whole_number
from ipu_asm.emulator.registers import WORD_MASK, RegisterLayout, Vector
from ipu_asm.emulator.state import MachineState
from ipu_asm.emulator.vliw import VliwMachine
from ipu_asm.emulator.words import NAN_PAYLOADS_PROPAGATE
from ipu_asm.targets.ipu.description import AAQ, CONFIG, LOOP, PROGRAM_LIMIT
from ipu_asm.targets.ipu.manifest import MANIFEST
from ipu_asm.targets.ipu_family.machine import IpuRegisterFile

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
LAYOUT: Final = RegisterLayout({file.name: file.registers for file in (LOOP, CONFIG, AAQ)}, VECTORS)
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


class IpuState(MachineState[RegFile]):
    """The state of one machine, initially all zero and without a program.

    `lines` are the source lines of the loaded program, if known; faults refer to them.
    """

    isa_name = "ipu"
    registers = RegFile
    memory_size = MANIFEST.memory_size
    program_limit = PROGRAM_LIMIT

    def __init__(self) -> None:
        super().__init__()

    def get_cr_dtype(self) -> int:
        """Return the value of `cr15`, the element type: see `DType`."""
        return self._regfile.scalars[DTYPE]

    def set_cr_dtype(self, dtype: int) -> None:
        """Set the element type, in `cr15`."""
        self._regfile.scalars[DTYPE] = whole_number(dtype, "an element type") & WORD_MASK


_MAX_SHIFT = 31


class Unit(VliwMachine[IpuState]):
    """Access to the current state, `state`, and to the registers before the bundle, `snapshot`.

    `aaq_shift` is the distance in bits, 0 to 31, by which the instruction `aaq` shifts words right.
    """

    state_class = IpuState
    snapshot: RegFile
    _registers: RegFile

    def __init__(self, state: IpuState, aaq_shift: int = 0) -> None:
        aaq_shift = whole_number(aaq_shift, "`aaq_shift`")
        if not 0 <= aaq_shift <= _MAX_SHIFT:
            raise ValueError(f"aaq_shift must be 0 to {_MAX_SHIFT}, found {aaq_shift}")
        super().__init__(state)
        self.aaq_shift = aaq_shift

    @property
    def arguments(self) -> tuple[int]:
        """`aaq_shift`."""
        return (self.aaq_shift,)

    def _has_float_words(self) -> bool:
        """Whether words are float32; otherwise they are int32."""
        return self._scalars[DTYPE] != 0

    def _nans_may_be_wrong(self) -> bool:
        """Whether the last additions may have left NaNs whose bits must be corrected."""
        return self._float_errors.invalid or not NAN_PAYLOADS_PROPAGATE

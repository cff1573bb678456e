"""The state of the machine, and the mode that the host selects."""

from __future__ import annotations

from typing import Final

from ipu_asm.emulator.arguments import real_number, truth_value
from ipu_asm.emulator.state import MachineState
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.targets.ipu2.machine.elements import ElementType
from ipu_asm.targets.ipu2.machine.registers import R_REG_SIZE, WORDS_SIZE, Ipu2RegisterFile
from ipu_asm.targets.ipu2.manifest import MANIFEST
from ipu_asm.targets.ipu_family import PROGRAM_LIMIT

XMEM_SIZE: Final = MANIFEST.memory_size
ROWS: Final = XMEM_SIZE // WORDS_SIZE
"""The rows of memory, in both modes; narrow rows are 128 bytes, wide ones 512."""

OFF: Final = "off"
"""The name of the narrow mode for users, None in code."""
FP32: Final = "fp32"
INT32: Final = "int32"
WIDE_MODES: Final = (None, FP32, INT32)


class Settings(NamedTuple):
    """The mode of a machine.

    `dtype` is the type of narrow elements. `wide` is the type of wide ones, `fp32` or `int32`, or
    None in narrow mode; `quantize` says whether a wide activation is quantized to bytes.
    `elu_alpha` is the factor of the activation function `elu`.
    """

    dtype: ElementType = ElementType.INT8
    wide: str | None = None
    quantize: bool = False
    elu_alpha: float = 1.0

    @property
    def has_float_words(self) -> bool:
        """Whether the words of mult_res and r_acc are float32; otherwise they are int32."""
        if self.wide is None:
            return self.dtype is not ElementType.INT8
        return self.wide == FP32

    @property
    def row_size(self) -> int:
        """The bytes of a row of memory."""
        return R_REG_SIZE if self.wide is None else WORDS_SIZE


class Ipu2State(MachineState[Ipu2RegisterFile]):
    """The state of one machine after reset and without a program, in a mode that never changes.

    Raises ValueError for an unknown element type or wide mode, TypeError for what is no number.
    """

    isa_name = "ipu2"
    registers = Ipu2RegisterFile
    memory_size = XMEM_SIZE
    program_limit = PROGRAM_LIMIT

    settings: Settings

    def __init__(
        self,
        dtype: str = "INT8",
        wide: str | None = None,
        quantize: bool = False,
        elu_alpha: float = 1.0,
    ) -> None:
        wide = None if wide == OFF else wide
        if wide not in WIDE_MODES:
            raise ValueError(f"wide must be None, 'fp32' or 'int32', found {wide!r}")
        quantize = truth_value(quantize, "`quantize`")
        elu_alpha = float(real_number(elu_alpha, "`elu_alpha`"))
        super().__init__(Settings(_element_type(dtype), wide, quantize, elu_alpha))


def _element_type(name: str) -> ElementType:
    if not isinstance(name, str) or name not in ElementType.__members__:
        known = ", ".join(ElementType.__members__)
        raise ValueError(f"dtype must be one of {known}, found {name!r}")
    return ElementType[name]

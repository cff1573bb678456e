"""The state of the machine, the mode that the host selects, and the element types."""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ipu_asm.emulator.arguments import real_number, truth_value
from ipu_asm.emulator.registers import RegisterLayout, Vector
from ipu_asm.emulator.state import MachineState
from ipu_asm.emulator.stops import InstructionError
from ipu_asm.emulator.words import CANONICAL_NAN, LANES, Floats, Words
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.targets.ipu2.description import CONFIG, CONSTANTS, PAIR, RESETS
from ipu_asm.targets.ipu2.manifest import MANIFEST
from ipu_asm.targets.ipu_family import PROGRAM_LIMIT
from ipu_asm.targets.ipu_family.descriptions import LOOP
from ipu_asm.targets.ipu_family.machine import IpuRegisterFile, IpuUnit

Elements = NDArray[np.uint8]

_SIGN: Final = 0x80


class ElementType(IntEnum):
    """The element types. The value of a float type is the number of its exponent bits."""

    INT8 = 0
    E1 = 1
    E2 = 2
    E3 = 3
    E4 = 4
    E5 = 5
    E6 = 6
    E7 = 7


class Products(NamedTuple):
    """All products of an element type, as words: int32 in INT8, else float32.

    `pairs[a << 8 | b]` and `rows[a][b]` are a x b, `squares[a]` is a x a.
    """

    pairs: Words
    rows: list[Words]
    squares: Words


@lru_cache(maxsize=len(ElementType))
def element_values(kind: ElementType) -> NDArray[Any]:
    """Return the values of the 256 elements: int32 in INT8, else float32. Do not change them."""
    codes = np.arange(256, dtype=np.uint8)
    if kind is ElementType.INT8:
        return codes.view(np.int8).astype("<i4")
    values = _float_values(kind, codes & ~np.uint8(_SIGN))
    negative: Floats = np.where(codes & _SIGN, -values, values).astype("<f4")
    negative.view("<u4")[np.isnan(values)] = CANONICAL_NAN
    return negative


def encode_floats(kind: ElementType, values: Any) -> Elements:
    """Return the elements of a float type that are nearest to float32 values, ties to even.

    Values beyond the largest element, infinities among them, become that element. What is below the
    smallest normal number never rounds up to it.
    """
    floats = np.asarray(values, "<f4")
    numbers = np.abs(floats.astype(np.float64))
    mantissa_bits, bias, largest = _format(kind)
    one = 1 << mantissa_bits
    # |x| = fraction * 2^exponent with the fraction in [0.5, 1).
    exponents = np.frexp(numbers)[1].astype(np.int64) - 1 + bias
    with np.errstate(all="ignore"):
        subnormal = np.minimum(np.rint(np.ldexp(numbers, mantissa_bits + bias - 1)), one - 1)
        mantissas = np.rint(np.ldexp(numbers, mantissa_bits + bias - exponents) - one)
    normal = exponents * one + mantissas
    codes = np.where((exponents >= 1) & (numbers > 0), normal, subnormal)
    codes = np.where(np.isinf(numbers), largest, np.minimum(codes, largest))
    signs = np.where(np.signbit(floats), _SIGN, 0)
    nan = min(largest + 1 + (mantissa_bits > 0), 0x7F)
    return np.where(np.isnan(floats), nan, codes + signs).astype(np.uint8)


@lru_cache(maxsize=len(ElementType))
def products_of(kind: ElementType) -> Products:
    values = element_values(kind)
    with np.errstate(all="ignore"):
        table = np.multiply.outer(values, values)
    words: Words = table.view("<u4")
    if kind is not ElementType.INT8:
        words[np.isnan(table)] = CANONICAL_NAN
    return Products(words.reshape(-1), list(words), words.diagonal().copy())


def _float_values(kind: ElementType, codes: Elements) -> NDArray[np.float64]:
    """The values of elements without a sign."""
    mantissa_bits, bias, largest = _format(kind)
    fractions = (codes & ((1 << mantissa_bits) - 1)) / (1 << mantissa_bits)
    exponents = (codes >> mantissa_bits).astype(np.int64)
    significands = np.where(exponents > 0, fractions + 1, fractions)
    values = np.ldexp(significands, np.maximum(exponents, 1) - bias)
    return np.where(codes > largest, np.nan, values)


def _format(kind: ElementType) -> tuple[int, int, int]:
    """Mantissa bits, bias, and the code of the largest element of a float type."""
    mantissa_bits = 7 - kind
    bias = (1 << (kind - 1)) - 1
    return mantissa_bits, bias, (((1 << kind) - 1) << mantissa_bits) - 1


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


class Unit(IpuUnit[Ipu2State]):
    """Access to the state and its mode."""

    state_class = Ipu2State
    snapshot: Ipu2RegisterFile
    _registers: Ipu2RegisterFile

    def __init__(self, state: Ipu2State) -> None:
        super().__init__(state)
        self._settings = state.settings
        self._has_float_words = state.settings.has_float_words


PARTITIONS: Final = (0, 2, 4, 8, 16)
PAD_WORDS: Final = (0x0000_0000, 0x7F80_0000, 0xFF80_0000)
"""The word of masked elements in each pad mode: 0, +infinity, -infinity."""

_USED_BITS: Final = 0x7FFF


class DataStructure(NamedTuple):
    """The content of a data structure word.

    `active` elements, at most 128, take part in aggregates and activations; shifts of masks do not
    cross the borders of the `partition` equal groups, if that is not 0; `pad_mode` is an index of
    `PAD_WORDS`.
    """

    active: int
    partition: int
    pad_mode: int


@lru_cache(maxsize=256)
def data_structure(word: int) -> DataStructure:
    """Return the content of a data structure word. Raises `InstructionError` if it has none."""
    partition, pad_mode = word >> 8 & 0x1F, word >> 13 & 0x3
    if partition not in PARTITIONS:
        raise InstructionError(
            f"partition (bits 12:8 of the data structure) must be 0, 2, 4, 8 or 16, "
            f"found {partition} in {word & _USED_BITS:#x}"
        )
    if pad_mode >= len(PAD_WORDS):
        raise InstructionError(
            f"pad_mode (bits 14:13 of the data structure) must be 0, 1 or 2, "
            f"found {pad_mode} in {word & _USED_BITS:#x}"
        )
    return DataStructure(min(word & 0xFF, LANES), partition, pad_mode)

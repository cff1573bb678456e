"""The state of the IPU's machine, and its element types with the products of two elements."""

from __future__ import annotations

import math
from bisect import bisect_left
from enum import IntEnum
from functools import lru_cache
from typing import Any, Final, SupportsIndex

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from ipu_asm.emulator.arguments import real_number, whole_number
from ipu_asm.emulator.element_types import ElementType, Fp8Format
from ipu_asm.emulator.registers import WORD_MASK, RegisterLayout, Vector
from ipu_asm.emulator.state import MachineState
from ipu_asm.emulator.words import CANONICAL_NAN, LANES, Words, is_nan
from ipu_asm.isa.storage import signed
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.targets.ipu.description import AAQ, CONFIG, LOOP, PROGRAM_LIMIT
from ipu_asm.targets.ipu.manifest import MANIFEST
from ipu_asm.targets.ipu_family.machine import IpuRegisterFile, IpuUnit

Elements = NDArray[np.uint8]


class DType(IntEnum):
    """The element types, by their value in `cr15`."""

    INT8 = 0
    FP8_E4M3 = 1
    FP8_E5M2 = 2


NUMPY_TYPES: Final[dict[DType, Any]] = {
    DType.INT8: np.int8,
    DType.FP8_E4M3: ml_dtypes.float8_e4m3fn,
    DType.FP8_E5M2: ml_dtypes.float8_e5m2,
}
ONE: Final = {DType.INT8: 0x01, DType.FP8_E4M3: 0x38, DType.FP8_E5M2: 0x3C}
"""The encoding of 1 in each type."""


class Products(NamedTuple):
    """Tables of the products of all pairs of 8-bit elements of a type: int32 in INT8, else float32.

    `pairs[a << 8 | b]` and `rows[a][b]` are a x b; `ones` is 128 times the element 1.
    """

    pairs: Words
    rows: list[Words]
    ones: Elements


def element_type(code: int) -> DType:
    """Return the element type of a `cr15` value. Raises ValueError for an unknown one."""
    if not isinstance(code, SupportsIndex) or code not in NUMPY_TYPES:
        known = ", ".join(f"{dtype.value} ({dtype.name})" for dtype in DType)
        raise ValueError(f"an element type is one of {known}, found {code}")
    return DType(code)


def element_values(dtype: DType) -> NDArray[Any]:
    """Return the values of the 256 elements: int32 in INT8, else float32."""
    values = np.arange(256, dtype=np.uint8).view(NUMPY_TYPES[dtype])
    if dtype is DType.INT8:
        integers: NDArray[np.int32] = values.astype("<i4")
        return integers
    floats: NDArray[np.float32] = values.astype("<f4")
    # A NaN element becomes the machine's NaN with the sign of the element.
    signs = np.arange(256, dtype="<u4") >> 7 << 31
    np.copyto(floats.view("<u4"), signs | CANONICAL_NAN, where=np.isnan(floats))
    return floats


@lru_cache(maxsize=len(DType))
def products_of(code: int) -> Products:
    """Return the products of an element type. Of two NaNs the first is propagated.

    Raises ValueError for an unknown `cr15` value.
    """
    dtype = element_type(code)
    values = element_values(dtype)
    with np.errstate(all="ignore"):
        table = np.multiply.outer(values, values)
    words: Words = table.view("<u4")
    if dtype is not DType.INT8:
        own = np.broadcast_to(values.view("<u4"), words.shape)
        words[np.isnan(table)] = CANONICAL_NAN
        np.copyto(words, own, where=is_nan(own))
        np.copyto(words, own.T, where=is_nan(own.T))
    ones = np.full(LANES, ONE[dtype], np.uint8)
    return Products(words.reshape(-1), list(words), ones)


def ipu_mult(a: int, b: int, dtype: DType) -> int | float:
    """Return the product of two elements, given as bytes: an int in INT8, else a float.

    Raises ValueError for an unknown element type, TypeError for what is no whole number.
    """
    a, b = whole_number(a, "an element"), whole_number(b, "an element")
    values = element_values(element_type(dtype))
    with np.errstate(all="ignore"):
        product: int | float = (values[a & 0xFF] * values[b & 0xFF]).item()
    return product


def ipu_add(a: int | float, b: int | float, dtype: DType) -> int | float:
    """Return the sum of two words, given as values: an int32 that wraps in INT8, else a float32.

    Raises ValueError for an unknown element type, TypeError for what is no number.
    """
    a, b = real_number(a, "a word"), real_number(b, "a word")
    if element_type(dtype) is DType.INT8:
        return signed(int(a) + int(b))
    with np.errstate(all="ignore"):
        return float(np.float32(np.float32(a) + np.float32(b)))


FP8_NAN: Final = 0x7F


@lru_cache(maxsize=4)
def _values(dtype: DType) -> tuple[float, ...]:
    return tuple(float(value) for value in element_values(dtype).tolist())


@lru_cache(maxsize=4)
def _ladder(dtype: DType) -> tuple[float, ...]:
    """The finite non-negative values in ascending order; the index of each is its code."""
    return tuple(value for value in _values(dtype)[:128] if math.isfinite(value))


def _code(dtype: DType, value: float) -> int:
    """The code of a number, rounded to nearest, ties to even. Raises OverflowError."""
    sign = 0x80 if math.copysign(1.0, value) < 0 else 0
    if math.isnan(value):
        return FP8_NAN | sign
    ladder, size = _ladder(dtype), abs(value)
    if math.isinf(value) and math.inf in _values(dtype):
        return _values(dtype).index(math.inf) | sign
    above = bisect_left(ladder, size)
    if above < len(ladder) and ladder[above] == size:
        return above | sign
    step = ladder[-1] - ladder[-2]
    upper = ladder[above] if above < len(ladder) else ladder[-1] + step
    middle = (ladder[above - 1] + upper) / 2
    code = above if size > middle or (size == middle and above % 2 == 0) else above - 1
    if code >= len(ladder):
        raise OverflowError
    return code | sign


def _format(dtype: DType, most: float) -> Fp8Format:
    return Fp8Format(lambda: _values(dtype), lambda value: _code(dtype, value), most)


ELEMENT_TYPES: Final = {
    name: ElementType(name, "fp8", 1, "", _format(dtype, most))
    for name, dtype, most in (("e4m3", DType.FP8_E4M3, 448.0), ("e5m2", DType.FP8_E5M2, 57_344.0))
}


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


class Unit(IpuUnit[IpuState]):
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

"""The machine of the IPU 2 as a value."""

from __future__ import annotations

from functools import cache, partial
from typing import Any, Final, Mapping, Sequence

import numpy as np

from ipu_asm.assembler.decode import DecodedInstruction
from ipu_asm.emulator.element_types import MASK, TYPES, ElementType, Fp8Format, RegisterTypes
from ipu_asm.emulator.model import MachineModel, Setting
from ipu_asm.targets.ipu2.machine import elements
from ipu_asm.targets.ipu2.machine.elements import element_values, encode_floats
from ipu_asm.targets.ipu2.machine.ipu2 import Ipu2
from ipu_asm.targets.ipu2.machine.numeric_events import nan_probe, overflow_probe
from ipu_asm.targets.ipu2.machine.registers import R_REG_SIZE
from ipu_asm.targets.ipu2.machine.state import FP32, INT32, Ipu2State, Settings
from ipu_asm.targets.ipu2.registers import CONFIG
from ipu_asm.targets.ipu_family.registers import LOOP

_NARROW_VECTORS: Final = ("r0", "r1", "mem_bypass", "r_cyclic")
_WIDE_VECTORS: Final = ("r0_wide", "r1_wide", "r_cyclic_wide")
_WORD_VECTORS: Final = ("r_acc", "mult_res")
_MASKS: Final = "r_mask"
_WIDE_TYPES: Final = {FP32: "f32", INT32: "i32"}


def _float_type(kind: elements.ElementType) -> ElementType:
    """The type of the expression language for one of E1 to E7."""
    largest = float(np.nanmax(element_values(kind)))

    def encode(value: float) -> int:
        if abs(value) > largest:
            raise OverflowError
        return int(encode_floats(kind, value))

    def compute() -> Sequence[float]:
        values: list[float] = element_values(kind).tolist()
        return values

    encode_array = partial(encode_floats, kind)
    fp8 = Fp8Format(compute, encode, largest, encode_array)
    return ElementType(kind.name.lower(), "fp8", 1, "", fp8)


_FLOAT_TYPES: Final[dict[elements.ElementType, ElementType]] = {
    kind: _float_type(kind) for kind in elements.ElementType if kind != elements.ElementType.INT8
}


def _types_of(scalars: Sequence[int], settings: Any) -> RegisterTypes:
    return _types(settings.dtype, settings.wide, settings.quantize)


@cache
def _types(dtype: elements.ElementType, wide: str | None, quantize: bool) -> RegisterTypes:
    narrow = _FLOAT_TYPES.get(dtype, TYPES["i8"])
    has_float_words = Settings(dtype, wide).has_float_words
    word = TYPES["f32" if has_float_words else "i32"]
    wide_element = TYPES[_WIDE_TYPES.get(wide or INT32, "i32")]
    vectors: dict[str, ElementType] = {
        **dict.fromkeys(_NARROW_VECTORS, narrow),
        **dict.fromkeys(_WIDE_VECTORS, wide_element),
        **dict.fromkeys(_WORD_VECTORS, word),
        "r_mask": MASK,
        "post_aaq_reg": TYPES["i8"] if wide is None or quantize else word,
    }
    return RegisterTypes(
        wide or dtype.name.lower(),
        element=wide_element if wide else narrow,
        word=word,
        vectors=vectors,
        address_unit=Settings(wide=wide).row_size,
    )


def _setting_values(settings: Settings) -> Mapping[str, Setting]:
    """The settings as numbers; `wide` is 0 in narrow mode, 1 for fp32, 2 for int32."""
    wide = (None, FP32, INT32).index(settings.wide)
    return {
        "dtype": Setting(int(settings.dtype), settings.dtype.name.lower()),
        "wide": Setting(wide, settings.wide or "off"),
        "quantize": Setting(int(settings.quantize), "on" if settings.quantize else "off"),
        "elu_alpha": Setting(settings.elu_alpha, str(settings.elu_alpha)),
    }


def _memory_read(state: Ipu2State, instruction: DecodedInstruction) -> tuple[int, int]:
    """The row at the sum of `offset` and `base`, whose loop registers are those read.

    Of a row for the masks, that is the first 128 bytes.
    """
    scalars, places = state.regfile.scalars, state.layout.places
    named = (places[instruction.registers[operand]] for operand in ("offset", "base"))
    size = state.settings.row_size
    start = size * sum(scalars[place] for place in named if isinstance(place, int))
    is_mask = instruction.spec is not None and _MASKS in instruction.spec.writes
    return start, R_REG_SIZE if is_mask else size


MODEL: Final = MachineModel(
    "ipu2",
    state=Ipu2State,
    machine=Ipu2,
    types_of=_types_of,
    element_types={kind.name: kind for kind in _FLOAT_TYPES.values()},
    constants={kind.name.lower(): kind.value for kind in elements.ElementType},
    register_aliases={"cyclic": "r_cyclic", "mask": "r_mask", "acc": "r_acc"},
    setting_values=_setting_values,
    scopes={"Loop registers": LOOP.registers, "Config registers": CONFIG.registers},
    vectors_shown=(
        *_NARROW_VECTORS,
        *_WIDE_VECTORS,
        "mult_res",
        "r_acc",
        "post_aaq_reg",
        "r_mask",
    ),
    masked_bit=0,
    memory_read=_memory_read,
    nan_probe=nan_probe,
    overflow_probe=overflow_probe,
)

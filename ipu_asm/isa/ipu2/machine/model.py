"""The machine of the IPU 2 as a value."""

from __future__ import annotations

from functools import cache
from typing import Any, Final, Mapping, Sequence

import numpy as np

from ipu_asm.emulator.element_types import MASK, TYPES, ElementType, Fp8Format, RegisterTypes
from ipu_asm.emulator.model import MachineModel
from ipu_asm.isa.ipu2.machine import elements
from ipu_asm.isa.ipu2.machine.elements import element_values, encode_floats
from ipu_asm.isa.ipu2.machine.ipu2 import Ipu2
from ipu_asm.isa.ipu2.machine.numeric_events import nan_probe, overflow_probe
from ipu_asm.isa.ipu2.machine.state import FP32, INT32, Ipu2State, Settings

_NARROW_VECTORS: Final = ("r0", "r1", "mem_bypass", "r_cyclic")
_WIDE_VECTORS: Final = ("r0_wide", "r1_wide", "r_cyclic_wide")
_WORD_VECTORS: Final = ("r_acc", "mult_res")
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

    return ElementType(kind.name.lower(), "fp8", 1, "", Fp8Format(compute, encode, largest))


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
    )


def _setting_values(settings: Settings) -> Mapping[str, float]:
    """The settings as numbers; `wide` is 0 in narrow mode, 1 for fp32, 2 for int32."""
    return {
        "dtype": int(settings.dtype),
        "wide": (None, FP32, INT32).index(settings.wide),
        "quantize": int(settings.quantize),
        "elu_alpha": settings.elu_alpha,
    }


MODEL: Final = MachineModel(
    "ipu2",
    state=Ipu2State,
    machine=Ipu2,
    types_of=_types_of,
    element_types={kind.name: kind for kind in _FLOAT_TYPES.values()},
    constants={kind.name.lower(): kind.value for kind in elements.ElementType},
    register_aliases={"cyclic": "r_cyclic", "mask": "r_mask", "acc": "r_acc"},
    setting_values=_setting_values,
    numpy_types={
        "int8": np.int8,
        FP32: np.float32,
        INT32: np.int32,
        **{kind.name: np.uint8 for kind in _FLOAT_TYPES.values()},
    },
    nan_probe=nan_probe,
    overflow_probe=overflow_probe,
)

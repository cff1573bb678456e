"""The machine of the IPU as a value, and its two functions for users."""

from __future__ import annotations

from functools import cache
from typing import Any, Final, Hashable, Sequence

from ipu_asm.assembler.decode import DecodedInstruction
from ipu_asm.emulator.element_types import MASK, TYPES, ElementType, RegisterTypes
from ipu_asm.emulator.model import MachineModel, Settings
from ipu_asm.targets.ipu.machine.element_formats import ELEMENT_TYPES
from ipu_asm.targets.ipu.machine.elements import NUMPY_TYPES, DType
from ipu_asm.targets.ipu.machine.ipu import Ipu
from ipu_asm.targets.ipu.machine.numeric_events import nan_probe, overflow_probe
from ipu_asm.targets.ipu.machine.registers import DTYPE, R_REG_SIZE
from ipu_asm.targets.ipu.machine.state import IpuState
from ipu_asm.targets.ipu.registers import AAQ, CONFIG, LOOP

_ELEMENTS: Final = {DType.INT8: "i8", DType.FP8_E4M3: "e4m3", DType.FP8_E5M2: "e5m2"}
_ELEMENT_VECTORS: Final = ("r0", "r1", "mem_bypass", "r_cyclic")
_WORD_VECTORS: Final = ("r_acc", "mult_res")


def _types_of(scalars: Sequence[int], settings: Hashable) -> RegisterTypes:
    code = scalars[DTYPE]
    return _types(DType(code) if code in _ELEMENTS else None)


@cache
def _types(dtype: DType | None) -> RegisterTypes:
    """The types for an element type; None is an unknown one, shown as int8."""
    element = {**TYPES, **ELEMENT_TYPES}[_ELEMENTS[dtype or DType.INT8]]
    word = TYPES["f32" if element.is_float else "i32"]
    vectors: dict[str, ElementType] = {
        **dict.fromkeys(_ELEMENT_VECTORS, element),
        **dict.fromkeys(_WORD_VECTORS, word),
        "r_mask": MASK,
        "aaq_result": TYPES["i8"],
    }
    name = None if dtype is None else dtype.name.lower()
    return RegisterTypes(
        name, element=element, word=word, vectors=vectors, has_float_words=dtype is not DType.INT8
    )


def _memory_read(state: IpuState, instruction: DecodedInstruction) -> tuple[int, int]:
    """The bytes at the sum of `offset` and `base`.

    Slots that execute after lr do not change these registers, so they still have the values read.
    """
    scalars, places = state.regfile.scalars, state.layout.places
    named = (places[instruction.registers[operand]] for operand in ("offset", "base"))
    return sum(scalars[place] for place in named if isinstance(place, int)), R_REG_SIZE


def _state(settings: Settings) -> IpuState:
    state = IpuState()
    name = settings.get("dtype")
    if name is not None:
        state.set_cr_dtype(DType[name.upper()])
    return state


def _machine(state: Any, settings: Settings) -> Ipu:
    return Ipu(state, settings.get("aaq_shift") or 0)


MODEL: Final = MachineModel(
    "ipu",
    state=IpuState,
    machine=Ipu,
    types_of=_types_of,
    element_types=ELEMENT_TYPES,
    type_aliases={"fp8_e4m3": "e4m3", "fp8_e5m2": "e5m2"},
    constants={dtype.name.lower(): dtype.value for dtype in DType},
    register_aliases={"cyclic": "r_cyclic", "mask": "r_mask", "acc": "r_acc", "dtype": "cr15"},
    type_register="cr15",
    scopes={
        "Loop registers": LOOP.registers,
        "Config registers": CONFIG.registers,
        "AAQ": (*AAQ.registers, "aaq_result"),
    },
    vectors_shown=(*_ELEMENT_VECTORS, "mult_res", "r_acc", "r_mask", "aaq_result"),
    numpy_names={"e4m3": "ml_dtypes.float8_e4m3fn", "e5m2": "ml_dtypes.float8_e5m2"},
    numpy_types={_ELEMENTS[dtype]: NUMPY_TYPES[dtype] for dtype in DType if dtype},
    nan_probe=nan_probe,
    overflow_probe=overflow_probe,
    memory_read=_memory_read,
    make_state=_state,
    make_machine=_machine,
)

run_until_complete = MODEL.run_until_complete
run_with_debug = MODEL.run_with_debug

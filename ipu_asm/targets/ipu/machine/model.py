"""The machine of the IPU as a value, and its two functions for users."""

from __future__ import annotations

from functools import cache, partial
from typing import Any, Final, Hashable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ipu_asm.assembler.word_code import DecodedInstruction
from ipu_asm.emulator.element_types import MASK, TYPES, ElementType, RegisterTypes
from ipu_asm.emulator.model import MachineModel, Settings
from ipu_asm.emulator.numeric_events import (
    Addend,
    Computed,
    NanProbe,
    OverflowProbe,
    Probe,
    overflow_check,
)
from ipu_asm.emulator.words import LANES
from ipu_asm.isa.storage import signed
from ipu_asm.targets.ipu.description import AAQ, CONFIG, LOOP
from ipu_asm.targets.ipu.machine.ipu import Ipu
from ipu_asm.targets.ipu.machine.state import (
    DTYPE,
    ELEMENT_TYPES,
    LAYOUT,
    NUMPY_TYPES,
    R_REG_SIZE,
    DType,
    IpuState,
    RegFile,
)
from ipu_asm.targets.ipu.machine.vectors import AccUnit

_VECTORS: Final = ("r_acc", "mult_res")
_ADDING: Final = {
    method.__name__
    for method in (
        AccUnit.execute_acc,
        AccUnit.execute_acc_add_aaq,
        AccUnit.execute_acc_add_aaq_first,
    )
}
"""The methods that write the element-wise sum of the registers that their instruction reads."""


def nan_probe(instructions: Sequence[DecodedInstruction], settings: Hashable = ()) -> Probe | None:
    """Return a probe for words that a bundle changed to NaN; it reports none in INT8 mode.

    None for a bundle that cannot create any.
    """
    written = [
        (instruction, name)
        for instruction in instructions
        if _reads_anything(instruction)
        for name in _written(instruction)
    ]
    return NanProbe(written, LAYOUT, lambda after: bool(after.scalars[DTYPE])) if written else None


def overflow_probe(
    instructions: Sequence[DecodedInstruction], settings: Hashable = ()
) -> Probe | None:
    """Return a probe for sums written by a bundle that exceed int32; only in INT8 mode.

    None for a bundle that adds no words.
    """
    sums = [
        _computed(instruction)
        for instruction in instructions
        if instruction.spec is not None and instruction.spec.execute_fn in _ADDING
    ]
    return OverflowProbe(sums, lambda after: not after.scalars[DTYPE]) if sums else None


def _computed(instruction: DecodedInstruction) -> Computed:
    addends = list(_addends(instruction))
    exact = partial(_total, addends)
    return Computed(instruction, _written(instruction), exact, overflow_check(LAYOUT, addends))


def _total(addends: Sequence[Addend], before: RegFile, after: RegFile) -> NDArray[np.int64]:
    total = np.zeros(LANES, np.int64)
    for name, is_live, _ in addends:
        registers = after if is_live else before
        if name in LAYOUT.vectors:
            total += registers.view(name, "<i4")
        else:
            total += signed(registers.scalars[_scalar(name)])
    return total


def _addends(instruction: DecodedInstruction) -> Iterator[Addend]:
    """The registers that an instruction reads, and whether it sees writes of earlier slots."""
    assert instruction.spec is not None
    for name, when in instruction.spec.reads.items():
        yield Addend(instruction.registers.get(name, name), when == "live")


def _reads_anything(instruction: DecodedInstruction) -> bool:
    spec = instruction.spec
    return spec is not None and bool(spec.reads or any(operand.read for operand in spec.operands))


def _written(instruction: DecodedInstruction) -> list[str]:
    """The registers of words that an instruction writes."""
    if instruction.spec is None or instruction.is_idle:
        return []
    names = [instruction.registers.get(name, name) for name in instruction.spec.writes]
    return [name for name in names if name in _VECTORS or name in AAQ.registers]


def _scalar(name: str) -> int:
    place = LAYOUT.places[name]
    assert isinstance(place, int)
    return place


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

"""The machine of the IPU 2 as a value."""

from __future__ import annotations

from collections import Counter
from functools import cache, partial
from typing import Any, Callable, Final, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ipu_asm.assembler.word_code import DecodedInstruction
from ipu_asm.emulator.binding import decode_in_order
from ipu_asm.emulator.core.checks import ALWAYS
from ipu_asm.emulator.element_types import MASK, TYPES, ElementType, Fp8Format, RegisterTypes
from ipu_asm.emulator.model import MachineModel, Setting
from ipu_asm.emulator.numeric_events import (
    Addend,
    Computed,
    NanProbe,
    OverflowProbe,
    Probe,
    overflow_check,
)
from ipu_asm.emulator.words import LANES
from ipu_asm.isa import load_isa
from ipu_asm.isa.storage import signed
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.targets.ipu2.description import CONFIG
from ipu_asm.targets.ipu2.machine.ipu2 import Ipu2
from ipu_asm.targets.ipu2.machine.mult import MASK_SIZE, kept_words, limited_shift
from ipu_asm.targets.ipu2.machine.state import (
    CR,
    FP32,
    INT32,
    LAYOUT,
    R_REG_SIZE,
    Ipu2RegisterFile,
    Ipu2State,
    Settings,
    data_structure,
    element_values,
    encode_floats,
)
from ipu_asm.targets.ipu2.machine.state import ElementType as ElementKind
from ipu_asm.targets.ipu_family.descriptions import LOOP

_WORD_REGISTERS: Final = ("mult_res", "r_acc", "post_aaq_reg")
_LANES: Final = np.arange(LANES)


def nan_probe(instructions: Sequence[DecodedInstruction], settings: Settings) -> Probe | None:
    """Return a probe for words that a bundle changed to NaN.

    None for a bundle that writes no float32 words.
    """
    has_float_results = settings.wide == FP32 and not settings.quantize
    registers = [name for name in _WORD_REGISTERS if name != "post_aaq_reg" or has_float_results]
    written = [
        (instruction, name)
        for instruction in instructions
        if instruction.spec is not None and not instruction.is_idle
        for name in registers
        if name in instruction.spec.writes
    ]

    return NanProbe(written, LAYOUT) if written and settings.has_float_words else None


def overflow_probe(instructions: Sequence[DecodedInstruction], settings: Settings) -> Probe | None:
    """Return a probe for sums, differences and products of a bundle that exceed int32.

    None for a bundle that computes none.
    """
    exact_results = _EXACT_RESULTS if settings.wide == INT32 else _EXACT_SUMS
    computed = [
        _computed(instruction, exact_results[instruction.spec.execute_fn])
        for instruction in instructions
        if instruction.spec is not None and instruction.spec.execute_fn in exact_results
    ]
    return OverflowProbe(computed) if computed and not settings.has_float_words else None


def _computed(instruction: DecodedInstruction, exact: _Exact) -> Computed:
    assert instruction.spec is not None
    register = next(name for name in instruction.spec.writes if name in _WORD_REGISTERS)
    addends = _ADDENDS.get(instruction.spec.execute_fn)
    check = overflow_check(LAYOUT, addends) if addends else ALWAYS
    exact_words = partial(_exact_words, exact, instruction)
    return Computed(instruction, [register], exact_words, check)


def _exact_words(
    exact: _Exact,
    instruction: DecodedInstruction,
    before: Ipu2RegisterFile,
    after: Ipu2RegisterFile,
) -> Any:
    return exact(before, after, instruction)


def _sums(before: Ipu2RegisterFile, after: Ipu2RegisterFile, _: DecodedInstruction) -> Any:
    return before.acc_ints.astype(np.int64) + after.product_ints


def _differences(before: Ipu2RegisterFile, after: Ipu2RegisterFile, _: DecodedInstruction) -> Any:
    return before.acc_ints.astype(np.int64) - after.product_ints


def _negatives(before: Ipu2RegisterFile, after: Ipu2RegisterFile, _: DecodedInstruction) -> Any:
    return -after.product_ints.astype(np.int64)


def _first_aggregates(
    before: Ipu2RegisterFile, after: Ipu2RegisterFile, instruction: DecodedInstruction
) -> Any:
    """The sum of the active products in its place, zeros elsewhere."""
    results = np.zeros(LANES, np.int64)
    active = data_structure(_cr(after, instruction, "cr_idx")).active
    place = before.scalars[_number(instruction, "dest_slot")] % LANES
    results[place] = after.product_ints[:active].sum(dtype=np.int64)
    return results


def _aggregates(
    before: Ipu2RegisterFile, after: Ipu2RegisterFile, instruction: DecodedInstruction
) -> Any:
    place = before.scalars[_number(instruction, "dest_slot")] % LANES
    results = _first_aggregates(before, after, instruction)
    results[place] += before.acc_ints[place]
    return results


def _products(
    before: Ipu2RegisterFile, after: Ipu2RegisterFile, instruction: DecodedInstruction
) -> Any:
    """The products of wide integers; zeros where the mask replaced them."""
    first, second = _factors(before, after, instruction)
    kept = _kept(after, instruction)
    return np.where(kept, first.astype(np.int64) * second, 0)


def _kept(after: Ipu2RegisterFile, instruction: DecodedInstruction) -> NDArray[np.bool_]:
    """A truth value per element: whether the mask of a mult instruction leaves it."""
    start = _number(instruction, "mask_offset") * MASK_SIZE
    mask = bytes(after.get_register_bytes("r_mask")[start : start + MASK_SIZE])
    distance = limited_shift(signed(after.scalars[_number(instruction, "mask_shift")]))
    name = "cr_idx" if "rc_idx" in instruction.values else "dstructure_cr_idx"
    partition = data_structure(_cr(after, instruction, name)).partition
    kept: NDArray[np.bool_] = kept_words(mask, distance, partition) != 0
    return kept


def _factors(
    before: Ipu2RegisterFile, after: Ipu2RegisterFile, instruction: DecodedInstruction
) -> tuple[Any, Any]:
    """What a mult instruction multiplies: elements from before the bundle, at live indices."""
    assert instruction.spec is not None
    cyclic, stage = before.view("r_cyclic_wide", "<i4"), before.view("r_wide", "<i4")
    name = instruction.spec.execute_fn
    if name in ("execute_mult_ve", "execute_mult_ee"):
        start = after.scalars[_number(instruction, "ra_idx")]
        lanes = _LANES if name == "execute_mult_ve" else 0 * _LANES
        return stage[(start + lanes) % len(stage)], signed(_cr(after, instruction, "cr_idx"), 8)
    start = after.scalars[_number(instruction, "rc_idx")]
    elements = cyclic[(start + _LANES) % len(cyclic)]
    if name == "execute_mult_rc_vv":
        return elements, stage[_number(instruction, "ra") * LANES :][:LANES]
    if name == "execute_mult_rc_ve":
        source = _number(instruction, "src")
        word = after.scalars[source]
        return elements, np.int64(stage[word % len(stage)] if source < CR else signed(word, 8))
    return elements, elements


def _number(instruction: DecodedInstruction, operand: str) -> int:
    """The number that an operand has: a loop register's is its index among the scalars."""
    number = instruction.values[operand]
    assert number is not None
    return number


def _cr(registers: Ipu2RegisterFile, instruction: DecodedInstruction, operand: str) -> int:
    return registers.scalars[CR + _number(instruction, operand)]


_Exact = Callable[[Ipu2RegisterFile, Ipu2RegisterFile, DecodedInstruction], Any]

_EXACT_SUMS: Final[dict[str, _Exact]] = {
    "execute_acc_add": _sums,
    "execute_acc_sub": _differences,
    "execute_acc_sub_first": _negatives,
    "execute_agg_sum": _aggregates,
    "execute_agg_sum_first": _first_aggregates,
}
"""The int64 results of the methods that write int32 sums, from the registers around a bundle."""

_ADDENDS: Final = {
    "execute_acc_add": (Addend("r_acc", False), Addend("mult_res", True)),
    "execute_acc_sub": (Addend("r_acc", False), Addend("mult_res", True, is_negative=True)),
    "execute_acc_sub_first": (Addend("mult_res", True, is_negative=True),),
}
"""The words whose sum a method writes, where it is such a sum in each lane."""

_EXACT_RESULTS: Final[dict[str, _Exact]] = {
    **_EXACT_SUMS,
    "execute_mult_rc_vv": _products,
    "execute_mult_rc_ve": _products,
    "execute_mult_rc_vs": _products,
    "execute_mult_ve": _products,
    "execute_mult_ee": _products,
}

_NARROW_VECTORS: Final = ("r0", "r1", "mem_bypass", "r_cyclic")
_WIDE_VECTORS: Final = ("r0_wide", "r1_wide", "r_cyclic_wide")
_WORD_VECTORS: Final = ("r_acc", "mult_res")
_MASKS: Final = "r_mask"
_WIDE_TYPES: Final = {FP32: "f32", INT32: "i32"}


def _float_type(kind: ElementKind) -> ElementType:
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


_FLOAT_TYPES: Final[dict[ElementKind, ElementType]] = {
    kind: _float_type(kind) for kind in ElementKind if kind != ElementKind.INT8
}


def _types_of(scalars: Sequence[int], settings: Any) -> RegisterTypes:
    return _types(settings.dtype, settings.wide, settings.quantize)


@cache
def _types(dtype: ElementKind, wide: str | None, quantize: bool) -> RegisterTypes:
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
    constants={kind.name.lower(): kind.value for kind in ElementKind},
    register_aliases={"cyclic": "r_cyclic", "mask": "r_mask", "acc": "r_acc"},
    setting_values=_setting_values,
    scopes={"Loop registers": LOOP.registers, "Config registers": CONFIG.registers},
    vectors_shown=(*_NARROW_VECTORS, *_WIDE_VECTORS, "mult_res", "r_acc", "post_aaq_reg", "r_mask"),
    masked_bit=0,
    memory_read=_memory_read,
    nan_probe=nan_probe,
    overflow_probe=overflow_probe,
)


class Statistics(NamedTuple):
    """How many instructions other than `NOP` the slots have executed; both stores count alike."""

    mult_active: int
    acc_active: int
    xmem_reads: int
    xmem_writes: int


def statistics(words: Sequence[int | None], executed: Iterable[int]) -> Statistics:
    """Return the statistics of a run from program memory and the addresses that it executed."""
    isa, slots = load_isa("ipu2"), Counter[str]()
    for address, number in Counter(executed).items():
        word = words[address]
        if word is not None:
            for instruction in decode_in_order(isa, Ipu2.execution_order, word):
                slots[instruction.slot.name] += 0 if instruction.is_idle else number
    return Statistics(
        mult_active=slots["mult"],
        acc_active=slots["acc"],
        xmem_reads=slots["load"],
        xmem_writes=slots["store"] + slots["acc_store"],
    )

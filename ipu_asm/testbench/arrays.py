"""Numpy arrays and the machine: element types, rounding of float32, and where an array is from.

Numbers are rounded to the nearest element, of two equally near ones to the even code. Where numpy
has the type, as for the FP8 types of the IPU, `ml_dtypes` rounds; elsewhere the machine's own
conversion does, so that a reference equals what the machine stores.
"""

from __future__ import annotations

import weakref
from enum import Enum
from functools import lru_cache
from numbers import Real
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ipu_asm.emulator.element_types import ElementType
from ipu_asm.emulator.model import MachineModel, machine_for
from ipu_asm.isa import manifests
from ipu_asm.named_tuple import NamedTuple

Array: TypeAlias = NDArray[Any]
Buffer: TypeAlias = bytes | bytearray | memoryview
_PLAIN: Final[dict[str, np.dtype[Any]]] = {
    "i8": np.dtype(np.int8), "u8": np.dtype(np.uint8),
    "i16": np.dtype("<i2"), "u16": np.dtype("<u2"),
    "i32": np.dtype("<i4"), "u32": np.dtype("<u4"), "f32": np.dtype("<f4"),
}  # fmt: skip
_ALWAYS: Final = ("u8", "i32", "u32", "f32")


class ArrayTypes:
    """The numpy types of the elements and words of one machine."""

    def __init__(self, model: MachineModel) -> None:
        self._model = model
        floats = {name: np.dtype(kind) for name, kind in model.numpy_types.items()}
        self._by_name = {
            long: floats[short] for long, short in model.type_aliases.items() if short in floats
        }
        plain = [_PLAIN[name] for name in _ALWAYS]
        self._types = (_PLAIN["i8"], *floats.values(), *plain)
        self._known = " or ".join(", ".join(kind.name for kind in self._types).rsplit(", ", 1))

    def of_kind(self, kind: ElementType) -> np.dtype[Any]:
        """Return the numpy type of an element type; bytes for an 8-bit float that numpy lacks."""
        if kind.format is None:
            return _PLAIN[kind.name]
        found: np.dtype[Any] = np.dtype(self._model.numpy_types.get(kind.name, np.uint8))
        return found

    def numpy_type(self, dtype: Any) -> np.dtype[Any]:
        """Return the type of elements or words, little-endian, by numpy type or element type name.

        Raises TypeError for a type that neither elements nor words of the machine have.
        """
        __tracebackhide__ = True
        kind = self._little_endian(dtype)
        if kind not in self._types:
            raise TypeError(f"elements and words are {self._known}, found {_shown(dtype, kind)}")
        assert kind is not None
        return kind

    def bytes_of(self, data: Array | np.generic | Buffer) -> bytes:
        """Return the bytes of an array in row-major order; bytes are returned unchanged.

        Raises TypeError for an array that `numpy_type` refuses, and for other objects.
        """
        __tracebackhide__ = True
        if isinstance(data, Buffer):
            return bytes(data)
        if not isinstance(data, (np.ndarray, np.generic)):
            found = type(data).__name__
            raise TypeError(
                f"data is a numpy array or bytes, found {found}; its type says how wide it is"
            )
        kind = self._little_endian(data.dtype)
        if kind not in self._types:
            found = f"{data.dtype.name}: {_remedy(data.dtype)}"
            raise TypeError(f"elements and words are {self._known}, found {found}")
        return np.asarray(data, kind).tobytes()

    def _little_endian(self, dtype: Any) -> np.dtype[Any] | None:
        """The numpy type of a type or a name, if it is one."""
        if dtype is None:  # numpy takes it for float64
            return None
        named = self._by_name.get(dtype, dtype) if isinstance(dtype, str) else dtype
        try:
            kind: np.dtype[Any] = np.dtype(named)
        except (TypeError, ValueError, SyntaxError):
            return None
        return kind.newbyteorder("<") if kind.byteorder == ">" else kind


@lru_cache(maxsize=16)
def array_types(model: MachineModel) -> ArrayTypes:
    """Return the numpy types of a machine."""
    return ArrayTypes(model)


def _shown(dtype: Any, kind: np.dtype[Any] | None) -> str:
    """What was found in place of a type: a name such as `i8` may mean another one in numpy."""
    if not isinstance(dtype, str):
        return type(dtype).__name__ if kind is None else kind.name
    return f"`{dtype}`" if kind is None or kind.name == dtype else f"`{dtype}`, numpy's {kind.name}"


def _remedy(kind: np.dtype[Any]) -> str:
    if kind == np.dtype(bool):
        return 'pack masks with `np.packbits(masks, axis=-1, bitorder="little")`'
    return "convert with `.astype`, so that the test says what becomes of the values"


class Source(Enum):
    """A part of the state that arrays are copies of."""

    MEMORY = "xmem"
    REGISTERS = "registers"
    """The block with all vector registers."""


class ArrayOrigin(NamedTuple):
    """The owner and the part of its state that an array is a copy of, from byte `start` on."""

    owner: weakref.ref[Any]
    source: Source
    start: int
    elements_per_byte: int


_ORIGINS: Final[dict[int, tuple[weakref.ref[Array], ArrayOrigin]]] = {}


def note_origin(
    array: Array, owner: object, source: Source, start: int, *, elements_per_byte: int = 1
) -> None:
    """Remember the origin of an array as long as it lives."""
    key = id(array)
    reference = weakref.ref(array, lambda _: _ORIGINS.pop(key, None))
    _ORIGINS[key] = reference, ArrayOrigin(weakref.ref(owner), source, start, elements_per_byte)


class ElementOrigin(NamedTuple):
    """The owner and the part of its state that one element is a copy of: `size` bytes."""

    owner: Any
    source: Source
    start: int
    size: int


def origin_of(array: Array, place: int) -> ElementOrigin | None:
    """Return the origin of an element of an array, or of a view of it, by its flat index.

    None if it is not known, as for arrays that were computed.
    """
    address = _address(array) + sum(
        index * stride for index, stride in zip(np.unravel_index(place, array.shape), array.strides)
    )
    base: Any = array
    while isinstance(base, np.ndarray):
        reference, origin = _ORIGINS.get(id(base), (None, None))
        if origin is not None and reference is not None and reference() is base:
            owner = origin.owner()
            start = origin.start + (address - _address(base)) // origin.elements_per_byte
            found = ElementOrigin(owner, origin.source, int(start), array.itemsize)
            return found if owner is not None else None
        base = base.base
    return None


def _address(array: Array) -> int:
    """The address of the first element in the memory of the process."""
    return int(array.__array_interface__["data"][0])


def to_fp8(values: Any, dtype: str, *, saturate: bool = True) -> Array:
    """Return numbers as 8-bit floats of a type: `fp8_e4m3`, `fp8_e5m2`, or `e1` to `e7` of IPU 2.

    The array has the shape of `values` and the type of ml_dtypes, or uint8 codes where numpy lacks
    the type. Numbers beyond the largest one, infinities too, become that one; without `saturate`
    they become infinity where the type has it, else NaN. NaN stays NaN. Raises ValueError for
    another type, TypeError for what is no number.
    """
    __tracebackhide__ = True
    model, kind = _fp8_type(dtype)
    return encode_elements(values, model, kind, saturate)


def from_fp8(elements: Any, dtype: str) -> Array:
    """Return 8-bit floats of a type, as `to_fp8` makes them, as float32, which is exact.

    Raises TypeError for an array of another type, ValueError for another `dtype`.
    """
    __tracebackhide__ = True
    return decode_elements(elements, *_fp8_type(dtype))


def encode_elements(values: Any, model: MachineModel, kind: ElementType, saturate: bool) -> Array:
    """Return numbers as elements of a type; see `to_fp8`.

    Integers are rounded to nearest, too, ties to even. Without `saturate`, those that do not fit
    raise ValueError, as NaN always does.
    """
    __tracebackhide__ = True
    target = array_types(model).of_kind(kind)
    if kind.format is None:
        return _whole(values, kind, target, saturate) if not kind.is_float else _float32(values)
    numbers, most = _float32(values), np.float32(kind.format.most)
    if saturate:
        numbers = np.clip(numbers, -most, most)
    if kind.format.encode_array is None:
        with np.errstate(all="ignore"):
            return numbers.astype(target)
    with np.errstate(invalid="ignore"):
        numbers = np.where(np.abs(numbers) > most, np.float32(np.nan), numbers)
    return np.asarray(kind.format.encode_array(numbers), np.uint8).reshape(numbers.shape)


def decode_elements(elements: Any, model: MachineModel, kind: ElementType) -> Array:
    """Return elements of a type as float32; an int32 beyond 2**24 is rounded to nearest."""
    __tracebackhide__ = True
    array, target = np.asarray(elements), array_types(model).of_kind(kind)
    if array.dtype not in (target, np.dtype(np.uint8)):
        raise TypeError(f"elements of `{kind.name}` are {target.name}, found {array.dtype.name}")
    if kind.format is None:
        return array.view(target).astype(np.float32)
    return np.array(kind.format.values, np.float32)[array.view(np.uint8)]


def _fp8_type(dtype: str) -> tuple[MachineModel, ElementType]:
    """The type of a name, in any case, and the machine that has it."""
    __tracebackhide__ = True
    if not isinstance(dtype, str):
        raise TypeError(
            f"an 8-bit float is named, such as `fp8_e4m3`, found {type(dtype).__name__}"
        )
    known: list[str] = []
    for name, manifest in manifests().items():
        if not manifest.has_machine:
            continue
        model = machine_for(name)
        kind = model.element_types.get(model.type_aliases.get(dtype.lower(), dtype.lower()))
        if kind is not None and kind.format is not None:
            return model, kind
        known += [each for each, kind in model.element_types.items() if kind.format is not None]
    raise ValueError(f"an 8-bit float is one of {', '.join(known)}, found `{dtype}`")


def _float32(values: Any) -> Array:
    __tracebackhide__ = True
    with np.errstate(over="ignore"):
        return _numbers(values).astype(np.float32)


def _numbers(values: Any) -> Array:
    """Numbers as an array. Raises TypeError, and ValueError for rows of different lengths."""
    __tracebackhide__ = True
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError("the rows of an array have one length, found several") from None
    others = (
        [each for each in array.flat if not isinstance(each, Real)] if array.dtype == object else []
    )
    if others or array.dtype.kind in "SUMmc":
        found = type(others[0]).__name__ if others else array.dtype.name
        raise TypeError(f"elements are made of numbers, found {found}")
    return array


def _whole(values: Any, kind: ElementType, target: np.dtype[Any], saturate: bool) -> Array:
    """Numbers as integers of a signed type."""
    __tracebackhide__ = True
    given = _numbers(values)
    numbers = np.rint(given.astype(np.float64))
    low, high = kind.lowest, -kind.lowest - 1
    kept = ~np.isnan(numbers) if saturate else (numbers >= low) & (numbers <= high)
    if not kept.all():
        found = given[~kept].reshape(-1)[0]
        raise ValueError(f"`{kind.name}` takes {low} to {high}, found {found}")
    return np.clip(numbers, low, high).astype(target)

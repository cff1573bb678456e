"""Conversion of float32 to the elements of a machine and back, rounded as said here.

Numbers are rounded to the nearest element, of two equally near ones to the even code. Where numpy
has the type, as for the FP8 types of the IPU, `ml_dtypes` rounds; elsewhere the machine's own
conversion does, so that a reference equals what the machine stores.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from ipu_asm.emulator.element_types import ElementType
from ipu_asm.emulator.model import MachineModel, machine_for
from ipu_asm.isa import manifests
from ipu_asm.testbench.arrays import Array, array_types


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

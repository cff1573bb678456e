"""Data of files as bytes of a machine, and back: types are checked, or converted where asked."""

from __future__ import annotations

import io
import zipfile
from hashlib import shake_256
from math import prod
from typing import Any, Final

import numpy as np

from ipu_asm.debugger.expressions.machine_view import MachineView, view_of
from ipu_asm.emulator.element_types import ElementType
from ipu_asm.emulator.model import machine_for
from ipu_asm.emulator.state import AnyState
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.testbench.arrays import Array, array_types
from ipu_asm.testbench.data.numpy_files import StoredArray
from ipu_asm.testbench.data.source import (
    ONES,
    RAMP,
    ZEROS,
    Data,
    DataError,
    DataSource,
    Place,
    Shape,
)
from ipu_asm.text import counted

_RAMP_OF_FP8 = 8
_PLAIN: Final = {
    "i1": "i8", "u1": "u8", "i2": "i16", "u2": "u16", "i4": "i32", "u4": "u32", "f4": "f32",
}  # fmt: skip
_CODES: Final = ("V1", "f1")
"""How numpy names 8-bit floats, of whatever sort, in the header of a file."""

_NUMBERS: Final = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")
ARCHIVE_TIME: Final = (1980, 1, 1, 0, 0, 0)
"""The time of all files in archives, so that equal data make equal archives."""


class Content(NamedTuple):
    """Bytes for the memory of a machine: elements of a type, in row-major order of a shape."""

    data: bytes
    kind: ElementType
    shape: Shape


class MachineData:
    """Conversion between files and the memory of a machine in its present mode."""

    def __init__(self, state: AnyState) -> None:
        self._model = machine_for(state.isa_name)
        self._types = self._model.types_in(state)
        self._view: MachineView = view_of(self._model, self._types)

    def kind_of(self, name: str | None) -> ElementType:
        """Return the type of a name, of bytes without one. Raises `DataError`."""
        found = self._view.type_named(name or "u8")
        if found is None:
            known = ", ".join(self._view.names.plain_types)
            raise DataError(f"expected one of the types {known}, found `{name}`")
        return found

    def generated(self, data: Data) -> Content:
        """Return generated data, by default of the type of elements. Raises `DataError`."""
        place = data.place
        kind = self._types.element if place.dtype is None else self.kind_of(place.dtype)
        assert place.shape is not None
        count = prod(place.shape)
        self._check_room(place, count * kind.size)
        return Content(generated_bytes(data.source, count, kind), kind, place.shape)

    def raw(self, content: bytes, place: Place) -> Content:
        """Return the bytes of a file without a header; rows of 128 where they are that many."""
        kind = self.kind_of(place.dtype)
        count, rest = divmod(len(content), kind.size)
        if rest:
            raise DataError(
                f"`{kind.name}` takes {kind.size} bytes an element, found {len(content):,} bytes"
            )
        shape = place.shape or (count,)
        if len(shape) == 1 and count > 128 and count % 128 == 0:
            shape = (count // 128, 128)
        return Content(content, kind, shape)

    def of_array(self, stored: StoredArray, place: Place, is_load: bool = True) -> Content:
        """Return an array in row-major order, converted to the type of `place` if there is one.

        Without one, data to load must have the type of elements, of words that are integers, or
        be bytes; other data must have a type of the machine. A shape of several dimensions must be
        that of the array; a length takes its first elements. Raises `DataError`.
        """
        header = stored.header
        code = header.descr.lstrip("<>|=")
        shape = checked_shape(header.shape, place.shape)
        if code in _CODES:
            array, kind = np.frombuffer(stored.content, "u1"), self._code_kind(place.dtype)
            array = _ordered(array, header.shape, header.is_fortran)
        else:
            array = stored_values(stored)
            kind = self._kind_for(code, place.dtype, is_load)
            if _PLAIN.get(code) != kind.name:
                array = self._converted(array, kind)
        data = array.astype(array.dtype.newbyteorder("<")).tobytes()
        if place.shape is not None and len(place.shape) == 1:
            data = data[: place.shape[0] * kind.size]
        self._check_room(place, len(data))
        return Content(data, kind, shape)

    def array(self, data: bytes, kind: ElementType, shape: Shape) -> Array:
        """Return bytes of memory as an array; 8-bit floats that numpy lacks are their codes."""
        return np.frombuffer(data, array_types(self._model).of_kind(kind)).reshape(shape)

    def npy(self, data: bytes, place: Place) -> bytes:
        """Return the .npy file of a part of memory; numpy names 8-bit floats `V1`."""
        kind = self.kind_of(place.dtype)
        assert place.shape is not None
        dtype = "|V1" if kind.format is not None else array_types(self._model).of_kind(kind)
        file = io.BytesIO()
        np.save(file, np.frombuffer(data, dtype).reshape(place.shape), allow_pickle=False)
        return file.getvalue()

    def _check_room(self, place: Place, size: int) -> None:
        room = self._model.memory_size - place.address
        if size > room:
            raise DataError(
                f"xmem has {self._model.memory_size:#x} bytes, found {counted(size, 'byte')} at "
                f"{place.address:#x}"
            )

    def _code_kind(self, name: str | None) -> ElementType:
        """The type of 8-bit floats: files do not say which of them they have."""
        kind = self._types.element if name is None else self.kind_of(name)
        if kind.format is None:
            wanted = f"elements of {self._mode}" if name is None else f"numbers for `{name}`"
            raise DataError(f"expected {wanted}, found 8-bit floats of numpy")
        return kind

    def _kind_for(self, code: str, name: str | None, is_load: bool) -> ElementType:
        """The type in memory of an array with a type of numpy."""
        found = _PLAIN.get(code)
        if code not in _NUMBERS:
            raise DataError(f"expected numbers, found the type `{code}` of numpy")
        if name is not None:
            return self.kind_of(name)
        expected = f"expected elements of {self._mode}, found {np.dtype(code).name}"
        if code == "b1":
            remedy = 'pack masks with `np.packbits(masks, axis=-1, bitorder="little")`'
            raise DataError(f"{expected}; {remedy}")
        name = self._types.element.name
        convert = f"with the type `{name}` (`@ADDR:{name}`) the values are converted"
        if found is None:
            raise DataError(f"{expected}; {convert}")
        if is_load and found not in self._loadable:
            raise DataError(f"{expected}; {convert}, with `{found}` they are loaded as they are")
        return self.kind_of(found)

    @property
    def _loadable(self) -> set[str]:
        """The types of arrays that are loaded without being asked."""
        words = set() if self._types.has_float_words else {"i32", "u32"}
        return {"u8", self._types.element.name, *words}

    @property
    def _mode(self) -> str:
        return self._types.name or self._types.element.name

    def _converted(self, array: Array, kind: ElementType) -> Array:
        """The values of an array in another type, rounded to nearest; all of them must fit."""
        if kind.kind not in ("int", "float", "fp8"):
            raise DataError(f"values cannot be converted to `{kind.name}`")
        if kind.is_float:
            found = _fp8(array, kind) if kind.format is not None else _float32(array)
            fits = found[1]
            codes: Array = found[0]
        else:
            low, high = kind.lowest, kind.highest >> (kind.lowest < 0)
            fits = (array >= low) & (array <= high) & (array == np.trunc(array))
            codes = np.where(fits, array, 0).astype(array_types(self._model).of_kind(kind))
        if not fits.all():
            raise DataError(_misfits(array, fits, kind))
        return codes


def archive(arrays: dict[str, bytes]) -> bytes:
    """Return the .npz file of .npy files by name; equal arrays make equal bytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as found:
        for name, content in arrays.items():
            entry = zipfile.ZipInfo(f"{name}.npy", ARCHIVE_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            found.writestr(entry, content)
    return file.getvalue()


def checked_shape(found: Shape, wanted: Shape | None) -> Shape:
    """Return the shape of the elements to take from an array. Raises `DataError`."""
    if wanted is None:
        return found
    shown = "x".join(map(str, found)) or "one element"
    if len(wanted) > 1 and wanted != found:
        raise DataError(f"expected the shape {'x'.join(map(str, wanted))}, found {shown}")
    count = int(np.prod(found, dtype=object))
    if len(wanted) == 1 and wanted[0] > count:
        raise DataError(f"expected at least {counted(wanted[0], 'element')}, found {shown}")
    return wanted


def stored_values(stored: StoredArray) -> Array:
    """Return the numbers of a stored array. Raises `DataError` for other types."""
    header = stored.header
    try:
        dtype: np.dtype[Any] = np.dtype(header.descr)
    except (TypeError, ValueError) as error:
        raise DataError(f"expected numbers, found the type `{header.descr}`") from error
    if dtype.itemsize * header.elements != len(stored.content):
        raise DataError(f"expected numbers, found the type `{header.descr}`")
    return _ordered(np.frombuffer(stored.content, dtype), header.shape, header.is_fortran)


def _ordered(array: Array, shape: Shape, is_fortran: bool) -> Array:
    if len(shape) > 32:
        raise DataError(f"expected at most 32 dimensions, found {len(shape)}")
    return array.reshape(shape, order="F" if is_fortran else "C")


def _float32(array: Array) -> tuple[Array, Array]:
    with np.errstate(over="ignore"):
        found = array.astype("<f4")
    return found, np.isfinite(found) | ~np.isfinite(array)


def _fp8(array: Array, kind: ElementType) -> tuple[Array, Array]:
    """The codes of the nearest 8-bit floats, ties to even, and whether each value has one.

    The positive values ascend with their codes, so that of two neighbours the even code is even.
    """
    assert kind.format is not None
    values = np.array(kind.format.values, np.float64)
    above = np.flatnonzero(~np.isfinite(values[:128]))
    positive = values[: above[0] if len(above) else 128]
    numbers = array.astype(np.float64)
    size = np.abs(numbers)
    upper = np.minimum(np.searchsorted(positive, size), len(positive) - 1)
    lower = np.maximum(upper - 1, 0)
    to_upper, to_lower = positive[upper] - size, size - positive[lower]
    is_lower = (to_lower < to_upper) | ((to_lower == to_upper) & (lower % 2 == 0))
    codes = np.where(is_lower, lower, upper).astype(np.uint8)
    step = positive[-1] - positive[-2]
    fits = size < positive[-1] + step / 2
    for is_special in (np.isnan, np.isinf):
        places, is_there = np.flatnonzero(is_special(values)), is_special(size)
        if len(places):
            codes = np.where(is_there, np.uint8(places[0]), codes)
            fits = fits | is_there
    return codes | (np.signbit(numbers) << 7).astype(np.uint8), fits


def _misfits(array: Array, fits: Array, kind: ElementType) -> str:
    places = np.flatnonzero(~fits.reshape(-1))
    first = array.reshape(-1)[places[0]]
    index = ", ".join(str(int(number)) for number in np.unravel_index(places[0], array.shape))
    many = "" if len(places) == 1 else f", the first of {len(places):,}"
    has_rest = kind.kind == "int" and bool(first != np.trunc(first))
    if kind.format is not None:
        limit = f"holds up to {kind.format.most:g}"
    elif kind.is_float:
        limit = "holds up to 3.4028235e+38"
    else:
        limit = f"takes {kind.lowest} to {kind.highest >> (kind.lowest < 0)}"
    what = "takes whole numbers" if has_rest else limit
    return f"`{kind.name}` {what}, found {first} in element [{index}]{many}"


def generated_bytes(source: DataSource, count: int, kind: ElementType) -> bytes:
    """Return `count` generated elements of a type, as bytes. Raises `DataError`."""
    if source.generator == ZEROS:
        return bytes(count * kind.size)
    if source.generator == ONES:
        return _encoded(1, kind) * count
    return _ramp(count, kind) if source.generator == RAMP else _random(source.seed, count, kind)


def _ramp(count: int, kind: ElementType) -> bytes:
    if kind.format is not None:
        period = b"".join(_encoded(number, kind) for number in range(_RAMP_OF_FP8))
        return (period * -(-count // _RAMP_OF_FP8))[:count]
    numbers = np.arange(count, dtype=np.int64)
    return numbers.astype("<f4" if kind.is_float else f"<u{kind.size}").tobytes()


def _random(seed: int, count: int, kind: ElementType) -> bytes:
    width = 1 if kind.size == 1 else 4
    stream = shake_256(f"ipu-asm random {seed}".encode()).digest(count * width)
    if kind.format is not None:
        return stream.translate(b"".join(_encoded((b - 128) / 128, kind) for b in range(256)))
    words = np.frombuffer(stream, "<u1" if width == 1 else "<u4")
    if kind.is_float:
        return ((words >> 8).astype(np.float64) / (1 << 23) - 1).astype("<f4").tobytes()
    return words.astype(f"<u{kind.size}").tobytes()


def _encoded(number: float, kind: ElementType) -> bytes:
    try:
        return kind.encode(number)
    except ValueError as error:
        raise DataError(str(error)) from error

"""Data of files as bytes of a memory that has no element type of its own, and back.

Types have the names of numpy or short ones, as in `float32` or `f32`; besides there are `bf16`, the
upper halves of float32 numbers, and `bfp16ebs8`, blocks of eight numbers in nine bytes: the shared
exponent, then eight mantissas, of which one counts as 2 ** (exponent - 133).
"""

from __future__ import annotations

import io
from math import prod
from typing import Any, Callable, Final, Sequence

import numpy as np

from ipu_asm.config.file_writing import Output
from ipu_asm.config.files import MOST_BYTES, FileError
from ipu_asm.emulator.element_types import TYPES
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.testbench.arrays import Array
from ipu_asm.testbench.comparison import difference_report
from ipu_asm.testbench.data.conversion import archive, checked_shape, generated_bytes, stored_values
from ipu_asm.testbench.data.numpy_files import Piece, StoredArray
from ipu_asm.testbench.data.source import Data, DataError, Shape
from ipu_asm.text import counted

_BLOCK: Final = 8
_BLOCK_BYTES: Final = 9
_BLOCK_BIAS: Final = 133
_SMALLEST_EXPONENT: Final = 1
_BF16: Final = "bf16"
_BLOCKS: Final = "bfp16ebs8"
_PLAIN: Final = {
    name: np.dtype(code)
    for name, code in {
        "i8": "i1", "u8": "u1", "i16": "<i2", "u16": "<u2", "i32": "<i4", "u32": "<u4",
        "i64": "<i8", "u64": "<u8", "f16": "<f2", "f32": "<f4", "f64": "<f8",
    }.items()
}  # fmt: skip
_ALIASES: Final = {
    **{dtype.name: name for name, dtype in _PLAIN.items()}, "bfloat16": _BF16, "v2": _BF16,
}  # fmt: skip
NAMES: Final = (*_PLAIN, _BF16, _BLOCKS)
"""The types, by their short names."""

ReadMemory = Callable[[int, int], bytes]
"""Returns bytes of memory, by address and size."""


class Numbers(NamedTuple):
    """Numbers of a type as bytes, in row-major order of a shape."""

    data: bytes
    type: str
    shape: Shape

    @property
    def values(self) -> Array:
        """The numbers as an array; those of types that numpy lacks are float32."""
        return values_of(self.data, self.type).reshape(self.shape)


class MemoryDifference(NamedTuple):
    """How memory differs from data: a report, and the address and size of the first element."""

    report: str
    address: int
    size: int


def type_named(name: str | None) -> str:
    """Return the short name of a type, that of bytes without a name. Raises `DataError`."""
    short = _ALIASES.get((name or "u8").lower(), (name or "u8").lower())
    if short not in NAMES:
        raise DataError(f"expected one of the types {', '.join(NAMES)}, found `{name}`")
    return short


def bytes_in(type_name: str, count: int) -> int:
    """Return the bytes of so many numbers of a type. Raises `DataError` for a part of a block."""
    if type_name != _BLOCKS:
        return count * (2 if type_name == _BF16 else _PLAIN[type_name].itemsize)
    if count % _BLOCK:
        raise DataError(f"`{_BLOCKS}` has blocks of {_BLOCK} numbers, found {count}")
    return count // _BLOCK * _BLOCK_BYTES


def values_of(data: bytes, type_name: str) -> Array:
    if type_name in _PLAIN:
        return np.frombuffer(data, _PLAIN[type_name])
    if type_name == _BF16:
        numbers: Array = (np.frombuffer(data, "<u2").astype("<u4") << 16).view("<f4")
        return numbers
    blocks = np.frombuffer(data, np.uint8).reshape(-1, _BLOCK_BYTES)
    exponents = blocks[:, :1].astype(np.int32) - _BLOCK_BIAS
    scaled: Array = np.ldexp(blocks[:, 1:].view(np.int8).astype("<f4"), exponents)
    return scaled.reshape(-1)


def bytes_of(values: Array, type_name: str) -> bytes:
    """Return numbers as bytes of a type: integers must fit, others are rounded.

    To bf16 to nearest even, to blocks towards minus infinity. Raises `DataError`.
    """
    found: bytes
    if type_name == _BF16:
        words = values.astype("<f4").view("<u4").astype(np.uint64).reshape(-1)
        rounded = words + 0x7FFF + (words >> 16 & 1)
        is_nan = np.isnan(values.astype("<f4").reshape(-1))
        found = np.where(is_nan, words >> 16 | 0x40, rounded >> 16).astype("<u2").tobytes()
        return found
    if type_name == _BLOCKS:
        return _blocks_of(values.astype(np.float64).reshape(-1))
    dtype = _PLAIN[type_name]
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        fits = (values >= limits.min) & (values <= limits.max) & (values == np.trunc(values))
        if not fits.all():
            wrong = values.reshape(-1)[np.flatnonzero(~fits.reshape(-1))[0]]
            raise DataError(f"`{type_name}` takes {limits.min} to {limits.max}, found {wrong}")
    with np.errstate(over="ignore"):
        found = values.astype(dtype).tobytes()
    return found


def _blocks_of(values: Array) -> bytes:
    if len(values) % _BLOCK:
        raise DataError(f"`{_BLOCKS}` has blocks of {_BLOCK} numbers, found {len(values)}")
    if not np.isfinite(values).all():
        raise DataError(f"`{_BLOCKS}` takes finite numbers")
    blocks = values.reshape(-1, _BLOCK)
    # frexp: numbers of 0.5 to 1 times a power of two; the largest gets a mantissa of 64 to 127.
    largest = np.frexp(np.abs(blocks).max(1, keepdims=True))[1] - 7 + _BLOCK_BIAS
    exponents = np.clip(largest, _SMALLEST_EXPONENT, 254)
    mantissas = np.floor(np.ldexp(blocks, _BLOCK_BIAS - exponents))
    if (np.abs(mantissas) > 128).any():
        raise DataError(f"`{_BLOCKS}` holds numbers up to 1.7e+38")
    exponents[~blocks.any(1)] = 0
    found: bytes = np.concatenate(
        (exponents.astype(np.uint8), mantissas.astype(np.int8).view(np.uint8)), axis=1
    ).tobytes()
    return found


def numbers_of(piece: Piece) -> Numbers:
    """Return data to load or to compare with. Raises `FileError`."""
    try:
        return _numbers_of(piece)
    except DataError as error:
        raise FileError(str(error), piece.data.source.text) from error


def _numbers_of(piece: Piece) -> Numbers:
    (source, place, _), stored = piece
    if stored is None:
        shape, name = place.shape or (0,), type_named(place.dtype)
        size = bytes_in(name, prod(shape))
        if size > MOST_BYTES:
            raise DataError(f"expected at most {MOST_BYTES:,} bytes, found {size:,}")
        return Numbers(_generated(piece.data, prod(shape), name), name, shape)
    if isinstance(stored, StoredArray):
        return _of_array(stored, place.shape, place.dtype)
    name = type_named(place.dtype)
    if place.elements is None:
        unit = _BLOCK_BYTES if name == _BLOCKS else bytes_in(name, 1)
        if len(stored) % unit:
            raise DataError(f"`{name}` takes {unit} bytes, found {counted(len(stored), 'byte')}")
        count = len(stored) // unit * (_BLOCK if name == _BLOCKS else 1)
        return Numbers(stored, name, (count,))
    size = bytes_in(name, place.elements)
    if len(stored) < size:
        raise DataError(f"expected {size:,} bytes, found {len(stored):,} in {source.file}")
    return Numbers(stored[:size], name, place.shape or (place.elements,))


def _of_array(stored: StoredArray, wanted: Shape | None, dtype: str | None) -> Numbers:
    header = stored.header
    shape = checked_shape(header.shape, wanted)
    code = header.descr.lstrip("<>|=").lower()
    if code == "v2":
        name, data = _BF16, stored.content
        if header.is_fortran and len(header.shape) > 1:
            raise DataError("expected numbers in C order, found bfloat16 numbers in Fortran order")
        if dtype is not None and type_named(dtype) != _BF16:
            name, data = type_named(dtype), bytes_of(values_of(data, _BF16), type_named(dtype))
    else:
        values = stored_values(stored)
        found = values.dtype.newbyteorder("=").name
        if dtype is None and found not in _ALIASES:
            raise DataError(f"expected one of the types {', '.join(NAMES)}, found {found}")
        name = type_named(found if dtype is None else dtype)
        data = bytes_of(values, name)
    if wanted is not None and len(wanted) == 1:
        data = data[: bytes_in(name, wanted[0])]
    return Numbers(data, name, shape)


def _generated(data: Data, count: int, name: str) -> bytes:
    is_float = name not in _PLAIN or _PLAIN[name].kind == "f"
    if is_float:
        return bytes_of(values_of(generated_bytes(data.source, count, TYPES["f32"]), "f32"), name)
    width = _PLAIN[name].itemsize
    if width <= 4:
        return generated_bytes(data.source, count, TYPES[name])
    return values_of(generated_bytes(data.source, count, TYPES["u32"]), "u32").astype(
        _PLAIN[name]
    ).tobytes()  # fmt: skip


def dumped(targets: Sequence[Data], read: ReadMemory) -> list[tuple[Output, str]]:
    """Return the files to write of memory, each with a note on it. Raises `FileError`."""
    found: list[tuple[Output, str]] = []
    archives: dict[str, dict[str, bytes]] = {}
    for source, place, _ in targets:
        try:
            name = type_named(place.dtype)
            data = read(place.address, bytes_in(name, place.elements or 0))
        except DataError as error:
            raise FileError(str(error), source.text) from error
        shape = place.shape or ()
        shown = f"{name} {'x'.join(map(str, shape))}"
        if source.is_archive:
            archives.setdefault(source.file, {})[source.member or "arr_0"] = _npy(data, name, shape)
        else:
            content = _npy(data, name, shape) if source.is_numpy else data
            found.append((Output(source.file, content), f"{source.text} ({shown})"))
    for path, arrays in archives.items():
        note = f"{path} ({counted(len(arrays), 'array')})"
        found.append((Output(path, archive(arrays)), note))
    return found


def _npy(data: bytes, name: str, shape: Shape) -> bytes:
    """Return a file of numpy, for which bf16 is two bytes without a type; blocks are float32."""
    file = io.BytesIO()
    array: Array = np.frombuffer(data, "V2") if name == _BF16 else values_of(data, name)
    np.save(file, array.reshape(shape), allow_pickle=False)
    return file.getvalue()


def memory_difference(wanted: Numbers, found: bytes, address: int) -> MemoryDifference | None:
    """Compare memory with data, bit by bit; None if they are equal."""
    if found == wanted.data:
        return None
    count = prod(wanted.shape) or 1
    values = wanted._replace(data=found).values
    pairs = (np.frombuffer(each, np.uint8) for each in (found, wanted.data))
    is_block = wanted.type == _BLOCKS
    unit = _BLOCK_BYTES if is_block else len(wanted.data) // count
    differs = np.flatnonzero((next(pairs) != next(pairs)).reshape(-1, unit).any(1))
    first = address + int(differs[0]) * unit
    if is_block:
        unequal = np.flatnonzero(values.reshape(-1) != wanted.values.reshape(-1))
        places = unequal if len(unequal) else differs * _BLOCK
    else:
        places = differs
    return MemoryDifference(difference_report(values, wanted.values, places), first, unit)


def listed_numbers(data: bytes, name: str) -> list[Any]:
    """Return the numbers in bytes of a type. Raises `DataError` for an unknown type."""
    values: list[Any] = values_of(data, type_named(name)).tolist()
    return values

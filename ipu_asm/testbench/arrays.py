"""Conversion between numpy arrays and bytes of the machine; element and word types by name."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ipu_asm.isa.ipu.machine.elements import NUMPY_TYPES, DType

Array: TypeAlias = NDArray[Any]
Buffer: TypeAlias = bytes | bytearray | memoryview

DTYPES: Final = {dtype.name.lower(): dtype for dtype in DType}
"""The element types by name: `int8`, `fp8_e4m3`, `fp8_e5m2`."""

_BY_NAME: Final = {name: np.dtype(NUMPY_TYPES[dtype]) for name, dtype in DTYPES.items()}
_TYPES: Final = (*_BY_NAME.values(), *map(np.dtype, ("uint8", "<i4", "<u4", "<f4")))
_KNOWN: Final = " or ".join(", ".join(kind.name for kind in _TYPES).rsplit(", ", 1))


def dtype_named(name: str | DType) -> DType:
    """Return the element type of that name. Raises ValueError."""
    __tracebackhide__ = True
    if isinstance(name, DType):
        return name
    if name not in DTYPES:
        known = ", ".join(f"`{known}`" for known in DTYPES)
        raise ValueError(f"an element type is one of {known}, found `{name}`")
    return DTYPES[name]


def numpy_type(dtype: Any) -> np.dtype[Any]:
    """Return the type of elements or words, little-endian, by numpy type or element type name.

    Raises TypeError for a type that neither elements nor words of the machine have.
    """
    __tracebackhide__ = True
    kind: np.dtype[Any] = np.dtype(_BY_NAME.get(dtype, dtype) if isinstance(dtype, str) else dtype)
    if kind.byteorder == ">":
        kind = kind.newbyteorder("<")
    if kind not in _TYPES:
        raise TypeError(f"elements and words are {_KNOWN}, found {kind.name}: {_remedy(kind)}")
    return kind


def bytes_of(data: Array | np.generic | Buffer) -> bytes:
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
    return np.asarray(data, numpy_type(data.dtype)).tobytes()


def _remedy(kind: np.dtype[Any]) -> str:
    if kind == np.dtype(bool):
        return 'pack masks with `np.packbits(masks, axis=-1, bitorder="little")`'
    return "convert with `.astype`, so that the test says what becomes of the values"

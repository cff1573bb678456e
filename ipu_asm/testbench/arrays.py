"""Conversion between numpy arrays and bytes of a machine; element and word types by name."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ipu_asm.emulator.element_types import ElementType
from ipu_asm.emulator.model import MachineModel

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

"""Where the arrays that a bench returns come from, as long as they live: for failure reports.

A comparison gets arrays, or slices and views of them, from which the bytes of the machine are found
again. The table holds weak references only.
"""

from __future__ import annotations

import weakref
from enum import Enum
from typing import Any, Final

import numpy as np

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.testbench.arrays import Array


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

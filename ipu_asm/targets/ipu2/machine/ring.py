"""Elements that an index wraps around in."""

from __future__ import annotations

from typing import Any

import numpy as np

from ipu_asm.emulator.words import LANES


class Ring:
    """The elements of a register, or of two in a row, from any index on."""

    __slots__ = ("_elements", "_size", "_windows")

    def __init__(self, elements: Any) -> None:
        self._elements = elements
        self._size = len(elements)
        self._windows = [elements[i : i + LANES] for i in range(self._size - LANES + 1)]

    def window(self, start: int) -> Any:
        """Return 128 elements; the first one follows the last."""
        start %= self._size
        if start < len(self._windows):
            return self._windows[start]
        return np.concatenate(
            (self._elements[start:], self._windows[0][: start - self._size + LANES])
        )

    def element(self, index: int) -> Any:
        """Return one element."""
        return self._elements[index % self._size]

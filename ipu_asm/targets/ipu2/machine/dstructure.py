"""The data structure word: how much of a vector is in use, its groups, and what fills it up."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from ipu_asm.emulator.faults import InstructionError
from ipu_asm.emulator.words import LANES
from ipu_asm.named_tuple import NamedTuple

PARTITIONS: Final = (0, 2, 4, 8, 16)
PAD_WORDS: Final = (0x0000_0000, 0x7F80_0000, 0xFF80_0000)
"""The word of masked elements in each pad mode: 0, +infinity, -infinity."""

_USED_BITS: Final = 0x7FFF


class DataStructure(NamedTuple):
    """The content of a data structure word.

    `active` elements, at most 128, take part in aggregates and activations; shifts of masks do not
    cross the borders of the `partition` equal groups, if that is not 0; `pad_mode` is an index of
    `PAD_WORDS`.
    """

    active: int
    partition: int
    pad_mode: int


@lru_cache(maxsize=256)
def data_structure(word: int) -> DataStructure:
    """Return the content of a data structure word. Raises `InstructionError` if it has none."""
    partition, pad_mode = word >> 8 & 0x1F, word >> 13 & 0x3
    if partition not in PARTITIONS:
        raise InstructionError(
            f"partition (bits 12:8 of the data structure) must be 0, 2, 4, 8 or 16, "
            f"found {partition} in {word & _USED_BITS:#x}"
        )
    if pad_mode >= len(PAD_WORDS):
        raise InstructionError(
            f"pad_mode (bits 14:13 of the data structure) must be 0, 1 or 2, "
            f"found {pad_mode} in {word & _USED_BITS:#x}"
        )
    return DataStructure(min(word & 0xFF, LANES), partition, pad_mode)

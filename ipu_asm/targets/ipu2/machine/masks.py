"""Masks of the multiplier: 128 bits, shifted by up to three elements within groups."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from ipu_asm.emulator.words import LANES, Words

MASK_SIZE: Final = 16
MASKS: Final = 8
EVERY_ELEMENT: Final = bytes([0xFF]) * MASK_SIZE

_FARTHEST: Final = 3


def limited_shift(distance: int) -> int:
    """Return the distance in elements by which a mask is shifted: -3 to 3."""
    return max(-_FARTHEST, min(_FARTHEST, distance))


@lru_cache(maxsize=256)
def kept_words(mask: bytes, distance: int, partition: int) -> Words:
    """Return an AND mask per word: all ones where the shifted mask has a bit, else zero.

    Positive distances shift towards higher elements. Within each of the `partition` groups, zeros
    come in at the border. Do not change the result.
    """
    bits = int.from_bytes(mask, "little")
    for _ in range(abs(distance)):
        bits = bits << 1 if distance > 0 else bits >> 1
        bits &= _entered(partition, distance > 0)
    content = np.frombuffer(bits.to_bytes(MASK_SIZE, "little"), np.uint8)
    return np.uint32(0) - np.unpackbits(content, bitorder="little").astype(np.uint32)


def _entered(partition: int, upwards: bool) -> int:
    """The bits that a shift by one element does not clear."""
    group = LANES // partition if partition else LANES
    cleared = sum(1 << start for start in range(0, LANES, group))
    return ((1 << LANES) - 1) & ~(cleared if upwards else cleared << group - 1)

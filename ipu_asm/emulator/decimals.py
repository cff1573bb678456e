"""Float32 as decimals, many at once."""

from __future__ import annotations

import numpy as np


def float_texts(data: bytes | bytearray) -> list[str]:
    """Of each float32, little-endian, the fewest digits that give the same bits back."""
    texts = [str(number) for number in np.frombuffer(data, "<f4")]
    # Numpy turns to exponents sooner than Python does.
    return [repr(float(text)) if "e" in text else text for text in texts]

"""Decimal texts of float32 arrays."""

from __future__ import annotations

import numpy as np


def float_texts(data: bytes | bytearray) -> list[str]:
    """Return the shortest decimal of each little-endian float32 that round-trips exactly."""
    texts = [str(number) for number in np.frombuffer(data, "<f4")]
    # Numpy switches to exponents sooner than Python does.
    return [repr(float(text)) if "e" in text else text for text in texts]

"""Generated data: the same bytes on every machine and with every version of Python and numpy.

`random:SEED` is SHAKE-256 of the text `ipu-asm random SEED`, read as far as needed: one byte for an
element of 8 bits, else 4 (of which a type of 16 bits takes the low 2). Integers take these bits as
they are. Floats are uniform from -1 to below 1: the byte b means (b - 128) / 128, rounded to an
8-bit float; four bytes mean the integer of their upper 24 bits, less 2^23, divided by 2^23.

`ramp` counts 0, 1, 2, ...: integers wrap around, 8-bit floats begin again after 7. No other
randomness is used: that of numpy's `Generator` may change with its version.
"""

from __future__ import annotations

from hashlib import shake_256

import numpy as np

from ipu_asm.emulator.element_types import ElementType
from ipu_asm.testbench.data.source import ONES, RAMP, ZEROS, DataError, DataSource

_RAMP_OF_FP8 = 8


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

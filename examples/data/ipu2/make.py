"""Data for the kernels in `examples/ipu2`, and the results that they must give.

    python examples/data/ipu2/make.py [FOLDER]

writes into the folder, by default this one. The headers of the kernels say where in memory the
files go; `fully_connected.s` takes those of the folder above. The numbers follow formulas, so that
every version of numpy writes the same bytes.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

HEIGHT, WIDTH, COLUMNS, ROWS = 16, 128, 3, 8

Array = NDArray[Any]


def image() -> Array:
    """An image in INT8."""
    y, x = np.indices((HEIGHT, WIDTH))
    pixels: Array = ((y * 37 + x * 11 + x * y) % 61 - 30).astype(np.int8)
    return pixels


def kernel() -> Array:
    """The three rows of a kernel, in INT8."""
    return np.array([[1, -2, 1], [0, 3, -1], [2, -1, -2]], np.int8)


def convolved(pixels: Array, taps: Array, partition: int = 0) -> Array:
    """What `convolution.s` makes of an image, or of `partition` images side by side."""
    parts = np.split(pixels.astype(np.int32), partition or 1, axis=1)
    return np.concatenate([_convolved(part, taps.astype(np.int32)) for part in parts], axis=1)


def _convolved(pixels: Array, taps: Array) -> Array:
    (height, width), (rows, columns) = pixels.shape, taps.shape
    padded = np.pad(pixels, ((1, 1), (columns // 2, columns // 2)))
    sums = sum(
        taps[r, c] * padded[r : r + height, c : c + width]
        for r in range(rows)
        for c in range(columns)
    )
    limited: Array = np.clip(sums, 0, 127)
    return limited.astype(np.int8)


def numbers() -> Array:
    """Rows of float32, one of them zero."""
    row, element = np.indices((ROWS, WIDTH))
    rows: Array = (((row * 29 + element * 13) % 97 - 48) / 8).astype("<f4")
    rows[5] = 0
    return rows


def normalized(rows: Array) -> Array:
    """What `l2_normalize.s` makes of rows: sums in double precision, each result rounded once."""
    sums = np.add.accumulate((rows * rows).astype(np.float64), axis=1)[:, -1]
    lengths = np.sqrt(sums.astype(np.float32).astype(np.float64))
    inverse = np.divide(1, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    scaled: Array = rows * inverse.astype(np.float32)[:, None]
    return scaled


def main(folder: Path) -> None:
    """Write all files."""
    margins = np.pad(image(), ((1, 2), (0, 0)))
    (folder / "image.bin").write_bytes(margins.tobytes())
    (folder / "kernel.bin").write_bytes(kernel().tobytes())
    (folder / "convolved.bin").write_bytes(convolved(image(), kernel()).tobytes())
    (folder / "numbers.bin").write_bytes(numbers().tobytes())
    (folder / "normalized.bin").write_bytes(normalized(numbers()).tobytes())


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)

"""Data for the kernels in `examples`, and the results that they must give, in INT8.

    python examples/data/make.py [FOLDER]

writes them into the folder, by default this one: `inputs.bin`, `weights.bin` and `results.bin` for
`fully_connected.s`, and `KERNEL.NAME.npy` for the others. `ipu.toml` in the folder of the kernels
says where in memory they go. The elements follow formulas, so that every version of numpy writes
the same bytes.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

SAMPLES, INPUTS, OUTPUTS, ROW = 10, 128, 64, 128
ROWS = 8
TAPS = (-1, 3, -1)
LAPLACE = ((0, -1, 0), (-1, 4, -1), (0, -1, 0))
SCALE, OFFSET = 2, -10

Array = NDArray[Any]
Arrays = dict[str, Array]


def fully_connected() -> Arrays:
    """A layer; the kernel reads rows of 128 weights, of which the second half is zero."""
    sample, element = np.indices((SAMPLES, INPUTS))
    inputs = ((sample * 31 + element * 17) % 251 - 125).astype(np.int8)
    element, output = np.indices((INPUTS, OUTPUTS))
    weights = ((output * 7 + element * 3) % 31 - 15).astype(np.int8)
    padded = np.pad(weights, ((0, 0), (0, ROW - OUTPUTS)))
    results = inputs.astype("<i4") @ weights.astype("<i4")
    return {"inputs": inputs, "weights": padded, "results": results}


def numbers(seed: int, rows: int = ROWS, columns: int = ROW) -> Array:
    """Rows of elements that look like noise."""
    row, element = np.indices((rows, columns))
    noise = (row * 131 + element * 37 + row * element * 7 + seed * 53) % 211 - 105
    return np.asarray(noise, np.int8)


def picture(rows: int, columns: int) -> Array:
    """A bright disc on a slope."""
    y, x = np.indices((rows, columns))
    is_inside = ((2 * y - rows) * columns) ** 2 + ((2 * x - columns) * rows) ** 2 < (
        rows * columns
    ) ** 2 // 2
    return np.asarray(x * 60 // columns - 60 + 100 * is_inside, np.int8)


def words(values: Any) -> Array:
    """As the accumulator has them."""
    return np.asarray(values).astype("<i4")


def conv3x3_row() -> Arrays:
    """The edges of a picture; masks leave out the pixels beyond the ends of a row."""
    image = picture(16, ROW)
    wide = np.pad(words(image), 1)
    out = sum(LAPLACE[y][x] * wide[y : y + 16, x : x + ROW] for y in range(3) for x in range(3))
    masks = np.zeros((3, 16), np.uint8)
    masks[0, 0], masks[2, 15] = 1, 0x80
    margins = np.pad(image, ((1, 1), (0, 0)))
    taps = np.array(LAPLACE, np.int8)
    return {"image": margins, "kernel": taps, "masks": masks, "out": words(out)}


def elementwise_multiply() -> Arrays:
    """Two vectors and their products: 32-bit words, and clamped to int8 as `ipu2` stores them."""
    a, b = numbers(1), numbers(2)
    c = words(a) * words(b)
    return {"a": a, "b": b, "c": c, "clamped": np.clip(c, -128, 127).astype(np.int8)}


def inverse_norm() -> Arrays:
    """Rows, one of them zero, and their inverse norms: the sum is exact, the rest rounded once."""
    x = numbers(3)
    x[1] = 0
    squares = (x.astype(np.float64) ** 2).sum(axis=1)
    norms = np.divide(1, np.sqrt(squares), out=np.zeros(ROWS), where=squares > 0)
    return {"x": x, "result": norms.astype("<f4")}


def max_pool_2x2() -> Arrays:
    """A picture, and the brightest pixel of each window."""
    image = picture(32, 64)
    return {"image": image, "out": image.reshape(16, 2, 32, 2).max(axis=(1, 3))}


def requantize_int8() -> Arrays:
    """A tensor at another scale: clipped at both ends, and the peak before that in each lane."""
    given = numbers(4)
    scaled = words(given) * SCALE + OFFSET
    out = np.clip(scaled, -128, 127).astype(np.int8)
    return {"in": given, "out": out, "peak": words(np.full(ROW, scaled.max()))}


def softmax_stats() -> Arrays:
    """Logits, exponentials as a table gives them, and the maximum and the sum of the last row."""
    logits = numbers(5)
    exps = (127 * np.exp2((logits.astype(np.float64) - 105) / 16)).round().astype(np.int8)
    stats = words([logits[-1].max(), words(exps[-1]).sum()])
    return {"logits": logits, "exps": exps, "stats": stats}


def row_filter() -> Arrays:
    """Each row of sums weighs three rows of the input."""
    given = numbers(6, ROWS + len(TAPS) - 1)
    out = sum(tap * words(given)[at : at + ROWS] for at, tap in enumerate(TAPS))
    return {"in": given, "out": words(out)}


def main(folder: Path) -> None:
    """Write all files."""
    for name, array in fully_connected().items():
        (folder / f"{name}.bin").write_bytes(array.tobytes())
    others = (
        conv3x3_row, elementwise_multiply, inverse_norm, max_pool_2x2, requantize_int8,
        softmax_stats, row_filter,
    )  # fmt: skip
    for kernel in others:
        for name, array in kernel().items():
            np.save(folder / f"{kernel.__name__}.{name}.npy", array)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)

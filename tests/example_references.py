"""What every program in `examples/` is to compute, and what a host prepares for it.

Each function takes the element type (0 INT8, 1 FP8_E4M3, 2 FP8_E5M2), draws inputs that are the
same in every run, and works out the results with numpy from the mathematics in the example's
header, not from the machine. `EXAMPLES` names the functions by the stem of the source file,
`DTYPES` says which element types an example is for; with another it raises ValueError.

In FP8 modes a product of two elements is exact in float32, and a float32 addition of numpy rounds
as the accumulator does, so that all expected bytes are exact.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple, TypeAlias

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]

INT8: Final = 0
FP8_E4M3: Final = 1
FP8_E5M2: Final = 2

LANES: Final = 128
TYPE_NAMES: Final = ("int8", "fp8_e4m3", "fp8_e5m2")
ELEMENT_TYPES: Final[tuple[type[Any], ...]] = (
    np.int8,
    ml_dtypes.float8_e4m3fn,
    ml_dtypes.float8_e5m2,
)
ONE: Final = (0x01, 0x38, 0x3C)
MINUS_INFINITY: Final = 0xFF80_0000
ROOT: Final = Path(__file__).resolve().parents[1]
DATA_FOLDERS: Final = (ROOT / "tests" / "data", ROOT.parent / "shared" / "data")


class Case(NamedTuple):
    """One run of an example.

    `cr` and `lr` are register values by index (`cr` includes cr15, negative ones are two's
    complement 32-bit patterns); `load` is the memory image and `expect` the memory after the run,
    both as (address, bytes). Memory outside `expect` may hold anything.
    """

    dtype: int
    cr: dict[int, int]
    lr: dict[int, int]
    load: list[tuple[int, bytes]]
    expect: list[tuple[int, bytes]]


def fully_connected(dtype: int) -> Case:
    """The published layer: 10 samples x 128 inputs, 64 outputs; expects the published results."""
    folder = find_layer(TYPE_NAMES[dtype])
    inputs = (folder / f"inputs_{TYPE_NAMES[dtype]}.bin").read_bytes()
    weights = (folder / f"weights_{TYPE_NAMES[dtype]}.bin").read_bytes()
    (results,) = folder.glob("out_*.bin")
    rows = np.zeros((128, LANES), np.uint8)
    rows[:, :64] = np.frombuffer(weights, np.uint8).reshape(64, 128).T
    return Case(
        dtype,
        cr={0: 0x00000, 1: 0x20000, 2: 0x40000, 15: dtype},
        lr={},
        load=[(0x00000, inputs), (0x20000, rows.tobytes())],
        expect=[(0x40000, results.read_bytes())],
    )


def fully_connected_results(inputs: bytes, weights: bytes, dtype: int) -> bytes:
    """The layer in numpy, in the order of accumulation i = 0 .. 127.

    `inputs` are samples x 128 elements, `weights` outputs x 128; the result is samples x outputs
    words.
    """
    x = decoded(inputs, dtype).reshape(-1, 128)
    w = decoded(weights, dtype).reshape(-1, 128)
    total = np.zeros((len(x), len(w)), x.dtype)
    for i in range(128):
        total = total + x[:, i, None] * w[None, :, i]
    return stored(total)


def elementwise_multiply(dtype: int) -> Case:
    """Five rows of 128: c[k] = a[k] * b[k], as words."""
    rows = 5
    rng = Random("elementwise_multiply")
    a, b = random_elements(rng, rows * LANES, dtype), random_elements(rng, rows * LANES, dtype)
    return Case(
        dtype,
        cr={0: 0x00000, 1: 0x10000, 2: 0x20000, 3: rows * LANES, 15: dtype},
        lr={},
        load=[(0x00000, a), (0x10000, b)],
        expect=[(0x20000, stored(decoded(a, dtype) * decoded(b, dtype)))],
    )


def conv3x3_row(dtype: int) -> Case:
    """Seven rows of 128 pixels, more than the ring of the cyclic register holds."""
    height = 7
    rng = Random("conv3x3_row")
    image, kernel = random_elements(rng, height * LANES, dtype), random_elements(rng, 9, dtype)
    margin = bytes(LANES)
    masks = (1).to_bytes(16, "little") + bytes(16) + (1 << 127).to_bytes(16, "little")
    last_row = (height + 1) * LANES
    pixels, taps = decoded(image, dtype).reshape(height, LANES), decoded(kernel, dtype)
    return Case(
        dtype,
        cr={0: 0x00000, 1: 0x10000, 2: 0x10100, 3: 0x20000, 4: last_row, 15: dtype},
        lr={},
        load=[(0x00000, margin + image + margin), (0x10000, kernel), (0x10100, masks)],
        expect=[(0x20000, stored(convolved(pixels, taps.reshape(3, 3))))],
    )


def convolved(image: Array, kernel: Array) -> Array:
    """The 3x3 convolution of H x W pixels with zeros around them, tap by tap; H x W words."""
    height, width = image.shape
    padded = np.pad(image, 1)
    total = np.zeros_like(image)
    for dy in range(3):
        for dx in range(3):
            total = total + kernel[dy, dx] * padded[dy : dy + height, dx : dx + width]
    return total


def max_pool_2x2(dtype: int) -> Case:
    """24 rows of 64 pixels, INT8 only; the first rows are negative throughout."""
    require_int8(dtype, "max_pool_2x2")
    height, width = 24, 64
    image = random_elements(Random("max_pool_2x2"), height * width, dtype)
    image = bytes(byte | 0x80 for byte in image[: 4 * width]) + image[4 * width :]
    windows = decoded(image, dtype).reshape(height // 2, 2, width // 2, 2)
    pooled = windows.max(axis=(1, 3)).astype(np.int8)
    registers = {0: 0x00000, 1: 0x18000, 2: 0x20000, 3: 1, 4: height * width, 5: -128 % 2**32}
    return Case(
        dtype,
        cr=registers | {15: dtype},
        lr={},
        load=[(0x00000, image)],
        expect=[(0x20000, pooled.tobytes())],
    )


def softmax_stats(dtype: int) -> Case:
    """Six rows of 128 logits and exponentials; the fourth word of each row is not compared."""
    rows = 6
    rng = Random("softmax_stats")
    logits = random_elements(rng, rows * LANES, dtype)
    # The first two rows are negative, so that a maximum that starts from 0 would show.
    logits = bytes(byte | 0x80 for byte in logits[: 2 * LANES]) + logits[2 * LANES :]
    logits = without_special_values(logits, dtype)
    exps = bytearray(byte & 0x7F for byte in random_elements(rng, rows * LANES, dtype))
    exps = bytearray(byte if dtype == INT8 else min(byte, ONE[dtype]) for byte in exps)
    exps[::LANES] = bytes([ONE[dtype]] * rows)
    x, e = (decoded(bytes(part), dtype).reshape(rows, LANES) for part in (logits, exps))
    lowest = -128 % 2**32 if dtype == INT8 else MINUS_INFINITY
    bases = {0: 0x00000, 1: 0x18000, 2: 0x30000}
    return Case(
        dtype,
        cr=bases | {3: ONE[dtype], 4: rows * LANES, 5: lowest, 6: 0, 15: dtype},
        lr={},
        load=[(0x00000, logits), (0x18000, bytes(exps))],
        expect=[(0x30000 + 16 * r, softmax_row(x[r], e[r])) for r in range(rows)],
    )


def softmax_row(logits: Array, exps: Array) -> bytes:
    """Maximum of 128 logits, sum of 128 exponentials and its inverse: three words.

    The kernel spreads a statistic by adding it to zero, which makes +0 of a maximum of -0.
    """
    total = sum_in_order(exps)
    statistics = np.array([logits.max() + 0, total]).astype(logits.dtype)
    return stored(statistics) + stored(np.array([1.0 / total]).astype(np.float32))


def requantize_int8(dtype: int) -> Case:
    """Seven rows of 128, INT8 only; scale and offset clip at both ends."""
    require_int8(dtype, "requantize_int8")
    rows, scale, offset = 7, -3, 40
    x = random_elements(Random("requantize_int8"), rows * LANES, dtype)
    y = decoded(x, dtype) * scale + offset
    bases = {0: 0x00000, 1: 0x10000, 2: 0x20000}
    factors = {3: scale % 2**32, 4: offset, 5: 0x8000_0000, 6: rows * LANES, 7: 1, 8: 0}
    return Case(
        dtype,
        cr=bases | factors | {15: dtype},
        lr={},
        load=[(0x00000, x)],
        expect=[
            (0x10000, np.clip(y, -128, 127).astype(np.int8).tobytes()),
            (0x20000, stored(np.full(LANES, y.max()))),
        ],
    )


def inverse_norm(dtype: int) -> Case:
    """Five rows of 128, the second of them zeros."""
    rows = 5
    x = bytearray(random_elements(Random("inverse_norm"), rows * LANES, dtype))
    x[LANES : 2 * LANES] = bytes(LANES)
    values = decoded(bytes(x), dtype).reshape(rows, LANES)
    squares = [sum_in_order(row * row) for row in values]
    norms = [0.0 if square == 0 else 1.0 / float(np.sqrt(square)) for square in squares]
    return Case(
        dtype,
        cr={0: 0x00000, 1: 0x18000, 2: rows * LANES, 3: 0, 15: dtype},
        lr={},
        load=[(0x00000, bytes(x))],
        expect=[(0x18000, stored(np.array(norms).astype(np.float32)))],
    )


EXAMPLES: Final[dict[str, Callable[[int], Case]]] = {
    "fully_connected": fully_connected,
    "elementwise_multiply": elementwise_multiply,
    "conv3x3_row": conv3x3_row,
    "max_pool_2x2": max_pool_2x2,
    "softmax_stats": softmax_stats,
    "requantize_int8": requantize_int8,
    "inverse_norm": inverse_norm,
}

DTYPES: Final[dict[str, tuple[int, ...]]] = {
    stem: (INT8,) if stem in ("max_pool_2x2", "requantize_int8") else (INT8, FP8_E4M3, FP8_E5M2)
    for stem in EXAMPLES
}


def find_layer(type_name: str) -> Path:
    """The folder with the published layer of one element type; FileNotFoundError without it."""
    for folder in DATA_FOLDERS:
        layer = folder / "fully_connected" / type_name
        if layer.is_dir():
            return layer
    raise FileNotFoundError(f"fully_connected/{type_name} in none of {DATA_FOLDERS}")


def require_int8(dtype: int, stem: str) -> None:
    """Refuse the FP8 types for an example that narrows with `aaq`."""
    if dtype != INT8:
        raise ValueError(f"{stem} is for INT8 only")


def random_elements(rng: Random, count: int, dtype: int) -> bytes:
    """`count` elements drawn from all bit patterns that are finite numbers."""
    return without_special_values(rng.randbytes(count), dtype)


def without_special_values(elements: bytes, dtype: int) -> bytes:
    """The elements with the lowest exponent bit cleared where they are infinite or no number."""
    if dtype == INT8:
        return elements
    bit = 0x08 if dtype == FP8_E4M3 else 0x04
    finite = np.isfinite(decoded(elements, dtype))
    return bytes(e if f else e & ~bit for e, f in zip(elements, finite, strict=True))


def decoded(elements: bytes, dtype: int) -> Array:
    """The values of bytes: int32 in INT8 mode, else float32."""
    values = np.frombuffer(elements, ELEMENT_TYPES[dtype])
    return values.astype(np.int32 if dtype == INT8 else np.float32)


def stored(words: Array) -> bytes:
    """int32 or float32 words as they lie in memory."""
    return words.astype(words.dtype.newbyteorder("<")).tobytes()


def sum_in_order(words: Array) -> float:
    """The sum from the first word to the last, in double precision, which is exact for INT8."""
    return float(np.add.accumulate(words, dtype=np.float64)[-1])

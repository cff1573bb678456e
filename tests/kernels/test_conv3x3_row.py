"""`conv3x3_row.s`: a 3x3 convolution of an image of 128 columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ipu_asm.testbench import Bench
from tests.kernels.host import DTYPES, SEEDS, draw, load_on_used_machine, run_writing

COLUMNS = 128


def check_convolution(ipu: Bench, image: NDArray[Any], kernel: NDArray[Any]) -> None:
    """The convolution of H x 128 pixels takes 9 bundles a row and writes nothing but `out`."""
    height = len(image)
    suppressed = np.zeros((3, COLUMNS), bool)
    suppressed[0, 0] = suppressed[2, -1] = True
    load_on_used_machine(ipu, "conv3x3_row")
    ipu.cr[0:5] = 0x00000, 0x10000, 0x10100, 0x20000, (height + 1) * COLUMNS
    ipu.put(0x00000, np.pad(image, ((1, 1), (0, 0))))
    ipu.put(0x10000, kernel)
    ipu.put(0x10100, np.packbits(suppressed, axis=-1, bitorder="little"))
    run = run_writing(ipu, (0x20000, height * 512))
    out = ipu.get(0x20000, (height, COLUMNS), ipu.word_type)
    ipu.assert_bit_exact(out, convolution(image, kernel, ipu.word_type))
    assert run.cycles == 7 + 9 * height + 1


def convolution(
    image: NDArray[Any], kernel: NDArray[Any], word_type: np.dtype[Any]
) -> NDArray[Any]:
    """The reference: the nine products of each window, added row by row, left to right."""
    padded = np.pad(image.astype(word_type), 1)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3))
    products = windows * kernel.astype(word_type)
    # Left and right of the image there are no pixels to multiply: +0, not zero times the tap.
    products[:, 0, :, 0] = products[:, -1, :, 2] = 0
    taps = products.reshape(*image.shape, 9)
    sums: NDArray[Any] = np.add.accumulate(taps, axis=-1, dtype=word_type)[..., -1]
    return sums


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("height", [1, 2, 3, 4, 13])
def test_an_image_is_convolved_whatever_its_height(
    ipu: Bench, dtype: str, seed: int, height: int
) -> None:
    ipu.dtype = dtype
    image = draw(seed, (height, COLUMNS), ipu.element_type)
    check_convolution(ipu, image, draw(seed + 1000, (3, 3), ipu.element_type))


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_largest_image_is_convolved(ipu: Bench, dtype: str) -> None:
    ipu.dtype = dtype
    image = draw(4, (510, COLUMNS), ipu.element_type)
    check_convolution(ipu, image, draw(5, (3, 3), ipu.element_type))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("positive", range(10))
def test_a_black_pixel_keeps_the_sign_that_its_products_have(
    ipu: Bench, dtype: str, positive: int
) -> None:
    ipu.dtype = dtype
    taps = np.full(10, -1)
    taps[positive] = 1  # the tenth is none of the kernel's
    black = np.zeros((5, COLUMNS), ipu.element_type)
    check_convolution(ipu, black, taps[:9].reshape(3, 3).astype(ipu.element_type))

"""`max_pool_2x2.s`: 2x2 max pooling with stride 2 of an INT8 image of 64 columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ipu_asm.testbench import Bench
from tests.kernels.host import SEEDS, draw, load_on_used_machine, run_writing

COLUMNS = 64


def check_pooling(ipu: Bench, image: NDArray[Any]) -> None:
    """An image of groups of 8 rows is pooled, 21 bundles a group; only scratch is written too."""
    groups = len(image) // 8
    load_on_used_machine(ipu, "max_pool_2x2", zero_aaq=1)
    ipu.cr[0:6] = 0x00000, 0x18000, 0x20000, 1, groups * 512, -128
    ipu.put(0x00000, image)
    run = run_writing(ipu, (0x18000, 512), (0x20000, groups * 128))
    upper = np.maximum(image[0::2, 0::2], image[0::2, 1::2])
    lower = np.maximum(image[1::2, 0::2], image[1::2, 1::2])
    out = ipu.get(0x20000, (groups * 4, COLUMNS // 2), "int8")
    ipu.assert_bit_exact(out, np.maximum(upper, lower))
    assert run.cycles == 5 + 21 * groups + 1


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("groups", [1, 2, 5, 128])
def test_an_image_is_pooled_whatever_its_height(ipu: Bench, seed: int, groups: int) -> None:
    check_pooling(ipu, draw(seed, (groups * 8, COLUMNS), ipu.element_type))


@pytest.mark.parametrize("pixel", [-128, -1, 0, 127])
def test_an_image_of_one_colour_stays_what_it_is(ipu: Bench, pixel: int) -> None:
    check_pooling(ipu, np.full((16, COLUMNS), pixel, np.int8))


@pytest.mark.parametrize("corner", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_each_pixel_of_a_window_can_be_the_greatest(ipu: Bench, corner: tuple[int, int]) -> None:
    image = np.full((24, COLUMNS), -128, np.int8)
    row, column = corner
    image[row::2, column::2] = draw(6, (12, COLUMNS // 2), ipu.element_type)
    check_pooling(ipu, image)

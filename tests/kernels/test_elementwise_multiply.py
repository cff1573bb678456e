"""`elementwise_multiply.s`: c = a * b, rows of 128 elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ipu_asm.testbench import Bench
from tests.kernels.host import ALL_BYTES, DTYPES, SEEDS, draw, load_on_used_machine, run_writing


def check_product(ipu: Bench, a: NDArray[Any], b: NDArray[Any]) -> None:
    """Rows of 128 elements are multiplied, 3 bundles a row, and nothing else is written."""
    rows = len(a)
    load_on_used_machine(ipu, "elementwise_multiply")
    ipu.cr[0:4] = 0x000000, 0x010000, 0x020000, rows * 128
    ipu.put(0x000000, a)
    ipu.put(0x010000, b)
    run = run_writing(ipu, (0x020000, rows * 512))
    with np.errstate(invalid="ignore"):
        expected = a.astype(ipu.word_type) * b.astype(ipu.word_type)
    c = ipu.get(0x020000, (rows, 128), ipu.word_type)
    ipu.assert_bit_exact(c, expected, ignore_nan_signs=True)
    assert run.cycles == 2 + 3 * rows + 1


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("rows", [1, 2, 9])
def test_rows_are_multiplied_element_by_element(
    ipu: Bench, dtype: str, seed: int, rows: int
) -> None:
    ipu.dtype = dtype
    a, b = draw(seed, (2, rows, 128), ipu.element_type)
    check_product(ipu, a, b)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_product_of_two_elements_is_exact_special_values_too(ipu: Bench, dtype: str) -> None:
    ipu.dtype = dtype
    every = ALL_BYTES.view(ipu.element_type)
    check_product(
        ipu, np.repeat(every, 256).reshape(512, 128), np.tile(every, 256).reshape(512, 128)
    )

"""`inverse_norm.s`: 1 / sqrt of the sum of squares, by rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ipu_asm.testbench import Bench
from tests.kernels.host import DTYPES, SEEDS, draw, load_on_used_machine, run_writing


def check_norms(ipu: Bench, x: NDArray[Any]) -> None:
    """The inverse norm of each row of 128, 0 for a row of zeros; 3 bundles a row."""
    rows = len(x)
    load_on_used_machine(ipu, "inverse_norm")
    ipu.cr[0:4] = 0x00000, 0x18000, rows * 128, 0
    ipu.put(0x00000, x)
    run = run_writing(ipu, (0x18000, rows * 4 + 508))
    squares = np.square(x.astype(np.float64))
    sums = np.add.accumulate(squares, axis=-1)[:, -1]
    with np.errstate(divide="ignore"):
        norms = np.where(sums > 0, 1 / np.sqrt(sums), 0).astype(np.float32)
    ipu.assert_bit_exact(ipu.get(0x18000, rows, np.float32), norms)
    assert run.cycles == 3 + 3 * rows + 1


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("rows", [1, 2, 512])
def test_each_row_has_its_own_norm(ipu: Bench, dtype: str, seed: int, rows: int) -> None:
    ipu.dtype = dtype
    check_norms(ipu, draw(seed, (rows, 128), ipu.element_type))


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_row_of_zeros_has_no_norm(ipu: Bench, dtype: str) -> None:
    ipu.dtype = dtype
    x = draw(4, (5, 128), ipu.element_type)
    x[1] = x[4] = 0
    check_norms(ipu, x)

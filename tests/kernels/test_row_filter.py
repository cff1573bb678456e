"""`row_filter.asm`: each row of sums weighs some rows of the input; a template."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ipu_asm.testbench import Bench
from tests.kernels.host import DTYPES, draw, load_on_used_machine, run_writing


def check_filter(ipu: Bench, image: NDArray[Any], weights: NDArray[Any]) -> None:
    """The sums of all rows are exact, in their order of additions, and nothing else is written."""
    taps, rows = len(weights), len(image) - len(weights) + 1
    load_on_used_machine(ipu, "row_filter", taps=taps)
    ipu.cr[0:3] = 0x000000, 0x040000, rows * 512
    ipu.cr[3 : 3 + taps] = list(weights)
    ipu.put(0x000000, image)
    run = run_writing(ipu, (0x040000, rows * 512))
    sums = np.zeros((rows, 128), ipu.word_type)
    with np.errstate(all="ignore"):
        for tap in range(taps):
            part = image[tap : tap + rows].astype(ipu.word_type)
            sums = sums + part * weights[tap].astype(ipu.word_type)
    found = ipu.get(0x040000, (rows, 128), ipu.word_type)
    ipu.assert_bit_exact(found, sums.astype(ipu.word_type), ignore_nan_signs=True)
    assert run.cycles == 3 + rows * (taps + 2) + 1


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("taps", [2, 3, 5, 9])
@pytest.mark.parametrize("rows", [1, 6])
def test_rows_are_filtered(ipu: Bench, dtype: str, taps: int, rows: int) -> None:
    ipu.dtype = dtype
    image = draw(taps, (rows + taps - 1, 128), ipu.element_type)
    check_filter(ipu, image, draw(rows, taps, ipu.element_type))

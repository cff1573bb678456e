"""`softmax_stats.s`: maximum of the logits, sum of the exponentials and its inverse, by rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ipu_asm.testbench import Bench
from tests.kernels.host import DTYPES, SEEDS, draw, load_on_used_machine, run_writing


def check_statistics(ipu: Bench, logits: NDArray[Any], exps: NDArray[Any]) -> None:
    """The three statistics of each row of 128; 6 bundles a row."""
    rows = len(logits)
    one = np.ones((), ipu.element_type).view(np.uint8)
    lowest = -128 if ipu.dtype == "int8" else np.float32(-np.inf)
    load_on_used_machine(ipu, "softmax_stats", zero_aaq=1)
    ipu.cr[0:7] = 0x00000, 0x18000, 0x30000, one, rows * 128, lowest, 0
    ipu.put(0x00000, logits)
    ipu.put(0x18000, exps)
    run = run_writing(ipu, (0x30000, rows * 16 + 504))
    stats = ipu.get(0x30000, (rows, 4), ipu.word_type)
    # The maximum is spread by adding it to zero, which makes +0 of -0.
    greatest = logits.astype(ipu.word_type).max(axis=1) + ipu.word_type.type(0)
    # Exact in double precision, so that the order does not matter.
    sums = exps.astype(np.float64).sum(axis=1)
    ipu.assert_bit_exact(stats[:, 0], greatest)
    ipu.assert_bit_exact(stats[:, 1], sums.astype(ipu.word_type))
    ipu.assert_bit_exact(stats.view(np.float32)[:, 2], (1 / sums).astype(np.float32))
    assert run.cycles == 3 + 6 * rows + 1


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("rows", [1, 2, 30])
def test_each_row_has_its_own_statistics(ipu: Bench, dtype: str, seed: int, rows: int) -> None:
    ipu.dtype = dtype
    check_statistics(ipu, draw(seed, (rows, 128), ipu.element_type), exponentials(ipu, seed, rows))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("first_high", [0, 1])
def test_a_row_of_negative_logits_has_its_own_maximum_wherever_it_is(
    ipu: Bench, dtype: str, first_high: int
) -> None:
    ipu.dtype = dtype
    logits = -1 - np.abs(draw(9, (4, 128), ipu.element_type).astype(np.float32))
    logits[first_high::2] *= -1
    check_statistics(ipu, logits.clip(-127, 127).astype(ipu.element_type), exponentials(ipu, 9, 4))


def exponentials(ipu: Bench, seed: int, rows: int) -> NDArray[Any]:
    """Elements of which none is negative, at least one of each row being 1 or more."""
    drawn = draw(seed + 1000, (rows, 128), ipu.element_type).view(np.uint8) & 0x7F
    exps = drawn.view(ipu.element_type)
    exps[:, seed] = 1
    return exps

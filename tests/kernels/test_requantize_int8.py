"""`requantize_int8.s`: a tensor at another scale and zero point, and its peak."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ipu_asm.testbench import Bench
from tests.kernels.host import ALL_BYTES, SEEDS, draw, load_on_used_machine, run_writing

LOWEST, HIGHEST = -(1 << 31), (1 << 31) - 1


def check_requantization(ipu: Bench, values: NDArray[Any], scale: int, offset: int) -> None:
    """Rows of 128 are scaled, moved and clamped, 2 bundles a row; the peak is that of before."""
    rows = len(values)
    load_on_used_machine(ipu, "requantize_int8", zero_aaq=2)
    ipu.cr[0:9] = 0x00000, 0x10000, 0x20000, scale, offset, LOWEST, rows * 128, 1, 0
    ipu.put(0x00000, values)
    run = run_writing(ipu, (0x10000, rows * 128), (0x20000, 512))
    exact = scale * values.astype(np.int64) + offset
    out = ipu.get(0x10000, (rows, 128), np.int8)
    ipu.assert_bit_exact(out, np.clip(exact, -128, 127).astype(np.int8))
    ipu.assert_bit_exact(ipu.get(0x20000, 128, np.int32), [int(exact.max())] * 128)
    assert ipu.aaq[1] == exact.max()
    assert run.cycles == 3 + 2 * rows + 2


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("rows", [1, 2, 40])
@pytest.mark.parametrize(("scale", "offset"), [(1, 0), (-3, 40), (127, -500), (-128, 2), (0, -7)])
def test_a_tensor_is_requantized_and_clamped(
    ipu: Bench, seed: int, rows: int, scale: int, offset: int
) -> None:
    check_requantization(ipu, draw(seed, (rows, 128), ipu.element_type), scale, offset)


@pytest.mark.parametrize("offset", [LOWEST + 128 * 128, HIGHEST - 128 * 128])
@pytest.mark.parametrize("scale", [-128, 127])
def test_the_offset_may_take_a_whole_word(ipu: Bench, scale: int, offset: int) -> None:
    check_requantization(ipu, ALL_BYTES.view(np.int8).reshape(2, 128), scale, offset)

"""`fully_connected.s`: 10 samples of 128 inputs times 64 x 128 weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ipu_asm.testbench import Bench
from tests.kernels.host import DTYPES, SEEDS, draw, load_on_used_machine, run_writing

SAMPLES, INPUTS, OUTPUTS = 10, 128, 64
PUBLISHED = Path(__file__).resolve().parents[3] / "shared" / "data" / "fully_connected"


def check_layer(
    ipu: Bench, inputs: NDArray[Any], weights: NDArray[Any], results: NDArray[Any]
) -> None:
    """The kernel computes the results, in the time that its header gives, and nothing else."""
    load_on_used_machine(ipu, "fully_connected")
    ipu.cr[0:3] = 0x00000, 0x20000, 0x40000
    rows = np.zeros((INPUTS, 128), ipu.element_type)
    rows[:, :OUTPUTS] = weights.T
    ipu.put(0x00000, inputs)
    ipu.put(0x20000, rows)
    run = run_writing(ipu, (0x40000, (SAMPLES + 1) * 256))
    ipu.assert_bit_exact(ipu.get(0x40000, (SAMPLES, OUTPUTS), ipu.word_type), results)
    assert run.cycles == 3 + SAMPLES * 130 + 1


def layer(inputs: NDArray[Any], weights: NDArray[Any], word_type: np.dtype[Any]) -> NDArray[Any]:
    """The reference: products of a sample and an output, added from the first input to the last."""
    products = inputs.astype(word_type)[:, None, :] * weights.astype(word_type)[None, :, :]
    sums: NDArray[Any] = np.add.accumulate(products, axis=-1, dtype=word_type)[..., -1]
    sums += 0  # The accumulator begins with +0, which a product of -0 does not change.
    return sums


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_layer_of_drawn_elements_is_exact_to_the_bit(ipu: Bench, dtype: str, seed: int) -> None:
    ipu.dtype = dtype
    inputs = draw(seed, (SAMPLES, INPUTS), ipu.element_type)
    weights = draw(seed + 1000, (OUTPUTS, INPUTS), ipu.element_type)
    check_layer(ipu, inputs, weights, layer(inputs, weights, ipu.word_type))


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_published_layer_is_exact_to_the_bit(ipu: Bench, dtype: str) -> None:
    ipu.dtype = dtype
    inputs, weights, results = published(dtype, ipu)
    ipu.assert_bit_exact(layer(inputs, weights, ipu.word_type), results)
    check_layer(ipu, inputs, weights, results)


@pytest.mark.parametrize("dtype", DTYPES[1:])
def test_products_of_minus_zero_leave_plus_zero(ipu: Bench, dtype: str) -> None:
    ipu.dtype = dtype
    inputs = np.full((SAMPLES, INPUTS), -1).astype(ipu.element_type)
    weights = np.zeros((OUTPUTS, INPUTS), ipu.element_type)
    check_layer(ipu, inputs, weights, np.zeros((SAMPLES, OUTPUTS), ipu.word_type))


def published(dtype: str, ipu: Bench) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Inputs, weights and results from the folder of published data; drawn ones without it."""
    folder = PUBLISHED / dtype
    if not folder.is_dir():
        inputs = draw(7, (SAMPLES, INPUTS), ipu.element_type)
        weights = draw(8, (OUTPUTS, INPUTS), ipu.element_type)
        return inputs, weights, layer(inputs, weights, ipu.word_type)
    results = next(folder.glob("out_*.bin"))
    return (
        np.fromfile(folder / f"inputs_{dtype}.bin", ipu.element_type).reshape(SAMPLES, INPUTS),
        np.fromfile(folder / f"weights_{dtype}.bin", ipu.element_type).reshape(OUTPUTS, INPUTS),
        np.fromfile(results, ipu.word_type).reshape(SAMPLES, OUTPUTS),
    )

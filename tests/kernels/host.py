"""What the hosts of all kernels do: draw elements, look after memory."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ipu_asm.testbench import Bench, Run

DTYPES: Final = ("int8", "fp8_e4m3", "fp8_e5m2")
SEEDS: Final = (1, 2, 3)
ALL_BYTES: Final = np.arange(256, dtype=np.uint8)
_XMEM_SIZE: Final = 1 << 21


def draw(seed: int, shape: int | tuple[int, ...], kind: np.dtype[Any]) -> NDArray[Any]:
    """Elements drawn from all bit patterns that are finite numbers."""
    numbers = ALL_BYTES.view(kind)
    numbers = numbers[np.isfinite(numbers.astype(np.float32))]
    return numbers[np.random.default_rng(seed).integers(len(numbers), size=shape)]


def run_writing(ipu: Bench, *outputs: tuple[int, int]) -> Run:
    """Run the kernel; nothing outside of its outputs, as (address, size), may have changed."""
    before = ipu.get(0, _XMEM_SIZE, np.uint8)
    run = ipu.run()
    after = ipu.get(0, _XMEM_SIZE, np.uint8)
    for address, size in outputs:
        before[address : address + size] = after[address : address + size]
    ipu.assert_bit_exact(after.reshape(-1, 128), before.reshape(-1, 128))
    return run

"""What the hosts of all kernels do: use a machine that was used before, draw elements, run."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ipu_asm.testbench import Bench, Run

DTYPES: Final = ("int8", "fp8_e4m3", "fp8_e5m2")
SEEDS: Final = (1, 2, 3)
ALL_BYTES: Final = np.arange(256, dtype=np.uint8)
_XMEM_SIZE: Final = 1 << 21
_WINS_EVERY_MAXIMUM: Final = 0x7F00_0000  # as int32 and as float32


def load_on_used_machine(ipu: Bench, kernel: str, zero_aaq: int = 0, **defines: int) -> None:
    """Load an example on a machine on which others have left something nearly everywhere.

    As every header asks for, r_mask is zero, and as some do, so are the first aaq registers. An
    example that is a template is expanded with `defines`.
    """
    noise = _noise()
    for name in ("r0", "r1", "mem_bypass", "r_cyclic", "r_acc", "mult_res", "aaq_result"):
        setattr(ipu, name, noise[: getattr(ipu, name).nbytes])
    words = np.frombuffer(noise[:64], np.int32)
    ipu.lr[:], ipu.cr[:15] = words, words[:15]
    ipu.aaq[zero_aaq:] = [_WINS_EVERY_MAXIMUM] * (4 - zero_aaq)
    ipu.put(0, noise)
    ipu.load(f"examples/{kernel}.asm" if defines else f"examples/{kernel}.s", defines=defines)


def draw(seed: int, shape: int | tuple[int, ...], kind: np.dtype[Any]) -> NDArray[Any]:
    """Elements drawn from all bit patterns that are finite numbers."""
    numbers = ALL_BYTES.view(kind)
    numbers = numbers[np.isfinite(numbers.astype(np.float32))]
    drawn: NDArray[Any] = numbers[np.random.default_rng(seed).integers(len(numbers), size=shape)]
    return drawn


def run_writing(ipu: Bench, *outputs: tuple[int, int]) -> Run:
    """Run the kernel; nothing outside of its outputs, as (address, size), may have changed."""
    before = ipu.get(0, _XMEM_SIZE, np.uint8)
    run = ipu.run()
    after = ipu.get(0, _XMEM_SIZE, np.uint8)
    for address, size in outputs:
        before[address : address + size] = after[address : address + size]
    ipu.assert_bit_exact(after.reshape(-1, 128), before.reshape(-1, 128))
    return run


@lru_cache(maxsize=1)
def _noise() -> bytes:
    return np.random.default_rng(0).bytes(_XMEM_SIZE)

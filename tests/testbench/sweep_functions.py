"""Functions of a sweep for workers in other processes, which import them from here."""

from __future__ import annotations

from typing import Any, Mapping

import numpy as np

from ipu_asm.testbench import Bench


def set_up(bench: Bench, number: int) -> None:
    """Let a kernel see a number in `lr1`, and in every word of the accumulator."""
    bench.lr[1] = number
    bench.r_acc = np.full(128, number, np.int32)


def check_even(number: int, outputs: Mapping[str, Any]) -> None:
    """Refuse odd numbers."""
    assert outputs["acc"][0] % 2 == 0, f"{number} is odd"

"""Tests of kernels: a machine to put data on, and a comparison that leaves no bit out.

pytest users get a `Bench` from the fixture `ipu`, see `ipu_asm/pytest_plugin.py`. Importing this
package loads numpy and the emulator.
"""

from __future__ import annotations

from ipu_asm.testbench.bench import Bench, Run
from ipu_asm.testbench.comparison import assert_bit_exact

__all__ = ["Bench", "Run", "assert_bit_exact"]

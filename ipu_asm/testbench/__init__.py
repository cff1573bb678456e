"""Kernel tests in Python: a machine to load data into, and a bit-exact comparison.

pytest users get a `Bench` from the fixture `ipu`, see `testbench/pytest_plugin.py`. numpy and the
emulator are loaded on first use of a name, not on import: pytest loads the plugin in every project.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ipu_asm.testbench.bench import Bench, Run
    from ipu_asm.testbench.comparison import assert_bit_exact

__all__ = ["Bench", "Run", "assert_bit_exact"]

_HOMES = {
    "Bench": "ipu_asm.testbench.bench",
    "Run": "ipu_asm.testbench.bench",
    "assert_bit_exact": "ipu_asm.testbench.comparison",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)

"""Kernel tests in Python: a machine to load data into, and a bit-exact comparison.

pytest users get a `Bench` from the fixture `ipu`, see `testbench/pytest_plugin.py`. numpy and the
emulator are loaded on first use of a name, not on import: pytest loads the plugin in every project.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ipu_asm.testbench.arrays import from_fp8, to_fp8
    from ipu_asm.testbench.bench import Bench, HarnessRun, IpuApp, Run, run_test
    from ipu_asm.testbench.comparison import assert_bit_exact
    from ipu_asm.testbench.coverage.formats import collected_coverage
    from ipu_asm.testbench.execution import KernelWarning, NotReachedError
    from ipu_asm.testbench.sweeps import SweepResult, SweepResults
    from ipu_asm.testbench.sweeps.sweep import sweep

__all__ = [
    "Bench", "HarnessRun", "IpuApp", "KernelWarning", "NotReachedError", "Run", "SweepResult",
    "SweepResults", "assert_bit_exact", "collected_coverage", "from_fp8", "run_test", "sweep",
    "to_fp8",
]  # fmt: skip

_MODULES = {
    "arrays": ("from_fp8", "to_fp8"),
    "bench": ("Bench", "HarnessRun", "IpuApp", "Run", "run_test"),
    "comparison": ("assert_bit_exact",),
    "coverage.formats": ("collected_coverage",),
    "execution": ("KernelWarning", "NotReachedError"),
    "sweeps": ("SweepResult", "SweepResults"),
    "sweeps.sweep": ("sweep",),
}
_HOMES = {name: f"{__name__}.{module}" for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)

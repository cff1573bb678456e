"""The fixture of the plugin, also where this project is not installed and registers no plugin."""

from __future__ import annotations

from ipu_asm.testbench.pytest_plugin import ipu

__all__ = ["ipu"]

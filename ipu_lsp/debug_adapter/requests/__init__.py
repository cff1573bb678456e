"""Handlers of DAP requests, one module per subject. Importing a module registers its handlers."""

from __future__ import annotations

from importlib import import_module
from typing import Final

_MODULES: Final = (
    "lifecycle", "running", "breakpoints", "exceptions", "variables", "evaluation", "memory",
)  # fmt: skip


def load_all() -> None:
    """Import every module of handlers."""
    for name in _MODULES:
        import_module(f"{__name__}.{name}")

"""The toolchain for accelerator assembly: parse, check, encode, explain.

The names below are the package's public face; most load what they need when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

# Not on demand: a module that is imported later would take the place of its namesake here.
from ipu_asm.assemble import AssemblyError, assemble, disassemble

if TYPE_CHECKING:
    from ipu_asm.analysis import Analysis, analyze
    from ipu_asm.isa import load_isa

__all__ = ["Analysis", "AssemblyError", "analyze", "assemble", "disassemble", "load_isa"]
__version__ = "0.1.0"

_HOMES = {
    "Analysis": "ipu_asm.analysis",
    "analyze": "ipu_asm.analysis",
    "load_isa": "ipu_asm.isa",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)

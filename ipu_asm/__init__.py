"""The toolchain for accelerator assembly: parse, check, encode, explain.

The names below are the package's public face; each loads what it needs when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis
    from ipu_asm.analysis.analyzer import analyze
    from ipu_asm.assembler.encode import AssemblyError, assemble, disassemble
    from ipu_asm.isa import load_isa

__all__ = ["Analysis", "AssemblyError", "analyze", "assemble", "disassemble", "load_isa"]
__version__ = "0.1.0"

_HOMES = {
    "Analysis": "ipu_asm.analysis.analysis",
    "AssemblyError": "ipu_asm.assembler.encode",
    "analyze": "ipu_asm.analysis.analyzer",
    "assemble": "ipu_asm.assembler.encode",
    "disassemble": "ipu_asm.assembler.encode",
    "load_isa": "ipu_asm.isa",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)

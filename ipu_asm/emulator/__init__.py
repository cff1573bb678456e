"""Emulator of the IPU: bit-exact, with a fault for every operation it cannot execute.

`state` holds the machine state (`registers`, `memory`), `decode` decodes words, `binding` binds
them to operations, `semantics` implements the instructions, and `ipu` runs bundles. Only this
package and `testbench` use numpy; it is loaded on first use of a name below.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ipu_asm.emulator.elements import DType, ipu_add, ipu_mult
    from ipu_asm.emulator.faults import (
        CycleLimitError,
        EmulatorError,
        ExecutionFault,
        Fault,
        InstructionError,
        ProgramError,
        Refusal,
    )
    from ipu_asm.emulator.ipu import Ipu
    from ipu_asm.emulator.registers import MULT_STAGE_MAP, R_ACC_SIZE, R_REG_SIZE, RegFile
    from ipu_asm.emulator.run import DebugAction, run_until_complete, run_with_debug
    from ipu_asm.emulator.state import IpuState, SavedState

_HOMES = {
    "elements": ("DType", "ipu_add", "ipu_mult"),
    "faults": (
        "CycleLimitError", "EmulatorError", "ExecutionFault", "Fault", "InstructionError",
        "ProgramError", "Refusal",
    ),
    "ipu": ("Ipu",),
    "registers": ("MULT_STAGE_MAP", "R_ACC_SIZE", "R_REG_SIZE", "RegFile"),
    "run": ("DebugAction", "run_until_complete", "run_with_debug"),
    "state": ("IpuState", "SavedState"),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "MULT_STAGE_MAP",
    "R_ACC_SIZE",
    "R_REG_SIZE",
    "CycleLimitError",
    "DType",
    "DebugAction",
    "EmulatorError",
    "ExecutionFault",
    "Fault",
    "InstructionError",
    "Ipu",
    "IpuState",
    "ProgramError",
    "Refusal",
    "RegFile",
    "SavedState",
    "ipu_add",
    "ipu_mult",
    "run_until_complete",
    "run_with_debug",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)

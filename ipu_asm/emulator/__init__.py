"""The emulator: what every machine shares, and the names of the IPU's machine for users.

Memory, faults, interrupts, stops, recording, profile and trace are here. The machine of an
instruction set is its folder `isa/NAME/machine`; the names below are those of the IPU's. numpy is
loaded on the first use of one of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ipu_asm.emulator.faults import (
        CycleLimitError,
        EmulatorError,
        ExecutionFault,
        Fault,
        InstructionError,
        ProgramError,
        Refusal,
    )
    from ipu_asm.isa.ipu.machine.elements import DType, ipu_add, ipu_mult
    from ipu_asm.isa.ipu.machine.ipu import Ipu
    from ipu_asm.isa.ipu.machine.registers import MULT_STAGE_MAP, R_ACC_SIZE, R_REG_SIZE, RegFile
    from ipu_asm.isa.ipu.machine.run import DebugAction, run_until_complete, run_with_debug
    from ipu_asm.isa.ipu.machine.state import IpuState, SavedState

_MACHINE = "ipu_asm.isa.ipu.machine"
_HOMES = {
    "ipu_asm.emulator.faults": (
        "CycleLimitError", "EmulatorError", "ExecutionFault", "Fault", "InstructionError",
        "ProgramError", "Refusal",
    ),
    f"{_MACHINE}.elements": ("DType", "ipu_add", "ipu_mult"),
    f"{_MACHINE}.ipu": ("Ipu",),
    f"{_MACHINE}.registers": ("MULT_STAGE_MAP", "R_ACC_SIZE", "R_REG_SIZE", "RegFile"),
    f"{_MACHINE}.run": ("DebugAction", "run_until_complete", "run_with_debug"),
    f"{_MACHINE}.state": ("IpuState", "SavedState"),
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
    return getattr(import_module(_HOME_OF[name]), name)

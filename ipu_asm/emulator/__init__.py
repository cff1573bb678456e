"""The emulator: what every machine shares, and the names of the IPU's machine for users.

Registers, memory, state, binding, the run loop, faults, profile and trace are here. What differs
between machines is in the folder `isa/NAME/machine`, whose module `model` has the machine of the
set as a value; `machine_for` returns it. The names below are otherwise those of the IPU's machine.
numpy is loaded on the first use of one of them.
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
    from ipu_asm.emulator.model import MachineModel, NoMachineError, machine_for
    from ipu_asm.emulator.run import DebugAction
    from ipu_asm.emulator.state import SavedState
    from ipu_asm.isa.ipu.machine.elements import DType, ipu_add, ipu_mult
    from ipu_asm.isa.ipu.machine.ipu import Ipu
    from ipu_asm.isa.ipu.machine.model import run_until_complete, run_with_debug
    from ipu_asm.isa.ipu.machine.registers import MULT_STAGE_MAP, R_ACC_SIZE, R_REG_SIZE, RegFile
    from ipu_asm.isa.ipu.machine.state import IpuState

_MACHINE = "ipu_asm.isa.ipu.machine"
_HOMES = {
    "ipu_asm.emulator.faults": (
        "CycleLimitError", "EmulatorError", "ExecutionFault", "Fault", "InstructionError",
        "ProgramError", "Refusal",
    ),
    "ipu_asm.emulator.model": ("MachineModel", "NoMachineError", "machine_for"),
    "ipu_asm.emulator.run": ("DebugAction",),
    "ipu_asm.emulator.state": ("SavedState",),
    f"{_MACHINE}.elements": ("DType", "ipu_add", "ipu_mult"),
    f"{_MACHINE}.ipu": ("Ipu",),
    f"{_MACHINE}.registers": ("MULT_STAGE_MAP", "R_ACC_SIZE", "R_REG_SIZE", "RegFile"),
    f"{_MACHINE}.model": ("run_until_complete", "run_with_debug"),
    f"{_MACHINE}.state": ("IpuState",),
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
    "MachineModel",
    "NoMachineError",
    "ProgramError",
    "Refusal",
    "RegFile",
    "SavedState",
    "ipu_add",
    "ipu_mult",
    "machine_for",
    "run_until_complete",
    "run_with_debug",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)

"""The emulator: what every machine shares, and the names of the IPU's machine for users.

Registers, memory, state, binding, the run loop, faults, profile and trace are here. What differs
between machines is in the folder `targets/NAME/machine`, whose module `model` has the machine of
the set as a value; `machine_for` returns it. The names below are otherwise those of the machine of
the default set. A module is loaded, and numpy with it, on the first use of one of its names; type
checkers read them in `__init__.pyi`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ipu_asm.isa import DEFAULT_ISA, target_module

_HOMES = {
    "code_runs": ("ProgramRun", "run_program"),
    "stops": (
        "CycleLimitError", "EmulatorError", "ExecutionFault", "Fault", "InstructionError",
        "MachineFaultError", "ProgramError", "Refusal", "UnknownResultError",
    ),
    "model": ("MachineModel", "NoMachineError", "machine_for"),
    "run": ("DebugAction",),
    "state": ("SavedState",),
}  # fmt: skip
_HOMES_IN_MACHINE = {
    "ipu": ("Ipu",),
    "model": ("run_until_complete", "run_with_debug"),
    "state": (
        "DType",
        "IpuState",
        "MULT_STAGE_MAP",
        "R_ACC_SIZE",
        "R_REG_SIZE",
        "RegFile",
        "ipu_add",
        "ipu_mult",
    ),
}

__all__ = [
    "MULT_STAGE_MAP", "R_ACC_SIZE", "R_REG_SIZE", "CycleLimitError", "DType", "DebugAction",
    "EmulatorError", "ExecutionFault", "Fault", "InstructionError", "Ipu", "IpuState",
    "MachineFaultError", "MachineModel", "NoMachineError", "ProgramError", "ProgramRun",
    "Refusal", "RegFile", "SavedState", "UnknownResultError", "ipu_add", "ipu_mult",
    "machine_for", "run_program", "run_until_complete", "run_with_debug",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    for module, names in _HOMES_IN_MACHINE.items():
        if name in names:
            return getattr(target_module(DEFAULT_ISA, f"machine.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

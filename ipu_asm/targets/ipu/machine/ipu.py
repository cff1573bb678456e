"""The machine: all functional units, in the order in which a bundle uses them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ipu_asm.emulator.core.rows import CoreDescription, methods_of
from ipu_asm.targets.ipu.machine.aaq import AaqUnit
from ipu_asm.targets.ipu.machine.acc import AccUnit
from ipu_asm.targets.ipu.machine.breaks import BreakUnit
from ipu_asm.targets.ipu.machine.cond import CondUnit
from ipu_asm.targets.ipu.machine.core.rows import ROWS, SLOTS
from ipu_asm.targets.ipu.machine.lr import LrUnit
from ipu_asm.targets.ipu.machine.mult import MultUnit
from ipu_asm.targets.ipu.machine.registers import MULT_STAGE_MAP, R_ACC_SIZE, R_REG_SIZE
from ipu_asm.targets.ipu.machine.state import IpuState
from ipu_asm.targets.ipu.machine.xmem import XmemUnit

__all__ = ["R_ACC_SIZE", "R_REG_SIZE", "Ipu"]

# Name used in the "Adding Instructions" document.
_MULT_STAGE_MAP: Final = MULT_STAGE_MAP


class Ipu(BreakUnit, LrUnit, XmemUnit, MultUnit, AccUnit, AaqUnit, CondUnit):
    """One IPU operating on a state. Each instruction is implemented by one `execute_...` method.

    `cycles` counts the bundles executed so far.
    """

    execution_order = ("break", "lr", "xmem", "mult", "acc", "aaq", "cond")
    break_slot = "break"


Ipu.core = CoreDescription(
    module=Path(__file__).with_name("core") / "core.wasm",
    slots=SLOTS,
    rows=ROWS,
    machine=Ipu,
    state=IpuState,
    methods=methods_of(Ipu, ROWS),
    option=lambda ipu: int(ipu.aaq_shift),
)

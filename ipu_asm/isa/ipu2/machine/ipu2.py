"""The machine: the units of all slots together."""

from __future__ import annotations

from ipu_asm.isa.ipu2.machine.aaq import AaqUnit
from ipu_asm.isa.ipu2.machine.acc import AccUnit
from ipu_asm.isa.ipu2.machine.aggregates import AggregateUnit
from ipu_asm.isa.ipu2.machine.control import ControlUnit
from ipu_asm.isa.ipu2.machine.lr import LrUnit
from ipu_asm.isa.ipu2.machine.mult import MultUnit
from ipu_asm.isa.ipu2.machine.transfers import TransferUnit


class Ipu2(ControlUnit, LrUnit, TransferUnit, MultUnit, AccUnit, AggregateUnit, AaqUnit):
    """One IPU 2 operating on a state. Each instruction is implemented by one `execute_...` method.

    `cycles` counts the bundles executed so far.
    """

    execution_order = (
        "break", "lr", "load", "mult", "acc", "aaq", "store", "acc_store", "cond",
    )  # fmt: skip
    break_slot = "break"

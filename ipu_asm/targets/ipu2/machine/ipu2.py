"""The machine: the units of all slots together."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ipu_asm.emulator.core.rows import CoreDescription, methods_of
from ipu_asm.targets.ipu2.machine.aaq import AaqUnit
from ipu_asm.targets.ipu2.machine.acc import AccUnit
from ipu_asm.targets.ipu2.machine.aggregates import AggregateUnit
from ipu_asm.targets.ipu2.machine.control import ControlUnit
from ipu_asm.targets.ipu2.machine.core.rows import ROWS, SLOTS
from ipu_asm.targets.ipu2.machine.lr import LrUnit
from ipu_asm.targets.ipu2.machine.mult import MultUnit
from ipu_asm.targets.ipu2.machine.state import FP32, INT32, Ipu2State, Settings
from ipu_asm.targets.ipu2.machine.transfers import TransferUnit

_WIDE_CODES: Final = {None: 0, FP32: 8, INT32: 16}
_QUANTIZE: Final = 32


class Ipu2(ControlUnit, LrUnit, TransferUnit, MultUnit, AccUnit, AggregateUnit, AaqUnit):
    """One IPU 2 operating on a state. Each instruction is implemented by one `execute_...` method.

    `cycles` counts the bundles executed so far.
    """

    execution_order = (
        "break", "lr", "load", "mult", "acc", "aaq", "store", "acc_store", "cond",
    )  # fmt: skip
    break_slot = "break"


def _mode_code(settings: Settings) -> int:
    """The mode as the C files call it in `control.option`."""
    quantize = _QUANTIZE if settings.quantize else 0
    return settings.dtype | _WIDE_CODES[settings.wide] | quantize


Ipu2.core = CoreDescription(
    module=Path(__file__).with_name("core") / "core.wasm",
    slots=SLOTS,
    rows=ROWS,
    machine=Ipu2,
    state=Ipu2State,
    methods=methods_of(Ipu2, ROWS),
    option=lambda machine: _mode_code(machine.state.settings),
)

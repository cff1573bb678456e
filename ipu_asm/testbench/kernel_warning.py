"""Warnings about kernels: what is no error of a run, but hardly ever meant."""

from __future__ import annotations

import warnings

from ipu_asm.emulator.stops import RunEnd
from ipu_asm.isa.model import Isa
from ipu_asm.testbench.execution import Execution


class KernelWarning(UserWarning):
    """A kernel does something that is hardly ever meant, such as running off its end."""


def warn_of_end(execution: Execution, stop: RunEnd) -> None:
    """Warn if a run has left the program instead of being halted by an instruction.

    The warning's place is the line of the last bundle, in the file of the kernel.
    """
    kernel = execution.kernel
    if stop.instruction is not None or stop.pc < len(kernel.words):
        return
    last = len(kernel.words) - 1
    where = execution.lines.describe(last)
    message = (
        f"the kernel runs off its end: no instruction halts it after {where}, its last one; "
        f"{_remedy(kernel.isa)}"
    )
    place = execution.lines.place(last)
    line = place.line if place and not kernel.is_image else 1
    warnings.warn_explicit(message, KernelWarning, kernel.name, line, __name__)


def _remedy(isa: Isa) -> str:
    """What halts a machine of the set."""
    halting = [
        spec.mnemonic
        for slot in isa.slots
        for spec in isa.instructions_of(slot.name)
        if spec.flow == "halt"
    ]
    return f"end it with {' or '.join(f'`{each}`' for each in halting)}"

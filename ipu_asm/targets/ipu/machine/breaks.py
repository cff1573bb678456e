"""The break slot: whether a debugger stops in front of the bundle (True)."""

from __future__ import annotations

from ipu_asm.targets.ipu.machine.unit import Unit


class BreakUnit(Unit):
    """Methods of the break slot. They run before the bundle, and only under a debugger."""

    def execute_break(self) -> bool:
        """Always stop."""
        return True

    def execute_break_ifeq(self, *, reg: int, value: int) -> bool:
        """Stop if a register equals a 16-bit number, taken as unsigned."""
        return reg == value & 0xFFFF

    def execute_break_nop(self) -> bool:
        """Never stop."""
        return False

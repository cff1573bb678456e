"""The cond slot: branches of this IPU alone."""

from __future__ import annotations

from ipu_asm.targets.ipu.machine.unit import Unit
from ipu_asm.targets.ipu_family.machine.branches import BranchUnit


class CondUnit(Unit, BranchUnit):
    """Methods of the cond slot."""

    def execute_bnz(self, *, test_reg: int, base_reg: int, label: int) -> None:
        """Branch if a register differs from its base."""
        if test_reg != base_reg:
            self._registers.pc = label

    def execute_bz(self, *, test_reg: int, base_reg: int, label: int) -> None:
        """Branch if a register equals its base."""
        if test_reg == base_reg:
            self._registers.pc = label

    def execute_b(self, *, label: int) -> None:
        """Branch unconditionally."""
        self._registers.pc = label

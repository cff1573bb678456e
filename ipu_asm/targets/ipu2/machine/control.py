"""The slots cond and break. The program counter already has the next address when cond executes."""

from __future__ import annotations

from ipu_asm.emulator.words import signed
from ipu_asm.targets.ipu2.machine.unit import Unit
from ipu_asm.targets.ipu_family.machine.branches import BranchUnit


class ControlUnit(Unit, BranchUnit):
    """Methods of the two slots. Those of break say whether a debugger stops before the bundle."""

    def execute_bge(self, *, reg1: int, reg2: int, label: int) -> None:
        """Branch if the first register is not less, both being signed."""
        if signed(reg1) >= signed(reg2):
            self._registers.pc = label

    def execute_break(self) -> bool:
        """Always stop."""
        return True

    def execute_break_ifeq(self, *, reg: int, value: int) -> bool:
        """Stop if a register equals a 16-bit number, taken as unsigned."""
        return reg == value & 0xFFFF

    def execute_nop(self) -> None:
        """Do nothing, in any slot."""

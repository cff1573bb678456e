"""Branches of all IPUs. The program counter already has the next address when they execute."""

from __future__ import annotations

from typing import Any

from ipu_asm.emulator.vliw import VliwMachine
from ipu_asm.emulator.words import signed


class BranchUnit(VliwMachine[Any]):
    """Methods of the cond slot."""

    def execute_beq(self, *, reg1: int, reg2: int, label: int) -> None:
        """Branch if two registers are equal."""
        if reg1 == reg2:
            self._registers.pc = label

    def execute_bne(self, *, reg1: int, reg2: int, label: int) -> None:
        """Branch if two registers differ."""
        if reg1 != reg2:
            self._registers.pc = label

    def execute_blt(self, *, reg1: int, reg2: int, label: int) -> None:
        """Branch if the first register is less, both being signed."""
        if signed(reg1) < signed(reg2):
            self._registers.pc = label

    def execute_br(self, *, reg: int) -> None:
        """Branch to the address in a register; an address beyond program memory halts."""
        self._registers.pc = reg

    def execute_bkpt(self) -> None:
        """Halt the machine."""
        self._registers.pc = self._program_limit

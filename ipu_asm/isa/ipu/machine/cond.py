"""The cond slot: branches. The program counter already has the next address when they execute."""

from __future__ import annotations

from ipu_asm.emulator.words import signed
from ipu_asm.isa.ipu.description import PROGRAM_LIMIT
from ipu_asm.isa.ipu.machine.unit import Unit


class CondUnit(Unit):
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

    def execute_br(self, *, reg: int) -> None:
        """Branch to the address in a register; an address beyond program memory halts."""
        self._registers.pc = reg

    def execute_bkpt(self) -> None:
        """Halt the machine."""
        self._registers.pc = PROGRAM_LIMIT

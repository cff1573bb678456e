"""The lr slot: arithmetic on loop registers.

A bundle executes two of its instructions, on different registers.
"""

from __future__ import annotations

from ipu_asm.emulator.registers import WORD_MASK
from ipu_asm.targets.ipu.machine.unit import Unit


class LrUnit(Unit):
    """Methods of the lr slot. The number of a loop register is its index among the scalars."""

    def execute_incr(self, *, reg: int, value: int) -> None:
        """Add a signed immediate to a register, modulo 2^32."""
        scalars = self._scalars
        scalars[reg] = scalars[reg] + value & WORD_MASK

    def execute_set(self, *, reg: int, value: int) -> None:
        """Set a register to a signed immediate."""
        self._scalars[reg] = value & WORD_MASK

    def execute_add(self, *, dest: int, src_a: int, src_b: int) -> None:
        """Add two registers, modulo 2^32."""
        self._scalars[dest] = src_a + src_b & WORD_MASK

    def execute_sub(self, *, dest: int, src_a: int, src_b: int) -> None:
        """Subtract the second register from the first, modulo 2^32."""
        self._scalars[dest] = src_a - src_b & WORD_MASK

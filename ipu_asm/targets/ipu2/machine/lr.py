"""The lr slot: arithmetic on loop registers, and on their bytes.

A bundle executes three of its instructions, on different registers. All see the registers from
before the bundle.
"""

from __future__ import annotations

from typing import Final

from ipu_asm.targets.ipu2.machine.unit import Unit

_WORD_MASK: Final = 0xFFFF_FFFF
_SIGN_BIT: Final = 0x80


class LrUnit(Unit):
    """Methods of the lr slot. The number of a loop register is its index among the scalars."""

    def execute_set(self, *, reg: int, src: int) -> None:
        """Set a register to a config register."""
        self._scalars[reg] = src

    def execute_add(self, *, dest: int, src_a: int, src_b: int) -> None:
        """Add two registers, modulo 2^32."""
        self._scalars[dest] = src_a + src_b & _WORD_MASK

    def execute_sub(self, *, dest: int, src_a: int, src_b: int) -> None:
        """Subtract the second register from the first, modulo 2^32."""
        self._scalars[dest] = src_a - src_b & _WORD_MASK

    def execute_incr_mod_pow2(self, *, dest: int, step: int, k: int) -> None:
        """Add a register to another, modulo 2^k."""
        self._scalars[dest] = self.snapshot.scalars[dest] + step & (1 << k) - 1

    def execute_inc(self, *, dest: int, imm: int) -> None:
        """Add an immediate to a register, modulo 2^32."""
        scalars = self._scalars
        scalars[dest] = scalars[dest] + imm & _WORD_MASK

    def execute_dec(self, *, dest: int, imm: int) -> None:
        """Subtract an immediate from a register, modulo 2^32."""
        scalars = self._scalars
        scalars[dest] = scalars[dest] - imm & _WORD_MASK

    def execute_addb(self, *, dest: int, src_b: int) -> None:
        """Add the low byte of a register, signed, to each byte of a pair."""
        self._add_to_bytes(dest, src_b)

    def execute_addbi(self, *, dest: int, imm: int) -> None:
        """Add a signed immediate to each byte of a pair."""
        self._add_to_bytes(dest, imm)

    def _add_to_bytes(self, pair: int, addend: int) -> None:
        """Add a signed byte to each unsigned byte of a pair of registers, within 0 to 255."""
        addend = (addend & 0xFF ^ _SIGN_BIT) - _SIGN_BIT
        for index in (2 * pair, 2 * pair + 1):
            old = self.snapshot.scalars[index].to_bytes(4, "little")
            new = bytes(max(0, min(255, byte + addend)) for byte in old)
            self._scalars[index] = int.from_bytes(new, "little")

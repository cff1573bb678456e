"""The slots load, store and acc_store: rows of memory to and from the vector registers.

A row number is the sum of two unsigned registers, which does not wrap.
"""

from __future__ import annotations

from typing import Final

from ipu_asm.emulator.faults import InstructionError
from ipu_asm.targets.ipu2.machine.registers import R_REG_SIZE, VECTORS
from ipu_asm.targets.ipu2.machine.state import ROWS, Ipu2State
from ipu_asm.targets.ipu2.machine.unit import Unit

_MASK: Final = VECTORS["r_mask"].place(0)
_ACC: Final = VECTORS["r_acc"].place(0)
_POST_AAQ: Final = VECTORS["post_aaq_reg"].place(0)
_CYCLIC_INDICES: Final = (0, 128, 256, 384)


class TransferUnit(Unit):
    """Methods of the three slots, which see what the slots before them have written."""

    def __init__(self, state: Ipu2State) -> None:
        super().__init__(state)
        wide = "_wide" if state.settings.wide else ""
        self._row_size = state.settings.row_size
        self._element_size = state.settings.row_size // R_REG_SIZE
        self._stage_places = [VECTORS[f"r{wide}"].place(number) for number in (0, 1)]
        self._cyclic_start = VECTORS[f"r_cyclic{wide}"].start

    def execute_ldr_mult_reg(self, *, dest: int, offset: int, base: int) -> None:
        """Load a row into r0 or r1."""
        start = self._address(offset + base)
        self._block[self._stage_places[dest]] = self._memory[start : start + self._row_size]

    def execute_ldr_cyclic_mult_reg(self, *, offset: int, base: int, index: int) -> None:
        """Load a row into r_cyclic from element `index` on."""
        if index not in _CYCLIC_INDICES:
            raise InstructionError(
                f"the index in r_cyclic must be 0, 128, 256 or 384, found {index:#x}"
            )
        start, size = self._address(offset + base), self._row_size
        place = self._cyclic_start + index * self._element_size
        self._block[place : place + size] = self._memory[start : start + size]

    def execute_ldr_mult_mask_reg(self, *, offset: int, base: int) -> None:
        """Load the first 128 bytes of a row into r_mask: all eight masks."""
        start = self._address(offset + base)
        self._block[_MASK] = self._memory[start : start + R_REG_SIZE]

    def execute_str_post_aaq_reg(self, *, offset: int, base: int) -> None:
        """Store the 512 bytes of post_aaq_reg from the start of a row on."""
        self.state.xmem.write_address(self._address(offset + base), self._block[_POST_AAQ])

    def execute_str_acc_reg(self, *, offset: int, base: int) -> None:
        """Store the 512 bytes of the accumulator from the start of a row on."""
        self.state.xmem.write_address(self._address(offset + base), self._block[_ACC])

    def _address(self, row: int) -> int:
        """The first byte of a row. Raises `InstructionError` if there is no such row."""
        if row >= ROWS:
            raise InstructionError(
                f"the row, offset + base, must be below {ROWS}, found {row} ({row:#x})"
            )
        return row * self._row_size

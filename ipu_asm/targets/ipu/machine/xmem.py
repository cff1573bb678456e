"""The xmem slot: transfers between memory and the vector registers."""

from __future__ import annotations

from ipu_asm.emulator.faults import InstructionError
from ipu_asm.targets.ipu.machine.registers import CYCLIC_SIZE, MULT_STAGE_MAP, R_REG_SIZE, VECTORS
from ipu_asm.targets.ipu.machine.state import IpuState
from ipu_asm.targets.ipu.machine.unit import Unit

_LAST = IpuState.memory_size - R_REG_SIZE
_CYCLIC = VECTORS["r_cyclic"].start
_MASK = VECTORS["r_mask"].place(0)
_MULT_STAGE = {number: VECTORS[name].place(e) for number, (name, e) in MULT_STAGE_MAP.items()}


class XmemUnit(Unit):
    """Methods of the xmem slot. `offset` and `base` are unsigned; their sum does not wrap."""

    def execute_str_acc_reg(self, *, offset: int, base: int) -> None:
        """Store the 512 bytes that the accumulator had before the bundle."""
        self.state.xmem.write_address(offset + base, self.snapshot.get_r_acc_bytes())

    def execute_ldr_mult_reg(self, *, dest: int, offset: int, base: int) -> None:
        """Load 128 bytes into a register of the multiply stage."""
        self._block[_MULT_STAGE[dest]] = self._row(offset + base)

    def execute_ldr_cyclic_mult_reg(self, *, offset: int, base: int, index: int) -> None:
        """Load 128 bytes into a quarter of r_cyclic. Refuses an unaligned index."""
        if index % R_REG_SIZE:
            raise InstructionError(
                f"the cyclic index must be a multiple of {R_REG_SIZE}, found {index:#x}"
            )
        start = _CYCLIC + index % CYCLIC_SIZE
        address = offset + base
        if address > _LAST:
            self.state.xmem.check_range(address, R_REG_SIZE)
        content = self._memory[address : address + R_REG_SIZE]
        self._block[start : start + R_REG_SIZE] = content

    def execute_ldr_mult_mask_reg(self, *, offset: int, base: int) -> None:
        """Load 128 bytes into r_mask: all eight masks."""
        self._block[_MASK] = self._row(offset + base)

    def execute_xmem_nop(self) -> None:
        """Do nothing."""

    def execute_xmem_store_aaq_result(self, *, offset: int, base: int) -> None:
        """Store the 128 quantized bytes that aaq_result had before the bundle."""
        content = self.snapshot.get_register_bytes("aaq_result")
        self.state.xmem.write_address(offset + base, content)

    def _row(self, address: int) -> bytearray:
        if address > _LAST:
            self.state.xmem.check_range(address, R_REG_SIZE)
        return self._memory[address : address + R_REG_SIZE]

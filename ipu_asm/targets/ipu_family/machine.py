"""What the machines of all IPUs share: scalar registers, accumulator, products, and branches."""

from __future__ import annotations

from typing import Any

from ipu_asm.emulator.registers import RegisterFile
from ipu_asm.emulator.vliw import State, VliwMachine
from ipu_asm.emulator.words import NAN_PAYLOADS_PROPAGATE
from ipu_asm.isa.storage import signed
from ipu_asm.targets.ipu_family.descriptions import LOOP

CONFIG = "cr"
"""The name of the config registers."""


class IpuRegisterFile(RegisterFile):
    """The registers, in the state after reset. A set states its own `layout`.

    The arrays are views of `block`: r_acc and mult_res as 128 words, in unsigned, int32 and float32
    form.
    """

    __slots__ = (
        "acc_floats",
        "acc_ints",
        "acc_words",
        "product_floats",
        "product_ints",
        "product_words",
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self.acc_words = self.view("r_acc", "<u4")
        self.acc_ints = self.acc_words.view("<i4")
        self.acc_floats = self.acc_words.view("<f4")
        self.product_words = self.view("mult_res", "<u4")
        self.product_ints = self.product_words.view("<i4")
        self.product_floats = self.product_words.view("<f4")

    def get_lr(self, index: int) -> int:
        """Return a loop register. Raises IndexError."""
        return self.get_scalar(LOOP.name, index)

    def set_lr(self, index: int, value: int) -> None:
        """Set a loop register to the low 32 bits of a value. Raises IndexError."""
        self.set_scalar(LOOP.name, index, value)

    def get_cr(self, index: int) -> int:
        """Return a config register. Raises IndexError."""
        return self.get_scalar(CONFIG, index)

    def set_cr(self, index: int, value: int) -> None:
        """Set a config register, unless it is constant, to the low 32 bits of a value.

        Raises IndexError.
        """
        self.set_scalar(CONFIG, index, value)

    def get_r_acc_bytes(self) -> bytearray:
        """Return a copy of the accumulator's 512 bytes."""
        return self.get_register_bytes("r_acc")

    def set_r_acc_bytes(self, data: bytes | bytearray | memoryview) -> None:
        """Overwrite the accumulator. Raises ValueError unless `data` has 512 bytes."""
        self.set_register_bytes("r_acc", 0, data)


class IpuUnit(VliwMachine[State]):
    def _nans_may_be_wrong(self) -> bool:
        """Whether the last float32 operation may have left NaNs whose bits must be corrected."""
        return self._float_errors.invalid or not NAN_PAYLOADS_PROPAGATE


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

"""The state of the IPU's machine."""

from __future__ import annotations

from ipu_asm.emulator.arguments import whole_number
from ipu_asm.emulator.registers import WORD_MASK
from ipu_asm.emulator.state import MachineState
from ipu_asm.targets.ipu.description import PROGRAM_LIMIT
from ipu_asm.targets.ipu.machine.registers import DTYPE, RegFile
from ipu_asm.targets.ipu.manifest import MANIFEST


class IpuState(MachineState[RegFile]):
    """The state of one machine, initially all zero and without a program.

    `lines` are the source lines of the loaded program, if known; faults refer to them.
    """

    isa_name = "ipu"
    registers = RegFile
    memory_size = MANIFEST.memory_size
    program_limit = PROGRAM_LIMIT

    def __init__(self) -> None:
        super().__init__()

    def get_cr_dtype(self) -> int:
        """Return the value of `cr15`, the element type: see `DType`."""
        return self._regfile.scalars[DTYPE]

    def set_cr_dtype(self, dtype: int) -> None:
        """Set the element type, in `cr15`."""
        self._regfile.scalars[DTYPE] = whole_number(dtype, "an element type") & WORD_MASK

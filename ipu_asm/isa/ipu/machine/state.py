"""The state of the machine: registers, memory and program; save, restore and compare."""

from __future__ import annotations

from typing import Final, Iterable, NamedTuple

from ipu_asm.emulator.memory import Image, XMem, changed_rows
from ipu_asm.isa.ipu.description import PROGRAM_LIMIT
from ipu_asm.isa.ipu.machine.registers import DTYPE, SCALAR_NAMES, VECTORS, WORD_MASK, RegFile
from ipu_asm.program.line_table import LineTable

INST_MEM_SIZE: Final = PROGRAM_LIMIT


class SavedState(NamedTuple):
    """Registers and memory at one time. Two are equal exactly if no bit differs.

    Cheap to create and to keep: about 3 KB, plus the memory pages written since the previous one.
    """

    block: bytes
    scalars: tuple[int, ...]
    pc: int
    memory: Image

    def differences(self, other: SavedState) -> list[str]:
        """Return the names of registers that differ, and `xmem[ADDRESS]` per 128-byte row."""
        names = ["pc"] if self.pc != other.pc else []
        values = zip(SCALAR_NAMES, self.scalars, other.scalars)
        names += (name for name, mine, theirs in values if mine != theirs)
        for name, vector in VECTORS.items():
            for element in range(vector.elements):
                place = vector.place(element)
                if self.block[place] != other.block[place]:
                    names.append(f"{name}{element}" if vector.elements > 1 else name)
        return names + [f"xmem[{row:#x}]" for row in changed_rows(self.memory, other.memory)]


class IpuState:
    """The state of one machine, initially all zero and without a program.

    `lines` are the source lines of the loaded program, if known; faults refer to them.
    """

    def __init__(self) -> None:
        self._regfile = RegFile()
        self._xmem = XMem()
        self._inst_mem: list[int | None] = [None] * INST_MEM_SIZE
        self.lines: LineTable | None = None

    @property
    def regfile(self) -> RegFile:
        """The registers."""
        return self._regfile

    @property
    def xmem(self) -> XMem:
        """The memory."""
        return self._xmem

    @property
    def inst_mem(self) -> list[int | None]:
        """The program memory: 1,024 words, None where none was loaded."""
        return self._inst_mem

    @inst_mem.setter
    def inst_mem(self, words: Iterable[int | None]) -> None:
        self.load_program(words)

    def load_program(self, words: Iterable[int | None], lines: LineTable | None = None) -> None:
        """Load words into program memory from address 0 on, and clear the rest of it.

        The program counter is unchanged. Raises ValueError if the words do not fit.
        """
        program = list(words)
        if len(program) > INST_MEM_SIZE:
            raise ValueError(f"program memory holds {INST_MEM_SIZE} bundles, found {len(program)}")
        self._inst_mem = program + [None] * (INST_MEM_SIZE - len(program))
        self.lines = lines

    @property
    def program_counter(self) -> int:
        """The address of the bundle to execute next."""
        return self._regfile.pc

    @program_counter.setter
    def program_counter(self, address: int) -> None:
        self._regfile.set_pc(address)

    @property
    def is_halted(self) -> bool:
        """Whether the program counter is outside of program memory."""
        return self._regfile.pc >= INST_MEM_SIZE

    def get_cr_dtype(self) -> int:
        """Return the value of `cr15`, the element type: see `DType`."""
        return self._regfile.scalars[DTYPE]

    def set_cr_dtype(self, dtype: int) -> None:
        """Set the element type, in `cr15`."""
        self._regfile.scalars[DTYPE] = int(dtype) & WORD_MASK

    def save(self) -> SavedState:
        """Return a copy of registers and memory, without the program."""
        registers = self._regfile
        return SavedState(
            bytes(registers.block), tuple(registers.scalars), registers.pc, self._xmem.image()
        )

    def restore(self, saved: SavedState) -> None:
        """Overwrite registers and memory with a saved state."""
        self._regfile.block[:] = saved.block
        self._regfile.scalars[:] = saved.scalars
        self._regfile.pc = saved.pc
        self._xmem.restore(saved.memory)

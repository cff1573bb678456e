"""What the machine remembers: registers, memory, program; saved, restored and compared."""

from __future__ import annotations

from typing import Final, Iterable, NamedTuple

from ipu_asm.emulator.memory import Image, XMem, changed_rows
from ipu_asm.emulator.registers import DTYPE, SCALAR_NAMES, VECTORS, WORD_MASK, RegFile
from ipu_asm.isa.ipu.description import PROGRAM_LIMIT
from ipu_asm.program.program import Program

INST_MEM_SIZE: Final = PROGRAM_LIMIT


class SavedState(NamedTuple):
    """Registers and memory at one moment. Two are equal exactly if nothing differs.

    Cheap to make and to keep: about 3 KB, and the memory pages written since the one before.
    """

    block: bytes
    scalars: tuple[int, ...]
    pc: int
    memory: Image

    def differences(self, other: SavedState) -> list[str]:
        """What differs: names of registers and `xmem[ADDRESS]` for each row of 128 bytes."""
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
    """The state of one machine: everything zero and no program at first.

    `source` is the program that was loaded, where it is known: faults name its lines.
    """

    def __init__(self) -> None:
        self._regfile = RegFile()
        self._xmem = XMem()
        self._inst_mem: list[int | None] = [None] * INST_MEM_SIZE
        self.source: Program | None = None

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

    def load_program(self, words: Iterable[int | None], source: Program | None = None) -> None:
        """Put words into program memory from address 0 on; the rest of it is cleared.

        The program counter stays. Raises ValueError if the words do not fit.
        """
        program = list(words)
        if len(program) > INST_MEM_SIZE:
            raise ValueError(f"program memory holds {INST_MEM_SIZE} bundles, found {len(program)}")
        self._inst_mem = program + [None] * (INST_MEM_SIZE - len(program))
        self.source = source

    @property
    def program_counter(self) -> int:
        """The address of the bundle to execute next."""
        return self._regfile.pc

    @program_counter.setter
    def program_counter(self, address: int) -> None:
        self._regfile.set_pc(address)

    @property
    def is_halted(self) -> bool:
        """Whether the program counter has left program memory."""
        return self._regfile.pc >= INST_MEM_SIZE

    def get_cr_dtype(self) -> int:
        """What `cr15` holds: the element type, see `DType`."""
        return self._regfile.scalars[DTYPE]

    def set_cr_dtype(self, dtype: int) -> None:
        """Set the element type, in `cr15`."""
        self._regfile.scalars[DTYPE] = int(dtype) & WORD_MASK

    def save(self) -> SavedState:
        """Registers and memory as they are now; the program is not part of it."""
        registers = self._regfile
        return SavedState(
            bytes(registers.block), tuple(registers.scalars), registers.pc, self._xmem.image()
        )

    def restore(self, saved: SavedState) -> None:
        """Make registers and memory those of a saved state."""
        self._regfile.block[:] = saved.block
        self._regfile.scalars[:] = saved.scalars
        self._regfile.pc = saved.pc
        self._xmem.restore(saved.memory)

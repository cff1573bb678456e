"""The state of a machine: registers, memory and program; save, restore and compare."""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar, Final, Generic, Hashable, Iterable, TypeAlias, TypeVar

from ipu_asm.emulator.arguments import whole_number
from ipu_asm.emulator.memory import Image, Parts, XMem, changed_rows, image_of, parts_of
from ipu_asm.emulator.registers import RegisterFile, RegisterLayout
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable

File = TypeVar("File", bound=RegisterFile)


class Origin(NamedTuple):
    """What never changes in a state: its instruction set, its class of registers, its settings."""

    isa_name: str
    registers: type[RegisterFile]
    settings: Hashable = ()

    @property
    def layout(self) -> RegisterLayout:
        """The layout of the registers."""
        return self.registers.layout


class SavedState(NamedTuple):
    """Registers and memory at one time. Two of a machine are equal exactly if no bit differs.

    Cheap to create and to keep: about 3 KB, plus the memory pages written since the previous one.
    Pickled, it has the registers and what is not zero in memory.
    """

    block: bytes
    scalars: tuple[int, ...]
    pc: int
    memory: Image
    origin: Origin

    def differences(self, other: SavedState) -> list[str]:
        """Return the names of registers that differ, and `xmem[ADDRESS]` per 128-byte row."""
        names = ["pc"] if self.pc != other.pc else []
        layout = self.origin.layout
        values = zip(layout.scalar_names, self.scalars, other.scalars)
        names += (name for name, mine, theirs in values if mine != theirs)
        names += (
            name
            for name, place in layout.vector_places.items()
            if self.block[place] != other.block[place]
        )
        return names + [f"xmem[{row:#x}]" for row in changed_rows(self.memory, other.memory)]

    def __repr__(self) -> str:
        # The fields would be written as millions of characters, most of them for memory.
        return f"<SavedState of {self.origin.isa_name}: pc {self.pc}>"

    def _repr_html_(self) -> str:
        return _html(self)

    def __reduce__(self) -> tuple[Any, ...]:
        size = sum(map(len, (page for group in self.memory for page in group)))
        registers = self.block, self.scalars, self.pc
        return _unpickled, (registers, size, parts_of(self.memory), self.origin)


def _unpickled(
    registers: tuple[bytes, tuple[int, ...], int], size: int, parts: Parts, origin: Origin
) -> SavedState:
    return SavedState(*registers, image_of(size, parts), origin)


class MachineState(Generic[File]):
    """The state of one machine, after reset and without a program.

    A machine's own class states the name of its instruction set, its class of registers, the size
    of its memory in bytes and that of program memory in bundles. `settings` are those of the host
    that no register holds, as one immutable value; they never change. `lines` are the source lines
    of the loaded program, if known; faults refer to them. A pickled state, or a copy of one, has
    all but these lines.
    """

    isa_name: ClassVar[str]
    registers: ClassVar[type[Any]]
    memory_size: ClassVar[int]
    program_limit: ClassVar[int]

    def __init__(self, settings: Hashable = ()) -> None:
        self.settings = settings
        self._regfile: File = self.registers()
        self._xmem = XMem(self.memory_size)
        self._origin = Origin(self.isa_name, self.registers, settings)
        self._inst_mem: list[int | None] = [None] * self.program_limit
        self.lines: LineTable | None = None

    @property
    def regfile(self) -> File:
        """The registers."""
        return self._regfile

    @property
    def layout(self) -> RegisterLayout:
        """The layout of the registers."""
        return self._regfile.layout

    @property
    def xmem(self) -> XMem:
        """The memory."""
        return self._xmem

    @property
    def inst_mem(self) -> list[int | None]:
        """The program memory: 1,024 words in the IPU, None where none was loaded."""
        return self._inst_mem

    @inst_mem.setter
    def inst_mem(self, words: Iterable[int | None]) -> None:
        self.load_program(words)

    def load_program(self, words: Iterable[int | None], lines: LineTable | None = None) -> None:
        """Load words into program memory from address 0 on, and clear the rest of it.

        The program counter is unchanged. Raises ValueError if the words do not fit, TypeError for
        what are no words.
        """
        program, limit = _program(words), self.program_limit
        if len(program) > limit:
            raise ValueError(f"program memory holds {limit} bundles, found {len(program)}")
        self._inst_mem = program + [None] * (limit - len(program))
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
        return self._regfile.pc >= self.program_limit

    def save(self) -> SavedState:
        """Return a copy of registers and memory, without the program."""
        file, memory = self._regfile, self._xmem.image()
        return SavedState(bytes(file.block), tuple(file.scalars), file.pc, memory, self._origin)

    def restore(self, saved: SavedState) -> None:
        """Overwrite registers and memory with a saved state."""
        self._regfile.block[:] = saved.block
        self._regfile.scalars[:] = saved.scalars
        self._regfile.pc = saved.pc
        self._xmem.restore(saved.memory)

    def _repr_html_(self) -> str:
        return _html(self.save())

    def __getstate__(self) -> tuple[dict[str, Any], SavedState, list[int | None]]:
        own = {name: value for name, value in vars(self).items() if name not in _REBUILT}
        size = max((n for n, word in enumerate(self._inst_mem, 1) if word is not None), default=0)
        return own, self.save(), self._inst_mem[:size]

    def __setstate__(self, content: tuple[dict[str, Any], SavedState, list[int | None]]) -> None:
        own, saved, words = content
        MachineState.__init__(self, own["settings"])
        vars(self).update(own)
        self.restore(saved)
        self.load_program(words)


def _program(words: Any) -> list[int | None]:
    """Words as Python integers, None where there is none. Raises TypeError."""
    if isinstance(words, (str, bytes, bytearray)) or not isinstance(words, Iterable):
        found = type(words).__name__
        raise TypeError(f"`load_program` takes words, one int per bundle, found {found}")
    program = list(words)
    if _WORD_TYPES.issuperset(map(type, program)):
        return program
    return [None if word is None else whole_number(word, "a word") for word in program]


_WORD_TYPES: Final = frozenset({int, type(None)})

_REBUILT: Final = frozenset({"_regfile", "_xmem", "_origin", "_inst_mem", "lines"})
"""Attributes of a state that are not pickled as they are."""


def _html(saved: SavedState) -> str:
    """A state for notebooks; their module needs the machines, which need this one."""
    text: str = import_module("ipu_asm.emulator.notebook").state_html(saved)
    return text


AnyState: TypeAlias = MachineState[Any]
"""The state of some machine."""

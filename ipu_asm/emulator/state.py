"""The state of a machine: registers, memory and program; save, restore and compare.

Memory is byte-addressed; its images share all unchanged pages.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import (
    Any,
    ClassVar,
    Final,
    Generic,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    TypeAlias,
    TypeVar,
)

from ipu_asm.emulator.arguments import whole_number
from ipu_asm.emulator.registers import RegisterFile, RegisterLayout
from ipu_asm.emulator.stops import InstructionError
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable

ROW: Final = 128
_PAGE_BITS: Final = 12
PAGE: Final = 1 << _PAGE_BITS
_GROUP: Final = 32
Image: TypeAlias = tuple[tuple[bytes, ...], ...]
"""All of a memory: groups of 32 pages of 4 KiB, the last ones shorter. Equal pages are shared."""


class XMem:
    """External memory of `size` bytes, initially all zero."""

    __slots__ = ("_dirty", "_image", "content", "recording", "size", "written")

    def __init__(self, size: int) -> None:
        self.size = size
        # Read it directly, but write with `write_address`, which records what changed.
        self.content = bytearray(size)
        self.recording = False
        # While recording: address and previous content of every write, the earliest first.
        self.written: list[tuple[int, bytearray]] = []
        self._dirty: set[int] = set()
        self._image = _blank(size)

    def read_address(self, addr: int, size: int) -> bytearray:
        """Return a copy of `size` bytes. Raises `InstructionError` outside of the memory."""
        self.check_range(addr, size)
        return self.content[addr : addr + size]

    def write_address(self, addr: int, data: bytes | bytearray | memoryview) -> None:
        """Write bytes. Raises `InstructionError`, with nothing written, if they do not fit."""
        content = data if isinstance(data, (bytes, bytearray)) else _bytes_of(data)
        size = len(content)
        self.check_range(addr, size)
        if self.recording:
            self.written.append((addr, self.content[addr : addr + size]))
        self._put(addr, content)

    def check_range(self, addr: int, size: int) -> None:
        """Check that a range of bytes lies within the memory. Raises `InstructionError`."""
        if type(addr) is not int or type(size) is not int:
            addr, size = whole_number(addr, "an address"), whole_number(size, "a size")
        if addr < 0 or size < 0 or addr + size > self.size:
            raise InstructionError(
                f"an access must end within the {self.size:#x} bytes of xmem, "
                f"found {size} bytes at {addr:#x}"
            )

    def undo(self) -> None:
        """Revert every recorded write."""
        while self.written:
            self._put(*self.written.pop())

    def image(self) -> Image:
        """Return an image of the memory that shares all pages unchanged since the last image."""
        if self._dirty:
            groups = list(self._image)
            for page in self._dirty:
                group = list(groups[page // _GROUP])
                start = page << _PAGE_BITS
                group[page % _GROUP] = bytes(memoryview(self.content)[start : start + PAGE])
                groups[page // _GROUP] = tuple(group)
            self._dirty.clear()
            self._image = tuple(groups)
        return self._image

    def restore(self, image: Image) -> None:
        """Overwrite the memory with an image; the cost is proportional to the pages that differ."""
        for page, _, theirs in differing_pages(self.image(), image):
            start = page << _PAGE_BITS
            self.content[start : start + PAGE] = theirs
        self._image = image

    def overwrite_pages(self, pages: Mapping[int, bytes]) -> Image:
        """Overwrite pages of 4 KiB, by their numbers; return an image that shares them.

        The writes are not recorded.
        """
        groups = list(self.image())
        by_group: dict[int, list[int]] = {}
        for number, page in pages.items():
            start = number << _PAGE_BITS
            self.content[start : start + PAGE] = page
            by_group.setdefault(number // _GROUP, []).append(number)
        for place, numbers in by_group.items():
            group = list(groups[place])
            for number in numbers:
                group[number % _GROUP] = pages[number]
            groups[place] = tuple(group)
        self._image = tuple(groups)
        return self._image

    def note_write(self, addr: int, old: bytes) -> None:
        """Record a write that a machine makes itself to `content`, whose bytes were `old`."""
        if self.recording:
            self.written.append((addr, bytearray(old)))
        self._dirty.update(range(addr >> _PAGE_BITS, (addr + len(old) - 1 >> _PAGE_BITS) + 1))

    def _put(self, addr: int, content: bytes | bytearray) -> None:
        end = addr + len(content)
        self.content[addr:end] = content
        self._dirty.update(range(addr >> _PAGE_BITS, (end - 1 >> _PAGE_BITS) + 1))


def _bytes_of(data: Any) -> bytes:
    try:
        return memoryview(data).tobytes()
    except TypeError:
        raise TypeError(f"memory takes bytes, found {type(data).__name__}") from None


def changed_rows(before: Image, after: Image) -> list[int]:
    """Return the addresses of the 128-byte rows in which two images differ, ascending."""
    return [
        (page << _PAGE_BITS) + start
        for page, old, new in differing_pages(before, after)
        for start in range(0, PAGE, ROW)
        if old[start : start + ROW] != new[start : start + ROW]
    ]


def page_of(image: Image, number: int) -> bytes:
    """Return the 4 KiB of a page, by its number."""
    return image[number // _GROUP][number % _GROUP]


def differing_pages(before: Image, after: Image) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield number, old and new content of the pages that the images do not share."""
    for number, (mine, theirs) in enumerate(zip(before, after, strict=True)):
        if mine is not theirs:
            for place, (old, new) in enumerate(zip(mine, theirs, strict=True)):
                if old is not new:
                    yield number * _GROUP + place, old, new


Parts: TypeAlias = tuple[tuple[int, bytes], ...]
"""The bytes of a memory that are not zero, as pieces of pages with their addresses."""


def parts_of(image: Image) -> Parts:
    """Return what is not zero in an image: little, for a memory that is mostly empty."""
    size = sum(map(len, (page for group in image for page in group)))
    parts = []
    for number, _, page in differing_pages(_blank(size), image):
        content = page.lstrip(b"\0")
        start = (number << _PAGE_BITS) + len(page) - len(content)
        if content:
            parts.append((start, content.rstrip(b"\0")))
    return tuple(parts)


def image_of(size: int, parts: Parts) -> Image:
    """Return the image of a memory of `size` bytes; it shares all pages that are zero."""
    groups = list(_blank(size))
    for start, content in parts:
        page, offset = start >> _PAGE_BITS, start & PAGE - 1
        group = list(groups[page // _GROUP])
        rest = len(group[page % _GROUP]) - offset - len(content)
        group[page % _GROUP] = bytes(offset) + content + bytes(rest)
        groups[page // _GROUP] = tuple(group)
    return tuple(groups)


@lru_cache(maxsize=8)
def _blank(size: int) -> Image:
    """The image of a memory that is all zero."""
    group = (bytes(PAGE),) * _GROUP
    groups, rest = divmod(size, PAGE * _GROUP)
    pages, last = divmod(rest, PAGE)
    partial = group[:pages] + ((bytes(last),) if last else ())
    return (group,) * groups + ((partial,) if partial else ())


class InFlight(NamedTuple):
    """A result that has not landed: its register, and the bundle at `pc` that writes it.

    That was issued `issued_before` cycles ago; the result lands `lands_in` cycles from now.
    `content` is None if it is not computed yet, because an operand is read later.
    """

    register: str
    pc: int
    issued_before: int
    lands_in: int
    content: bytes | None


File = TypeVar("File", bound=RegisterFile)


class Origin(NamedTuple):
    """What never changes in a state: its instruction set, its class of registers, its settings."""

    isa_name: str
    registers: type[RegisterFile]
    settings: Hashable = ()

    @property
    def layout(self) -> RegisterLayout:
        return self.registers.layout

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled_origin, (self.isa_name, self.settings)


def _unpickled_origin(isa_name: str, settings: Hashable) -> Origin:
    model = import_module("ipu_asm.emulator.model").machine_for(isa_name)
    return Origin(isa_name, model.State.registers, settings)


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
    pipeline: Any = None
    """What is on its way, of a machine whose results land later."""

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
    program_limit: int

    def __init__(self, settings: Hashable = ()) -> None:
        self.settings = settings
        self._regfile: File = self.registers()
        self._xmem = XMem(self.memory_size)
        self._origin = Origin(self.isa_name, self.registers, settings)
        self._inst_mem: list[int | None] = [None] * self.program_limit
        self.lines: LineTable | None = None

    @property
    def regfile(self) -> File:
        return self._regfile

    @property
    def layout(self) -> RegisterLayout:
        return self._regfile.layout

    @property
    def xmem(self) -> XMem:
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

    @property
    def first_bundle(self) -> int:
        """The number of the bundle with which a run begins."""
        return 0

    def finish(self) -> None:
        """Let what is in flight land at the end of a run."""

    def load_kernel(self, kernel: Any, entry: str | None = None) -> None:
        """Load the words of a kernel. Raises ValueError if they do not fit, and for an `entry`."""
        if entry is not None:
            raise ValueError(f"programs of {self.isa_name} begin with their first bundle")
        self.load_program(kernel.words, None if kernel.is_image else kernel.lines)

    @property
    def further(self) -> Mapping[str, str]:
        """The parts of a saved state that are neither registers nor memory, as text by name."""
        return {}

    @further.setter
    def further(self, values: Mapping[str, str]) -> None:
        """Restore these parts. Raises ValueError and KeyError."""

    def block_numbers(self) -> Mapping[str, Sequence[Sequence[float]]]:
        """Return the numbers of blocks with shared exponents by register."""
        return {}

    def in_flight(self) -> list[InFlight]:
        """Return what lands after the next bundle: nothing, unless the pipeline is exposed."""
        return []

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

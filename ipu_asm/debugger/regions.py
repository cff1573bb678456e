"""Parts of the state of a machine, and the bundles that access them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, Iterable, Iterator

from ipu_asm.assembler.word_code import DecodedInstruction
from ipu_asm.bundle.operand_matching import ON_MNEMONIC, Instruction
from ipu_asm.emulator.core import checks
from ipu_asm.emulator.core.checks import Check, Opcode
from ipu_asm.emulator.model import decode_word, machine_for
from ipu_asm.emulator.registers import RegisterFile, RegisterLayout
from ipu_asm.emulator.state import AnyState
from ipu_asm.emulator.vliw import AnyMachine
from ipu_asm.flow.accesses import RegisterAccess, decoded_accesses, instruction_accesses
from ipu_asm.isa import load_isa
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable

MEMORY: Final = "xmem"
COUNTER: Final = "pc"
_WORD: Final = 4


class Region(NamedTuple):
    """`size` bytes from byte `start` on of the register or memory `name`."""

    name: str
    start: int
    size: int

    def overlaps(self, start: int, size: int) -> bool:
        """Return whether a range of bytes of the same register or memory shares a byte with it."""
        return start < self.start + self.size and self.start < start + size


class RegionMap:
    """The parts of the states of one machine, by name.

    `sizes` are in bytes. Scalars and the program counter are little-endian; a group of scalars has
    the bytes of all of them.
    """

    def __init__(self, layout: RegisterLayout, memory_size: int) -> None:
        self._layout = layout
        self.sizes = {
            MEMORY: memory_size,
            COUNTER: _WORD,
            **dict.fromkeys(layout.scalar_names, _WORD),
            **{name: place.stop - place.start for name, place in layout.vector_places.items()},
            **{name: _WORD * len(scalars) for name, scalars in layout.groups.items()},
        }

    def whole(self, name: str) -> Region:
        """Return the region of a whole register or memory. Raises ValueError for another name."""
        return self.region(name, 0, self.sizes.get(name, 0))

    def region(self, name: str, start: int, size: int) -> Region:
        """Return a region. Raises ValueError for an unknown name or bytes out of range."""
        if name not in self.sizes:
            raise ValueError(f"a place is a register or `{MEMORY}`, found `{name}`")
        total = self.sizes[name]
        if start < 0 or size < 1 or start + size > total:
            raise ValueError(
                f"`{name}` has {total:#x} bytes, found a range of {size} from {start:#x} on"
            )
        return Region(name, start, size)

    def text(self, where: Region) -> str:
        if where == self.whole(where.name):
            return where.name
        return f"{where.name}[{where.start:#x}..+{where.size}]"

    def content(self, registers: RegisterFile, where: Region) -> bytes:
        vector = self._layout.vector_places.get(where.name)
        if vector is not None:
            start = vector.start + where.start
            return bytes(registers.block[start : start + where.size])
        words = (registers.scalars[index] for index in self._indices(where.name))
        content = b"".join(word.to_bytes(_WORD, "little") for word in words)
        return content[where.start : where.start + where.size]

    def write(self, registers: RegisterFile, where: Region, data: bytes) -> None:
        """Overwrite a part of a register, other than the program counter.

        Raises ValueError for a register that is constant.
        """
        vector = self._layout.vector_places.get(where.name)
        if vector is not None:
            start = vector.start + where.start
            registers.block[start : start + where.size] = data
            return
        indices = self._indices(where.name)
        for index in indices:
            if index in self._layout.constants:
                name, value = self._layout.scalar_names[index], self._layout.constants[index]
                raise ValueError(f"`{name}` is always {value}, so that nothing can be assigned")
        content = bytearray(self.content(registers, self.whole(where.name)))
        content[where.start : where.start + where.size] = data
        for number, index in enumerate(indices):
            word = content[_WORD * number : _WORD * number + _WORD]
            registers.scalars[index] = int.from_bytes(word, "little")

    def changed(self, where: Region) -> Check:
        if where.name == COUNTER:
            # It increases by one; a branch changes it.
            next_one = checks.binary(Opcode.ADD, checks.LAST_PC, checks.number(1))
            is_next = checks.binary(Opcode.EQUAL, checks.NEXT_PC, next_one)
            return checks.unary(Opcode.NOT, is_next)
        start = checks.register_offset(self._layout, where.name) + where.start
        return checks.changed(start, where.size)

    def _indices(self, name: str) -> range:
        group = self._layout.group_places.get(name)
        if group is not None:
            return range(group.start, group.stop)
        index = self._layout.places[name]
        assert isinstance(index, int)
        return range(index, index + 1)


class Written(NamedTuple):
    """An instruction that has written, the address of its bundle, and how long that took.

    `delay` is the number of cycles by which its result landed later than after its own bundle.
    """

    instruction: str
    pc: int
    delay: int = 0

    def __str__(self) -> str:
        return self.instruction


class Accesses:
    """The accesses of each bundle in program memory, by address, as it was loaded.

    `regions` are the parts of the machine's states.
    """

    def __init__(self, machine: AnyMachine) -> None:
        self._machine = machine
        isa = load_isa(machine.state.isa_name)
        self._isa = isa
        self._model = machine_for(machine.state.isa_name)
        self.regions = regions_of(machine.state)
        words = machine.state.inst_mem
        decoded = {word: decode_word(isa, word) for word in set(words) if word is not None}
        self.instructions = {pc: decoded[word] for pc, word in enumerate(words) if word is not None}
        found = {word: list(_accesses(isa, decoded[word])) for word in decoded}
        self._bundles: dict[tuple[str, bool, bool], frozenset[int]] = {}
        self._accesses = {pc: found[word] for pc, word in enumerate(words) if word is not None}

    def bundles(self, name: str, reads: bool, writes: bool) -> frozenset[int]:
        key = name, reads, writes
        if key not in self._bundles:
            self._bundles[key] = frozenset(self._find_bundles(*key))
        return self._bundles[key]

    def of_memory(self, is_write: bool) -> tuple[frozenset[int], int]:
        """Return the bundles that read or write memory, and how many bundles later they may."""
        return self.bundles(MEMORY, reads=not is_write, writes=is_write), 0

    def writers_of(self, registers: Iterable[str] | None) -> frozenset[int]:
        """Return the bundles after which an expression may differ that reads some registers.

        They may be `xmem`; None stands for what can change with every bundle.
        """
        if registers is None:
            return frozenset(range(self._machine.state.program_limit))
        selecting = self._model.type_register
        names = {*registers, selecting} if selecting else {*registers}
        writers = (self.bundles(name, reads=False, writes=True) for name in names)
        return frozenset[int]().union(*writers)

    @property
    def may_write_type(self) -> bool:
        """Whether a bundle writes the register that selects the type of elements."""
        register = self._model.type_register
        return register is not None and bool(self.bundles(register, reads=False, writes=True))

    def text(self, where: Region) -> str:
        return self.regions.text(where)

    def last_change(self, where: Region) -> tuple[bytes, bytes] | None:
        """Return the old and new content of a region that the last bundle executed changed.

        None if it did not change.
        """
        machine = self._machine
        if where.name == MEMORY:
            before, after = self._memory_change(where)
        elif where.name == COUNTER:
            before, after = self._counters()
        else:
            before, after = (
                self.regions.content(registers, where)
                for registers in (machine.snapshot, machine.state.regfile)
            )
        return None if before == after else (before, after)

    def has_written(self, where: Region) -> Any:
        """Return the instruction of the last bundle executed that wrote to a region, or None.

        A write of the same content counts, except by an instruction that updates the register, see
        `_updates`.
        """
        changed = self.last_change(where) is not None
        for instruction, access in self._last_accesses(where):
            if not access.writes:
                continue
            if where.name == MEMORY:
                written = self._machine.state.xmem.written
                if any(where.overlaps(start, len(old)) for start, old in written):
                    return instruction
            elif changed or not _updates(access):
                return instruction
        return None

    def writer(self, where: Region) -> Written | None:
        """Return what wrote to a region with the last bundle executed, or None."""
        found = self.has_written(where)
        return None if found is None else Written(str(found), self._machine.snapshot.pc)

    def has_read(self, where: Region) -> Any:
        for instruction, access in self._last_accesses(where):
            is_near = where.name != MEMORY or where.overlaps(*self._bytes_read(instruction))
            if access.reads and is_near:
                return instruction
        return None

    def _find_bundles(self, name: str, reads: bool, writes: bool) -> Iterator[int]:
        if name == COUNTER:
            yield from range(len(self._machine.state.inst_mem) if writes else 0)
        parts = self._isa.units(name)
        for pc, accesses in self._accesses.items():
            mine = [access for _, access in accesses if self._isa.units(access.register) & parts]
            if any((reads and access.reads) or (writes and access.writes) for access in mine):
                yield pc

    def _last_accesses(self, where: Region) -> Iterator[tuple[DecodedInstruction, RegisterAccess]]:
        for instruction, access in self._accesses.get(self._machine.snapshot.pc, ()):
            if self._isa.units(access.register) & self._isa.units(where.name):
                yield instruction, access

    def _bytes_read(self, instruction: DecodedInstruction) -> tuple[int, int]:
        """Address and size of the bytes of memory that an instruction has read."""
        if self._model.memory_read is None:
            return 0, self._model.memory_size
        return self._model.memory_read(self._machine.state, instruction)

    def _counters(self) -> tuple[bytes, bytes]:
        """The address after the last bundle executed, and the address of the next one."""
        machine = self._machine
        before, after = machine.snapshot.pc + 1, machine.state.program_counter
        return before.to_bytes(4, "little"), after.to_bytes(4, "little")

    def _memory_change(self, where: Region) -> tuple[bytes, bytes]:
        xmem = self._machine.state.xmem
        after = bytes(memoryview(xmem.content)[where.start : where.start + where.size])
        before = bytearray(after)
        for start, old in reversed(xmem.written):
            first = max(start, where.start)
            last = min(start + len(old), where.start + where.size)
            if first < last:
                piece = old[first - start : last - start]
                before[first - where.start : last - where.start] = piece
        return bytes(before), after


class PipelineAccesses(Accesses):
    """The accesses of a machine whose results land later: after any bundle, one may land."""

    def __init__(self, machine: AnyMachine) -> None:
        self._machine = machine
        self.regions = regions_of(machine.state)
        self.instructions = {}
        self._isa = load_isa(machine.state.isa_name)
        self._all = frozenset(range(machine.state.program_limit))

    def bundles(self, name: str, reads: bool, writes: bool) -> frozenset[int]:
        return self._all

    def of_memory(self, is_write: bool) -> tuple[frozenset[int], int]:
        machine: Any = self._machine
        trait = "store" if is_write else "load"
        found = frozenset(number for number in self._all if machine.state.accessing(number, trait))
        return found, machine.latest_store if is_write else 0

    def writers_of(self, registers: Iterable[str] | None) -> frozenset[int]:
        return self._all

    @property
    def may_write_type(self) -> bool:
        return False

    def writer(self, where: Region) -> Written | None:
        machine: Any = self._machine
        if where.name == MEMORY:
            found = [(pc, 0) for pc in machine.stored(where.start, where.start + where.size)]
        else:
            found = machine.written(where.name)
        for pc, delay in reversed(found):
            return Written(self._text(pc, where.name, is_write=True), pc, delay)
        return None

    def has_written(self, where: Region) -> Any:
        return self.writer(where)

    def has_read(self, where: Region) -> Any:
        machine: Any = self._machine
        text = self._text(machine.snapshot.pc, where.name, is_write=False)
        if where.name == MEMORY:
            is_read = machine.loaded(where.start, where.start + where.size)
            return (text or "a load") if is_read else None
        return text or None

    def _text(self, pc: int, name: str, *, is_write: bool) -> str:
        """The instruction of a bundle that accesses a register; empty if none does."""
        parts, memory = self._isa.units(name), name == MEMORY
        for instruction, text in source_instructions(self._machine.state.lines, pc):
            spec = instruction.spec
            if memory and spec is not None and ("store" if is_write else "load") in spec.traits:
                return text
            for access in instruction_accesses(self._isa, instruction):
                if (access.writes if is_write else access.reads) and access.units & parts:
                    return text
        return ""


def accesses_of_machine(machine: AnyMachine) -> Accesses:
    """Return the accesses of the bundles of a machine."""
    return Accesses(machine) if machine.execution_order else PipelineAccesses(machine)


def source_instructions(lines: LineTable | None, address: int) -> list[tuple[Instruction, str]]:
    """Return the instructions of a bundle with their texts; empty without a source."""
    if lines is None or not 0 <= address < lines.program.size:
        return []
    program = lines.program
    number = program.bundle_at_address[address]
    bundle = program.bundles[number]
    spans = (bundle.syntax.instruction_span(place) for place in range(len(bundle.instructions)))
    texts = (program.text[slice(*program.span(number, span))] for span in spans)
    return [(each, " ".join(text.split())) for each, text in zip(bundle.instructions, texts)]


def _accesses(
    isa: Isa, instructions: list[DecodedInstruction]
) -> Iterator[tuple[DecodedInstruction, RegisterAccess]]:
    for instruction in instructions:
        if instruction.spec is not None and not instruction.is_idle:
            for access in decoded_accesses(isa, instruction.spec, instruction.registers):
                yield instruction, access


def _updates(access: RegisterAccess) -> bool:
    """Whether an access is a read-modify-write of a register that no operand names, as in `acc`."""
    return access.operand == ON_MNEMONIC and access.reads


@lru_cache(maxsize=16)
def region_map(layout: RegisterLayout, memory_size: int) -> RegionMap:
    return RegionMap(layout, memory_size)


def regions_of(state: AnyState) -> RegionMap:
    return region_map(state.layout, state.memory_size)


def read_region(state: AnyState, where: Region) -> bytes:
    start, end = where.start, where.start + where.size
    if where.name == MEMORY:
        return bytes(memoryview(state.xmem.content)[start:end])
    if where.name == COUNTER:
        return state.program_counter.to_bytes(_WORD, "little")[start:end]
    return regions_of(state).content(state.regfile, where)


def write_region(state: AnyState, where: Region, data: bytes) -> None:
    """Write `data` to a region of the machine.

    Raises ValueError if the sizes differ, or for a constant register.
    """
    regions = regions_of(state)
    if len(data) != where.size:
        raise ValueError(f"`{regions.text(where)}` takes {where.size} bytes, found {len(data)}")
    if where.name == MEMORY:
        state.xmem.write_address(where.start, data)
    elif where.name == COUNTER:
        content = bytearray(read_region(state, regions.whole(COUNTER)))
        content[where.start : where.start + where.size] = data
        state.program_counter = int.from_bytes(content, "little")
    else:
        regions.write(state.regfile, where, data)

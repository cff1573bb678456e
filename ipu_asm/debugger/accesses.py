"""Bundles that can access a region, and whether the last executed bundle accessed it."""

from __future__ import annotations

from typing import Iterable, Iterator

from ipu_asm.assembler.decode import DecodedInstruction
from ipu_asm.bundle.operand_matching import ON_MNEMONIC
from ipu_asm.debugger.regions import COUNTER, MEMORY, Region, regions_of
from ipu_asm.emulator.model import decode_word, machine_for
from ipu_asm.emulator.vliw import AnyMachine
from ipu_asm.flow.accesses import RegisterAccess, decoded_accesses
from ipu_asm.isa import load_isa
from ipu_asm.isa.model import Isa


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
        """Return the addresses of the bundles that may read or write a register or the memory."""
        key = name, reads, writes
        if key not in self._bundles:
            self._bundles[key] = frozenset(self._find_bundles(*key))
        return self._bundles[key]

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
        """Return the text of a region for messages."""
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

    def has_written(self, where: Region) -> DecodedInstruction | None:
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

    def has_read(self, where: Region) -> DecodedInstruction | None:
        """Return the instruction of the last bundle executed that read a region, or None."""
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
        """The accesses of the last bundle executed to the register or memory of a region."""
        for instruction, access in self._accesses.get(self._machine.snapshot.pc, ()):
            if self._isa.units(access.register) & self._isa.units(where.name):
                yield instruction, access

    def _bytes_read(self, instruction: DecodedInstruction) -> tuple[int, int]:
        """Address and size of the bytes of memory that an instruction has read."""
        if self._model.memory_read is None:
            return 0, self._model.memory_size
        return self._model.memory_read(self._machine.state, instruction)

    def _counters(self) -> tuple[bytes, bytes]:
        """The address after the last bundle executed, and that of the next one."""
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

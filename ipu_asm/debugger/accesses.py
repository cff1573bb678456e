"""Bundles that can access a region, and whether the last executed bundle accessed it."""

from __future__ import annotations

from typing import Iterator

from ipu_asm.assembler.decode import DecodedInstruction
from ipu_asm.bundle.operand_matching import ON_MNEMONIC
from ipu_asm.debugger.regions import COUNTER, MEMORY, Region, register_place
from ipu_asm.emulator.model import decode_word
from ipu_asm.flow.accesses import RegisterAccess, decoded_accesses
from ipu_asm.isa import load_isa
from ipu_asm.isa.ipu.machine.ipu import Ipu
from ipu_asm.isa.ipu.machine.registers import R_REG_SIZE, SCALAR_NAMES
from ipu_asm.isa.model import Isa


class Accesses:
    """The accesses of each bundle in program memory, by address, as it was loaded."""

    def __init__(self, ipu: Ipu) -> None:
        self._ipu = ipu
        isa = load_isa("ipu")
        words = ipu.state.inst_mem
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

    def last_change(self, where: Region) -> tuple[bytes, bytes] | None:
        """Return the old and new content of a region that the last bundle executed changed.

        None if it did not change.
        """
        ipu = self._ipu
        if where.name == MEMORY:
            before, after = self._memory_change(where)
        elif where.name == COUNTER:
            before, after = (pc.to_bytes(4, "little") for pc in (ipu.snapshot.pc + 1, _pc(ipu)))
        else:
            before, after = (
                _content(registers.scalars, registers.block, where)
                for registers in (ipu.snapshot, ipu.state.regfile)
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
                written = self._ipu.state.xmem.written
                if any(where.overlaps(start, len(old)) for start, old in written):
                    return instruction
            elif changed or not _updates(access):
                return instruction
        return None

    def has_read(self, where: Region) -> DecodedInstruction | None:
        """Return the instruction of the last bundle executed that read a region, or None."""
        for instruction, access in self._last_accesses(where):
            is_near = where.name != MEMORY or where.overlaps(self._address(instruction), R_REG_SIZE)
            if access.reads and is_near:
                return instruction
        return None

    def _find_bundles(self, name: str, reads: bool, writes: bool) -> Iterator[int]:
        if name == COUNTER:
            yield from range(len(self._ipu.state.inst_mem) if writes else 0)
        for pc, accesses in self._accesses.items():
            mine = [access for _, access in accesses if access.register == name]
            if any((reads and access.reads) or (writes and access.writes) for access in mine):
                yield pc

    def _last_accesses(self, where: Region) -> Iterator[tuple[DecodedInstruction, RegisterAccess]]:
        """The accesses of the last bundle executed to the register or memory of a region."""
        for instruction, access in self._accesses.get(self._ipu.snapshot.pc, ()):
            if access.register == where.name:
                yield instruction, access

    def _address(self, instruction: DecodedInstruction) -> int:
        """The memory address of an instruction: the sum of `offset` and `base`.

        Slots that execute after lr do not change these registers, so they still have the values
        read.
        """
        scalars = self._ipu.state.regfile.scalars
        names = (instruction.registers[operand] for operand in ("offset", "base"))
        return sum(scalars[SCALAR_NAMES.index(name)] for name in names)

    def _memory_change(self, where: Region) -> tuple[bytes, bytes]:
        xmem = self._ipu.state.xmem
        after = bytes(memoryview(xmem.content)[where.start : where.start + where.size])
        before = bytearray(after)
        for start, old in reversed(xmem.written):
            first = max(start, where.start)
            last = min(start + len(old), where.start + where.size)
            if first < last:
                piece = old[first - start : last - start]
                before[first - where.start : last - where.start] = piece
        return bytes(before), after


def _pc(ipu: Ipu) -> int:
    return ipu.state.program_counter


def _content(scalars: list[int], block: bytearray, where: Region) -> bytes:
    place = register_place(where.name)
    if isinstance(place, int):
        content = scalars[place].to_bytes(4, "little")
        return content[where.start : where.start + where.size]
    start = place.start + where.start
    return bytes(block[start : start + where.size])


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

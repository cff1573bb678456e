"""Which bundles of a program can touch a region, and whether the last one executed has."""

from __future__ import annotations

from typing import Iterator, Mapping, NamedTuple

from ipu_asm.debugger.regions import COUNTER, MEMORY, Region, register_place
from ipu_asm.emulator.decode import Code, decode_word
from ipu_asm.emulator.ipu import Ipu
from ipu_asm.emulator.registers import R_REG_SIZE, SCALAR_NAMES
from ipu_asm.isa import load_isa
from ipu_asm.isa.model import InstructionSpec


class Touch(NamedTuple):
    """An instruction that reads or writes the part that is called `name`.

    `keeps` tells that what is written is made of what was there.
    """

    code: Code
    name: str
    writes: bool
    keeps: bool = False


class Accesses:
    """The touches of each bundle in program memory, by address, as it was loaded."""

    def __init__(self, ipu: Ipu) -> None:
        self._ipu = ipu
        isa = load_isa("ipu")
        words = ipu.state.inst_mem
        codes = {word: decode_word(isa, word) for word in set(words) if word is not None}
        self.codes = {pc: codes[word] for pc, word in enumerate(words) if word is not None}
        touches = {word: list(_touches(codes[word])) for word in codes}
        self._bundles: dict[tuple[str, bool, bool], frozenset[int]] = {}
        self._touches = {pc: touches[word] for pc, word in enumerate(words) if word is not None}

    def bundles(self, name: str, reads: bool, writes: bool) -> frozenset[int]:
        """The addresses of bundles that may touch a part in one of these ways."""
        key = name, reads, writes
        if key not in self._bundles:
            self._bundles[key] = frozenset(self._find_bundles(*key))
        return self._bundles[key]

    def last_change(self, where: Region) -> tuple[bytes, bytes] | None:
        """What a region was and is, if the last bundle executed has changed it; else None."""
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

    def has_written(self, where: Region) -> Code | None:
        """The instruction of the last bundle executed that has written to a region, if one has.

        What writes the same content again counts, but not where it only keeps what was there.
        """
        changed = self.last_change(where) is not None
        for touch in self._last_touches(where, writes=True):
            if where.name == MEMORY:
                written = self._ipu.state.xmem.written
                if any(where.overlaps(start, len(old)) for start, old in written):
                    return touch.code
            elif changed or not touch.keeps:
                return touch.code
        return None

    def has_read(self, where: Region) -> Code | None:
        """The instruction of the last bundle executed that has read a region, if one has."""
        for touch in self._last_touches(where, writes=False):
            if where.name != MEMORY or where.overlaps(self._address(touch.code), R_REG_SIZE):
                return touch.code
        return None

    def _find_bundles(self, name: str, reads: bool, writes: bool) -> Iterator[int]:
        if name == COUNTER:
            yield from range(len(self._ipu.state.inst_mem) if writes else 0)
        for pc, touches in self._touches.items():
            if any(t.name == name and (writes if t.writes else reads) for t in touches):
                yield pc

    def _last_touches(self, where: Region, writes: bool) -> Iterator[Touch]:
        for touch in self._touches.get(self._ipu.snapshot.pc, ()):
            if touch.name == where.name and touch.writes is writes:
                yield touch

    def _address(self, code: Code) -> int:
        """Where an instruction looks into memory: the sum of `offset` and `base`.

        Nothing behind the lr slots changes these registers, so they still have the values it saw.
        """
        scalars = self._ipu.state.regfile.scalars
        names = (code.registers[operand] for operand in ("offset", "base"))
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


def _touches(codes: list[Code]) -> Iterator[Touch]:
    for code in codes:
        if code.spec is None or code.is_idle:
            continue
        reads = _reads(code.spec)
        for name in reads:
            yield Touch(code, _part(code, name), writes=False)
        for name in code.spec.writes:
            yield Touch(code, _part(code, name), True, name in reads and name not in code.registers)


def _reads(spec: InstructionSpec) -> Mapping[str, str]:
    operands = {operand.name: operand.read for operand in spec.operands if operand.read}
    return {**operands, **spec.reads}


def _part(code: Code, name: str) -> str:
    """The part that an operand names; any other name is a part's own."""
    return code.registers.get(name, name)

"""Programs of sets with machine code as a machine executes them: linked, with units to decode.

A source is assembled first, so that an object, a listing and a source run in the same way.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Any, Callable, Sequence

from ipu_asm.assembler.code_files import read_code_file
from ipu_asm.assembler.encode import AssemblyError, object_of, required_code
from ipu_asm.assembler.kernel import Kernel, Read, RejectedSourceError, chosen_isa
from ipu_asm.assembler.machine_code import (
    ABSOLUTE,
    DecodedUnit,
    ObjectCode,
    Relocation,
    Section,
    Symbol,
)
from ipu_asm.config.files import decoded, is_code_file
from ipu_asm.emulator.stops import ProgramError
from ipu_asm.isa import load_isa
from ipu_asm.isa.model import Isa
from ipu_asm.program.line_table import (
    EffectiveProgram,
    LineTable,
    SourceLocation,
    read_effective_program,
)
from ipu_asm.text import SourceFile

_MAX_UNIT = 16
"""Bytes of the largest unit of code."""

_MAX_NAMES_SHOWN = 6


class CodeProgram:
    """A linked program: code, data to load into memory, and symbols with their values."""

    def __init__(
        self, isa: Isa, code: ObjectCode, data_address: int, lines: LineTable | None = None
    ) -> None:
        """`data_address` is where sections with data begin. Raises `ProgramError`."""
        self.isa = isa
        self.lines = lines
        self._made_of = code, data_address
        self._machine_code = required_code(isa)
        self._sections = _placed(code.sections, data_address)
        self.symbols = self._values(code.symbols)
        self.functions = self._functions(code.symbols)
        self.code: dict[int, bytes] = {}
        self.data: dict[int, bytes] = {}
        self.bundles: dict[int, int] = {}
        for section in self._sections.values():
            linked = self._linked(section)
            if section.is_code:
                self.code[section.address] = linked
                self.bundles |= {
                    section.address + unit.offset: max(unit.bundle, unit.alignment)
                    for unit in section.units
                    if unit.is_code and max(unit.bundle, unit.alignment) >= 0
                }
            elif "a" in section.flags and linked:
                self.data[section.address] = linked
        self._units: dict[int, DecodedUnit | None] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self.isa.name, *self._made_of)

    def unit_at(self, address: int) -> DecodedUnit | None:
        """Return the unit of code at an address; None if there is none."""
        if address not in self._units:
            self._units[address] = self._decoded(address)
        return self._units[address]

    def code_at(self, address: int) -> bytes:
        """Return the bytes of the unit of code at an address; empty if there is none."""
        unit = self.unit_at(address)
        size = unit.size if unit else 0
        found = (d[address - s :][:size] for s, d in self.code.items() if 0 <= address - s < len(d))
        return next(found, b"")

    def fill(self) -> list[int]:
        """Return the addresses of the units that no bundle of the source has, in order."""
        found = []
        for start, data in sorted(self.code.items()):
            at = start
            while at < start + len(data):
                unit = self.unit_at(at)
                if unit is None:
                    break
                if at not in self.bundles:
                    found.append(at)
                at += unit.size
        return found

    @cached_property
    def addresses(self) -> list[int]:
        """The addresses of all units, by number: those of the bundles of the source come first."""
        rows = self.lines.program.bundle_at_address if self.lines else []
        numbers, extra = dict[int, int](), self.fill()
        for bundle, units in groupby(
            sorted(self.bundles.items(), key=itemgetter(1, 0)), itemgetter(1)
        ):
            found = [address for address, _ in units]
            own = range(bisect_left(rows, bundle), bisect_right(rows, bundle))
            numbers.update(zip(found, own))
            extra += found[len(own) :]
        return [*sorted(numbers, key=numbers.__getitem__), *sorted(extra)]

    def number_at(self, address: int) -> int:
        """Return the number of the unit at an address; one after the last where there is none."""
        return self._numbers.get(address, len(self.addresses))

    @cached_property
    def _numbers(self) -> dict[int, int]:
        return {address: number for number, address in enumerate(self.addresses)}

    def place(self, address: int) -> SourceLocation | None:
        """Return where the unit at an address was written; None without a source."""
        number = self.bundles.get(address)
        if self.lines is None or number is None:
            return None
        indices = self.lines.program.bundle_at_address
        return self.lines.place(bisect_left(indices, number))

    def problem_at(self, address: int) -> str:
        """Return why there is no unit of code at an address."""
        for start, data in self.code.items():
            if start <= address < start + len(data):
                return f"the bytes at {address:#x} are no code"
            if address == start + len(data):
                return f"the program goes on after its last bundle, at {address:#x}"
        return f"there is no code at {address:#x}"

    def entry(self, name: str | None) -> int:
        """Return the address of a function or a label, by default of the first function.

        Raises `ProgramError` for an unknown name.
        """
        if name is None:
            starts = [*self.functions.values(), *self.code]
            if not starts:
                raise ProgramError(["the program has no code"])
            return min(self.functions.values(), default=min(self.code))
        if name in self.symbols:
            return self.symbols[name]
        known = [*self.functions, *(each for each in self.symbols if each not in self.functions)]
        shown = ", ".join(f"`{each}`" for each in known[:_MAX_NAMES_SHOWN])
        there_are = f"there are {shown}" if known else "there are no labels"
        raise ProgramError([f"no function or label `{name}`; {there_are}"])

    def _decoded(self, address: int) -> DecodedUnit | None:
        for start, data in self.code.items():
            at = address - start
            if 0 <= at < len(data):
                return self._machine_code.decode(data, at)
        return None

    def _values(self, symbols: Sequence[Symbol]) -> dict[str, int]:
        found = {}
        for symbol in symbols:
            if symbol.section == ABSOLUTE:
                found[symbol.name] = symbol.value
            elif symbol.section in self._sections:
                found[symbol.name] = self._sections[symbol.section].address + symbol.value
        return found

    def _functions(self, symbols: Sequence[Symbol]) -> dict[str, int]:
        return {
            symbol.name: self.symbols[symbol.name]
            for symbol in symbols
            if symbol.kind == "func" and symbol.name in self.symbols
        }

    def _linked(self, section: Section) -> bytes:
        """Return the bytes of a section with the fields of its relocations filled."""
        data = bytearray(section.data)
        kinds = self._machine_code.object_format.data_relocations
        sizes = {kind: size for size, kind in kinds.items()}
        for relocation in section.relocations:
            value, at = self._value(relocation), relocation.offset
            if relocation.kind in sizes:
                size = sizes[relocation.kind]
                linked = (value & (1 << 8 * size) - 1).to_bytes(size, "little")
            else:
                unit = bytes(data[at : at + _MAX_UNIT])
                linked = self._machine_code.relocated(unit, relocation, value)
            data[at : at + len(linked)] = linked
        return bytes(data)

    def _value(self, relocation: Relocation) -> int:
        name = relocation.symbol
        if not name:
            return relocation.addend
        if name in self.symbols:
            return self.symbols[name] + relocation.addend
        if name in self._sections:
            return self._sections[name].address + relocation.addend
        raise ProgramError(
            [f"`{name}` is not defined in this file, so that it cannot be run alone"]
        )


def _unpickled(isa_name: str, code: ObjectCode, data_address: int) -> CodeProgram:
    return CodeProgram(load_isa(isa_name), code, data_address)


def read_code_program(text: str, isa_name: str, data_address: int) -> CodeProgram:
    """Return the program of a source text. Raises `AssemblyError` and `ProgramError`."""
    source = SourceFile(text)
    return linked(read_effective_program(load_isa(isa_name), source), source, data_address)


def linked(effective: EffectiveProgram, source: SourceFile, data_address: int) -> CodeProgram:
    """Assemble and link a program that was read. Raises `AssemblyError` and `ProgramError`."""
    code = object_of(effective, source, is_final=False)
    lines = LineTable(effective.program, effective.expansion, source)
    return CodeProgram(effective.program.isa, code, data_address, lines)


def linked_kernel(
    data: bytes,
    name: str,
    data_address: Callable[[str], int],
    isa_name: str | None = None,
    read: Read = read_effective_program,
) -> Kernel:
    """Return the program in a file with its linked code; of objects and listings their disassembly.

    `data_address` is as in `CodeProgram`, by the name of the set. Raises `RejectedSourceError`,
    `ProgramError`, `FileError` and `ConfigurationError`.
    """
    is_image = is_code_file(data)
    if is_image:
        file = read_code_file(data, name, isa_name)
        isa, name = file.isa, f"{name} (disassembled)"
        text = file.text(has_labels=True)
    else:
        text = decoded(data, name).text
        isa, _ = chosen_isa(text, name, isa_name)
    return link_kernel(SourceFile(text, name), isa, data_address(isa.name), read)._replace(
        is_image=is_image
    )


def link_kernel(
    source: SourceFile, isa: Isa, data_address: int, read: Read = read_effective_program
) -> Kernel:
    """Assemble and link a source text. Raises `RejectedSourceError` and `ProgramError`."""
    effective = read(isa, source)
    try:
        code = linked(effective, source, data_address)
    except AssemblyError as error:
        raise RejectedSourceError(error, source) from error
    program, expansions = effective
    return Kernel(source.path, source, isa, (), program, False, expansions, code)


def _placed(sections: Sequence[Section], data_address: int) -> dict[str, Section]:
    """Return sections by name, those without an address after one another: code, and data."""
    placed: dict[str, Section] = {}
    ends = {True: 0, False: data_address}
    for section in sections:
        if section.address or not section.data:
            placed[section.name] = section
            continue
        start = -(-ends[section.is_code] // section.alignment) * section.alignment
        placed[section.name] = section._replace(address=start)
        ends[section.is_code] = start + len(section.data)
    return placed

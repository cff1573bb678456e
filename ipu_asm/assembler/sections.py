"""Assembly of programs to sections, symbols and relocations.

The first pass over a program lays it out; the second encodes what is in the sections.
"""

from __future__ import annotations

from functools import partial
from typing import Iterator, Sequence

from ipu_asm.assembler.machine_code import (
    ABSOLUTE,
    CodeUnit,
    EncodingProblem,
    MachineCode,
    ObjectCode,
    Relocation,
    Section,
    Symbol,
    SymbolValue,
    Unit,
)
from ipu_asm.assembler.object_layout import Layout, OpenSection, Piece
from ipu_asm.assembler.symbol_table import OTHER_FILE, Place, Value
from ipu_asm.diagnostics import (
    UNDEFINED_LABEL,
    UNKNOWN_DIRECTIVE,
    WRONG_OPERAND_TYPE,
    Diagnostic,
    UnplacedFinding,
)
from ipu_asm.isa.model import InstructionSpec
from ipu_asm.isa.operands import quoted
from ipu_asm.program.program import Program
from ipu_asm.syntax.directives import Argument
from ipu_asm.text import counted

_NO_TARGETS: dict[str, int | None] = {}


def assemble_object(
    program: Program, code: MachineCode, *, is_final: bool
) -> tuple[ObjectCode, Sequence[Diagnostic]]:
    """Assemble a program whose analysis has no errors; return the object and further errors.

    If it `is_final`, no linker follows: addresses are offsets in the only section with content,
    and a symbol without definition is an error.
    """
    if not code.has_objects:
        return ObjectCode((_section_of_words(program, code),), ()), ()
    assembler = _Assembler(program, code, is_final)
    for number, bundle in enumerate(program.bundles):
        assembler.read(number, bundle)
    sections = assembler.encoded()
    flags = code.flags(program.isa, assembler.forms())
    return ObjectCode(sections, assembler.symbols_of(sections), flags), assembler.errors


def _section_of_words(program: Program, code: MachineCode) -> Section:
    """Encode a program of bundles alone, which needs no layout, and which may have errors."""
    targets: dict[int, dict[str, int | None]] = {}
    for each in program.references:
        targets.setdefault(each.bundle, {})[each.text] = each.target
    parts = []
    for address, number in enumerate(program.bundle_at_address):
        values = targets.get(number, _NO_TARGETS).get
        unit = code.encode(program.bundles[number], address * code.step, values)
        assert isinstance(unit, CodeUnit)
        parts.append(unit.data)
    units = [
        Unit(address * code.step, code.step, number)
        for address, number in enumerate(program.bundle_at_address)
    ]
    return Section(".text", "ax", "progbits", 1, b"".join(parts), units=tuple(units))


class _Assembler(Layout):
    """Encodes a program after its layout."""

    def encoded(self) -> tuple[Section, ...]:
        text_alignment = self.code.object_format.text_alignment
        found = []
        named = {".text", *(section for section, _ in self.table.labels.values())}
        for section in self.sections.values():
            if not section.pieces and section.name not in named:
                continue
            if section.is_code and not self.is_final:
                section.alignment = max(section.alignment, text_alignment)
            found.append(self._encoded_section(section))
        filled = [each for each in found if each.data]
        if self.is_final and len(filled) > 1:
            names = " and ".join(f"`{each.name}`" for each in filled[:2])
            message = f"bytes without an object hold one section, found {names}; use `elf`"
            self.error(filled[1].units[0].bundle, UnplacedFinding(UNKNOWN_DIRECTIVE, message))
        return tuple(found)

    def forms(self) -> Iterator[InstructionSpec]:
        """Yield the forms of all instructions."""
        for section in self.sections.values():
            for piece in section.pieces:
                instructions = piece.code.instructions if piece.code else ()
                yield from (each.spec for each in instructions if each.spec)

    def symbols_of(self, sections: Sequence[Section]) -> tuple[Symbol, ...]:
        """Return the symbols: those that are declared, and those that relocations name."""
        used = {each.symbol for section in sections for each in section.relocations}
        local = self.program.isa.surface.local_prefix
        names = [
            *(name for name in self.table.labels if not name.startswith(local)),
            *self.symbols,
            *sorted(used),
        ]
        return tuple(self._symbol(name) for name in dict.fromkeys(names))

    def _symbol(self, name: str) -> Symbol:
        declared = self.symbols.get(name, Symbol(name))
        size = self.table.number(*self.sizes[name]) if name in self.sizes else 0
        if name in self.table.labels:
            section, offset = self.table.labels[name]
            return declared._replace(section=section, value=offset, size=size or 0)
        assigned = self.table.assigned(name)
        if assigned is not None:
            last, value = assigned
            if value is None or value.group.startswith(OTHER_FILE):
                self.error(last.place.bundle, _unknown(last.text, None))
                return declared
            section = value.group or ABSOLUTE
            return declared._replace(section=section, value=value.value, size=size or 0)
        is_local = declared.binding == "local"
        return declared._replace(binding="global") if is_local else declared

    def _encoded_section(self, section: OpenSection) -> Section:
        self.current = section
        data = bytearray()
        relocations: list[Relocation] = []
        units: list[Unit] = []
        for piece in section.pieces:
            if not (piece.code or piece.data or piece.values):
                for gap in self.code.fill(piece.size):
                    is_code = len(gap) >= self.code.step
                    units.append(Unit(len(data), len(gap), -1, is_code, piece.bundle))
                    data += gap
                continue
            encoded = self._encoded_piece(piece)
            if section.kind == "nobits" and (any(encoded[0]) or encoded[1]):
                message = f"{quoted(section.name)} holds zeros only; other bytes go to `.data`"
                self.error(piece.bundle, UnplacedFinding(WRONG_OPERAND_TYPE, message))
            relocations += (each._replace(offset=each.offset + len(data)) for each in encoded[1])
            units.append(Unit(len(data), piece.size, piece.bundle, piece.code is not None))
            data += encoded[0]
        if section.is_code and not self.is_final and data:
            for gap in self.code.fill(-len(data) % self.code.object_format.text_alignment):
                units.append(Unit(len(data), len(gap), -1))
                data += gap
        return Section(
            section.name,
            section.flags,
            section.kind,
            section.alignment,
            bytes(data),
            tuple(relocations),
            tuple(units),
            entry_size=section.entry_size,
            group=section.group,
        )

    def _encoded_piece(self, piece: Piece) -> tuple[bytes, Sequence[Relocation]]:
        if piece.code:
            place = Place(piece.bundle, self.current.name, piece.offset)
            values = partial(self.table.value, place=place)
            unit = self.code.encode(piece.code, piece.offset, values)
            if isinstance(unit, EncodingProblem):
                self._operand_error(piece.bundle, unit)
                return bytes(piece.size), ()
            for each in unit.relocations if self.is_final else ():
                self.error(piece.bundle, _unknown("", SymbolValue(each.symbol)))
            return unit.data, unit.relocations
        if not piece.values:
            return piece.data, ()
        size = piece.size // len(piece.values)
        data = b""
        relocations: list[Relocation] = []
        for argument in piece.values:
            place = Place(piece.bundle, self.current.name, piece.offset + len(data))
            known = self.code.object_format.specifiers if "@" in argument.text else ()
            specifier = next(filter(argument.text.endswith, known), "")
            value = self.table.value(argument.text.removesuffix(specifier), place)
            kind = self.code.object_format.data_relocations.get(size)
            if specifier:
                kind, value = self._specified(piece.bundle, argument, specifier, size, value)
            if isinstance(value, SymbolValue) and kind is not None:
                relocations.append(Relocation(kind, len(data), value.symbol, value.addend))
                value = 0
            if not isinstance(value, int):
                is_left = isinstance(value, SymbolValue) and not self.is_final
                problem = _too_narrow(size) if is_left else _unknown(argument.text, value)
                self.error(piece.bundle, problem, argument.span)
                value = 0
            data += (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")
        return data, relocations

    def _specified(
        self, bundle: int, argument: Argument, specifier: str, size: int, value: Value
    ) -> tuple[int, Value]:
        """Return the kind that a specifier asks for, and the field of a value that is known."""
        kind, filled = self.code.object_format.specifiers[specifier]
        problem = ""
        if filled != size:
            problem = f"`{specifier}` fills {filled} bytes, found data of {counted(size, 'byte')}"
        elif isinstance(value, int):
            try:
                data = self.code.relocated(bytes(size), Relocation(kind, 0, ""), value)
                value = int.from_bytes(data, "little")
            except ValueError as error:
                problem = str(error)
        if problem:
            self.error(bundle, UnplacedFinding(WRONG_OPERAND_TYPE, problem), argument.span)
            return kind, 0
        return kind, value

    def _operand_error(self, number: int, problem: EncodingProblem) -> None:
        bundle = self.program.bundles[number]
        span = bundle.span(problem.instruction, problem.operand)
        self.error(number, problem.finding, span)


def units_of(section: Section) -> Iterator[bytes]:
    """Yield the bytes of each unit of a section, fill included."""
    for unit in section.units:
        yield section.data[unit.offset : unit.offset + unit.size]


def _too_narrow(size: int) -> UnplacedFinding:
    message = f"no relocation puts an address into {counted(size, 'byte')}"
    return UnplacedFinding(WRONG_OPERAND_TYPE, message)


def _unknown(text: str, value: SymbolValue | None) -> UnplacedFinding:
    if value is None:
        message = f"the value of {quoted(text)} is not known, and no relocation computes it"
        return UnplacedFinding(WRONG_OPERAND_TYPE, message)
    message = f"no symbol {quoted(value.symbol)} in this file; an object leaves it to the linker"
    return UnplacedFinding(UNDEFINED_LABEL, message)

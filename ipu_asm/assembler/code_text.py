"""Assembly text of machine code: of objects, of listings, and of bytes.

The text assembles to the same bytes. So each unit is encoded again, and one whose encoding differs,
as with bits that the machine ignores, is written as data, with its assembly in a comment. No-ops
that fill slots are written, because they choose the size of the unit.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import pairwise
from typing import Final, Iterator, Sequence

from ipu_asm.assembler.machine_code import (
    ABSOLUTE,
    CodeUnit,
    DecodedUnit,
    MachineCode,
    ObjectCode,
    Relocation,
    Section,
    Symbol,
    SymbolValue,
)
from ipu_asm.assembler.symbol_table import CODE, CODE_FLAGS, WrittenNames, printable_name
from ipu_asm.bundle.parser import parser_for
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple

NOT_WRITTEN: Final = "not written: "
"""In comments about what the text does not express."""

_INDENT: Final = "    "
_BYTES_PER_ROW = 16
_MIN_ZEROS = 32
_LARGEST_UNIT = 16
_WITH_ADDEND = re.compile(r"(.+?)[ ]*([+-])[ ]*(0[xX][0-9a-fA-F]+|[0-9]+)")
_OWN_DIRECTIVES: Final = {(CODE, CODE_FLAGS): ".text", (".data", "aw"): ".data"}
_TYPES: Final = {"func": "function", "object": "object", "tls": "tls_object"}
_DATA: Final = {1: ".byte", 2: ".short", 4: ".long", 8: ".quad"}
_BINDINGS: Final = {"global": ".globl", "weak": ".weak"}
_VISIBILITIES: Final = ("hidden", "internal", "protected")


class CodeLine(NamedTuple):
    """A line of text; with a size, the bytes of a section that it stands for.

    `instructions` is their number in a unit of code, 0 for any other line.
    """

    text: str
    section: int = -1
    offset: int = 0
    size: int = 0
    instructions: int = 0


def code_lines(
    code: ObjectCode, isa: Isa, machine_code: MachineCode, *, has_labels: bool = False
) -> list[CodeLine]:
    """Return the lines of an assembly text of all sections that programs load.

    With `has_labels`, targets of branches are labels where a section has their address; the text
    assembles to the same bytes only if the section is put at its address. Otherwise they are
    numbers, unless a relocation names a symbol. The lines are the same but for that.
    """
    writer = _Writer if machine_code.has_objects else _WordWriter
    return writer(code, isa, machine_code, has_labels).lines()


class _Unit(NamedTuple):
    """A unit of code in a section, its relocations, and why it is written as data, if it is."""

    offset: int
    decoded: DecodedUnit
    relocations: tuple[Relocation, ...]
    reason: str = ""


class _Writer:
    def __init__(
        self, code: ObjectCode, isa: Isa, machine_code: MachineCode, has_labels: bool
    ) -> None:
        self.code = code
        self.machine_code = machine_code
        self.has_labels = has_labels
        data_fields = machine_code.object_format.data_relocations
        specifiers = machine_code.object_format.specifiers
        self.field_sizes = {kind: size for size, kind in data_fields.items()}
        self.field_sizes.update(specifiers.values())
        self.specifiers = {kind: text for text, (kind, _) in specifiers.items()}
        self.surface = isa.surface
        self.comment = isa.surface.comments[0]
        self.isa = isa
        self.names = WrittenNames(code, isa)
        self.symbols: dict[str, list[Symbol]] = {}
        for symbol in code.symbols:
            if symbol.kind not in ("section", "file"):
                self.symbols.setdefault(symbol.section, []).append(symbol)
        self._differences: dict[bytes, str] = {}
        self.units = [self._decoded(section) for section in code.sections]
        self.labels = self._labels()

    def lines(self) -> list[CodeLine]:
        lines = [CodeLine(f"{self.comment} isa: {self.isa.name}")]
        left_out = [section.name for section in self.code.sections if "a" not in section.flags]
        if left_out:
            shown = ", ".join(map(printable_name, left_out))
            lines.append(CodeLine(f"{self.comment} not loaded, and not shown: {shown}"))
        for name, shown in self.names.replaced():
            what = f"`{printable_name(name)}`, which {shown} stands for"
            lines.append(CodeLine(f"{self.comment} {NOT_WRITTEN}{what}"))
        lines += map(CodeLine, self._symbols_elsewhere())
        for number, section in enumerate(self.code.sections):
            if "a" in section.flags:
                lines.append(CodeLine(""))
                lines += self._section(number, section)
        return lines

    # What the code is.

    def _decoded(self, section: Section) -> list[_Unit]:
        if not section.is_code or section.kind == "nobits":
            return []
        relocations = sorted(section.relocations, key=lambda each: each.offset)
        offsets = [each.offset for each in relocations]
        data_ends = self._data_ends(section)
        step = self.machine_code.step
        found: list[_Unit] = []
        at = 0
        while at < len(section.data):
            end = data_ends.get(at)
            is_code = end is None and at % step == 0
            decoded = self.machine_code.decode(section.data, at) if is_code else None
            if decoded is None or decoded.size < 1 or at + decoded.size > len(section.data):
                at = end or at + step - at % step
                continue
            first = bisect_right(offsets, at - 1)
            last = bisect_right(offsets, at + decoded.size - 1)
            own = tuple(each._replace(offset=each.offset - at) for each in relocations[first:last])
            found.append(self._checked(section, at, decoded, own))
            at += decoded.size
        return found

    def _data_ends(self, section: Section) -> dict[int, int]:
        """The ends of the data between code, by its start, where symbols say that it is data."""
        return {
            symbol.value: min(symbol.value + symbol.size, len(section.data))
            for symbol in self.symbols.get(section.name, ())
            if symbol.kind == "object" and symbol.size
        }

    def _checked(
        self, section: Section, at: int, decoded: DecodedUnit, own: tuple[Relocation, ...]
    ) -> _Unit:
        """Return a decoded unit; its `reason` is set if its text would assemble to other bytes."""
        data = section.data[at : at + decoded.size]
        if own:
            shown = [each._replace(symbol=self.names.of(each.symbol)) for each in own]
            decoded = self.machine_code.decode(section.data, at, shown) or decoded
            unit = _Unit(at, decoded, own)
            return unit._replace(reason=self._difference(unit, data, shown))
        # Units repeat, no-ops above all.
        if data not in self._differences:
            self._differences[data] = self._difference(_Unit(at, decoded, own), data, ())
        return _Unit(at, decoded, own, self._differences[data])

    def _difference(self, unit: _Unit, data: bytes, relocations: Sequence[Relocation]) -> str:
        """Why the text of a unit is not assembled to its bytes; empty if it is."""
        bundle = parser_for(self.isa).bundle(self._assembly(unit))
        if bundle.findings:
            return bundle.findings[0].message
        encoded = self.machine_code.encode(bundle, unit.offset, self._value_of)
        if not isinstance(encoded, CodeUnit):
            return encoded.finding.message
        if encoded.data != data:
            return "encoded in another way"
        is_same = sorted(encoded.relocations) == sorted(relocations)
        return "" if is_same else "relocations differ"

    def _value_of(self, text: str) -> int | SymbolValue | None:
        """The value of an operand that the decoder has written: a number, or a symbol and one."""
        text = text.strip().removeprefix(self.surface.number_mark)
        try:
            return int(text, 0)
        except ValueError:
            match = _WITH_ADDEND.fullmatch(text)
            if match is None:
                return SymbolValue(text) if text else None
            return SymbolValue(match[1], int(match[2] + match[3], 0))

    def _labels(self) -> list[dict[int, list[str]]]:
        """The names at each offset of each section."""
        targets = {target for units in self.units for unit in units for target in _targets(unit)}
        found = []
        for section, units in zip(self.code.sections, self.units):
            names: dict[int, list[str]] = {}
            for symbol in self.symbols.get(section.name, ()):
                names.setdefault(symbol.value, []).append(self.names.of(symbol.name))
            for offset in (unit.offset for unit in units if not section.relocations):
                if section.address + offset in targets and offset not in names:
                    names[offset] = [self._new_name(section.address + offset)]
            found.append(names)
        return found

    def _new_name(self, address: int) -> str:
        prefix = self.surface.local_prefix or "L"
        return self.names.unused(f"{prefix}{address:x}")

    # What is written.

    def _symbols_elsewhere(self) -> Iterator[str]:
        """The directives of symbols that have no place in a section."""
        used = {each.symbol for section in self.code.sections for each in section.relocations}
        for symbol in self.code.symbols:
            name = self.names.of(symbol.name)
            if symbol.kind == "file":
                yield f'{_INDENT}.file "{printable_name(symbol.name)}"'
            elif symbol.kind == "common":
                yield f"{_INDENT}.comm {name},{symbol.size},{symbol.value}"
            elif symbol.section == ABSOLUTE:
                yield from self._declared(symbol)
                yield f"{_INDENT}.set {name}, {symbol.value:#x}"
            elif not symbol.section and self._is_told(symbol, symbol.name in used):
                yield from self._declared(symbol)

    def _is_told(self, symbol: Symbol, is_used: bool) -> bool:
        """Return whether a symbol of another file is declared: its use alone makes a plain one."""
        is_plain = symbol.binding == "global" and symbol.visibility not in _VISIBILITIES
        return symbol.kind != "section" and not (is_plain and is_used)

    def _section(self, number: int, section: Section) -> Iterator[CodeLine]:
        directive = _OWN_DIRECTIVES.get((section.name, section.flags))
        if directive is None or section.kind != "progbits":
            entry = f",{section.entry_size}" if "M" in section.flags else ""
            if section.group:
                entry += f",{self.names.of(section.group)},comdat"
            flags = section.flags if section.group else section.flags.replace("G", "")
            kind = f"@{section.kind}"
            name = self.names.of_section(section.name)
            directive = f'.section {name},"{flags}",{kind}{entry}'
        yield CodeLine(f"{_INDENT}{directive}")
        if section.alignment > 1:
            yield CodeLine(f"{_INDENT}.p2align {section.alignment.bit_length() - 1}")
        if section.address:
            yield CodeLine(f"{self.comment} at address {section.address:#x}")
        own = self.symbols.get(section.name, [])
        for symbol in own:
            yield from map(CodeLine, self._declared(symbol))
        units = {unit.offset: unit for unit in self.units[number]}
        cuts = sorted(self._cuts(number, section))
        for start, end in pairwise(cuts):
            yield from map(CodeLine, self._labels_at(number, start))
            if start in units:
                yield from self._unit(number, section, units[start])
            else:
                yield from self._data(number, section, start, end)
        yield from map(CodeLine, self._labels_at(number, len(section.data)))
        for symbol in own:
            name = self.names.of(symbol.name)
            if symbol.value not in cuts:
                distance = symbol.value - len(section.data)
                sign = "-" if distance < 0 else "+"
                yield CodeLine(f"{_INDENT}.set {name}, . {sign} {abs(distance)}")
            if symbol.size:
                yield CodeLine(f"{_INDENT}.size {name}, {symbol.size}")

    def _cuts(self, number: int, section: Section) -> set[int]:
        """The offsets at which lines begin, and the end."""
        cuts = {0, len(section.data)}
        within: set[int] = set()
        for unit in self.units[number]:
            cuts |= {unit.offset, unit.offset + unit.decoded.size}
            within |= set(range(unit.offset + 1, unit.offset + unit.decoded.size))
        for each in section.relocations:
            size = self.field_sizes.get(each.kind, 0)
            within |= set(range(each.offset + 1, each.offset + size)) - cuts
        names = {offset for offset in self.labels[number] if offset <= len(section.data)}
        return cuts | (names - within)

    def _declared(self, symbol: Symbol) -> Iterator[str]:
        name = self.names.of(symbol.name)
        if symbol.binding in _BINDINGS:
            yield f"{_INDENT}{_BINDINGS[symbol.binding]} {name}"
        if symbol.visibility in _VISIBILITIES:
            yield f"{_INDENT}.{symbol.visibility} {name}"
        if symbol.kind in _TYPES:
            yield f"{_INDENT}.type {name},@{_TYPES[symbol.kind]}"

    def _labels_at(self, number: int, offset: int) -> Iterator[str]:
        yield from (f"{name}:" for name in self.labels[number].get(offset, ()))

    def _unit(self, number: int, section: Section, unit: _Unit) -> Iterator[CodeLine]:
        size, count = unit.decoded.size, len(unit.decoded.instructions)
        text = self._assembly(unit, has_labels=self.has_labels)
        if not unit.reason:
            yield CodeLine(f"{_INDENT}{text}", number, unit.offset, size, count)
            return
        yield CodeLine(f"{_INDENT}{self.comment} {text} {self.comment} {unit.reason}")
        yield from self._data(number, section, unit.offset, unit.offset + size)

    def _assembly(self, unit: _Unit, *, has_labels: bool = False) -> str:
        shown = []
        for each in unit.decoded.instructions:
            operands = list(each.operands)
            label = self._label_of(each.target) if has_labels and not unit.relocations else None
            if label is not None and each.target_operand >= 0:
                operands[each.target_operand] = self.surface.number_mark + label
            separator = f"{self.surface.operand_separator.strip()} "
            shown.append(f"{each.mnemonic} {separator.join(operands)}".rstrip())
        text = f"{self.surface.separator.strip()} ".join(shown)
        if len(shown) > 1 and self.surface.brackets:
            opening, closing = self.surface.brackets
            text = f"{opening} {text} {closing}"
        return text + self.surface.bundle_end.strip()

    def _label_of(self, target: int | None) -> str | None:
        if target is None:
            return None
        for section, names in zip(self.code.sections, self.labels):
            found = names.get(target - section.address, ())
            if found and section.is_code and not section.relocations:
                return found[0]
        return None

    def _data(self, number: int, section: Section, start: int, end: int) -> Iterator[CodeLine]:
        """Lines of data, with the words that the linker fills as expressions."""
        if section.kind == "nobits":
            yield CodeLine(f"{_INDENT}.zero {end - start}", number, start, end - start)
            return
        data = section.data
        fields = {each.offset: each for each in section.relocations if start <= each.offset < end}
        at = start
        for offset in sorted(fields):
            field = fields[offset]
            size = self.field_sizes.get(field.kind, 0)
            name = field._replace(symbol=self.names.of(field.symbol)).expression
            if not size or offset < at or offset + size > end or any(data[offset : offset + size]):
                place = f"relocation {field.kind} by {name} at {offset:#x}"
                yield CodeLine(f"{_INDENT}{self.comment} {NOT_WRITTEN}{place}")
                continue
            yield from self._bytes(number, section, at, offset)
            if field.kind in self.specifiers:
                name = f"({name}){self.specifiers[field.kind]}"
            yield CodeLine(f"{_INDENT}{_DATA[size]} {name}", number, offset, size)
            at = offset + size
        yield from self._bytes(number, section, at, end)

    def _bytes(self, number: int, section: Section, start: int, end: int) -> Iterator[CodeLine]:
        at = start
        for row in _rows(section.data[start:end]):
            if len(row) >= _MIN_ZEROS:
                text = f".zero {len(row)}"
            else:
                text = ".byte " + ",".join(f"{value:#04x}" for value in row)
            yield CodeLine(_INDENT + text, number, at, len(row))
            at += len(row)


class _WordWriter(_Writer):
    """Writes bundles and nothing else: labels in a column of their own, remarks as comments."""

    def lines(self) -> list[CodeLine]:
        found = []
        for number, (names, units) in enumerate(zip(self.labels, self.units)):
            margin = max((len(name) + 2 for [name] in names.values()), default=0)
            for unit in units:
                label = "".join(f"{name}:" for name in names.get(unit.offset, ()))
                code = self._assembly(unit, has_labels=self.has_labels)
                comment = f"  {self.comment} {unit.reason}" if unit.reason else ""
                text = f"{label:<{margin}}{code}{comment}"
                size, count = unit.decoded.size, len(unit.decoded.instructions)
                found.append(CodeLine(text, number, unit.offset, size, count))
        return found

    def _checked(
        self, section: Section, at: int, decoded: DecodedUnit, own: tuple[Relocation, ...]
    ) -> _Unit:
        unit = _Unit(at, decoded, own)
        remarks = [remark for each in decoded.instructions for remark in each.remarks]
        if not remarks and len(decoded.instructions) > 1:
            findings = parser_for(self.isa).bundle(self._assembly(unit)).findings
            remarks = [f"cannot be assembled: {finding.message}" for finding in findings]
        return unit._replace(reason="; ".join(remarks))

    def _new_name(self, address: int) -> str:
        return self.names.unused(f"L{address // self.machine_code.step}")


def _rows(data: bytes) -> Iterator[bytes]:
    """Yield data in rows of at most 16 bytes; a long run of zeros is one row."""
    runs = rb"\0{%d,}|(?:(?!\0{%d}).)+" % (_MIN_ZEROS, _MIN_ZEROS)
    for run in re.findall(runs, data, re.DOTALL):
        is_long = len(run) >= _MIN_ZEROS and not any(run)
        step = len(run) if is_long else _BYTES_PER_ROW
        yield from (run[at : at + step] for at in range(0, len(run), step))


def _targets(unit: _Unit) -> Iterator[int]:
    if not unit.relocations:
        yield from (each.target for each in unit.decoded.instructions if each.target is not None)

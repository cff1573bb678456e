"""Machine code: units, sections and symbols, and what a set provides to encode and decode them.

A unit of code is what stands at one address: a bundle, or an instruction outside of bundles. The
assembler lays units and data out in sections; a set encodes and decodes single units.
"""

from __future__ import annotations

from typing import Callable, Iterable, Mapping, Sequence

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import UnplacedFinding
from ipu_asm.isa.gnu_expressions import Symbols, evaluate
from ipu_asm.isa.model import InstructionSpec, Isa
from ipu_asm.named_tuple import NamedTuple


class SymbolValue(NamedTuple):
    """The value of an expression that the linker computes: the address of `symbol` + `addend`."""

    symbol: str
    addend: int = 0


ValueOf = Callable[[str], int | SymbolValue | None]
"""Evaluates the text of an expression, without the mark of numbers; None if it has no value."""


class Relocation(NamedTuple):
    """A field that the linker fills with the address of `symbol` + `addend`.

    `kind` is its number in the object format, `offset` counts bytes from the start of the unit, or
    from that of the section.
    """

    kind: int
    offset: int
    symbol: str
    addend: int = 0

    @property
    def expression(self) -> str:
        """The address as it is written: `table+4`, or a number without a symbol."""
        if not self.symbol:
            return f"{self.addend:#x}"
        return f"{self.symbol}{self.addend:+d}" if self.addend else self.symbol


class CodeUnit(NamedTuple):
    """The bytes of a unit, in memory order, and its fields that the linker fills."""

    data: bytes
    relocations: tuple[Relocation, ...] = ()


class EncodingProblem(NamedTuple):
    """A finding about an operand, by the numbers of its instruction in the unit and its own.

    The operand is -1 if the finding is about the whole instruction.
    """

    instruction: int
    operand: int
    finding: UnplacedFinding


class WrittenInstruction(NamedTuple):
    """A decoded instruction, with its operands as written.

    `mnemonic` differs from that of `form` where an alias is shown. `target` is the byte address of
    code in operand number `target_operand`; None without one. `remarks` describe bits that assembly
    cannot express.
    """

    form: InstructionSpec
    mnemonic: str
    operands: tuple[str, ...]
    target: int | None = None
    target_operand: int = -1
    remarks: tuple[str, ...] = ()


class DecodedUnit(NamedTuple):
    """A decoded unit: its size in bytes and its instructions, no-ops that fill slots included."""

    size: int
    instructions: tuple[WrittenInstruction, ...]


ABSOLUTE = "*ABS*"
"""In place of a section: the value of the symbol is no address."""


SECTION_FLAGS: Mapping[str, int] = {
    "a": 0x2,
    "w": 0x1,
    "x": 0x4,
    "M": 0x10,
    "S": 0x20,
    "o": 0x80,
    "G": 0x200,
    "T": 0x400,
    "R": 0x20_0000,
    "e": 0x8000_0000,
}
"""The bits of `sh_flags` by the letters of `.section`."""


class Symbol(NamedTuple):
    """A symbol. `section` is empty where another file defines it; `value` is its offset there.

    `binding` is `local`, `global` or `weak`; `kind` is `notype`, `object`, `func`, `section`,
    `file`, `common` or `tls`; `visibility` is `default`, `hidden`, `internal` or `protected`. Of
    a `common` symbol, `value` is the alignment.
    """

    name: str
    section: str = ""
    value: int = 0
    size: int = 0
    binding: str = "local"
    kind: str = "notype"
    visibility: str = "default"


class Unit(NamedTuple):
    """The place of a unit of code, or of the data of a directive, in its section, in bytes.

    `bundle` is the number of the bundle in the program that it was written in; -1 for code that
    the assembler inserted to fill a gap, before the `alignment` with that number if it has one.
    """

    offset: int
    size: int
    bundle: int
    is_code: bool = True
    alignment: int = -1


class Section(NamedTuple):
    """A section. `flags` are letters as in `.section`: `a` allocated, `w` written, `x` code.

    `kind` is `progbits`, `nobits` or `note`; `data` of a `nobits` section is zeros. `address` is
    that of its first byte, 0 in objects that are to be linked. The offsets of relocations count
    from its start. `entry_size` is the size of entries, which linkers merge, in bytes. `group` is
    the name of the symbol of its group, of which a linker keeps one.
    """

    name: str
    flags: str
    kind: str
    alignment: int
    data: bytes
    relocations: tuple[Relocation, ...] = ()
    units: tuple[Unit, ...] = ()
    address: int = 0
    entry_size: int = 0
    group: str = ""

    @property
    def is_code(self) -> bool:
        return "x" in self.flags


class ObjectCode(NamedTuple):
    """The content of an object file: sections in their order, and symbols.

    `flags` are those of the file header, None for those that most objects of the set have.
    """

    sections: tuple[Section, ...]
    symbols: tuple[Symbol, ...]
    flags: int | None = None


class ObjectFormat(NamedTuple):
    """The numbers that a set uses in ELF files; 32 bits, little-endian.

    `flags` are those of new files; `flags_mask` selects the bits that name the set, and
    `known_flags` are their values in files of the set. `text_alignment` is that of sections of
    code in bytes. `code_relocations` maps the kinds of relocations to names, where they have any.
    `data_relocations` maps sizes of data in bytes to the kind for an address of that size.
    `specifiers` are what may end an expression of data: each asks for a kind, and fills some bytes.
    """

    machine: int
    flags: int
    known_flags: frozenset[int]
    text_alignment: int
    data_relocations: Mapping[int, int]
    code_relocations: Mapping[int, str] = {}
    specifiers: Mapping[str, tuple[int, int]] = {}
    os_abi: int = 0
    flags_mask: int = 0xFFFF_FFFF


class MachineCode:
    """The encoding of a set. `step` is the multiple of bytes at which units start.

    A set `has_objects` if a linker puts its units together; without them, the program resolves
    labels itself, and `object_format` is of no use.
    """

    step: int
    has_objects = True
    object_format: ObjectFormat

    def flags(self, isa: Isa, forms: Iterable[InstructionSpec]) -> int | None:
        """Return the flags of an object with these forms; None for those of `object_format`."""
        return None

    def size(self, bundle: Bundle) -> int:
        """Return the bytes that a bundle takes, whatever the values of symbols are."""
        raise NotImplementedError

    def encode(self, bundle: Bundle, at: int, value_of: ValueOf) -> CodeUnit | EncodingProblem:
        """Return the code of a bundle without errors; a problem if a value does not fit.

        `at` is its offset in its section.
        """
        raise NotImplementedError

    def decode(
        self, data: bytes, at: int = 0, relocations: Sequence[Relocation] = ()
    ) -> DecodedUnit | None:
        """Return the unit that starts at an offset of `data`; None if the bytes are no code.

        Operands with one of the `relocations`, whose offsets count from `at`, show its symbol.
        """
        raise NotImplementedError

    def line(self, unit: bytes, image_format: str = "hex") -> str:
        """Return a unit as a line of an image in text."""
        return unit.hex()

    def evaluate(self, text: str, symbols: Symbols) -> int | None:
        """Return the value of an expression in an operand, without the mark of numbers."""
        return evaluate(text, symbols)

    def relocated(self, unit: bytes, relocation: Relocation, value: int) -> bytes:
        """Return a unit with the field of a relocation filled, for a symbol's final value."""
        raise NotImplementedError

    def fill(self, size: int) -> list[bytes]:
        """Return the units that the assembler writes into a gap of `size` bytes of code.

        A size that is no multiple of `step` gives zero bytes up to one first.
        """
        raise NotImplementedError

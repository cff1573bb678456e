"""Machine code of sets whose instructions or bundles differ in size: what a target provides.

A unit of code is what stands at one address: a bundle, or an instruction outside of bundles. The
assembler lays units and data out in sections; a target encodes and decodes single units.
"""

from __future__ import annotations

from typing import Callable, Iterable, Mapping, Sequence

from ipu_asm.diagnostics import UnplacedFinding
from ipu_asm.isa import manifests, target_module
from ipu_asm.isa.gnu_expressions import Symbols, evaluate
from ipu_asm.isa.model import InstructionSpec, Isa
from ipu_asm.named_tuple import NamedTuple


class SymbolValue(NamedTuple):
    """The value of an expression that the linker computes: the address of `symbol` + `addend`."""

    symbol: str
    addend: int = 0


ValueOf = Callable[[str], int | SymbolValue | None]
"""Evaluates the text of an expression, without the mark of numbers; None if it has no value."""


class CodeInstruction(NamedTuple):
    """An instruction to encode: its form, and its operands as written.

    `others` are forms in other slots that the same words may be.
    """

    form: InstructionSpec
    operands: Sequence[str]
    others: tuple[InstructionSpec, ...] = ()


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


class DecodedInstruction(NamedTuple):
    """A decoded instruction, with its operands as written.

    `mnemonic` differs from that of `form` where an alias is shown. `target` is the byte address of
    code in operand number `target_operand`; None without one.
    """

    form: InstructionSpec
    mnemonic: str
    operands: tuple[str, ...]
    target: int | None = None
    target_operand: int = -1


class DecodedUnit(NamedTuple):
    """A decoded unit: its size in bytes and its instructions, no-ops that fill slots included."""

    size: int
    instructions: tuple[DecodedInstruction, ...]


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
    """The encoding of a set. `step` is the multiple of bytes at which units start."""

    step: int
    object_format: ObjectFormat

    def flags(self, isa: Isa, forms: Iterable[InstructionSpec]) -> int | None:
        """Return the flags of an object with these forms; None for those of `object_format`."""
        return None

    def size(self, unit: Sequence[CodeInstruction]) -> int:
        """Return the bytes that a unit takes, whatever the values of symbols are."""
        raise NotImplementedError

    def encode(
        self, unit: Sequence[CodeInstruction], value_of: ValueOf
    ) -> CodeUnit | EncodingProblem:
        """Return the code of a unit without errors; a problem if a value does not fit."""
        raise NotImplementedError

    def decode(
        self, data: bytes, at: int = 0, relocations: Sequence[Relocation] = ()
    ) -> DecodedUnit | None:
        """Return the unit that starts at an offset of `data`; None if the bytes are no code.

        Operands with one of the `relocations`, whose offsets count from `at`, show its symbol.
        """
        raise NotImplementedError

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


def machine_code_of(isa: Isa) -> MachineCode | None:
    """Return the encoding that the folder of a set has in `machine_code.py`; None without one."""
    manifest = manifests().get(isa.name)
    if manifest is None or not manifest.has_machine_code:
        return None
    found: MachineCode = target_module(isa.name, "machine_code").load()
    return found

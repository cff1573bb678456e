"""Registers as symbols: where bundles name, read and write them, and their pages."""

from __future__ import annotations

from typing import Final, Iterator, Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.bundle.operand_matching import Instruction, value_start
from ipu_asm.flow.accesses import access_of
from ipu_asm.ide.symbols.base import Definition, Occurrence, OccurrenceKind, RenameError
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import NamedRegister
from ipu_asm.isa.storage import RegisterFile
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program, cached_on_program
from ipu_asm.program.register_notes import notes_at
from ipu_asm.reports.markdown import escaped
from ipu_asm.text import Span, TextEdit

_KIND_OF_ACCESS: Final = {
    "": OccurrenceKind.NAMES,
    "r": OccurrenceKind.READS,
    "w": OccurrenceKind.WRITES,
    "rw": OccurrenceKind.READS_AND_WRITES,
}


class Register(NamedTuple):
    """A register, by its canonical name."""

    name: str

    def definitions(self, _analysis: Analysis) -> list[Definition]:
        """Return no definition: the instruction set defines registers."""
        return []

    def occurrences(self, analysis: Analysis) -> list[Occurrence]:
        """Return the accesses to the register."""
        program = analysis.program
        return [
            Occurrence(Span(start + begin, start + end), kind)
            for start, places in zip(program.starts, _occurrences_in(program))
            if self.name in places
            for (begin, end), kind in places[self.name]
        ]

    def description(self, analysis: Analysis) -> str | None:
        """Return the page of the register; None if the instruction set has no such register."""
        program = analysis.program
        if self.name not in program.isa.file_of_register:
            return None
        return register_markdown(program, self.name)

    def check_renameable(self, analysis: Analysis, _span: Span) -> None:
        """Raise `RenameError`: the instruction set names registers; a live range has one."""
        raise RenameError(only_renameable(analysis))

    def renaming(self, analysis: Analysis, _new_name: str) -> list[TextEdit]:
        """Raise `RenameError`."""
        raise RenameError(only_renameable(analysis))


class RegisterUse(NamedTuple):
    """A register that a bundle names; its span counts from the start of the bundle.

    `access` is "r", "w" or "rw", or empty if the register is only named. `instruction` and
    `operand` are the numbers of the instruction and of its operand.
    """

    register: str
    span: Span
    access: str
    instruction: int
    operand: int


def only_renameable(analysis: Analysis) -> str:
    """Return the sentence that says which symbols can be renamed."""
    named = "labels and macros" if analysis.isa.surface.preprocessed else "labels"
    return f"only {named} can be renamed"


@cached_on_bundle
def registers_in(isa: Isa, bundle: Bundle) -> tuple[RegisterUse, ...]:
    """Return the registers that a bundle names, including those that are invalid operands."""
    return tuple(
        RegisterUse(
            named.register,
            bundle.syntax.part_span(number, place, named.start, named.end),
            named.access,
            number,
            place,
        )
        for number, instruction in enumerate(bundle.instructions)
        for place in range(len(instruction.words) - 1)
        for named in registers_in_operand(isa, instruction, place)
    )


def registers_in_operand(isa: Isa, instruction: Instruction, place: int) -> Sequence[NamedRegister]:
    """Return the registers in the text of one operand, each with its access."""
    word = instruction.words[place + 1]
    start = value_start(word)
    operand = instruction.operands[place] if place < len(instruction.operands) else None
    value = instruction.values[place] if place < len(instruction.values) else None
    if isinstance(value, str):
        return ()
    if instruction.spec is None or operand is None or value is None:
        names = operand.type.names(word[start:]) if operand else ()
        return list(_registers_in_invalid_operand(isa, names, word, start))
    access = access_of(instruction.spec, operand)
    found: dict[str, NamedRegister] = {}
    for register, begin, end, own in operand.type.names(word[start:]):
        known = found.get(register)
        accesses = (known.access if known else "") + (own or access)
        both = "".join(letter for letter in "rw" if letter in accesses)
        found[register] = NamedRegister(register, begin + start, end + start, both)
    return list(found.values())


def _registers_in_invalid_operand(
    isa: Isa, names: Sequence[NamedRegister], word: str, start: int
) -> Iterator[NamedRegister]:
    """Yield the registers in an operand that is invalid or whose value is unknown."""
    if names:
        yield from (NamedRegister(n.register, n.start + start, n.end + start) for n in names)
        return
    value = word[start:]
    for spelling in (value, value.lower()):
        if spelling in isa.file_of_register:
            yield NamedRegister(spelling, start, len(word))
            return


@cached_on_program
def _occurrences_in(program: Program) -> list[dict[str, list[Occurrence]]]:
    """Return the occurrences of registers, for each bundle; spans count from the bundle's start."""
    return [_by_register(program.isa, bundle) for bundle in program.bundles]


@cached_on_bundle
def _by_register(isa: Isa, bundle: Bundle) -> dict[str, list[Occurrence]]:
    found: dict[str, list[Occurrence]] = {}
    for use in registers_in(isa, bundle):
        occurrence = Occurrence(use.span, _KIND_OF_ACCESS[use.access])
        found.setdefault(use.register, []).append(occurrence)
    return found


def register_markdown(program: Program, register: str) -> str:
    """Return the page of a register: its note from the head of the file, and its register file."""
    return f"{register_title(program, register, -1)}\n\n{about_file(program.isa, register)}"


def register_title(program: Program, register: str, bundle: int) -> str:
    """Return a title: the register's name and the author's note on it that applies at `bundle`."""
    note = notes_at(program, bundle).get(register)
    return f"**`{register}`** · {escaped(note)}" if note else f"**`{register}`**"


def about_file(isa: Isa, register: str) -> str:
    """Return a line about the register file, and the registers that share its bits."""
    file = isa.file_of_register[register]
    parts = sorted(isa.units(register) - {register})
    if parts and all(part in isa.file_of_register for part in parts):
        names = " and ".join(f"`{part}`" for part in parts)
        return f"Has the bits of {names} · {_title_and_summary(file)}"
    return _title_and_summary(file)


def _title_and_summary(file: RegisterFile) -> str:
    return f"{file.title[:1].upper()}{file.title[1:]} · {file.as_phrase()} · {file.summary}"

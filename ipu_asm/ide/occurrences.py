"""What a word names, a label or a register, and every place where the program speaks of it.

A bundle's registers are worked out once for the bundle, so asking again costs a look at each.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Iterator, NamedTuple

from ipu_asm.bundle import Bundle, once_a_bundle
from ipu_asm.dataflow import effects_of
from ipu_asm.ide.place import LabelDefinition, OperandAt, has_value, place_at, reference_at
from ipu_asm.isa.model import Isa
from ipu_asm.matching import value_start
from ipu_asm.program import Program
from ipu_asm.text import Span

if TYPE_CHECKING:
    from ipu_asm.analysis import Analysis


class Access(Enum):
    """What an occurrence does with what it names."""

    NAMES = "names"
    READS = "reads"
    WRITES = "writes"
    CHANGES = "reads and writes"
    DEFINES = "defines"
    GOES_THERE = "goes there by distance"


class Occurrence(NamedTuple):
    """A place in a text that names something."""

    span: Span
    access: Access


class Label(NamedTuple):
    """The name of a label, defined or not."""

    name: str


class Register(NamedTuple):
    """The name of a register, as the instruction set spells it."""

    name: str


Subject = Label | Register
_NOWHERE = -1


def subject_at(analysis: Analysis, offset: int) -> tuple[Subject, Span] | None:
    """What the word at an offset names, and the word; None if it names nothing of the kind."""
    program = analysis.program
    place = place_at(program, offset)
    if isinstance(place, LabelDefinition):
        return Label(place.name), place.span
    if not isinstance(place, OperandAt):
        return None
    bundle = program.bundles[place.bundle]
    value = program.span(place.bundle, bundle.value_span(place.instruction, place.operand))
    if not value.touches(offset):
        return None
    reference = reference_at(program, place)
    if reference is not None:
        label = _label_of(program, reference.text, reference.target)
        return None if label is None else (Label(label), value)
    for use in _registers(program.isa, bundle):
        if (use.instruction, use.operand) == (place.instruction, place.operand):
            return Register(use.register), value
    if has_value(bundle, place.instruction, place.operand):
        return None
    text = program.text[value.start : value.end]
    return (Label(text), value) if text in program.labels else None


def occurrences(analysis: Analysis, subject: Subject) -> list[Occurrence]:
    """Every place that names it, in the order of the text.

    Of a label also the branches that come to it by their distance.
    """
    if isinstance(subject, Label):
        return sorted(_of_label(analysis.program, subject.name))
    return list(_of_register(analysis.program, subject.name))


def _label_of(program: Program, text: str, target: int | None) -> str | None:
    """The label that a branch names, or the last of those where its distance leads."""
    if target is None or program.label_addresses.get(text) == target:
        return text
    labels = reversed(program.label_addresses.items())
    return next((label for label, address in labels if address == target), None)


def _of_label(program: Program, name: str) -> Iterator[Occurrence]:
    for number, bundle in program.notable:
        if bundle.label == name:
            token = bundle.syntax.plan.label
            span = program.span(number, bundle.syntax.span_of(token, token + 1))
            yield Occurrence(span, Access.DEFINES)
        if bundle.findings:
            for span in _misplaced(program.isa, bundle, name):
                yield Occurrence(program.span(number, span), Access.NAMES)
    labels = program.label_addresses
    address = labels.get(name, _NOWHERE)
    for reference in program.references:
        if reference.text == name and reference.target in (None, labels.get(name)):
            yield Occurrence(program.reference_span(reference), Access.NAMES)
        elif address == reference.target != labels.get(reference.text):
            yield Occurrence(program.reference_span(reference), Access.GOES_THERE)


def _misplaced(isa: Isa, bundle: Bundle, name: str) -> Iterator[Span]:
    """Where a bundle with a mistake in it has a name as an operand that it cannot be."""
    labels = {(use.instruction, use.operand) for use in bundle.label_uses}
    registers = {(use.instruction, use.operand) for use in _registers(isa, bundle)}
    for number, instruction in enumerate(bundle.instructions):
        for place in range(len(instruction.words) - 1):
            if (number, place) not in labels | registers and not has_value(bundle, number, place):
                span = bundle.value_span(number, place)
                if bundle.syntax.text[span.start : span.end] == name:
                    yield span


def _of_register(program: Program, name: str) -> Iterator[Occurrence]:
    for number, places in enumerate(_places_of_registers(program)):
        for span, access in places.get(name, ()):
            yield Occurrence(span.shifted(program.starts[number]), access)


@lru_cache(maxsize=1)
def _places_of_registers(program: Program) -> list[dict[str, list[Occurrence]]]:
    """For each bundle its registers with their places, counted from the start of the bundle."""
    isa = program.isa
    return [_by_register(isa, bundle) for bundle in program.bundles]


class _Use(NamedTuple):
    """A register that a bundle names; its span counts from the start of the bundle."""

    register: str
    span: Span
    access: Access
    instruction: int
    operand: int


@once_a_bundle
def _registers(isa: Isa, bundle: Bundle) -> tuple[_Use, ...]:
    """The registers that a bundle names, also where they are the wrong ones."""
    return tuple(
        _Use(register, bundle.value_span(number, place), access, number, place)
        for number, instruction in enumerate(bundle.instructions)
        for place, (register, access) in enumerate(_named(isa, bundle, number))
        if register
    )


@once_a_bundle
def _by_register(isa: Isa, bundle: Bundle) -> dict[str, list[Occurrence]]:
    found: dict[str, list[Occurrence]] = {}
    for use in _registers(isa, bundle):
        found.setdefault(use.register, []).append(Occurrence(use.span, use.access))
    return found


def _named(isa: Isa, bundle: Bundle, number: int) -> Iterator[tuple[str, Access]]:
    """For each written operand the register that it names, "" for none, and what happens to it."""
    instruction = bundle.instructions[number]
    effects = effects_of(instruction)
    for place, word in enumerate(instruction.words[1:]):
        operand = instruction.operands[place] if place < len(instruction.operands) else None
        value = instruction.values[place] if place < len(instruction.values) else None
        if operand is None or not isinstance(value, int):
            named = "" if isinstance(value, str) else _register_named(isa, word)
            yield named, Access.NAMES
            continue
        register = operand.type.format(value)
        reads, writes = operand.name in effects.reads, operand.name in effects.writes
        access = {
            (True, True): Access.CHANGES,
            (True, False): Access.READS,
            (False, True): Access.WRITES,
        }.get((reads, writes), Access.NAMES)
        yield register if register in isa.file_of_register else "", access


def _register_named(isa: Isa, word: str) -> str:
    """The register that a word would name if it stood in the right place."""
    value = word[value_start(word) :]
    if value in isa.file_of_register:
        return value
    return value.lower() if value.lower() in isa.file_of_register else ""

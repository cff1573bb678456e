"""What only the host gives to a program, and what the head comment says of it."""

from __future__ import annotations

import re
from typing import Iterable, Iterator, Mapping

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.flow.accesses import accesses_of
from ipu_asm.flow.assertions.syntax import commented_values, configurations_of
from ipu_asm.flow.control_run.facts import control_facts, facts_with
from ipu_asm.flow.control_run.step_reading import scalar_registers
from ipu_asm.flow.control_run.steps import Access
from ipu_asm.isa import manifests
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program, cached_on_program
from ipu_asm.program.register_notes import (
    MemoryNote,
    bases_of,
    comments_above,
    memory_notes,
    register_notes,
)
from ipu_asm.text import Span

_VALUE = re.compile(r"(-?(?:0x[\da-f_]+|\d[\d_]*))(?:$|[,;:]|[ \t]+\()", re.IGNORECASE)
_WORD = 1 << 32
_REGISTER = re.compile(r"\b[a-z]+\d+\b")
_UNUSED = re.compile(r"\b(?:unused|reserved|spare|free|not? (?:used|read|needed)|ignored)\b")
_CR_COMMENT = re.compile(r"^\W*CR[ \t].*$", re.MULTILINE)


class HeaderValue(NamedTuple):
    """The value that comments give to a register, and the words that say so."""

    value: int
    words: str


class InputRegion(NamedTuple):
    """A named part of memory that a program loads from and never stores to.

    `size` is in bytes; None if neither the comment nor the known registers tell it.
    """

    note: MemoryNote
    register: str
    size: int | None


@cached_on_program
def host_registers(program: Program) -> tuple[str, ...]:
    """Return the scalar registers that a program reads and that no instruction can set.

    Constants, and registers that an option of the machine sets, are not among them.
    """
    isa = program.isa
    names, changing = scalar_registers(isa)
    options = {option.register for option in manifests()[isa.name].host_options}
    host = set(names[changing:]) - set(isa.constants) - options
    read = {
        access.register
        for bundle in program.bundles
        for access in accesses_of(isa, bundle)
        if access.reads and access.register in host
    }
    return tuple(sorted(read, key=names.index))


def header_values(program: Program) -> dict[str, HeaderValue]:
    """Return the values of host registers that comments tell.

    ``# CR cr4 = 128`` states one (of several, the first); ``cr3 = 1, the factor`` in the head
    comment is another; ``cr1 = WEIGHT_BASE`` is the beginning of the region ``weights``.
    """
    notes, bases, commented = register_notes(program), bases_of(program), commented_values(program)
    accesses = _memory_accesses(program)
    found: dict[str, HeaderValue] = {}
    for name in host_registers(program):
        if commented.get(name):
            found[name] = HeaderValue(commented[name][0] % _WORD, f"CR {name}")
        elif (match := _VALUE.match(notes.get(name, ""))) is not None:
            found[name] = HeaderValue(int(match[1], 0) % _WORD, f"{name} = {match[1]}")
        elif name in bases:
            note = bases[name]
            unit = max([note.row, *(access.unit for access in accesses.get(name, [])[:1])])
            words = f"{note.name} at {note.start // note.row:#x}"
            found[name] = HeaderValue(note.start // unit, words)
    return found


def said_elsewhere(program: Program, constants: Mapping[str, int]) -> dict[str, str]:
    """Return what says of constant registers that data begin elsewhere than at their values.

    It is a value that the host is said to write, a region of the head comment, or, where that does
    not name the register, a register that it does name and that nothing reads.
    """
    notes, bases = register_notes(program), bases_of(program)
    head = _CR_COMMENT.sub("", comments_above(program.bundles[0])).lower()
    found: dict[str, str] = {}
    for name, constant in constants.items():
        stated = {each[name] for each in configurations_of(program) if name in each}
        match = _VALUE.match(notes.get(name, ""))
        value = next(iter(stated - {constant}), int(match[1], 0) if match else constant)
        if value != constant:
            found[name] = f"it is said to be {value:#x}"
        elif name in bases and bases[name].start != constant * bases[name].row:
            found[name] = f"`{bases[name].name}` is at {bases[name].start // bases[name].row:#x}"
        elif not stated and not re.search(rf"\b{name}\b", head):
            unread = next(_unread(program, _REGISTER.findall(head)), "")
            found |= {name: f"nothing reads `{unread}`"} if unread else {}
    return found


def unread_registers(program: Program) -> list[str]:
    """Return the registers of the head comment that only the host sets and that nothing reads.

    Those that a line says to be unused are not among them.
    """
    head = comments_above(program.bundles[0]).lower()
    lines = [line for line in head.split("\n") if not _UNUSED.search(line)]
    return list(dict.fromkeys(_unread(program, _REGISTER.findall("\n".join(lines)))))


def undescribed_registers(program: Program, registers: Iterable[str]) -> set[str]:
    """Return those of some registers that neither the head comment nor a setting names."""
    head = set(_REGISTER.findall(comments_above(program.bundles[0]).lower()))
    stated = {name for each in configurations_of(program) for name in each}
    return set(registers) - head - stated


@cached_on_bundle
def base_operands(isa: Isa, bundle: Bundle) -> tuple[tuple[str, str, Span], ...]:
    """Return the mnemonic, the register and its span for each register in an address."""
    found = []
    for place, instruction in enumerate(bundle.instructions):
        spec = instruction.spec
        accesses = spec.scalar.accesses if spec is not None and spec.scalar is not None else ()
        named = {term.operand for access in accesses for term in access.address}
        for number, (operand, word) in enumerate(zip(instruction.operands, instruction.words[1:])):
            if operand is not None and operand.name in named:
                found.append((instruction.mnemonic, word.lower(), bundle.span(place, number)))
    return tuple(found)


def _unread(program: Program, named: Iterable[str]) -> Iterator[str]:
    """Yield the registers in a list that only the host sets and that nothing reads."""
    isa = program.isa
    names, changing = scalar_registers(isa)
    options = {option.register for option in manifests()[isa.name].host_options}
    host = set(names[changing:]) - set(isa.constants) - options - set(host_registers(program))
    return (name for name in named if name in host)


def input_regions(program: Program, values: Mapping[str, int]) -> list[InputRegion]:
    """Return the regions of the head comment that the program only loads from.

    `values` are those of host registers, as far as they are known: they tell the size of a region
    that the comment counts in unknown numbers.
    """
    notes, accesses = memory_notes(program), _memory_accesses(program)
    found = []
    for register, note in bases_of(program).items():
        if {access.kind for access in accesses.get(register, ())} == {"read"}:
            size = note.size
            if size is None:
                size = _extent(program, values, register, note, notes)
            found.append(InputRegion(note, register, size))
    return sorted(found, key=lambda region: region.note.start)


def _memory_accesses(program: Program) -> dict[str, list[Access]]:
    """Return the memory accesses of the first configuration by their base registers."""
    found: dict[str, list[Access]] = {}
    for run in (facts.run for facts in control_facts(program)[:1]):
        for access in (access for step in run.steps for access in step.accesses):
            for base in access.bases if not access.space.is_register else ():
                found.setdefault(run.names.names[base], []).append(access)
    return found


def _extent(
    program: Program,
    values: Mapping[str, int],
    register: str,
    note: MemoryNote,
    notes: tuple[MemoryNote, ...],
) -> int | None:
    """The bytes of a region that a run with these values reads; None if they are not known."""
    facts = facts_with(program, {**values, **_stated(program)})
    if facts is None or not facts.is_complete:
        return None
    following = min((each.start for each in notes if each.start > note.start), default=None)
    end = note.start
    for access in facts.summary.accesses.values():
        if register in facts.base_names(access):
            ranges = facts.address_ranges(access)
            if ranges is None:
                return None
            end = max([end, *(each.stop for each in ranges)])
    if following is not None:
        end = min(end, following)
    return end - note.start or None


def _stated(program: Program) -> Mapping[str, int]:
    """What the program states about the mode of the machine, besides registers."""
    names = set(scalar_registers(program.isa).names)
    every = control_facts(program)
    presets = every[0].presets if every else {}
    return {name: value for name, value in presets.items() if name not in names}

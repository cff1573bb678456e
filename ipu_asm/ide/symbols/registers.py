"""Registers as symbols: where bundles name, read and write them, their pages, and renaming.

A live range is a web: writes that some read may see together, and all reads of these.
"""

from __future__ import annotations

from typing import Final, Iterator, Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.bundle.operand_matching import Instruction, value_start
from ipu_asm.flow.accesses import LIVE, RegisterAccess, access_of, accesses_of, live_registers
from ipu_asm.flow.control_flow import successors_of
from ipu_asm.flow.control_run.step_reading import effects_on_scalars, scalar_registers
from ipu_asm.flow.packing.webs import START, Web, Webs, webs_of
from ipu_asm.ide.symbols import Definition, Occurrence, OccurrenceKind, RenameError
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import NamedRegister, quoted
from ipu_asm.isa.storage import RegisterFile
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program, cached_on_program
from ipu_asm.program.register_notes import notes_at, register_notes, roles
from ipu_asm.reports.markdown import escaped
from ipu_asm.text import Span, TextEdit, apply_edits

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


class UsedAt(NamedTuple):
    """A register that an operand names, and the address of its bundle."""

    address: int
    bundle: int
    use: RegisterUse


def used_at(program: Program, offset: int) -> UsedAt | None:
    """Return the register that an operand of an encoded bundle names at an offset."""
    number = program.bundle_at(offset)
    bundle = program.bundles[number]
    for use in registers_in(program.isa, bundle) if bundle.size else ():
        if program.span(number, use.span).touches(offset):
            return UsedAt(program.addresses[number], number, use)
    return None


def register_definitions(program: Program, offset: int) -> list[Definition]:
    """Return the writes that a read at an offset may see; at a write, the reads that may see it.

    Empty where control or the time of results is not known.
    """
    found = used_at(program, offset)
    successors = successors_of(program)
    if found is None or successors is None or program.isa.has_exposed_pipeline:
        return []
    near = _others(program, found)
    if "r" in found.use.access:
        before = [each for each in near if each.writes and _is_live(program, found)]
        if before:
            return [_definition(program, found.address, each) for each in before]
        return [*_reached(program, found, _predecessors(program))]
    here = [each for each in near if each.reads and each.timing.read == LIVE]
    return [
        *(_definition(program, found.address, each) for each in here),
        *_reached(program, found, successors),
    ]


def free_registers(program: Program, address: int) -> list[str]:
    """Return the registers that an instruction at an address can overwrite, in order.

    No note names them. No instruction does, either, or all ways on write them before a read.
    """
    isa, noted, names = program.isa, register_notes(program), scalar_registers(program.isa)
    named = {use.register.lower() for each in program.bundles for use in registers_in(isa, each)}
    needed = _needed_registers(program)
    kept = needed[address] if address < len(needed) else -1
    return [
        name
        for number, name in enumerate(names.names[: names.changing])
        if name not in noted and (name not in named or not kept >> number & 1)
    ]


@cached_on_program
def _needed_registers(program: Program) -> Sequence[int]:
    """Return the registers that are read from each address on before a write, as bit sets.

    Where the program ends all are. Empty where control or the time of results is not known.
    """
    successors = successors_of(program)
    if successors is None or program.isa.has_exposed_pipeline:
        return ()
    every = (1 << scalar_registers(program.isa).changing) - 1
    effects = []
    for number, following in zip(program.bundle_at_address, successors):
        old, writes, new = effects_on_scalars(program.isa, program.bundles[number])
        effects.append((old | new, writes) if following else (every, 0))
    live = live_registers(effects, successors, every)
    return [reads | (after & ~writes) for (reads, writes), after in zip(effects, live)]


def _others(program: Program, found: UsedAt) -> list[RegisterAccess]:
    """Return the accesses of other instructions of the bundle to the register."""
    units = program.isa.units(found.use.register)
    return [
        each
        for each in accesses_of(program.isa, program.bundles[found.bundle])
        if each.units & units and each.instruction != found.use.instruction
    ]


def _is_live(program: Program, found: UsedAt) -> bool:
    return any(
        each.timing.read == LIVE
        for each in accesses_of(program.isa, program.bundles[found.bundle])
        if (each.instruction, each.operand) == (found.use.instruction, found.use.operand)
    )


def _reached(
    program: Program, found: UsedAt, steps: Sequence[Sequence[int]]
) -> Iterator[Definition]:
    """Yield what the use meets first on all ways: the writes before it, or the reads after it."""
    isa, is_read = program.isa, "r" in found.use.access
    units = isa.units(found.use.register)
    waiting, seen = [*steps[found.address]], set[int]()
    met: list[tuple[int, RegisterAccess]] = []
    while waiting:
        address = waiting.pop()
        if address in seen or address >= len(steps):
            continue
        seen.add(address)
        accesses = accesses_of(isa, program.bundles[program.bundle_at_address[address]])
        of_units = [each for each in accesses if each.units & units]
        writes = [each for each in of_units if each.writes]
        if is_read:
            met += [(address, each) for each in writes]
        else:
            met += [(address, each) for each in of_units if _sees_before(each, writes)]
        if not units <= frozenset().union(*(each.units for each in writes)):
            waiting += steps[address]
    for address, access in sorted(met, key=lambda each: (each[0], each[1][3:5])):
        yield _definition(program, address, access)


def _sees_before(access: RegisterAccess, writes: Sequence[RegisterAccess]) -> bool:
    """Return whether an access reads the value from before its bundle, not a new one in it."""
    is_own = all(each.instruction == access.instruction for each in writes)
    return access.reads and (access.timing.read != LIVE or is_own)


def _definition(program: Program, address: int, access: RegisterAccess) -> Definition:
    number = program.bundle_at_address[address]
    syntax = program.bundles[number].syntax
    place, operand = access.instruction, access.operand
    full = syntax.instruction_span(place)
    name = full
    if operand >= 0:
        name = syntax.part_span(place, operand, access.start, access.end)
    return Definition(program.span(number, name), program.span(number, full))


@cached_on_program
def _predecessors(program: Program) -> Sequence[Sequence[int]]:
    successors = successors_of(program) or ()
    found: list[list[int]] = [[] for _ in successors]
    for address, following in enumerate(successors):
        for other in following:
            if other < len(found):
                found[other].append(address)
    return found


def renamed_range(analysis: Analysis, offset: int, new_name: str) -> list[TextEdit]:
    """Return the edits that rename the live range of the register at an offset.

    Raises `RenameError` if a read would see another value than before.
    """
    program = analysis.program
    webs, web = range_at(program, offset)
    names = scalar_registers(program.isa)
    if new_name not in names.names[: names.changing]:
        expected = f"{names.names[0]} to {names.names[names.changing - 1]}"
        raise RenameError(f"a register is one of {expected}, found {quoted(new_name)}")
    for address in {address for address, _ in web.writes}:
        if any(new_name == other.register and address in dict(other.writes) for other in webs.webs):
            raise RenameError(f"{quoted(new_name)} is written in the same {program.isa.unit}")
    edits = [TextEdit(span, new_name) for span in _spans(program, web)]
    edits += _of_note(program, web, webs, new_name)
    changed = read_program(program.isa, apply_edits(program.text, sorted(edits)))
    others = {read._replace(register=""): places for read, places in webs_of(changed).seen.items()}
    for read, places in webs.seen.items():
        if others.get(read._replace(register="")) != places:
            line = analysis.source.lines.position(_start(program, read.address)).line + 1
            raise RenameError(
                f"{quoted(new_name)} is in use there: line {line} would see another value"
            )
    return sorted(edits)


def range_at(program: Program, offset: int) -> tuple[Webs, Web]:
    """Return all live ranges, and the one at an offset. Raises `RenameError` if there is none."""
    found = used_at(program, offset)
    names = scalar_registers(program.isa)
    if found is None or found.use.register.lower() not in names.names[: names.changing]:
        raise RenameError("only labels and registers that instructions set can be renamed")
    if successors_of(program) is None:
        raise RenameError("a branch may lead anywhere: live ranges are not known")
    webs, register = webs_of(program), found.use.register.lower()
    place = found.address, found.use.instruction
    for web in webs.webs:
        is_here = place in web.writes or any(
            (read.place, read.operand) == (place, found.use.operand) for read in web.reads
        )
        if web.register == register and is_here:
            if START in web.writes:
                raise RenameError(f"{quoted(register)} may have its value from before the program")
            return webs, web
    raise RenameError(f"nothing that runs reads or writes {quoted(register)} here")


def _spans(program: Program, web: Web) -> list[Span]:
    """Return where operands name the register of a live range."""
    places = {*web.writes, *(read.place for read in web.reads)}
    reads = {(*read.place, read.operand) for read in web.reads}
    found = set[Span]()
    for address, instruction in places:
        number = program.bundle_at_address[address]
        for use in registers_in(program.isa, program.bundles[number]):
            is_write = "w" in use.access and (address, instruction) in web.writes
            is_read = (address, instruction, use.operand) in reads
            is_named = use.instruction == instruction and use.register.lower() == web.register
            if is_named and (is_write or is_read):
                found.add(program.span(number, use.span))
    return sorted(found)


def _of_note(program: Program, web: Web, webs: Webs, new_name: str) -> Iterator[TextEdit]:
    """Yield the edit of the note in the head comment that is about this live range alone."""
    if any(other.register == web.register for other in webs.webs if other is not web):
        return
    notes = roles(program)
    if any(new_name in role.registers for role in notes):
        return
    for role in notes:
        if role.registers == (web.register,):
            start = role.span.start
            yield TextEdit(Span(start, start + len(web.register)), new_name)


def _start(program: Program, address: int) -> int:
    number = program.bundle_at_address[address]
    return program.span(number, program.bundles[number].syntax.instruction_span(0)).start

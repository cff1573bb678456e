"""Description of an instruction set as its package states it, not validated yet, and its layout.

Bit fields that a description does not place follow from it by one of two rules. A field belongs to
one operand type, and a slot has as many fields of a type as any of its instructions needs. Or
operand types share fields (`shared_fields`).
"""

from __future__ import annotations

from typing import Any, Iterator, Mapping, Sequence

from ipu_asm.isa.model import Field, Slot
from ipu_asm.isa.operands import OperandType
from ipu_asm.isa.storage import AddressSpace, MemLines, RegisterFile
from ipu_asm.isa.surface import Surface
from ipu_asm.named_tuple import NamedTuple

InstructionTable = Mapping[str, Mapping[str, Mapping[str, Any]]]


class IsaError(Exception):
    """An invalid description of an instruction set; `mistakes` lists all errors."""

    def __init__(self, name: str, mistakes: Sequence[str]) -> None:
        self.mistakes = tuple(mistakes)
        count = "1 mistake" if len(mistakes) == 1 else f"{len(mistakes)} mistakes"
        lines = "".join(f"\n  {mistake}" for mistake in mistakes)
        super().__init__(f"instruction set {name}: {count}{lines}")


class SlotDescription(NamedTuple):
    """A slot as described by its package; `fields` is the order of its operand types.

    With `width`, instructions state the positions of their fields: every operand has a `low`, and
    every instruction its `fixed_bits`. With `layout`, the fields from the highest bit down, which
    begins with the opcode, `fixed_bits` may be omitted.

    With `shares_fields`, operands of different types share fields: see `layout.shared_fields`. Then
    the slot has at least `least_width` bits, for which the field of the type `widened` is extended.
    `simulation_only`: the machine does not have the slot.
    """

    name: str
    title: str
    default: str
    fields: tuple[str, ...] = ()
    capacity: int = 1
    exclusive_writes: bool = False
    width: int | None = None
    layout: tuple[Field, ...] = ()
    shares_fields: bool = False
    least_width: int = 0
    widened: str = ""
    simulation_only: bool = False

    def opcode_width(self, instructions: int) -> int:
        """Return the width of the opcode field for a number of instructions."""
        return self.layout[0].width if self.layout else max(1, (instructions - 1).bit_length())


class IsaDescription(NamedTuple):
    """Everything that a package states about its instruction set. Slots run from high to low bits.

    `executor` is the class that has the methods which instructions name in `execute_fn`; empty for
    a set without an emulator, whose instructions name none. `units_of`: see `FormsDescription`.
    `spaces` are what instructions access by addresses; see `isa/scalar.py`. `scratch` registers
    hold nothing when a program begins. `pseudo_instructions` maps mnemonics to entries with
    `operands`, `doc` and `becomes`: the instruction that has their bits, with the names of operands
    and registers in place of its own. For the last four fields see `Isa`.
    """

    name: str
    title: str
    surface: Surface
    slots: tuple[SlotDescription, ...]
    instructions: InstructionTable
    operand_types: Mapping[str, OperandType]
    register_files: tuple[RegisterFile, ...]
    program_limit: int
    executor: str = ""
    units_of: Mapping[str, frozenset[str]] = {}
    spaces: Mapping[str, AddressSpace] = {}
    scratch: frozenset[str] = frozenset()
    pseudo_instructions: Mapping[str, Mapping[str, Any]] = {}
    family: str = ""
    constants: Mapping[str, int] = {}
    resets: Mapping[str, int] = {}
    mem_lines: MemLines | None = None


class SlotLayout(NamedTuple):
    """The fields of a slot from the highest bit down, the opcode first.

    With `field_of_atom`, operand number n of a type in an instruction has the field of its atom
    ``(type, n)``; otherwise it has the n-th field of its type.
    """

    fields: tuple[Field, ...]
    field_of_atom: Mapping[tuple[str, int], Field] | None = None

    def places(self, entry: Mapping[str, Any]) -> Iterator[Field]:
        """Yield the field of each operand of an instruction that does not place it itself."""
        free = list(self.fields)
        for atom in atoms_of(entry):
            if self.field_of_atom is not None:
                yield self.field_of_atom[atom]
            else:
                field = next(field for field in free if field.type == atom[0])
                free.remove(field)
                yield field


def layout_of(slot: SlotDescription, description: IsaDescription) -> SlotLayout:
    if slot.width is not None:
        return SlotLayout(slot.layout or (Field("opcode", 0, slot.width),))
    entries = list(description.instructions[slot.name].values())
    if slot.shares_fields:
        return shared_fields(slot, entries, description.operand_types)
    needs: dict[str, int] = dict.fromkeys(slot.fields, 0)
    for entry in entries:
        types = [operand["type"] for operand in entry["operands"]]
        for name in types:
            needs[name] = max(needs.get(name, 0), types.count(name))
    widths = [("opcode", slot.opcode_width(len(entries)))]
    for name, count in needs.items():
        widths += [(name, description.operand_types[name].width)] * count
    return SlotLayout(_placed(widths))


def shared_fields(
    slot: SlotDescription, entries: Sequence[Mapping[str, Any]], types: Mapping[str, OperandType]
) -> SlotLayout:
    """Return the layout of a slot whose operand types share fields.

    The operands of one type in an instruction are numbered; a type with a number is an *atom*, used
    by all instructions that have it. Atoms are sorted by name and number. Each takes the first
    field none of whose atoms is used by an instruction that uses it, else a new field. A field is
    as wide as its widest atom; elastic types add nothing to that.
    """
    users: dict[tuple[str, int], set[int]] = {}
    for number, entry in enumerate(entries):
        for atom in atoms_of(entry):
            users.setdefault(atom, set()).add(number)
    groups: list[list[tuple[str, int]]] = []
    for atom in sorted(users):
        fitting = (
            group for group in groups if all(users[atom].isdisjoint(users[each]) for each in group)
        )
        group = next(fitting, None)
        if group is None:
            groups.append([atom])
        else:
            group.append(atom)
    opcode = slot.opcode_width(len(entries))
    widths = [
        max(0 if types[name].is_elastic else types[name].width for name, _ in group)
        for group in groups
    ]
    missing = slot.least_width - opcode - sum(widths)
    names = ["/".join(dict.fromkeys(name for name, _ in group)) for group in groups]
    for number, group in enumerate(groups):
        if missing > 0 and (slot.widened, 0) in group:
            widths[number] += missing
    fields = _placed([("opcode", opcode), *zip(names, widths)])
    return SlotLayout(
        fields, {atom: field for group, field in zip(groups, fields[1:]) for atom in group}
    )


def atoms_of(entry: Mapping[str, Any]) -> list[tuple[str, int]]:
    """Return the type of each operand of an instruction, numbered among those of its type."""
    atoms: list[tuple[str, int]] = []
    for operand in entry["operands"]:
        name = operand["type"]
        atoms.append((name, sum(other == name for other, _ in atoms)))
    return atoms


def place_slots(
    descriptions: Sequence[SlotDescription], layouts: Mapping[str, SlotLayout]
) -> tuple[Slot, ...]:
    """Return the slots in their places in the word; `descriptions` run from high to low bits."""
    low = 0
    slots: list[Slot] = []
    for description in reversed(descriptions):
        fields = layouts[description.name].fields
        width = sum(field.width for field in fields)
        lows = tuple(low + width * place for place in reversed(range(description.capacity)))
        low += width * description.capacity
        slots.append(
            Slot(
                description.name,
                description.title,
                description.default,
                fields,
                width,
                lows,
                description.exclusive_writes,
                simulation_only=description.simulation_only,
            )
        )
    return tuple(reversed(slots))


def _placed(widths: Sequence[tuple[str, int]]) -> tuple[Field, ...]:
    low = sum(width for _, width in widths)
    fields = []
    for name, width in widths:
        low -= width
        fields.append(Field(name, low, width))
    return tuple(fields)

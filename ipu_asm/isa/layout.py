"""The bit fields of slots: where a description does not place operands, they follow from them.

Two rules exist. A field belongs to one operand type, and a slot has as many fields of a type as any
of its instructions needs. Or operand types share fields (`shared_fields`).
"""

from __future__ import annotations

from typing import Any, Iterator, Mapping, Sequence

from ipu_asm.isa.description import IsaDescription, SlotDescription
from ipu_asm.isa.model import Field, Slot
from ipu_asm.isa.operands import OperandType
from ipu_asm.named_tuple import NamedTuple


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
    """Return the layout of a slot."""
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
    widths = [max(_own_width(types[name]) for name, _ in group) for group in groups]
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


def _own_width(operand_type: OperandType) -> int:
    return 0 if operand_type.is_elastic else operand_type.width


def _placed(widths: Sequence[tuple[str, int]]) -> tuple[Field, ...]:
    low = sum(width for _, width in widths)
    fields = []
    for name, width in widths:
        low -= width
        fields.append(Field(name, low, width))
    return tuple(fields)

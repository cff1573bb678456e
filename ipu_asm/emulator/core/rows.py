"""Rows: how the decoded instructions of a set are encoded for its core.

A row belongs to the method of an instruction. It names the operands that the core reads, and when
it reads them. The numpy machine executes an instruction that has no row, or whose entry does not
say what its row says.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from struct import Struct
from typing import Any, Callable, Mapping, Sequence

from ipu_asm.assembler.decode import DecodedInstruction
from ipu_asm.isa import load_isa
from ipu_asm.named_tuple import NamedTuple

_WORD = 1 << 32


class Source(NamedTuple):
    """The operand that a field is filled with; the core reads its register at the time `read`."""

    operand: str
    read: str | None = None
    limit: int | None = None


def number(operand: str, limit: int | None = None) -> Source:
    """Return the source of a field with the number of an operand, which is at most the limit."""
    return Source(operand, None, limit)


def live(operand: str) -> Source:
    """Return the source of a field with a register that is read after the earlier slots."""
    return Source(operand, "live")


def old(operand: str) -> Source:
    """Return the source of a field with a register that is read before the bundle."""
    return Source(operand, "snapshot")


class Row(NamedTuple):
    """The opcode of a method in the core, and the source of each field that it uses."""

    opcode: int
    sources: Mapping[str, Source]


def row(opcode: int, **sources: Source) -> Row:
    """Return a row; the names are those of the fields."""
    return Row(opcode, sources)


class SlotFormat(NamedTuple):
    """The C structure of a slot's instructions: its fields in order, after the opcode."""

    structure: Struct
    fields: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class CoreDescription:
    """The core of a set.

    `module` is its compiled file; `slots` are the structures of a bundle in order, as many of each
    as the slot has instructions. `rows` are by `execute_fn`, and `methods` are the functions of the
    class `machine` that they stand for; `state` is the class of its states. `option` returns the
    setting of a machine that the C files call `control.option`.
    """

    module: Path
    slots: Mapping[str, SlotFormat]
    rows: Mapping[str, Row]
    machine: type[Any]
    state: type[Any]
    methods: Mapping[str, Callable[..., object]]
    option: Callable[[Any], int] = lambda machine: 0

    @cached_property
    def bundle_size(self) -> int:
        """The size of a bundle in bytes."""
        slots = load_isa(self.state.isa_name).slot_by_name
        return sum(form.structure.size * slots[name].capacity for name, form in self.slots.items())


def methods_of(machine: type, rows: Mapping[str, Row]) -> dict[str, Callable[..., object]]:
    """Return the methods of a class that rows stand for."""
    return {name: getattr(machine, name) for name in rows}


def encode_bundle(
    core: CoreDescription, instructions: Sequence[DecodedInstruction]
) -> bytes | None:
    """Return a bundle for the core; None if the core cannot execute it.

    `instructions` are all of the bundle: those with no effect, which are left out here, too.
    """
    by_place = {(each.slot.name, each.place): each for each in instructions}
    pieces = []
    for slot, form in core.slots.items():
        places = sorted(place for name, place in by_place if name == slot)
        for place in places:
            piece = _encode(core, form, by_place[slot, place])
            if piece is None:
                return None
            pieces.append(piece)
    return b"".join(pieces)


def _encode(
    core: CoreDescription, form: SlotFormat, instruction: DecodedInstruction
) -> bytes | None:
    if instruction.spec is None:
        return None
    if instruction.is_idle:
        return bytes(form.structure.size)
    found = core.rows.get(instruction.spec.execute_fn)
    if found is None or not _describes(found, instruction):
        return None
    values = dict.fromkeys(form.fields, 0)
    for field, source in found.sources.items():
        value = instruction.values[source.operand]
        if value is None or (source.limit is not None and value > source.limit):
            return None
        values[field] = value % _WORD
    return form.structure.pack(found.opcode, *values.values())


def _describes(found: Row, instruction: DecodedInstruction) -> bool:
    """Whether the operands of an instruction are those of its row, read at the same times."""
    assert instruction.spec is not None
    operands = {operand.name: operand.read for operand in instruction.spec.operands}
    return operands == {source.operand: source.read for source in found.sources.values()}

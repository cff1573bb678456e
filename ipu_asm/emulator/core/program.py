"""Programs for a core: which bundles it executes, and which it hands back to the numpy machine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from struct import Struct
from typing import Any, Callable, Final, Mapping, Sequence

from ipu_asm.assembler.word_code import DecodedInstruction
from ipu_asm.emulator.binding import branch_target, decode_in_order, write_conflicts
from ipu_asm.isa import load_isa
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple

_MAY_BE_REPLACED: Final = frozenset({"run", "execute_vliw_cycle", "stops_at"})
_ABSENT: Final = cached_property(lambda machine: None)


class EncodedBundle(NamedTuple):
    """A bundle for the core, and the methods that it replaces; no content if it has none.

    `target` is the address of its branch, if it has one.
    """

    content: bytes | None
    methods: frozenset[str] = frozenset()
    target: int | None = None
    is_indirect: bool = False


class CoreProgram(NamedTuple):
    """A program for the core; the bundles `handed_back` are those of the numpy machine.

    `targets` are the addresses of branches, by bundle; `indirect` bundles branch to a register.
    """

    content: bytes = b""
    handed_back: frozenset[int] = frozenset()
    targets: tuple[int | None, ...] = ()
    indirect: frozenset[int] = frozenset()


def encode_program(core: CoreDescription, machine: Any, words: Sequence[int | None]) -> CoreProgram:
    isa, order = load_isa(machine.state.isa_name), machine.execution_order
    changed = overridden_methods(core, machine)
    length = max((pc + 1 for pc, word in enumerate(words) if word is not None), default=0)
    bundles = [encode_word(core, isa, order, word) for word in words[:length]]
    left = frozenset(
        pc for pc, each in enumerate(bundles) if each.content is None or each.methods & changed
    )
    nothing = bytes(core.bundle_size)
    content = b"".join(
        nothing if pc in left or each.content is None else each.content
        for pc, each in enumerate(bundles)
    )
    return CoreProgram(
        content,
        left,
        tuple(each.target for each in bundles),
        frozenset(pc for pc, each in enumerate(bundles) if each.is_indirect),
    )


@lru_cache(maxsize=4096)
def encode_word(
    core: CoreDescription, isa: Isa, order: tuple[str, ...], word: int | None
) -> EncodedBundle:
    """Encode a word of program memory. The content is None if the core cannot execute it."""
    if word is None:
        return EncodedBundle(bytes(core.bundle_size))
    if not 0 <= word < 1 << isa.word_bits:
        return EncodedBundle(None)
    instructions = decode_in_order(isa, order, word)
    running = [each for each in instructions if not each.is_idle]
    has_conflict = any(True for _ in write_conflicts(isa, running))
    methods = frozenset(each.spec.execute_fn for each in running if each.spec is not None)
    content = None if has_conflict else encode_bundle(core, instructions)
    targets = [target for each in running if (target := branch_target(each)) is not None]
    is_indirect = any(each.spec is not None and each.spec.flow == "indirect" for each in running)
    return EncodedBundle(content, methods, targets[0] if targets else None, is_indirect)


def overridden_methods(core: CoreDescription, machine: Any) -> frozenset[str]:
    """Return the methods of a machine that are not those that the rows of its core replace."""
    return frozenset(
        name
        for name, method in core.methods.items()
        if getattr(type(machine), name) is not method or name in vars(machine)
    )


def replaced_members(core: CoreDescription, machine: Any) -> set[str]:
    """Return what else of its class a machine replaces, of what the core might replace."""
    names = set(vars(machine))
    for each in type(machine).__mro__:
        if each is core.machine:
            break
        names |= vars(each).keys()
    names -= core.methods.keys() | _MAY_BE_REPLACED
    return {name for name in names if not name.startswith("__") and _is_member(core, name)}


def _is_member(core: CoreDescription, name: str) -> bool:
    """Whether the core's machine has a member of that name which its instances do not keep."""
    return not isinstance(getattr(core.machine, name, _ABSENT), cached_property)


# Rows: how the decoded instructions of a set are encoded for its core.
# A row belongs to the method of an instruction. It names the operands that the core reads, and
# when it reads them. The numpy machine executes an instruction that has no row, or whose entry
# does not say what its row says.

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
    class `machine` that they replace; `state` is the class of its states. `option` returns the
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
    """Return the methods of a class that rows replace."""
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

"""The scopes and items of the variables view of one machine, among them its memory map."""

from __future__ import annotations

import re
from itertools import count
from typing import Final, Iterator, Mapping, Sequence

from ipu_asm.debugger.expressions import (
    Context,
    ExpressionError,
    Location,
    MachineView,
    Space,
    evaluate,
)
from ipu_asm.debugger.expressions.machine_view import MAX_ELEMENTS, location_text
from ipu_asm.debugger.inspection.comparison import (
    MAX_RANGES,
    Comparison,
    StateAtCycle,
    changed_ranges,
    changed_registers,
    changes_text,
)
from ipu_asm.debugger.inspection.items import (
    Group,
    GroupKind,
    Item,
    ItemFactory,
    Scope,
    computed_children,
    computed_item,
    without_formats,
)
from ipu_asm.debugger.inspection.texts import (
    ElementDifference,
    element_difference,
    list_text,
)
from ipu_asm.debugger.inspection.vectors import VectorInfo, VectorView, vector_infos, vector_view
from ipu_asm.debugger.regions import MEMORY
from ipu_asm.debugger.runner import ReadExpected
from ipu_asm.emulator.element_types import MASK, TYPES
from ipu_asm.emulator.model import MachineModel
from ipu_asm.emulator.state import AnyState, InFlight
from ipu_asm.expressions.tree import number_text
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable
from ipu_asm.program.program import Program
from ipu_asm.text import Span, counted

_BASE: Final = "base"


class MemoryRange(NamedTuple):
    """A named range of xmem, such as the file that was loaded there."""

    name: str
    address: int
    size: int

    @property
    def end(self) -> int:
        return self.address + self.size


_MAX_SHOWN: Final = 4
MAX_CHILDREN: Final = 4_096
"""Limit on the items returned at once; one more item states how many are left."""
_MEMORY_MAP: Final = "Memory map"
_MACHINE: Final = "Machine"
_IN_FLIGHT: Final = "In flight"
_BLOCKS: Final = "Blocks"
_VECTORS: Final = "Vectors"
_MASKS: Final = "Masks"
_COUNTERS: Final = ("pc", "cycle")
_STOPPED: Final = "stopped"
_CHANGED: Final = "changed"
_NUMBER: Final = re.compile(r"\[(0x[0-9a-f]{1,8}|[0-9]{1,9})(?:\]|\.\.| )")


class Inspector:
    """Read-only view of one machine, created once per debug session.

    `context` evaluates expressions on the same machine. `lines` are the source lines of the
    program, `notes` its register notes, see `register_notes`; `aliases` are the names that it has
    for a register, which are shown beside the register's own; `ranges` are named parts of xmem to
    list; `before` is the state at the previous stop and `stopped` the reason of this stop, see
    `update_after_stop`.
    """

    def __init__(
        self,
        state: AnyState,
        context: Context,
        lines: LineTable,
        *,
        notes: Mapping[str, str] | None = None,
        aliases: Mapping[str, Sequence[str]] | None = None,
        ranges: Sequence[MemoryRange] = (),
        before: StateAtCycle | None = None,
        stopped: str = "",
    ) -> None:
        self._state, self._context = state, context
        self._lines = lines
        self._notes = notes or {}
        self._aliases = aliases or {}
        view = context.view
        self._bases = base_registers(lines.program, view.model)
        files = lines.program.isa.file_of_register
        pointers = (name for name, file in files.items() if "pointer" in file.title)
        self._addresses = frozenset((*self._bases, *pointers))
        self._ranges = shown_ranges(ranges, self._bases, view.model.memory_size)
        self._scopes = _register_scopes(view)
        further = (name for name in view.names.registers if name not in view.model.layout.places)
        selecting = [name for name in further if _is_type(view, name)]
        self._counters = (*_COUNTERS, *selecting)
        self.update_after_stop(before, stopped)

    def update_after_stop(
        self, before: StateAtCycle | None, stopped: str, last_bundle: int | None = None
    ) -> None:
        """Update the view after a stop; `before` is the state at the previous stop.

        `last_bundle` is the address of the bundle that halted the machine, if one did.
        """
        self._comparison = Comparison(self._state, self._context, before)
        self._stopped = stopped
        self._last_bundle = last_bundle

    def use_lines(self, lines: LineTable) -> None:
        """Refer to other source lines of the program from now on."""
        self._lines = lines

    def scopes(self) -> list[Scope]:
        sizes = {name: len(registers) for name, registers in self._scopes.items()}
        if not self._context.view.model.Machine.execution_order:
            sizes[_IN_FLIGHT] = len(self._state.in_flight())
        if blocks := self._blocks():
            sizes[_BLOCKS] = sum(map(len, blocks.values()))
        sizes[_MEMORY_MAP] = len(self._ranges) + len(self._bases) + 1
        shown = (*self._counters, *self._context.settings, _STOPPED, _CHANGED)
        sizes[_MACHINE] = len(shown)
        first = next(iter(sizes))
        return [
            Scope(
                name, Group(GroupKind.SCOPE, name), size, hint="registers" if name == first else ""
            )
            for name, size in sizes.items()
        ]

    def children(
        self, group: Group, start: int = 0, count: int | None = None, notation: str | None = None
    ) -> list[Item]:
        """Return `count` items of a group from `start` on; all that follow for None or 0.

        Raises ExpressionError if the values of an expression cannot be computed any more.
        """
        start, count = max(start, 0), max(count or 0, 0)
        found = self._children(group, start, count, group.notation or notation or None)
        if group.notation is None:
            return found
        return [item._replace(group=_in_notation(item.group, group.notation)) for item in found]

    def item_of(
        self, expression: str, notation: str | None = None, with_notes: bool = True
    ) -> Item:
        """Return the item of an expression; a vector contains rows or elements as in the scopes.

        Where space is short, `with_notes=False` omits the register note. Raises ExpressionError.
        """
        result = evaluate(self._context, expression)
        name, plain = expression.strip(), without_formats(expression)
        shown_in = result.notation or notation or None
        if result.location is None:
            item = computed_item(name, plain, result.value, shown_in)
        else:
            items = self._items(shown_in, self._notes if with_notes else {})
            item = items.at(result.location, name, plain)
        return item._replace(group=_in_notation(item.group, result.notation))

    def vectors(self) -> list[VectorInfo]:
        return vector_infos(self._comparison.view)

    def vector_view(
        self, expression: str, type_: str | None = None, mask: str | None = None
    ) -> VectorView:
        """Return a whole vector, read as a type and under a mask if given.

        Raises ExpressionError.
        """
        return vector_view(self._comparison, expression, type_, mask)

    def difference(self, view: VectorView, name: str, read: ReadExpected) -> ElementDifference:
        """Return what a file expects of a vector. Raises ExpressionError."""
        location = view.location
        if not location.has_bytes:
            raise ExpressionError("bits are not compared with files", Span(0, len(name)))
        expected = read(name, location, view.view)
        found, _ = self._comparison.current_and_previous(location)
        return element_difference(name, location.kind, found, expected)

    def note(self, name: str) -> str:
        """Return the register note of a register, or an empty string."""
        return self._notes.get(name, "")

    def child(self, group: Group, name: str) -> Item | None:
        """Return the item of that name, or that expression, in a group, or None.

        Raises ExpressionError.
        """
        if group.kind in (GroupKind.SCOPE, GroupKind.CHANGES):
            found = self.children(group)
        else:
            start = self._position(group, name)
            found = self.children(group, start, 1) if 0 <= start < group.size else []
        return next((item for item in found if name in (item.name, item.expression)), None)

    def _children(self, group: Group, start: int, count: int, notation: str | None) -> list[Item]:
        items = self._items(notation, self._notes)
        if group.kind in (GroupKind.SCOPE, GroupKind.CHANGES):
            named = self._named(group, items)[start : start + count if count else None]
            return [self._with_aliases(item) for item in named]
        stop = min(start + count, group.size) if count else group.size
        most = start + MAX_CHILDREN
        found = self._indexed(group, start, min(stop, most), items)
        if stop > most:
            found.append(Item("…", f"{stop - most:,} more; ask for a part of them", kind="virtual"))
        return found

    def _items(self, notation: str | None, notes: Mapping[str, str]) -> ItemFactory:
        return ItemFactory(self._comparison, notes, self._where, notation, self._addresses)

    def _where(self, pc: int) -> str:
        """Describe the source location of the bundle at a program counter."""
        if pc >= self._state.program_limit:
            last = self._last_bundle
            return "halted" if last is None else f"halted; last bundle {last}"
        location = self._lines.place(pc)
        if location is None:
            return "no bundle was loaded here"
        parts = [location.name, f"line {location.line}", location.levels]
        return ", ".join(filter(None, parts))

    def _named(self, group: Group, items: ItemFactory) -> list[Item]:
        if group.kind is GroupKind.CHANGES:
            return change_items(items)
        if group.name == _MEMORY_MAP:
            return memory_items(items, self._ranges, self._bases)
        if group.name == _MACHINE:
            return self._machine(items)
        if group.name == _IN_FLIGHT:
            return [self._flying(each) for each in self._state.in_flight()]
        if group.name == _BLOCKS:
            return [
                Item(f"{name}, block {number}", list_text(list(map(number_text, block))))
                for name, blocks in self._blocks().items()
                for number, block in enumerate(blocks)
            ]
        return [_register(items, name) for name in self._scopes[group.name]]

    def _blocks(self) -> dict[str, Sequence[Sequence[float]]]:
        """Return the numbers of registers with blocks, those that are not 0."""
        found = self._state.block_numbers().items()
        return {name: blocks for name, blocks in found if any(map(any, blocks))}

    def _with_aliases(self, item: Item) -> Item:
        """Return the item of a register with the names that the program has for it."""
        aliases = self._aliases.get(item.name)
        return item._replace(name=f"{item.name} ({', '.join(aliases)})") if aliases else item

    def _flying(self, result: InFlight) -> Item:
        """Return the item of a result that has not landed: when it does, and where it is from."""
        when = f"in {counted(result.lands_in, 'cycle')}"
        place = self._lines.place(result.pc)
        origin = f"line {place.line}" if place else f"bundle {result.pc}"
        issued = f"{origin}, {counted(result.issued_before, 'cycle')} ago"
        text = f"lands {when}; {issued}"
        if result.content is None:
            return Item(result.register, f"{text}; waits for an operand", kind="virtual")
        location = self._context.view.location(result.register)
        kind = location.kind if location else TYPES["u8"]
        numbers = kind.decode(result.content) if len(result.content) % kind.size == 0 else ()
        shown = ", ".join(map(number_text, numbers[:_MAX_SHOWN]))
        more = ", ..." if len(numbers) > _MAX_SHOWN else ""
        return Item(result.register, f"{text}: {shown}{more}", kind="virtual")

    def _machine(self, items: ItemFactory) -> list[Item]:
        text, count = changes_text(self._comparison)
        changes = Group(GroupKind.CHANGES) if count else None
        return [
            *(_register(items, name) for name in self._counters),
            *(
                Item(name, setting.text, expression=name, kind="property")
                for name, setting in self._context.settings.items()
            ),
            Item(_STOPPED, self._stopped, kind="property"),
            Item(_CHANGED, text, group=changes, named=count, kind="virtual"),
        ]

    def _indexed(self, group: Group, start: int, stop: int, items: ItemFactory) -> list[Item]:
        if group.computed is not None:
            return computed_children(self._context, group, start, stop, items.notation)
        assert group.location is not None
        make = items.rows if group.kind is GroupKind.ROWS else items.elements
        return make(group.location, start, stop)

    def _position(self, group: Group, name: str) -> int:
        """Index of the row or element of that name, perhaps out of range; -1 for other names."""
        match = _NUMBER.match(name)
        if match is None:
            return -1
        number = int(match[1], 0)
        if group.location is not None:
            number = location_text(group.location, self._comparison.view).number(number)
        elif group.computed is not None:
            number -= group.computed.first
        return number // group.row if group.kind is GroupKind.ROWS else number


def _register_scopes(view: MachineView) -> dict[str, Sequence[str]]:
    """The names of registers by scope."""
    types = view.types.vectors
    vectors = [name for name in view.model.vectors_shown if types[name] != MASK]
    taken = {name for names in view.model.scopes.values() for name in names}
    scopes = {**view.model.scopes, _VECTORS: [name for name in vectors if name not in taken]}
    return {**scopes, _MASKS: view.masks} if view.masks else scopes


def _is_type(view: MachineView, name: str) -> bool:
    """Whether an alias is the register that selects the element type."""
    register = view.model.type_register
    return register is not None and view.model.register_aliases.get(name) == register


def _register(items: ItemFactory, name: str) -> Item:
    base, bracket, number = name.partition("[")
    location = items.comparison.view.existing(base)
    if bracket:
        location = location.part(int(number[:-1]), None)
    return items.at(location, name, name)


def _in_notation(group: Group | None, notation: str | None) -> Group | None:
    return group and group._replace(notation=notation)


def base_registers(program: Program, model: MachineModel) -> list[str]:
    """Return the registers used as base addresses by the memory instructions, in order."""
    found = {
        operand.type.format(value)
        for bundle in program.bundles
        for instruction in bundle.instructions
        if instruction.spec is not None
        and MEMORY in (*instruction.spec.reads, *instruction.spec.writes)
        for operand, value in zip(instruction.operands, instruction.values)
        if operand is not None and operand.name == _BASE and isinstance(value, int)
    }
    return sorted(found, key=model.layout.scalar_names.index)


def shown_ranges(
    ranges: Sequence[MemoryRange], taken: Sequence[str], size: int
) -> list[MemoryRange]:
    """Return the ranges clipped to `size` bytes of xmem; a name already in use gets a suffix."""
    names, shown = {MEMORY, *taken}, []
    for range_ in ranges:
        first, end = max(range_.address, 0), min(range_.end, size)
        if first < end:
            name = next(name for name in _names(range_) if name not in names)
            names.add(name)
            shown.append(MemoryRange(name, first, end - first))
    return shown


def memory_items(
    items: ItemFactory, ranges: Sequence[MemoryRange], bases: Sequence[str]
) -> list[Item]:
    """Return the items of all ranges, of the range at each base register, and of all xmem."""
    scalars, model = items.comparison.context.scalars, items.comparison.view.model
    size, names = model.memory_size, model.layout.scalar_names
    unit = items.comparison.view.types.address_unit
    addresses = [unit * scalars[names.index(name)] for name in bases]
    starts = sorted({*addresses, *(range_.address for range_ in ranges), size})
    found = [_range_item(items, range_) for range_ in ranges]
    for name, address in zip(bases, addresses):
        if address < size:
            around = [range_.end for range_ in ranges if range_.address <= address < range_.end]
            end = min(around) if around else starts[starts.index(address) + 1]
            pointed = MemoryRange(name, address, min(end - address, MAX_ELEMENTS))
            start = name if unit == 1 else f"{unit} * {name}"
            item = _range_item(items, pointed, start)
        else:
            item = Item(name, f"{address:#x} lies outside xmem", kind="virtual")
        found.append(item._replace(value=item.value + items.note(name)))
    return [*found, _range_item(items, MemoryRange(MEMORY, 0, size))]


def _names(range_: MemoryRange) -> Iterator[str]:
    yield range_.name
    yield f"{range_.name} at {range_.address:#x}"
    yield from (f"{range_.name} ({number})" for number in count(2))


def _range_item(items: ItemFactory, range_: MemoryRange, start: str | None = None) -> Item:
    kind, suffix = items.comparison.view.element, ""
    if range_.size % kind.size:
        kind = TYPES["u8"]
        suffix = f" : {kind.name}"
    count = range_.size // kind.size
    location = Location(Space.MEMORY, range_.address, kind, count)
    if count > MAX_ELEMENTS:
        return items.at(location, range_.name, "")._replace(is_writable=False)
    expression = f"{MEMORY}[{start or hex(range_.address)} .. +{count}{suffix}]"
    return items.at(location, range_.name, expression)


def change_items(items: ItemFactory) -> list[Item]:
    """Return an item for each register and each memory range that changed."""
    view, ranges = items.comparison.view, list(changed_ranges(items.comparison))
    shown = [*changed_registers(items.comparison), *ranges[:MAX_RANGES]]
    names = (location_text(location, view).whole for location in shown)
    found = [items.at(location, name, name) for location, name in zip(shown, names)]
    if len(ranges) > MAX_RANGES:
        more = len(ranges) - MAX_RANGES
        found.append(Item("…", f"{more} more ranges of xmem", kind="virtual"))
    return found

"""Items of the variables view: of locations and of computed values, and what they contain."""

from __future__ import annotations

from enum import Enum
from typing import Callable, Collection, Final, Mapping

from ipu_asm.debugger.expressions import (
    NOTATIONS,
    Context,
    Location,
    Space,
    Value,
    evaluate,
    parse,
    text_of,
)
from ipu_asm.debugger.expressions.machine_view import MAX_ELEMENTS, location_text
from ipu_asm.debugger.inspection.comparison import Comparison, count_changed
from ipu_asm.debugger.inspection.texts import (
    counter_text,
    element_texts,
    list_text,
    mask_text,
    masked_count,
    single_texts,
    summary,
)
from ipu_asm.emulator.element_types import MASK
from ipu_asm.emulator.model import MachineModel
from ipu_asm.emulator.stops import describe_address
from ipu_asm.named_tuple import NamedTuple

ROW: Final = 16
"""Number of elements of a row."""


class GroupKind(Enum):
    SCOPE = "the items of a scope"
    CHANGES = "everything that the last step changed"
    ROWS = "rows of elements"
    ELEMENTS = "single elements"


class Computed(NamedTuple):
    """A part of the values of an expression: `length` of them from index `first` on."""

    text: str
    first: int
    length: int


class Group(NamedTuple):
    """A container of items.

    Rows of `row` elements, or elements, are those of a `location` or of `computed` values.
    `notation` is the one that the user requested when the group was created; it overrides that of a
    request.
    """

    kind: GroupKind
    name: str = ""
    location: Location | None = None
    computed: Computed | None = None
    notation: str | None = None
    row: int = ROW

    @property
    def size(self) -> int:
        """The number of rows or elements."""
        source = self.computed or self.location
        if source is None:
            return 0
        count = 1 if source.length is None else source.length
        return -(-count // self.row) if self.kind is GroupKind.ROWS else count


class Item(NamedTuple):
    """One line of the view: name, value, and the group it contains.

    `expression` evaluates to the value and, if `is_writable`, can be assigned to; "" if there is
    none. `named` counts the group's items with a name. `kind`
    is data (registers and elements), virtual (rows and ranges that exist only in the view) or
    property (machine state and computed values).
    """

    name: str
    value: str
    type: str = ""
    expression: str = ""
    group: Group | None = None
    named: int = 0
    location: Location | None = None
    is_writable: bool = False
    kind: str = "data"

    @property
    def indexed(self) -> int:
        """The number of the group's items with an index."""
        return 0 if self.group is None else self.group.size


class Scope(NamedTuple):
    """A top-level heading. `hint` is `registers` for the scope to show first."""

    name: str
    group: Group
    named: int
    indexed: int = 0
    is_expensive: bool = False
    hint: str = ""


_MAX_NOTE_LENGTH: Final = 80
_NO_DTYPE: Final = "no element type; bytes are shown as i8, words as i32"


class ItemFactory:
    """Creates items for locations, in one notation.

    `notes` maps registers to their register notes; `where` describes the source location of a
    bundle address. `addresses` are the registers that hold addresses of memory.
    """

    def __init__(
        self,
        comparison: Comparison,
        notes: Mapping[str, str],
        where: Callable[[int], str],
        notation: str | None,
        addresses: Collection[str] = (),
    ) -> None:
        self.comparison = comparison
        self.notes = notes
        self.where = where
        self.notation = notation
        self.addresses = addresses if notation is None else ()

    def at(self, location: Location, name: str, expression: str) -> Item:
        type_, kind, is_writable = location.kind.name, "data", True
        view = self.comparison.view
        if location.space in (Space.PC, Space.CYCLE):
            text, kind = self._counter_text(location), "property"
            is_writable = location.space is Space.PC
        elif location.length is not None:
            text, type_ = self._vector_text(location), f"{location.length} x {type_}"
            kind = "virtual" if location.space is Space.MEMORY else kind
        elif location.kind == MASK:
            text, type_ = self._mask_text(location), f"{MASK.bits} bits, element 0 first"
        elif self.addresses and location_text(location, view).whole in self.addresses:
            now, old = (
                None if data is None else int.from_bytes(data, "little")
                for data in self.comparison.current_and_previous(location)
            )
            text = describe_address(now or 0)
            text += f" was {old:#x}" if old is not None and old != now else ""
        else:
            text = self._texts_with_old(location)[0]
        if location.kind != MASK or location.length is not None:
            text += self._note_at(location)
        group = group_of(location, row_length(location, self.comparison.view.model))
        return Item(name, text, type_, expression, group, 0, location, is_writable, kind)

    def rows(self, location: Location, start: int, stop: int) -> list[Item]:
        assert location.length is not None
        row_size = row_length(location, self.comparison.view.model)
        first = start * row_size
        count = min(stop * row_size, location.length) - first
        if count <= 0:
            return []
        written, kind = location_text(location, self.comparison.view), location.kind
        now, old = self.comparison.current_and_previous(location.part(first, count))
        texts = element_texts(kind, now, self.notation)
        items = []
        for start in range(0, count, row_size):
            length, at = min(row_size, count - start), first + start
            within = slice(start * kind.size, (start + length) * kind.size)
            changed = count_changed(kind, now[within], old[within]) if old is not None else 0
            row = location.part(at, length)
            items.append(
                Item(
                    written.part_name(at, length),
                    list_text(texts[start : start + length]) + _changed(changed),
                    f"{length} x {kind.name}",
                    written.part(at, length),
                    Group(GroupKind.ELEMENTS, location=row),
                    location=row,
                    is_writable=True,
                    kind="virtual",
                )
            )
        return items

    def elements(self, location: Location, start: int, stop: int) -> list[Item]:
        if start >= stop:
            return []
        lines = location_text(location, self.comparison.view).elements(start, stop)
        parts = [location.part(number, None) for number in range(start, stop)]
        if location.kind == MASK:
            return [self.at(part, *line) for part, line in zip(parts, lines)]
        texts, kind = self._texts_with_old(location.part(start, stop - start)), location.kind.name
        return [
            Item(name, text, kind, expression, location=part, is_writable=True)
            for (name, expression), text, part in zip(lines, texts, parts)
        ]

    def _counter_text(self, location: Location) -> str:
        now, past, is_pc = self.comparison.context, self.comparison.past, location.space is Space.PC
        number = now.pc if is_pc else now.cycle
        text = counter_text(number, self.notation)
        if past is not None and number != (old := past.pc if is_pc else past.cycle):
            text += f" was {counter_text(old, self.notation or 'u')}"
        return text

    def _mask_text(self, location: Location) -> str:
        now, old = self.comparison.current_and_previous(location)
        changed = 0
        if old is not None:
            differing = int.from_bytes(now, "little") ^ int.from_bytes(old, "little")
            changed = differing.bit_count()
        return mask_text(now, changed, self.notation, self._masked_bit)

    def _texts_with_old(self, location: Location) -> list[str]:
        """One text per element; a changed element also has its previous value."""
        now, old = self.comparison.current_and_previous(location)
        texts = single_texts(location.kind, now, self.notation)
        if old is None:
            return texts
        before, size = element_texts(location.kind, old, self.notation), location.kind.size
        for i, start in enumerate(range(0, len(now), size)):
            if now[start : start + size] != old[start : start + size]:
                texts[i] = f"{texts[i]} was {before[i]}"
        return texts

    def _vector_text(self, location: Location) -> str:
        changed = self.comparison.changes(location)
        if location.kind == MASK:
            return self._masks_text(location) + _changed(changed)
        if location.elements <= ROW:
            now, _ = self.comparison.current_and_previous(location)
            return list_text(element_texts(location.kind, now, self.notation)) + _changed(changed)
        is_all = location.elements <= MAX_ELEMENTS
        now, _ = self.comparison.current_and_previous(location if is_all else location.part(0, ROW))
        text = summary(
            location.kind, now, is_all, changed, self.notation, masked_bit=self._masked_bit
        )
        return f"at {location.start:#x}, {text}" if location.space is Space.MEMORY else text

    @property
    def _masked_bit(self) -> int:
        return self.comparison.view.model.masked_bit

    def _masks_text(self, location: Location) -> str:
        now, _ = self.comparison.current_and_previous(location)
        if self.notation is not None:
            return list_text(element_texts(MASK, now, self.notation))
        counts = [str(masked_count(int(mask), self._masked_bit)) for mask in MASK.decode(now)]
        return f"{', '.join(counts)} masked"

    def note(self, name: str, meaning: str = "") -> str:
        """Format the meaning of a register's value and its register note as a trailing comment."""
        note = "; ".join(filter(None, (meaning, self.notes.get(name, ""))))
        if len(note) > _MAX_NOTE_LENGTH:
            note = note[: _MAX_NOTE_LENGTH - 1] + "…"
        return f"  # {note}" if note else ""

    def _note_at(self, location: Location) -> str:
        if location.space is Space.PC:
            return self.note("", self.where(self.comparison.context.pc))
        if location.space is Space.SCALARS:
            view = self.comparison.view
            name = view.scalar_name(location)
            is_type = name == view.model.type_register
            return self.note(name, (view.types.name or _NO_DTYPE) if is_type else "")
        if location.space is Space.BLOCK:
            return self.note(location_text(location, self.comparison.view).whole)
        return ""


def row_length(location: Location, model: MachineModel) -> int:
    """Return how many elements of a location views show in a row: a row of the matrix in it."""
    size = location.kind.size
    is_block = location.space is Space.BLOCK
    row = model.row_bytes(location.start, location.elements * size) if is_block else 0
    return max(row // size, 1) if row else ROW


def group_of(location: Location, row: int) -> Group | None:
    if location.length is None:
        bits = location.bits()
        return group_of(bits, row) if bits is not None else None
    kind = GroupKind.ROWS if location.length > row else GroupKind.ELEMENTS
    return Group(kind, location=location, row=row)


def _changed(count: int) -> str:
    return f", {count} changed" if count else ""


def without_formats(text: str) -> str:
    """Return an expression without its notations; type formats become conversion calls.

    Raises ExpressionError for text that is no expression.
    """
    parsed = parse(text)
    if not parsed.formats:
        return text.strip()
    base = text[: text.rindex(",", 0, parsed.formats[0].span.start)].strip()
    for name in parsed.formats:
        if name.text.lower() not in NOTATIONS:
            base = f"{name.text.lower()}({base})"
    return base


def computed_item(text: str, expression: str, value: Value, notation: str | None) -> Item:
    group = None
    if value.is_vector:
        count = len(value.numbers)
        kind = GroupKind.ROWS if count > ROW else GroupKind.ELEMENTS
        group = Group(kind, computed=Computed(expression, 0, count))
    shown = _text(value, notation)
    return Item(text, shown, _type(value), expression, group, kind="property")


def computed_children(
    context: Context, group: Group, start: int, stop: int, notation: str | None
) -> list[Item]:
    """Return rows or elements of an expression that is evaluated again.

    Raises ExpressionError.
    """
    computed = group.computed
    assert computed is not None
    value = evaluate(context, computed.text).value
    length = min(computed.length, len(value.numbers))
    stop = min(stop, group._replace(computed=computed._replace(length=length)).size)
    make = _row if group.kind is GroupKind.ROWS else _element
    return [make(computed, value, number, notation) for number in range(start, stop)]


def _row(computed: Computed, value: Value, number: int, notation: str | None) -> Item:
    first = ROW * number
    count = min(ROW, computed.length - first)
    numbers = value.numbers[first : first + count]
    part = Value(numbers, value.kind, True)
    name = f"[{first}..{first + count - 1}]"
    group = Group(GroupKind.ELEMENTS, computed=Computed(computed.text, first, count))
    text, expression = _text(part, notation), f"({computed.text}){name}"
    return Item(name, text, _type(part), expression, group, kind="virtual")


def _element(computed: Computed, value: Value, number: int, notation: str | None) -> Item:
    at = computed.first + number
    part = Value((value.numbers[at],), value.kind)
    shown, name = _text(part, notation), f"[{at}]"
    return Item(name, shown, _type(part), f"({computed.text}){name}", kind="property")


def _text(value: Value, notation: str | None) -> str:
    most = None if len(value.numbers) <= ROW else ROW // 2
    try:
        return text_of(value, notation, most)
    except ValueError:
        # A computed float has no bits to show.
        return text_of(value, None, most)


def _type(value: Value) -> str:
    kind = value.kind.name if value.kind is not None else type(value.numbers[0]).__name__
    return f"{len(value.numbers)} x {kind}" if value.is_vector else kind

"""Items of the variables view: of locations and of computed values, and what they contain."""

from __future__ import annotations

from enum import Enum
from typing import Callable, Final, Mapping

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
from ipu_asm.named_tuple import NamedTuple


class GroupKind(Enum):
    SCOPE = "the items of a scope"
    CHANGES = "everything that the last step changed"
    ROWS = "rows of 16 elements"
    ELEMENTS = "single elements"


class Computed(NamedTuple):
    """A part of the values of an expression: `length` of them from index `first` on."""

    text: str
    first: int
    length: int


class Group(NamedTuple):
    """A container of items.

    Rows and elements are those of a `location` or of `computed` values. `notation` is the one that
    the user requested when the group was created; it overrides that of a request.
    """

    kind: GroupKind
    name: str = ""
    location: Location | None = None
    computed: Computed | None = None
    notation: str | None = None


class Item(NamedTuple):
    """One line of the view: name, value, and the group it contains.

    `expression` evaluates to the value and, if `is_writable`, can be assigned to; "" if there is
    none. `named` and `indexed` count the group's items with a name and those with an index. `kind`
    is data (registers and elements), virtual (rows and ranges that exist only in the view) or
    property (machine state and computed values).
    """

    name: str
    value: str
    type: str = ""
    expression: str = ""
    group: Group | None = None
    named: int = 0
    indexed: int = 0
    location: Location | None = None
    is_writable: bool = False
    kind: str = "data"


class Scope(NamedTuple):
    """A top-level heading. `hint` is `registers` for the scope to show first."""

    name: str
    group: Group
    named: int
    indexed: int = 0
    is_expensive: bool = False
    hint: str = ""


ROW: Final = 16
"""Number of elements of a row."""
_MAX_NOTE_LENGTH: Final = 80
_NO_DTYPE: Final = "no element type; bytes are shown as i8, words as i32"


class ItemFactory:
    """Creates items for locations.

    `notes` maps registers to their register notes; `where` describes the source location of a
    bundle address.
    """

    def __init__(
        self, comparison: Comparison, notes: Mapping[str, str], where: Callable[[int], str]
    ) -> None:
        self.comparison = comparison
        self.notes = notes
        self.where = where

    def at(self, location: Location, name: str, expression: str, notation: str | None) -> Item:
        if location.space in (Space.PC, Space.CYCLE):
            return self._counter(location, name, expression, notation)
        if location.length is None:
            return self._single(location, name, expression, notation)
        value = self._vector_text(location, notation) + self._note_at(location)
        group = group_of(location)
        return Item(
            name,
            value,
            f"{location.length} x {location.kind.name}",
            expression,
            group,
            0,
            children_of(location.length, group),
            location,
            True,
            "virtual" if location.space is Space.MEMORY else "data",
        )

    def rows(self, group: Group, start: int, stop: int, notation: str | None) -> list[Item]:
        location = group.location
        assert location is not None
        assert location.length is not None
        first, count = start * ROW, min(stop * ROW, location.length) - start * ROW
        return [] if count <= 0 else self._rows(location, first, count, notation)

    def elements(self, group: Group, start: int, stop: int, notation: str | None) -> list[Item]:
        location = group.location
        assert location is not None
        if start >= stop:
            return []
        lines = location_text(location, self.comparison.view).elements(start, stop)
        if location.kind == MASK:
            return [
                self.at(location.part(i, None), name, expression, notation)
                for i, (name, expression) in enumerate(lines, start)
            ]
        texts = self._texts_with_old(location.part(start, stop - start), notation)
        space, kind, first = location.space, location.kind, location.start
        locations = [Location(space, first + i * kind.size, kind) for i in range(start, stop)]
        return [
            Item(name, text, kind.name, expression, location=at, is_writable=True)
            for (name, expression), text, at in zip(lines, texts, locations)
        ]

    def _rows(self, location: Location, first: int, count: int, notation: str | None) -> list[Item]:
        written, kind = location_text(location, self.comparison.view), location.kind
        now, old = self.comparison.current_and_previous(location.part(first, count))
        texts = element_texts(kind, now, notation)
        items = []
        for start in range(0, count, ROW):
            length = min(ROW, count - start)
            within = slice(start * kind.size, (start + length) * kind.size)
            changed = count_changed(kind, now[within], old[within]) if old is not None else 0
            value = list_text(texts[start : start + length]) + _changed(changed)
            row, at = location.part(first + start, length), first + start
            items.append(
                Item(
                    written.part_name(at, length),
                    value,
                    f"{length} x {kind.name}",
                    written.part(at, length),
                    Group(GroupKind.ELEMENTS, location=row),
                    0,
                    length,
                    row,
                    True,
                    "virtual",
                )
            )
        return items

    def _counter(
        self, location: Location, name: str, expression: str, notation: str | None
    ) -> Item:
        is_pc = location.space is Space.PC
        context, past = self.comparison.context, self.comparison.past
        number = context.pc if is_pc else context.cycle
        value = counter_text(number, notation)
        if past is not None and number != (old := past.pc if is_pc else past.cycle):
            value += f" was {counter_text(old, notation or 'u')}"
        value += self._note_at(location)
        type_, kind = location.kind.name, "property"
        return Item(name, value, type_, expression, None, 0, 0, location, is_pc, kind)

    def _single(self, location: Location, name: str, expression: str, notation: str | None) -> Item:
        if location.kind == MASK:
            return self._mask(location, name, expression, notation)
        value = self._texts_with_old(location, notation)[0] + self._note_at(location)
        return Item(
            name, value, location.kind.name, expression, location=location, is_writable=True
        )

    def _mask(self, location: Location, name: str, expression: str, notation: str | None) -> Item:
        now, old = self.comparison.current_and_previous(location)
        changed = 0
        if old is not None:
            differing = int.from_bytes(now, "little") ^ int.from_bytes(old, "little")
            changed = differing.bit_count()
        value = mask_text(now, changed, notation, self._masked_bit)
        bits = location.bits()
        assert bits is not None
        group = group_of(bits)
        indexed = children_of(MASK.bits, group)
        type_ = f"{MASK.bits} bits, element 0 first"
        return Item(name, value, type_, expression, group, 0, indexed, location, True)

    def _texts_with_old(self, location: Location, notation: str | None) -> list[str]:
        """One text per element; a changed element also has its previous value."""
        now, old = self.comparison.current_and_previous(location)
        texts = single_texts(location.kind, now, notation)
        if old is None:
            return texts
        before, size = element_texts(location.kind, old, notation), location.kind.size
        for i, start in enumerate(range(0, len(now), size)):
            if now[start : start + size] != old[start : start + size]:
                texts[i] = f"{texts[i]} was {before[i]}"
        return texts

    def _vector_text(self, location: Location, notation: str | None) -> str:
        changed = self.comparison.changes(location)
        if location.kind == MASK:
            return self._masks_text(location, notation) + _changed(changed)
        if location.elements <= ROW:
            now, _ = self.comparison.current_and_previous(location)
            return list_text(element_texts(location.kind, now, notation)) + _changed(changed)
        is_all = location.elements <= MAX_ELEMENTS
        now, _ = self.comparison.current_and_previous(location if is_all else location.part(0, ROW))
        text = summary(location.kind, now, is_all, changed, notation, masked_bit=self._masked_bit)
        return f"at {location.start:#x}, {text}" if location.space is Space.MEMORY else text

    @property
    def _masked_bit(self) -> int:
        return self.comparison.view.model.masked_bit

    def _masks_text(self, location: Location, notation: str | None) -> str:
        now, _ = self.comparison.current_and_previous(location)
        if notation is not None:
            return list_text(element_texts(MASK, now, notation))
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


def group_of(location: Location) -> Group | None:
    if location.length is None:
        bits = location.bits()
        return group_of(bits) if bits is not None else None
    kind = GroupKind.ROWS if location.length > ROW else GroupKind.ELEMENTS
    return Group(kind, location=location)


def children_of(count: int, group: Group | None) -> int:
    if group is None:
        return 0
    return -(-count // ROW) if group.kind is GroupKind.ROWS else count


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
    type_ = _type(value)
    indexed = children_of(len(value.numbers), group)
    shown = _text(value, notation)
    return Item(text, shown, type_, expression, group, 0, indexed, kind="property")


def computed_children(
    context: Context, group: Group, start: int, stop: int, notation: str | None
) -> list[Item]:
    """Return rows or elements of an expression that is evaluated again.

    Raises ExpressionError.
    """
    computed = group.computed
    assert computed is not None
    value = evaluate(context, computed.text).value
    stop = min(stop, children_of(min(computed.length, len(value.numbers)), group))
    make = _row if group.kind is GroupKind.ROWS else _element
    return [make(group, value, number, notation) for number in range(start, stop)]


def _row(group: Group, value: Value, number: int, notation: str | None) -> Item:
    computed = group.computed
    assert computed is not None
    first = ROW * number
    count = min(ROW, computed.length - first)
    numbers = value.numbers[first : first + count]
    part = Value(numbers, value.kind, True)
    name = f"[{first}..{first + count - 1}]"
    opened = Computed(computed.text, first, count)
    return Item(
        name,
        _text(part, notation),
        _type(part),
        f"({computed.text}){name}",
        Group(GroupKind.ELEMENTS, computed=opened),
        0,
        count,
        kind="virtual",
    )


def _element(group: Group, value: Value, number: int, notation: str | None) -> Item:
    computed = group.computed
    assert computed is not None
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

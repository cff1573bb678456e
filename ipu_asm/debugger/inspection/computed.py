"""Items of computed values, which have no location."""

from __future__ import annotations

from ipu_asm.debugger.expressions import (
    NOTATIONS,
    Context,
    Value,
    evaluate,
    parse,
    text_of,
)
from ipu_asm.debugger.inspection.items import ROW, children_of
from ipu_asm.debugger.inspection.model import Computed, Group, GroupKind, Item


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
    """Return the item of a computed value."""
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

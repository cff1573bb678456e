"""Values as text: scalars in a line, vectors as tables with colours."""

from __future__ import annotations

import math
from itertools import groupby
from typing import Final, Iterator

from ipu_asm.cli.run.interactive.session import Session, Style
from ipu_asm.debugger.expressions import (
    ExpressionError,
    Location,
    Result,
    Space,
    Value,
    element_text,
    evaluate,
)
from ipu_asm.debugger.expressions.context import read
from ipu_asm.debugger.expressions.machine_view import location_text
from ipu_asm.debugger.inspection.bundle_values import operand_value
from ipu_asm.emulator.element_types import MASK
from ipu_asm.expressions.arithmetic import Number
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span

MAX_ELEMENTS: Final = 4_096
"""Limit on the elements of a table."""
_FEW: Final = 4
_MOST_IN_A_ROW: Final = 16
_GAP: Final = " "


class _Cell(NamedTuple):
    text: str
    style: Style | None


def value_text(session: Session, text: str) -> str:
    """Return an expression with its value, of a vector all elements. Raises ExpressionError."""
    seen = operand_value(session.debugger, session.context, text)
    if seen is not None:
        return f"{text.strip()} = {seen}"
    result = evaluate(session.context, text)
    value = result.value
    if not value.is_vector or len(value.numbers) <= _FEW or value.kind == MASK:
        item = session.inspector.item_of(text)
        return f"{text.strip()} = {item.value}"
    count = len(value.numbers)
    if count > MAX_ELEMENTS:
        raise ExpressionError(
            f"a table has up to {MAX_ELEMENTS:,} elements, found {count:,}: "
            "take a part, as in `[0..127]`",
            Span(0, len(text)),
        )
    return vector_text(session, text.strip(), result)


def vector_text(session: Session, name: str, result: Result) -> str:
    """Return a vector as a table under a heading with type, extent and number of changes."""
    changed = _changed(session, result)
    cells = [
        _Cell(shown, _style(number, index in changed))
        for index, (number, shown) in enumerate(zip(result.value.numbers, _texts(result)))
    ]
    heading = session.screen.paint(f"{name}: {_summary(result.value, len(changed))}", Style.HEADING)
    return "\n".join([heading, *_rows(session, cells, _names(session, result))])


def _texts(result: Result) -> list[str]:
    numbers, kind, notation = result.value.numbers, result.value.kind, result.notation
    if result.value.raw_bits is not None and kind is not None and notation not in (None, "d"):
        numbers, kind = result.value.raw_bits, kind.unsigned()
    return [element_text(number, kind, notation) for number in numbers]


def _summary(value: Value, changed: int) -> str:
    numbers, kind = value.numbers, value.kind
    parts = [f"{len(numbers)} values" if kind is None else f"{len(numbers)} x {kind.name}"]
    ordered = [number for number in numbers if number == number]
    if ordered:
        least, most = (element_text(each, kind) for each in (min(ordered), max(ordered)))
        parts += [f"all {least}"] if least == most else [f"min {least}", f"max {most}"]
    if len(ordered) < len(numbers):
        parts.append(f"{len(numbers) - len(ordered)} NaN")
    if changed:
        parts.append(f"{changed} changed")
    return ", ".join(parts)


def _changed(session: Session, result: Result) -> frozenset[int]:
    """The elements that differ from the previous stop."""
    past = session.comparison.past
    if past is None or result.location is None:
        return frozenset()
    now, before = read(session.context, result.location), read(past, result.location)
    new, old = now.raw_bits or now.numbers, before.raw_bits or before.numbers
    return frozenset(index for index, pair in enumerate(zip(new, old)) if pair[0] != pair[1])


def _style(number: Number, is_changed: bool) -> Style | None:
    if not math.isfinite(number):
        return Style.SPECIAL
    if is_changed:
        return Style.CHANGED
    if number < 0:
        return Style.NEGATIVE
    return None if number else Style.FAINT


def _names(session: Session, result: Result) -> Iterator[str]:
    """Yield the name of each element, for the head of its row."""
    location: Location | None = result.location
    if location is None:
        yield from (f"[{index}]" for index in range(len(result.value.numbers)))
        return
    written = location_text(location, session.context.view)
    is_memory = location.space is Space.MEMORY
    for name, _ in written.elements(0, location.elements):
        yield name.strip("[]") if is_memory else name


def _rows(session: Session, cells: list[_Cell], names: Iterator[str]) -> Iterator[str]:
    """Yield the rows; a star stands for rows that are like the one above."""
    paint, heads = session.screen.paint, list(names)
    head, wide = max(map(len, heads)), max(len(cell.text) for cell in cells)
    room = session.screen.width - head - 1
    count = _MOST_IN_A_ROW
    while count > 1 and count * (wide + len(_GAP)) > room:
        count //= 2
    rows = [(heads[at], tuple(cells[at : at + count])) for at in range(0, len(cells), count)]
    for row, same in groupby(rows, key=lambda named: named[1]):
        repeated = list(same)
        shown = "".join(_GAP + paint(cell.text.rjust(wide), cell.style) for cell in row)
        yield f"{paint(repeated[0][0].rjust(head), Style.FAINT)} {shown}"
        if len(repeated) > 2:
            yield f"{'*'.rjust(head)} {_GAP}up to {repeated[-1][0]}"
        elif len(repeated) == 2:
            yield f"{paint(repeated[1][0].rjust(head), Style.FAINT)} {shown}"

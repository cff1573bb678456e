"""What is shown when the machine has stopped: why, where, the source, the bundle, the displays."""

from __future__ import annotations

import math
import re
from itertools import groupby
from typing import Final, Iterator, Sequence

from ipu_asm.cli.run.interactive.session import HALTED, Screen, Session, Style
from ipu_asm.debugger.breakpoints import Stop
from ipu_asm.debugger.console import instruction_text
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
from ipu_asm.debugger.inspection import row_length
from ipu_asm.debugger.inspection.bundle_values import (
    InstructionValues,
    bundle_values,
    operand_value,
)
from ipu_asm.diagnostics.rendering import printable
from ipu_asm.emulator.element_types import MASK
from ipu_asm.emulator.stops import StopReason
from ipu_asm.expressions import Number
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.source_map import MAIN
from ipu_asm.text import Span

SOURCE_LINES: Final = 7
SIDE_BY_SIDE: Final = 120
"""Columns of a terminal in which the source and the bundle have room beside each other."""

_BLANKS: Final = re.compile(r"(?<=[^\s>\d]) {2,}")
_GAP: Final = " | "
_INDENT: Final = "  "
_SILENT: Final = (StopReason.STEP, StopReason.ENTRY)
_BAD: Final = (StopReason.FAULT, StopReason.ASSERTION, StopReason.CYCLE_LIMIT)


def show_stop(session: Session, stop: Stop) -> None:
    """Show a stop: its cause, then what the view of the session has, then the displays."""
    hit = session.table.stopped_by(stop.hits)
    names = ", ".join(f"{entry.kind} {entry.number}" for entry in hit)
    if stop.reason is StopReason.BREAKPOINT:
        session.screen.show(view_text(session, session.view, names or stop.description))
    else:
        session.screen.show(_cause(session, stop, names))
        session.screen.show(view_text(session, session.view))
    show_displays(session)


def show_displays(session: Session) -> None:
    """Show the values of the expressions that are shown at each stop."""
    for number, text in session.displays.items():
        try:
            shown = value_text(session, text)
        except ExpressionError as error:
            shown = f"{text}: {error.message}"
        session.screen.show(f"{number}: {shown}")


def view_text(session: Session, view: str, cause: str = "") -> str:
    """Return what one of `VIEWS` shows of the current bundle.

    `cause` is a short cause of the stop, which is put in front.
    """
    shown = session.screen.paint(cause, Style.STOP)
    lines = [f"{shown}, {_where(session)}" if cause else _where(session)]
    if session.debugger.state.is_halted:
        return lines[0]
    width = session.screen.width
    if view == "line":
        lines += source_lines(session, session.address, 1, width)
    elif view == "source":
        lines += source_lines(session, session.address, SOURCE_LINES, width)
    elif view == "bundle":
        lines += _slots(session, width)
    else:
        lines += _full(session, width)
    return "\n".join(lines)


def source_lines(
    session: Session, address: int, count: int, width: int, *, has_color: bool = True
) -> list[str]:
    """Return `count` source lines around a bundle, cut at `width`; `=>` marks those of the bundle.

    More lines are returned if the bundle has more. There are none for a bundle without a source.
    """
    place = session.debugger.lines.place(address)
    if place is None or place.path != MAIN:
        return []
    before = max(0, (count - (place.end_line - place.line + 1)) // 2)
    first = max(1, place.line - before)
    last = max(place.end_line, first + count - 1)
    marked = place.line, place.end_line
    return numbered_lines(session, first, last, width, marked, has_color=has_color)


def numbered_lines(
    session: Session,
    first: int,
    last: int,
    width: int,
    marked: tuple[int, int] = (0, -1),
    *,
    has_color: bool = True,
) -> list[str]:
    """Return source lines from `first` to `last`, both from 1; `=>` marks a range of them."""
    source = session.debugger.lines.source
    last = min(last, len(source.lines.starts))
    digits, found = len(str(last)), []
    for number in range(first, last + 1):
        start, end = source.lines.line_span(number - 1)
        text = printable(source.text[start:end].rstrip().expandtabs(4))
        is_here = marked[0] <= number <= marked[1]
        line = f"{'=>' if is_here else '  '} {number:>{digits}}  {text}".rstrip()
        line = cut(line, width)
        found.append(session.screen.paint(line, Style.HERE) if is_here and has_color else line)
    return found


def _cause(session: Session, stop: Stop, hit: str) -> str:
    if stop.reason in _SILENT:
        return ""
    style = Style.FAULT if stop.reason in _BAD else Style.STOP
    return session.screen.paint(f"{hit}: {stop.description}" if hit else stop.description, style)


def _where(session: Session) -> str:
    debugger, paint = session.debugger, session.screen.paint
    cycle = f"cycle {debugger.cycle:,}"
    if debugger.state.is_halted:
        ended = "" if session.stop.reason not in HALTED else "; `back`, `rc` and `restart` go back"
        return paint(f"{cycle}, halted{ended}", Style.HEADING)
    return paint(f"{cycle}, {debugger.lines.describe(session.address)}", Style.HEADING)


def _full(session: Session, width: int) -> list[str]:
    """The source beside the bundle; one above the other where there is no room."""
    if width < SIDE_BY_SIDE:
        source = source_lines(session, session.address, SOURCE_LINES, width)
        return [*source, *_slots(session, width)]
    most, rows = width - len(_GAP), slot_rows(session)
    room = max(most - widest(rows), most * 2 // 5)
    left = _plain_source(session, room)
    left_width = max((len(line) for line, _ in left), default=0)
    right = slot_lines(rows, session.screen, most - left_width)
    height = max(len(left), len(right))
    left += [("", False)] * (height - len(left))
    right += [""] * (height - len(right))
    paint = session.screen.paint
    return [
        f"{paint(text.ljust(left_width), Style.HERE if here else None)}{_GAP}{slot}".rstrip()
        for (text, here), slot in zip(left, right)
    ]


def _slots(session: Session, width: int) -> list[str]:
    lines = slot_lines(slot_rows(session), session.screen, width - len(_INDENT))
    return [_INDENT + line for line in lines]


def cut(line: str, width: int) -> str:
    """Return a line of at most so many columns."""
    return line if len(line) <= width else f"{line[: width - 3]}..."


def _plain_source(session: Session, width: int) -> list[tuple[str, bool]]:
    """The source lines without colours, each with whether it is one of the bundle."""
    lines = source_lines(session, session.address, SOURCE_LINES, 1 << 16, has_color=False)
    # Columns of operands are 20 wide in many kernels: without them there is room for both sides.
    narrow = [_BLANKS.sub(" ", line) for line in lines]
    return [(cut(line, width), line.startswith("=>")) for line in narrow]


_SLOT_GAP: Final = "  "
_MIN_VALUES: Final = 24
"""Columns that values need beside the instructions; with fewer they are below."""


class SlotRow(NamedTuple):
    """An instruction of the bundle; `values` says what its operands see, without colours."""

    slot: str
    code: str
    values: str


def slot_rows(session: Session) -> list[SlotRow]:
    """Return the instructions of the next bundle that do something, in order of execution."""
    debugger, address = session.debugger, session.address
    labels = {at: name for name, at in debugger.program.label_addresses.items()}
    return [
        SlotRow(
            each.instruction.slot.name,
            instruction_text(each.instruction, address, labels),
            ", ".join(_values(each)),
        )
        for each in bundle_values(debugger, session.context, address)
    ]


def widest(rows: Sequence[SlotRow]) -> int:
    """Return the columns that rows take if none is broken."""
    slots, codes = _columns(rows)
    return slots + codes + max((len(row.values) for row in rows), default=0) + 2 * len(_SLOT_GAP)


def slot_lines(rows: Sequence[SlotRow], screen: Screen, width: int) -> list[str]:
    """Return rows as text; values are broken into lines of at most `width` columns."""
    slots, codes = _columns(rows)
    beside = slots + codes + 2 * len(_SLOT_GAP)
    is_beside = width - beside >= _MIN_VALUES
    indent = beside if is_beside else slots + 2 * len(_SLOT_GAP)
    lines = []
    for row in rows:
        head = (
            f"{screen.paint(row.slot.ljust(slots), Style.SLOT)}{_SLOT_GAP}{row.code.ljust(codes)}"
        )
        values = list(_wrapped(row.values, width - indent))
        if is_beside and values:
            lines.append(f"{head}{_SLOT_GAP}{values.pop(0)}".rstrip())
        else:
            lines.append(head.rstrip())
        lines += [" " * indent + value for value in values if value]
    return lines


def _columns(rows: Sequence[SlotRow]) -> tuple[int, int]:
    """The widths of the columns for slots and instructions."""
    slots = max((len(row.slot) for row in rows), default=0)
    return slots, max((len(row.code) for row in rows), default=0)


def _wrapped(values: str, width: int) -> Iterator[str]:
    """Yield a list of values in lines, broken after commas."""
    line = ""
    for part in values.split(", "):
        longer = f"{line}, {part}" if line else part
        if line and len(longer) >= width:
            yield f"{line},"
            longer = part
        line = longer
    yield line


def _values(shown: InstructionValues) -> Iterator[str]:
    yield from (f"{name} {value}" for name, value in shown.registers.items())
    yield from (f"{name} (old)" for name in shown.old_vectors)
    if shown.is_faulting:
        yield "faults"
    if shown.memory is not None:
        yield f"xmem[{shown.memory[0]:#x} .. +{shown.memory[1]}]"


MAX_ELEMENTS: Final = 4_096
"""Limit on the elements of a table."""

_MAX_IN_LINE: Final = 4
_MAX_IN_A_ROW: Final = 16
_CELL_GAP: Final = " "


class _Cell(NamedTuple):
    text: str
    style: Style | None


def value_text(session: Session, text: str) -> str:
    """Return an expression with its value, of a vector all elements. Raises ExpressionError."""
    seen = operand_value(session.debugger, session.context, text)
    if seen is not None:
        return f"{text.strip()} = {seen}"
    blocks = session.debugger.state.block_numbers().get(text.strip().lower())
    if blocks is not None:
        lines = (" ".join(f"{number:>10.6g}" for number in block) for block in blocks)
        return "\n".join(
            [f"{text.strip()}: {len(blocks)} blocks of numbers, a block a row", *lines]
        )
    result = evaluate(session.context, text)
    value = result.value
    if not value.is_vector or len(value.numbers) <= _MAX_IN_LINE or value.kind == MASK:
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
    changed = _changed_elements(session, result)
    cells = [
        _Cell(shown, _cell_style(number, index in changed))
        for index, (number, shown) in enumerate(zip(result.value.numbers, _texts(result)))
    ]
    heading = session.screen.paint(f"{name}: {_summary(result.value, len(changed))}", Style.HEADING)
    location, model = result.location, session.debugger.model
    row = row_length(location, model) if location is not None else _MAX_IN_A_ROW
    return "\n".join([heading, *_rows(session, cells, _names(session, result), row)])


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


def _changed_elements(session: Session, result: Result) -> frozenset[int]:
    """The elements that differ from the previous stop."""
    past = session.comparison.past
    if past is None or result.location is None:
        return frozenset()
    now, before = read(session.context, result.location), read(past, result.location)
    new, old = now.raw_bits or now.numbers, before.raw_bits or before.numbers
    return frozenset(index for index, pair in enumerate(zip(new, old)) if pair[0] != pair[1])


def _cell_style(number: Number, is_changed: bool) -> Style | None:
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


def _rows(session: Session, cells: list[_Cell], names: Iterator[str], count: int) -> Iterator[str]:
    """Yield rows of up to `count` cells; a star replaces rows that are like the one above."""
    paint, heads = session.screen.paint, list(names)
    head, wide = max(map(len, heads)), max(len(cell.text) for cell in cells)
    room = session.screen.width - head - 1
    while count > 1 and count * (wide + len(_CELL_GAP)) > room:
        count //= 2
    rows = [(heads[at], tuple(cells[at : at + count])) for at in range(0, len(cells), count)]
    for row, same in groupby(rows, key=lambda named: named[1]):
        repeated = list(same)
        shown = "".join(_CELL_GAP + paint(cell.text.rjust(wide), cell.style) for cell in row)
        yield f"{paint(repeated[0][0].rjust(head), Style.FAINT)} {shown}"
        if len(repeated) > 2:
            yield f"{'*'.rjust(head)} {_CELL_GAP}up to {repeated[-1][0]}"
        elif len(repeated) == 2:
            yield f"{paint(repeated[1][0].rjust(head), Style.FAINT)} {shown}"

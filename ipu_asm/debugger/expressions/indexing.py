"""Evaluation of index brackets: elements of a vector, or bytes of xmem."""

from __future__ import annotations

from typing import Callable

from ipu_asm.debugger.expressions.location import MAX_ELEMENTS, Location, Space
from ipu_asm.debugger.expressions.machine_view import MachineView
from ipu_asm.emulator.element_types import ElementType
from ipu_asm.expressions.errors import ExpressionError, number_text
from ipu_asm.expressions.tree import IndexRange, Node
from ipu_asm.text import Span, counted

Whole = Callable[[Node], int]
"""Evaluates a tree to a whole number."""


def bounds(part: IndexRange, length: int, whole: Whole) -> tuple[int, int | None]:
    """Return first element and element count, None for a single one. Raises ExpressionError."""
    first = whole(part.first)
    if not 0 <= first < length:
        message = f"an index is 0 to {length - 1}, found {number_text(first)}"
        raise ExpressionError(message, part.first.span)
    if part.last is None and part.length is None:
        return first, None
    count = _count(part, first, whole)
    if first + count > length:
        span = (part.last or part.length or part.first).span
        message = f"a slice ends at {length - 1} at the latest, found {first + count - 1}"
        raise ExpressionError(message, span)
    return first, count


def memory_slice(view: MachineView, part: IndexRange, kind: ElementType, whole: Whole) -> Location:
    """Return the location of elements of xmem; both ends are byte addresses, `+` counts elements.

    Raises ExpressionError.
    """
    first = whole(part.first)
    count = None
    if part.last is not None:
        size = _count(part, first, whole)
        count, rest = divmod(size, kind.size)
        if rest:
            message = f"a slice of `{kind.name}` has a multiple of {kind.size} bytes"
            raise ExpressionError(f"{message}, found {size}", part.last.span)
    elif part.length is not None:
        count = _count(part, first, whole)
    location = view.memory_location(first, kind, count)
    if location is None:
        size = kind.size * (count or 1)
        message = f"an address lies within the {view.model.memory_size:#x} bytes of xmem"
        at = f"{first:#x}" if 0 <= first < 1 << 64 else number_text(first)
        found = f"found {counted(size, 'byte')} at {at}"
        raise ExpressionError(f"{message}, {found}", part.first.span)
    return location


def reinterpreted(location: Location, kind: ElementType, span: Span) -> Location:
    """Return the same bytes as elements of another type. Raises ExpressionError."""
    other = location.reinterpreted(kind)
    if other is None and location.space is Space.SCALARS:
        message = f"a 32-bit register is read as i32, u32 or f32, found `{kind.name}`"
        raise ExpressionError(f"{message}; `& 0xff` takes its low byte", span)
    if other is None:
        message = f"`{kind.name}` reads multiples of {kind.size} bytes"
        raise ExpressionError(
            f"{message}, found {location.elements} of `{location.kind.name}`", span
        )
    return other


def _count(part: IndexRange, first: int, whole: Whole) -> int:
    if part.length is not None:
        count, span = whole(part.length), part.length.span
        if count < 1:
            message = f"a slice has at least one element, found {number_text(count)}"
            raise ExpressionError(message, span)
    else:
        assert part.last is not None
        last, span = whole(part.last), part.last.span
        if last < first:
            found = f"{number_text(first)} .. {number_text(last)}"
            message = f"a slice ends where it starts or later, found {found}"
            raise ExpressionError(message, span)
        count = last - first + 1
    if count > MAX_ELEMENTS:
        message = f"a slice has at most {MAX_ELEMENTS:,} elements, found {number_text(count)}"
        raise ExpressionError(message, span)
    return count

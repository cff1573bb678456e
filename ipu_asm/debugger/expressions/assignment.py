"""Assignment to registers, elements, slices, bits of masks and memory."""

from __future__ import annotations

from itertools import pairwise
from typing import Callable, Final, Sequence

from ipu_asm.debugger.expressions.context import Context, Writable, read
from ipu_asm.debugger.expressions.evaluator import Evaluator
from ipu_asm.debugger.expressions.machine_view import Location, Space
from ipu_asm.debugger.expressions.values import Value
from ipu_asm.debugger.regions import Region
from ipu_asm.expressions import Number
from ipu_asm.expressions.parser import Token, parse, tokens_of
from ipu_asm.expressions.tree import ExpressionError, quoted
from ipu_asm.text import Span

Edit = Callable[[Region, bytes], None]

_OPERATORS: Final = frozenset(("+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>"))


def split_assignment(text: str) -> tuple[str, str] | None:
    """Split `lr0 = 5` at its `=` into two expressions; None if the text has no `=`.

    The second expression is padded with blanks, so that its spans are offsets into `text`. Raises
    ExpressionError.
    """
    tokens = tokens_of(text)
    _check_written_out(text, tokens)
    for token in tokens:
        if token.kind == "sign" and token.text == "=":
            if not text[: token.span.start].strip():
                message = "`=` takes a register, an element, a slice or xmem before it, found none"
                raise ExpressionError(message, token.span)
            # Blanks keep the offsets of the second expression.
            return text[: token.span.start], " " * token.span.end + text[token.span.end :]
    return None


def _check_written_out(text: str, tokens: Sequence[Token]) -> None:
    """Raise ExpressionError for `lr0 += 5` and `lr0++`."""
    for before, token in pairwise(tokens):
        is_increment = before.text == token.text in ("+", "-") and tokens[-2] is token
        if before.text in _OPERATORS and (token.text == "=" or is_increment):
            target = text[: before.span.start].strip()
            operand = "1" if is_increment else text[token.span.end :].strip()
            message = f"no operator is called `{before.text}{token.text}`"
            remedy = f"write {quoted(f'{target} = {target} {before.text} {operand}')}"
            raise ExpressionError(f"{message}; {remedy}", Span(before.span.start, token.span.end))


def assign(context: Writable, target_text: str, value_text: str) -> Value:
    """Assign the value of one expression to the location of another; returns the new value there.

    A single value fills a slice. Nothing is written unless every element fits. Raises LocationError
    with a span in `target_text`, or ExpressionError with a span in `value_text`.
    """
    return assign_with(context.edit, context, target_text, value_text)


def assign_with(edit: Edit, context: Context, target_text: str, value_text: str) -> Value:
    """Assign by a function that overwrites a region; otherwise like `assign`.

    With `Debugger.edit`, the history of the debugger replays the assignment.
    """
    location = writable_location(context, target_text)
    parsed = parse(value_text)
    if parsed.formats:
        raise ExpressionError(
            "a value to assign cannot have a format; remove it", parsed.formats[0].span
        )
    value = Evaluator(context).evaluate(parsed.node).value
    try:
        edit(*edit_of(context, location, value))
    except ValueError as error:
        raise ExpressionError(str(error), parsed.node.span) from None
    return read(context, location)


class LocationError(ExpressionError):
    """The expression on the left is wrong, or its value has no location that can be written."""


def writable_location(context: Context, text: str) -> Location:
    """Return the writable location of an expression. Raises LocationError."""
    try:
        parsed = parse(text)
        location = Evaluator(context).location(parsed.node)
    except ExpressionError as error:
        raise LocationError(error.message, error.span) from None
    if location is None or location.space is Space.CYCLE:
        found = "`cycle`" if location is not None else "a computed value"
        raise LocationError(
            f"a value goes into a register, an element, a slice or xmem, found {found}",
            parsed.node.span,
        )
    if parsed.formats:
        raise LocationError(
            "a register or place to assign to cannot have a format; remove it",
            parsed.formats[0].span,
        )
    return location


def write(context: Writable, location: Location, value: Value) -> None:
    """Write a value to a location. Raises ValueError, with nothing written, if it does not fit."""
    context.edit(*edit_of(context, location, value))


def edit_of(context: Context, location: Location, value: Value) -> tuple[Region, bytes]:
    """Return the region and the bytes that store a value at a location.

    Floats read from a location of the same type keep their bits, NaN payloads included. Raises
    ValueError if the value does not fit.
    """
    numbers, kind = value.numbers, location.kind
    if value.kind == kind and value.raw_bits is not None:
        numbers, kind = value.raw_bits, kind.unsigned()
    numbers = _fitted(location, value._replace(numbers=numbers))
    where = context.view.region_of(location)
    if location.space is Space.BITS:
        return where, _with_bits(context, location, numbers)
    if location.space is Space.PC:
        return where, _address(context, numbers[0]).to_bytes(where.size, "little")
    return where, b"".join(map(kind.encode, numbers))


_SINGLE: Final = "a single value"


def _fitted(location: Location, value: Value) -> tuple[Number, ...]:
    """One number for each element of the location. Raises ValueError for another length."""
    if not value.is_vector:
        return value.numbers * location.elements
    if location.length != len(value.numbers):
        wanted = _SINGLE if location.length is None else f"{location.length} values or a single one"
        raise ValueError(f"this place takes {wanted}, found {value.describe()}")
    return value.numbers


def _address(context: Context, number: Number) -> int:
    limit = context.view.model.program_limit
    if not isinstance(number, int) or not 0 <= number < limit:
        raise ValueError(f"`pc` holds 0 to {limit - 1}, found {Value((number,)).describe()}")
    return int(number)


def _with_bits(context: Context, location: Location, numbers: Sequence[Number]) -> bytes:
    """The bytes of the region around some bits of a mask, with these bits replaced."""
    bits = 0
    for position, number in enumerate(numbers):
        bits |= location.kind.encode(number)[0] << position
    first = location.start // 8
    last = (location.start + location.elements - 1) // 8 + 1
    shift = location.start % 8
    old = int.from_bytes(context.block[first:last], "little")
    kept = old & ~((1 << location.elements) - 1 << shift)
    return (kept | bits << shift).to_bytes(last - first, "little")

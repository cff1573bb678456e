"""The `diff` command: elements of the machine compared with those of a file."""

from __future__ import annotations

import re
from typing import Final

from ipu_asm.debugger.console.command_io import CommandResult
from ipu_asm.debugger.debugger import Debugger
from ipu_asm.debugger.expressions import ExpressionError, LiveContext, evaluate, quoted
from ipu_asm.debugger.expressions.context import content_at
from ipu_asm.debugger.expressions.machine_view import location_text
from ipu_asm.debugger.inspection.texts import (
    amount_text,
    count_text,
    element_difference,
    element_texts,
)
from ipu_asm.expressions.parser import parse
from ipu_asm.text import Span

_MOST_SHOWN: Final = 16
_FROM: Final = re.compile(r"\s+from\s+(\d{1,9})\s*$", re.ASCII)


def diff(debugger: Debugger, context: LiveContext, argument: str) -> CommandResult:
    """Compare a vector with a file. Raises ExpressionError."""
    end = _end_of_vector(argument)
    file, first = _file_and_first(argument[end:])
    place, name = argument[:end], file.strip("\"'")
    if not name:
        message = "`diff` takes a vector and a file, as in `diff acc expected.npy`, found no file"
        raise ExpressionError(message, Span(len(argument), len(argument)))
    location = evaluate(context, place).location
    if location is None or location.length is None or not location.has_bytes:
        message = "`diff` compares several elements of a register or of xmem, as in "
        message += f"`acc` or `xmem[0 .. +16]`, found {quoted(place.strip())}"
        raise ExpressionError(message, Span(0, end))
    start = argument.index(name, end)
    try:
        expected = debugger.options.read_expected(name, location, context.view)
    except ExpressionError as error:
        raise ExpressionError(error.message, Span(start, start + len(name))) from error
    found = content_at(context, location)
    kind, label = location.kind, place.strip()
    difference = element_difference(name, kind, found, expected)
    heading = f"{label} and {name}: {count_text(difference, difference.texts)}"
    differing = [index for index in difference.differing if index >= first]
    if not differing:
        behind = f"; none from element {first} on" if difference.differing else ""
        return CommandResult(f"{heading}{behind}")
    elements = location_text(location, context.view).elements(0, location.elements)
    names = [expression for _, expression in elements]
    numbers, texts = kind.decode(found), element_texts(kind, found, None)
    lines = [heading]
    for index in differing[:_MOST_SHOWN]:
        amount = amount_text(numbers[index], difference.expected[index])
        by = f" ({amount})" if amount else ""
        lines.append(f"  {names[index]} is {texts[index]}, expected {difference.texts[index]}{by}")
    rest = differing[_MOST_SHOWN:]
    if rest:
        command = f"diff {label} {file} from {rest[0]}"
        lines.append(f"  and {len(rest):,} more: `{command}` shows the next of them")
    lines.append(f"`who {names[differing[0]]}` tells which instruction wrote the first of them")
    return CommandResult("\n".join(lines))


def _file_and_first(text: str) -> tuple[str, int]:
    """Return the name of a file, and the element from which differences are shown."""
    match = _FROM.search(text)
    return (text.strip(), 0) if match is None else (text[: match.start()].strip(), int(match[1]))


def _end_of_vector(argument: str) -> int:
    """Return where the file begins, whose path may look like an operator: behind an expression.

    Raises ExpressionError where nothing is one.
    """
    error: ExpressionError | None = None
    for blank in (*re.finditer(r"(?<=\S)\s+", argument), None):
        end = len(argument) if blank is None else blank.start()
        try:
            parse(argument[:end])
        except ExpressionError as found:
            error = error or found
        else:
            return end
    assert error is not None
    raise error

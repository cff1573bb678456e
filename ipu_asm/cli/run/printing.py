"""The option `--print` of `ipu-run`: values after the run, in the expressions of the debugger."""

from __future__ import annotations

import math
import re
from typing import Any, Sequence

from ipu_asm.debugger.expressions import NOTATIONS, Context, ExpressionError, element_text, evaluate
from ipu_asm.debugger.expressions.evaluator import Result
from ipu_asm.debugger.expressions.machine_view import MachineNames
from ipu_asm.debugger.expressions.names import check_names
from ipu_asm.named_tuple import NamedTuple

_FORMAT = re.compile(r"(.+?)\s*:\s*([A-Za-z]\w*)\s*", re.DOTALL)
_ROW = 16


class PrintedValue(NamedTuple):
    """An expression as it was written, and its value; or the message, if it has none."""

    text: str
    result: Result | None
    message: str = ""

    @property
    def lines(self) -> list[str]:
        """The text for people, none without a value; long vectors are in rows of 16 elements."""
        if self.result is None:
            return []
        value, notation = self.result.value, self.result.notation
        if not value.is_vector or len(value.numbers) <= _ROW:
            return [f"{self.text} = {self.result.text(None)}"]
        cells = _cells(self.result, notation)
        width = max(map(len, cells))
        rows = range(0, len(cells), _ROW)
        return [
            f"{self.text} =",
            *(
                f"{row:>5}: " + " ".join(cell.rjust(width) for cell in cells[row : row + _ROW])
                for row in rows
            ),
        ]

    def json(self) -> Any:
        """The value for JSON: a number, a truth value, a text, or a list of these."""
        if self.result is None:
            return None
        value = self.result.value
        if self.result.notation in ("x", "o", "b"):
            found: list[Any] = _cells(self.result, self.result.notation)
        else:
            found = [_plain(number) for number in value.numbers]
        return found if value.is_vector else found[0]


def debugger_text(text: str, names: MachineNames) -> str:
    """Return an expression of the debugger, with its format after a comma: `r0:i8` is `r0,i8`."""
    formatted = _FORMAT.fullmatch(text)
    if formatted and formatted[2].lower() in (*NOTATIONS, *names.types) and "?" not in formatted[1]:
        return f"{formatted[1]},{formatted[2]}"
    return text


def check_printed(context: Context, texts: Sequence[str]) -> None:
    """Check before the run that the names in expressions exist. Raises `ExpressionError`."""
    for text in texts:
        check_names(context, debugger_text(text, context.view.names))


def printed_values(context: Context, texts: Sequence[str]) -> list[PrintedValue]:
    """Evaluate expressions; those without a value have a message."""
    found = []
    for text in texts:
        try:
            result = evaluate(context, debugger_text(text, context.view.names))
            found.append(PrintedValue(text, result))
        except ExpressionError as error:
            found.append(PrintedValue(text, None, error.message))
    return found


def _cells(result: Result, notation: str | None) -> list[str]:
    """The elements as texts, in a notation of bits if there is one."""
    value = result.value
    numbers, kind = value.numbers, value.kind
    if value.raw_bits is not None and kind is not None and notation in ("u", "x", "o", "b"):
        numbers, kind = value.raw_bits, kind.unsigned()
    return [element_text(number, kind, notation) for number in numbers]


def _plain(number: int | float) -> int | float | str:
    """A number for JSON, which has no NaN and no infinity."""
    return number if math.isfinite(number) else str(number)

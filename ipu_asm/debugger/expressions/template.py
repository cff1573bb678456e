"""Log messages with embedded expressions.

row {lr1} starts at {xmem[lr5 .. +4],x}; braces are written {{ and }}
"""

from __future__ import annotations

import re
from typing import Final

from ipu_asm.debugger.expressions.context import Context
from ipu_asm.debugger.expressions.evaluation import check_format, evaluate_parsed
from ipu_asm.debugger.expressions.evaluator import Evaluator
from ipu_asm.debugger.expressions.machine_view import MachineNames
from ipu_asm.expressions.errors import ExpressionError
from ipu_asm.expressions.parser import parse
from ipu_asm.expressions.tokens import MAX_LENGTH
from ipu_asm.expressions.tree import Parsed
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span

MAX_TEXT: Final = 4096
"""Limit on the characters of a formatted message; longer ones are cut."""
_BRACE: Final = re.compile(r"\{\{|\}\}|\{|\}")


class Template(NamedTuple):
    """A parsed log message: literal texts and the expressions between them."""

    parts: tuple[str | Parsed, ...]

    def text(self, context: Context) -> str:
        """Format the message in a context; an expression with an error gives `{error}`."""
        evaluator = Evaluator(context)
        text = ""
        for part in self.parts:
            text += part if isinstance(part, str) else _value(evaluator, part)
            if len(text) > MAX_TEXT:
                return f"{text[: MAX_TEXT - 1]}…"
        return text


def parse_template(text: str, names: MachineNames) -> Template:
    """Parse the message of a log point: text with expressions in braces.

    `names` are those that the machine defines. Raises ExpressionError with a span in `text`.
    """
    if len(text) > MAX_LENGTH:
        message = f"a message has at most {MAX_LENGTH:,} characters, found {len(text):,}"
        raise ExpressionError(message, Span(MAX_LENGTH, len(text)))
    parts: list[str | Parsed] = []
    offset = 0
    while (brace := _BRACE.search(text, offset)) is not None:
        parts.append(text[offset : brace.start()])
        offset = brace.end()
        if brace.group() == "{":
            end = _closing(text, brace.start())
            parts.append(_expression(text, offset, end, names))
            offset = end + 1
        elif brace.group() == "}":
            message = "a brace that ends no expression is written `}}`, found `}`"
            raise ExpressionError(message, Span(*brace.span()))
        else:
            parts.append(brace.group()[0])
    return Template((*parts, text[offset:]))


def _closing(text: str, opening: int) -> int:
    end = text.find("}", opening)
    if end < 0:
        message = "an expression ends with `}`, found the end; a brace alone is written `{{`"
        raise ExpressionError(message, Span(opening, len(text)))
    return end


def _expression(text: str, start: int, end: int, names: MachineNames) -> Parsed:
    try:
        parsed = parse(text[start:end])
        for name in parsed.formats:
            check_format(name, names)
    except ExpressionError as error:
        raise ExpressionError(error.message, error.span.shifted(start)) from None
    return parsed


def _value(evaluator: Evaluator, parsed: Parsed) -> str:
    try:
        return evaluate_parsed(evaluator, parsed).text()
    except ExpressionError as error:
        return f"{{{error.message}}}"

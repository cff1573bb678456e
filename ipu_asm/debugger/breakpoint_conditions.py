"""Conditions and log messages of breakpoints: validation, and tests of a machine's state."""

from __future__ import annotations

from functools import partial
from typing import Callable, Final

from ipu_asm.debugger.breakpoints import Condition
from ipu_asm.debugger.conditions import ExpressionCondition
from ipu_asm.debugger.expressions import Context, ExpressionError, evaluate_condition
from ipu_asm.debugger.expressions.evaluation import evaluate_parsed
from ipu_asm.debugger.expressions.evaluator import Evaluator
from ipu_asm.debugger.expressions.template import Template, parse_template
from ipu_asm.debugger.expressions.template_names import NamesAtBundle
from ipu_asm.expressions.tree import Parsed

_WORD: Final = (1 << 32) - 1
_PATTERN: Final = bytes(1 + place * 7 % 101 for place in range(1 << 10))
_MAX_SHOWN_LENGTH: Final = 80


class BreakpointError(Exception):
    """The reason why a breakpoint cannot be set."""


def check_condition(context: Context, text: str) -> None:
    """Raise `BreakpointError` for a condition that fails in every state of the machine.

    A condition that only fails in the current state, as a division by a register that is 0 now, is
    accepted: it is evaluated in a second state with other values.
    """
    _check(context, text, lambda where: evaluate_condition(where, text))


def read_log_message(context: Context, message: str) -> Template:
    """Parse the message of a log breakpoint. Raises `BreakpointError` as `check_condition` does."""
    try:
        template = parse_template(message, context.view.names)
    except ExpressionError as error:
        raise BreakpointError(f"the log message: {error.message}") from error
    for part in template.parts:
        if not isinstance(part, str):
            _check(context, message, partial(_value, part))
    return template


def condition_test(
    text: str, context: Callable[[], Context], report: Callable[[str], None]
) -> Condition:
    """Compile a condition. If its evaluation fails, it holds, and `report` gets one message.

    `context` returns the current state of the machine.
    """
    reported = list[str]()

    def fail(error: ExpressionError) -> bool:
        if not reported:
            reported.append(error.message)
            report(f"the condition `{text}` cannot be evaluated: {error.message}")
        return True

    return ExpressionCondition(context, text, on_error=fail)


def _value(parsed: Parsed, where: Context) -> object:
    return evaluate_parsed(Evaluator(where), parsed)


def _check(context: Context, text: str, evaluate: Callable[[Context], object]) -> None:
    mistakes = []
    for where in (context, _AlternativeContext(context)):
        try:
            evaluate(where)
        except ExpressionError as error:
            mistakes.append((error.message, error.span))
        else:
            return
    if mistakes[0] == mistakes[1]:
        shown = text if len(text) <= _MAX_SHOWN_LENGTH else f"{text[:_MAX_SHOWN_LENGTH]}…"
        raise BreakpointError(f"`{shown}`: {mistakes[0][0]}")


class _AlternativeContext:
    """A context with the element type and program of another, but different values.

    Loop variables of a template have one as well: a condition may be about another bundle.
    """

    def __init__(self, context: Context) -> None:
        words, model = context.scalars, context.view.model
        self.view, self.settings = context.view, context.settings
        self.scalars = [word + place + 1 & _WORD for place, word in enumerate(words)]
        if model.type_register is not None:
            place = model.layout.scalar_names.index(model.type_register)
            self.scalars[place] = words[place]
        self.block = bytes(byte + 1 & 0x3F for byte in context.block)
        self.pc = context.pc + 1
        self.cycle = context.cycle + 1
        self.labels = context.labels
        names = context.names
        self.names = names.anywhere if isinstance(names, NamesAtBundle) else names

    def read_memory(self, address: int, size: int) -> bytes:
        """Return `size` bytes, which are the same for every address."""
        del address
        return (_PATTERN * (1 + size // len(_PATTERN)))[:size]

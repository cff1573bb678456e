"""Execution of console input."""

from __future__ import annotations

from typing import Callable

from ipu_asm.debugger.console.command_io import CommandResult
from ipu_asm.debugger.console.commands import invocation
from ipu_asm.debugger.debugger import Debugger
from ipu_asm.debugger.expressions import (
    ExpressionError,
    LiveContext,
    assign_with,
    evaluate,
    split_assignment,
    text_of,
)
from ipu_asm.text import Span


class Console:
    """The debug console of one debugger; `make_context` returns its current context."""

    def __init__(self, debugger: Debugger, make_context: Callable[[], LiveContext]) -> None:
        self._debugger = debugger
        self._make_context = make_context

    def run(self, text: str) -> CommandResult:
        """Execute console input and return its result.

        Raises ExpressionError with a span in `text`, and `Interrupted` if a long search through the
        history is interrupted.
        """
        if not text.strip():
            return CommandResult("")
        context = self._make_context()
        called = invocation(context, text)
        if called is None:
            return self._expression(context, text)
        argument = text[called.start :]
        if not argument.strip() and called.command.needs_argument:
            message = f"expected `{called.command.usage}`, found the end"
            raise ExpressionError(message, Span(len(text), len(text)))
        try:
            return called.command.run(self._debugger, context, argument)
        except ExpressionError as error:
            raise ExpressionError(error.message, error.span.shifted(called.start)) from None

    def _expression(self, context: LiveContext, text: str) -> CommandResult:
        sides = split_assignment(text)
        if sides is not None:
            value = assign_with(self._debugger.edit, context, *sides)
            return CommandResult(text_of(value), changed=True)
        result = evaluate(context, text)
        return CommandResult(result.text(), result=result)

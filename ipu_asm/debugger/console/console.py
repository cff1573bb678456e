"""Execution of console input."""

from __future__ import annotations

import re
from typing import Callable, Collection, Final

from ipu_asm.debugger.console.command_io import CommandResult
from ipu_asm.debugger.console.commands import COMMANDS, invocation
from ipu_asm.debugger.debugger import Debugger
from ipu_asm.debugger.expressions import (
    FUNCTIONS,
    Context,
    ExpressionError,
    LiveContext,
    assign_with,
    evaluate,
    split_assignment,
    text_of,
)
from ipu_asm.debugger.inspection.bundle_values import operand_value
from ipu_asm.debugger.regions import MEMORY
from ipu_asm.diagnostics.suggestions import nearest_of
from ipu_asm.text import Span

_FIRST_WORD: Final = re.compile(r"\s*([A-Za-z?]+)(?![A-Za-z0-9_?])\s*(.?)")
_HELP: Final = "; `help` lists the commands"


class Console:
    """The debug console of one debugger; `make_context` returns its current context."""

    def __init__(self, debugger: Debugger, make_context: Callable[[], LiveContext]) -> None:
        self._debugger = debugger
        self._make_context = make_context

    def run(self, text: str, commands: Collection[str] = COMMANDS) -> CommandResult:
        """Execute console input and return its result.

        `commands` are the names that a misspelt command may mean. Raises ExpressionError with a
        span in `text`, and `Interrupted` if a long search through the history is interrupted.
        """
        if not text.strip():
            return CommandResult("")
        context = self._make_context()
        called = invocation(context, text)
        if called is None:
            try:
                return self._expression(context, text)
            except ExpressionError as error:
                hint = _command_hint(context, text, error.message, commands)
                raise ExpressionError(f"{error.message}{hint}", error.span) from None
        argument = text[called.start :]
        if not argument.strip() and called.command.needs_argument:
            message = f"expected `{called.command.usage}`, found the end"
            raise ExpressionError(message, Span(len(text), len(text)))
        try:
            return called.command.run(self._debugger, context, argument)
        except ExpressionError as error:
            raise ExpressionError(error.message, error.span.shifted(called.start)) from None

    def _expression(self, context: LiveContext, text: str) -> CommandResult:
        seen = operand_value(self._debugger, context, text)
        if seen is not None:
            return CommandResult(seen)
        sides = split_assignment(text)
        if sides is not None:
            value = assign_with(self._debugger.edit, context, *sides)
            return CommandResult(text_of(value), changed=True)
        result = evaluate(context, text)
        return CommandResult(result.text(), result=result)


def _command_hint(context: Context, text: str, message: str, commands: Collection[str]) -> str:
    """Return what a text that is no expression may mean, to follow its message."""
    match = _FIRST_WORD.match(text)
    names = context.view.names
    if match is None or match[1] in (*context.names, *context.labels, *names.constants):
        return ""
    word, following = match.groups()
    if word in FUNCTIONS:
        is_called = not (following.isalnum() or following == "_")
        return "" if is_called else f"; `{word}` takes its argument in parentheses"
    is_named = word.lower() in (*names.known_registers, MEMORY) or "; there are" in message
    if is_named or "did you mean" in message:
        return ""
    near = word.lower() if word.lower() in commands else nearest_of(word.lower(), commands)
    if near is not None:
        return f"; did you mean the command `{near}`?"
    is_command = not following or following.isalnum() or following in "_/"
    return _HELP if is_command and ";" not in message else ""

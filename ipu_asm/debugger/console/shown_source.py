"""The `source` command: the text that positions refer to, a template or its expansion."""

from __future__ import annotations

from ipu_asm.debugger.console.command_io import CommandResult, stripped_span
from ipu_asm.debugger.debugger import Debugger
from ipu_asm.debugger.expressions import ExpressionError, LiveContext, quoted

TEMPLATE = "template"
EXPANSION = "expansion"


def source(debugger: Debugger, context: LiveContext, argument: str) -> CommandResult:
    """Tell which source is shown, or show the other one. Raises ExpressionError."""
    del context
    name = argument.strip()
    if debugger.expansion is None:
        if not name:
            return CommandResult("positions refer to the source of the program")
        raise ExpressionError(
            "the program is not expanded: it has no other source", stripped_span(argument)
        )
    resolvers = {TEMPLATE: debugger.written, EXPANSION: debugger.expansion}
    if name and name not in resolvers:
        message = f"`source` takes {TEMPLATE} or {EXPANSION}, found {quoted(name)}"
        raise ExpressionError(message, stripped_span(argument))
    if name:
        debugger.show(resolvers[name])
    shown = TEMPLATE if debugger.resolver is debugger.written else EXPANSION
    return CommandResult(f"positions refer to the {shown}")

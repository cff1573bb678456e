"""The names in an expression: whether they exist."""

from __future__ import annotations

from typing import Iterator

from ipu_asm.debugger.expressions.context import Context
from ipu_asm.debugger.expressions.functions import FUNCTIONS
from ipu_asm.debugger.expressions.machine_view import LABEL
from ipu_asm.debugger.expressions.names import missing_value_error
from ipu_asm.debugger.regions import MEMORY
from ipu_asm.expressions.parser import parse
from ipu_asm.expressions.tree import Name, Node


def check_names(context: Context, text: str) -> None:
    """Check that an expression is one and has known names, whatever their values are.

    Raises `ExpressionError`.
    """
    names = context.view.names
    given = (*context.labels, *context.names, *context.settings)
    known = {*names.known_registers, *names.constants, *names.types, *FUNCTIONS, MEMORY, LABEL}
    for name in _names(parse(text).node):
        if name.text.lower() not in known and name.text not in given:
            raise missing_value_error(name, names, given)


def _names(node: Node | object) -> Iterator[Name]:
    """Yield the names in a syntax tree, whose nodes are tuples."""
    if isinstance(node, Name):
        yield node
    elif isinstance(node, tuple):
        for part in node:
            yield from _names(part)

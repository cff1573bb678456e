"""Names in expressions: errors about unknown ones, and what an expression reads in every state.

A name may stand for an expression. Names in that expression are not followed any further, which
could take very long.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import Final, Iterable, Iterator, Sequence

from ipu_asm.debugger.expressions.context import Context
from ipu_asm.debugger.expressions.machine_view import LABEL, MachineNames, Space
from ipu_asm.debugger.expressions.program_names import NamesAtBundle
from ipu_asm.debugger.expressions.values import FUNCTIONS
from ipu_asm.debugger.regions import MEMORY
from ipu_asm.diagnostics.suggestions import hint_of
from ipu_asm.expressions.parser import parse
from ipu_asm.expressions.tree import (
    Binary,
    Call,
    ConditionalExpression,
    ExpressionError,
    Index,
    IndexRange,
    ListLiteral,
    Name,
    Node,
    Unary,
    names_in,
    quoted,
)

_MAX_COMPARED: Final = 64
_MAX_MISTYPED: Final = 2


def missing_value_error(node: Name, names: MachineNames, given: Sequence[str]) -> ExpressionError:
    """Return the error for a name without a value; `given` are the names the program defines."""
    if node.text.lower() == MEMORY:
        return ExpressionError(
            "`xmem` takes an address, `xmem[0x100 .. +16]`, found none", node.span
        )
    if node.text in FUNCTIONS or node.text in names.types or node.text == LABEL:
        message = f"`{node.text}` takes its argument in parentheses, found none"
        return ExpressionError(message, node.span)
    file = _register_file(node.text.lower(), names.registers)
    if file is not None:
        message = f"no register is called {quoted(node.text)}; there are {file}"
        return ExpressionError(message, node.span)
    known = (*names.registers, *names.constants, *given, MEMORY)
    return unknown_name_error("register, label or name", node, known)


def unknown_name_error(what: str, node: Name, known: Sequence[str]) -> ExpressionError:
    """Return the error for an unknown name, with a similar known name as suggestion."""
    if node.text.lower() == MEMORY:
        message = "`xmem` takes its address in brackets, `xmem[0x100 .. +16]`, found none"
        return ExpressionError(message, node.span)
    hint = hint_of(node.text, islice(_similar(node.text, known), _MAX_COMPARED))
    return ExpressionError(f"no {what} is called {quoted(node.text)}{hint}", node.span)


def _register_file(word: str, registers: Iterable[str]) -> str | None:
    """Describe the numbered registers that a name is like, ``lr0 to lr15`` for ``lr99``, ``lr``."""
    prefix = word.rstrip("0123456789")
    numbers = [name.removeprefix(prefix) for name in registers if name.startswith(prefix)]
    indices = sorted(int(number) for number in numbers if number.isdecimal())
    return f"{prefix}{indices[0]} to {prefix}{indices[-1]}" if indices else None


def _similar(word: str, names: Sequence[str]) -> Iterator[str]:
    """The names that differ in few letters: a filter, as a program may have a thousand labels."""
    letters = Counter(word)
    for name in names:
        if name and abs(len(name) - len(word)) <= _MAX_MISTYPED:
            missing = letters - Counter(name)
            if missing.total() <= _MAX_MISTYPED:
                yield name


def check_names(context: Context, text: str) -> None:
    """Check the syntax and the names of an expression, but not their values.

    Raises `ExpressionError`.
    """
    names = context.view.names
    given = (*context.labels, *context.names, *context.settings)
    known = {*names.known_registers, *names.constants, *names.types, *FUNCTIONS, MEMORY, LABEL}
    for name in names_in(parse(text).node):
        if name.text.lower() not in known and name.text not in given:
            raise missing_value_error(name, names, given)


def registers_read(context: Context, node: Node, is_inner: bool = False) -> frozenset[str] | None:
    """Return the registers, `xmem` among them, on which the value of a node can depend.

    None if it can change with every bundle. `is_inner`: the node belongs to the expression of a
    name, in which further names of expressions count as changing.
    """
    if isinstance(node, Name):
        return _read_by_name(context, node, is_inner)
    if isinstance(node, Call) and node.name.text == LABEL:
        return frozenset()
    found = frozenset[str]()
    for child in _children(node):
        registers = registers_read(context, child, is_inner)
        if registers is None:
            return None
        found |= registers
    return found


def _read_by_name(context: Context, name: Name, is_inner: bool) -> frozenset[str] | None:
    if name.text.lower() == MEMORY:
        return frozenset((MEMORY,))
    location = context.view.location(name.text)
    if location is not None:
        if location.space in (Space.PC, Space.CYCLE):
            return None
        return frozenset((context.view.region_of(location).name,))
    if _is_value(context, name):
        return frozenset()
    if _is_varying(context, name):
        return None
    note = note_of(context, name)
    if note is None:
        return frozenset()
    return None if is_inner else registers_read(context, note, is_inner=True)


def is_fixed(context: Context, node: Node, is_inner: bool = False) -> bool:
    """Return whether a node, if it is a location, is the same one in every state."""
    if isinstance(node, Name):
        if context.view.location(node.text) is not None:
            return True
        note = None if is_inner else note_of(context, node)
        return note is not None and is_fixed(context, note, is_inner=True)
    if isinstance(node, Index):
        is_memory = isinstance(node.base, Name) and node.base.text.lower() == MEMORY
        return (is_memory or is_fixed(context, node.base, is_inner)) and all(
            registers_read(context, bound, is_inner) == frozenset() for bound in _bounds(node.part)
        )
    if isinstance(node, Call) and node.name.text in context.view.names.types:
        return len(node.arguments) == 1 and is_fixed(context, node.arguments[0], is_inner)
    return False


def note_of(context: Context, name: Name) -> Node | None:
    """Return the expression of a register note, or of a name of a template; None if it has none.

    A name has none, either, that means something else at another bundle.
    """
    if context.view.location(name.text) is not None or _is_value(context, name):
        return None
    if name.text not in context.names or _is_varying(context, name):
        return None
    try:
        return parse(context.names[name.text]).node
    except ExpressionError:
        return None


def _is_value(context: Context, name: Name) -> bool:
    text = name.text.lower()
    return text in context.settings or text in context.view.names.constants


def _is_varying(context: Context, name: Name) -> bool:
    return isinstance(context.names, NamesAtBundle) and name.text in context.names.varying


def _children(node: Node) -> tuple[Node, ...]:
    if isinstance(node, Unary):
        return (node.operand,)
    if isinstance(node, Binary):
        return node.left, node.right
    if isinstance(node, ConditionalExpression):
        return node.condition, node.one, node.other
    if isinstance(node, Index):
        return node.base, *_bounds(node.part)
    if isinstance(node, Call):
        return node.arguments
    return node.items if isinstance(node, ListLiteral) else ()


def _bounds(part: IndexRange) -> tuple[Node, ...]:
    return tuple(each for each in (part.first, part.last, part.length) if each is not None)

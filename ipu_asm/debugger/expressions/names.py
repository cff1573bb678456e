"""Names in expressions: errors about unknown ones, and what an expression reads in every state.

A name may stand for an expression. Names in that expression are not followed any further, which
could take very long.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import Final, Iterable, Iterator, Sequence

from ipu_asm.debugger.expressions.context import Context
from ipu_asm.debugger.expressions.machine_view import LABEL, Location, MachineNames, Space
from ipu_asm.debugger.expressions.program_names import NamesAtBundle
from ipu_asm.debugger.expressions.values import FUNCTIONS
from ipu_asm.debugger.regions import MEMORY
from ipu_asm.diagnostics.suggestions import nearest_of
from ipu_asm.expressions.errors import ExpressionError, quoted
from ipu_asm.expressions.parser import parse
from ipu_asm.expressions.tree import (
    Binary,
    Call,
    ConditionalExpression,
    Index,
    IndexRange,
    ListLiteral,
    Name,
    Node,
    Number,
    Unary,
)


class _VaryingError(Exception):
    """A name whose meaning depends on the bundle, or on itself."""


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
    near = nearest_of(node.text, islice(_similar(node.text, known), _MAX_COMPARED))
    hint = f"; did you mean `{near}`?" if near is not None else ""
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


def is_constant(context: Context, node: Node, is_inner: bool = False) -> bool:
    """Return whether a node has the same value in every state; `is_inner`: that a name has."""
    if isinstance(node, Number):
        return True
    if isinstance(node, Name):
        if node.text.lower() == MEMORY or _location(context, node) is not None:
            return False
        if _is_value(context, node):
            return True
        if node.text in context.names:
            note = None if is_inner else note_of(context, node)
            return note is not None and is_constant(context, note, is_inner=True)
        return node.text in context.labels and not _is_varying(context, node)
    if isinstance(node, Call) and node.name.text == LABEL:
        return True
    return all(is_constant(context, part, is_inner) for part in _parts(node))


def is_fixed(context: Context, node: Node, is_inner: bool = False) -> bool:
    """Return whether a node, if it is a location, is the same one in every state."""
    if isinstance(node, Name):
        if _location(context, node) is not None:
            return True
        note = None if is_inner else note_of(context, node)
        return note is not None and is_fixed(context, note, is_inner=True)
    if isinstance(node, Index):
        is_memory = isinstance(node.base, Name) and node.base.text.lower() == MEMORY
        return (is_memory or is_fixed(context, node.base, is_inner)) and all(
            is_constant(context, bound, is_inner) for bound in _bounds(node.part)
        )
    if isinstance(node, Call) and node.name.text in context.view.names.types:
        return len(node.arguments) == 1 and is_fixed(context, node.arguments[0], is_inner)
    return False


def note_of(context: Context, name: Name) -> Node | None:
    """Return the expression of a register note, or of a name of a template; None if it has none.

    A name has none, either, that means something else at another bundle.
    """
    if _location(context, name) is not None or _is_value(context, name):
        return None
    if name.text not in context.names or _is_varying(context, name):
        return None
    try:
        return parse(context.names[name.text]).node
    except ExpressionError:
        return None


def registers_read(context: Context, node: Node) -> frozenset[str] | None:
    """Return the registers, `xmem` among them, on which the value of a node can depend.

    None if it can change with every bundle.
    """
    try:
        return frozenset(_read(context, node, is_inner=False))
    except _VaryingError:
        return None


def _read(context: Context, node: Node, is_inner: bool) -> Iterator[str]:
    if isinstance(node, Name):
        yield from _read_by_name(context, node, is_inner)
    elif not (isinstance(node, Call) and node.name.text == LABEL):
        for part in _parts(node):
            yield from _read(context, part, is_inner)


def _read_by_name(context: Context, name: Name, is_inner: bool) -> Iterator[str]:
    if name.text.lower() == MEMORY:
        yield MEMORY
        return
    location = _location(context, name)
    if location is not None:
        if location.space in (Space.PC, Space.CYCLE):
            raise _VaryingError
        yield context.view.region_of(location).name
        return
    if not _is_value(context, name) and _is_varying(context, name):
        raise _VaryingError
    note = note_of(context, name)
    if note is not None:
        if is_inner:
            raise _VaryingError
        yield from _read(context, note, is_inner=True)


def _location(context: Context, name: Name) -> Location | None:
    return context.view.location(name.text)


def _is_value(context: Context, name: Name) -> bool:
    """Whether a name is a setting of the host or a constant of the machine."""
    text = name.text.lower()
    return text in context.settings or text in context.view.names.constants


def _is_varying(context: Context, name: Name) -> bool:
    return isinstance(context.names, NamesAtBundle) and name.text in context.names.varying


def _parts(node: Node) -> tuple[Node, ...]:
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

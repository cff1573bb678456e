"""Errors of the expression language for names that have no value or are unknown."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import Final, Iterable, Iterator, Sequence

from ipu_asm.debugger.expressions.functions import FUNCTIONS
from ipu_asm.debugger.expressions.machine_view import LABEL, MachineNames
from ipu_asm.debugger.regions import MEMORY
from ipu_asm.diagnostics.suggestions import nearest_of
from ipu_asm.expressions.errors import ExpressionError, quoted
from ipu_asm.expressions.tree import Name

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

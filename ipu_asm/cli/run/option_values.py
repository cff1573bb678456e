"""Parsers of values on the command line of `ipu-run`: numbers, registers, memory ranges."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from typing import Any, Iterator, Sequence

from ipu_asm.cli.arguments import repeated
from ipu_asm.isa.operands import number_value, quoted

_REGISTERS = 16
_PAIR = re.compile(r"\w+=")
_OPENING, _CLOSING = "([{", ")]}"
_LEAST, _MOST = -(1 << 31), (1 << 32) - 1


def number(text: str) -> int:
    """Return a number in the syntax of assembly. Raises `ArgumentTypeError`."""
    value = number_value(text)
    if value is None:
        raise ArgumentTypeError(
            f"expected a number such as 4096, 0x1000 or 1_000, found {quoted(text)}"
        )
    return value


def register_option(file: str, meaning: str, group: str = "") -> Any:
    """Declare `--cr` or `--lr`; in `meaning`, ``{}`` is the sort of register."""
    title = {"cr": "configuration", "lr": "loop"}[file]
    return repeated(
        f"--{file}",
        type=register_value,
        convert=dict,
        metavar="N=VALUE",
        help=f"{meaning.format(title)}; several may follow",
        group=group,
    )


def joined(
    arguments: Sequence[str], lists: Sequence[str], single: Sequence[str] = ()
) -> Iterator[str]:
    """Yield the arguments with ``--cr 4=64 5=1`` as ``--cr=4=64 --cr=5=1``, for options of `lists`.

    ``--load -@0`` becomes ``--load=-@0``, too: argparse takes ``-@0`` for an option.
    """
    option, rest = "", iter(arguments)
    for argument in rest:
        if argument in lists or argument in single:
            option, value = argument, next(rest, None)
            yield option if value is None else f"{option}={value}"
        elif option in lists and _PAIR.match(argument):
            yield f"{option}={argument}"
        else:
            option = ""
            yield argument


def register_value(text: str) -> tuple[int, int]:
    """Parse `N=VALUE`: the number of a register and its 32 bits, signed or unsigned.

    Returns the value as unsigned. Raises `ArgumentTypeError`.
    """
    name, separator, value_text = text.partition("=")
    index = number_value(name)
    if not separator or index is None:
        raise ArgumentTypeError(f"expected N=VALUE such as 3=0x1000, found {quoted(text)}")
    if not 0 <= index < _REGISTERS:
        raise ArgumentTypeError(f"there are registers 0 to {_REGISTERS - 1}, found {index}")
    value = number(value_text)
    if not _LEAST <= value <= _MOST:
        raise ArgumentTypeError(f"a register has 32 bits, found {quoted(value_text)}")
    return index, value & _MOST


def outside_memory(address: int, length: int | None, size: int) -> str | None:
    """Return the mistake of a range that does not lie in a memory of `size` bytes."""
    if not 0 <= address < size:
        shown = hex(address) if address >= 0 else str(address)
        return f"xmem has {size:#x} bytes, found address {shown}"
    if length is not None and address + length > size:
        return f"xmem has {size:#x} bytes, found {length} bytes at {address:#x}"
    return None


def expressions_in(text: str) -> list[str]:
    """Return the expressions that commas outside of brackets separate. Raises `ArgumentTypeError`.

    A comma in an expression of the debugger begins a format; here a colon does.
    """
    found, depth, start = [], 0, 0
    for at, character in enumerate(f"{text},"):
        depth += (character in _OPENING) - (character in _CLOSING)
        if character == "," and (depth == 0 or at == len(text)):
            found.append(text[start:at].strip())
            start = at + 1
    if not all(found):
        raise ArgumentTypeError(f"expected expressions such as lr4,r0:i8, found {quoted(text)}")
    return found

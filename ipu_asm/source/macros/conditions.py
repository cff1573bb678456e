"""Conditions of `.if` and its variants, and the values of symbols."""

from __future__ import annotations

import re
from typing import Callable, Mapping

from ipu_asm.isa.gnu_expressions import Symbols, evaluate

_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_BLANKS = re.compile(r"[ \t]+")


def is_true(directive: str, text: str, symbols: Symbols) -> bool | None:
    """Return whether a condition holds; None if that is not known.

    `directive` is `.if` or one of its variants, but not one that asks whether a name is defined.
    """
    if directive in _OF_NUMBERS:
        value = evaluate(text, symbols)
        return None if value is None else _OF_NUMBERS[directive](value)
    if directive in (".ifb", ".ifnb"):
        return (not text.strip()) == (directive == ".ifb")
    if directive in (".ifc", ".ifnc"):
        one, comma, other = text.partition(",")
        return (_plain(one) == _plain(other)) == (directive == ".ifc") if comma else None
    strings = _STRING.findall(text)
    return (strings[0] == strings[1]) == (directive == ".ifeqs") if len(strings) == 2 else None


def _plain(text: str) -> str:
    return _BLANKS.sub(" ", text.strip())


_OF_NUMBERS: Mapping[str, Callable[[int], bool]] = {
    ".if": lambda value: value != 0,
    ".elseif": lambda value: value != 0,
    ".ifne": lambda value: value != 0,
    ".ifeq": lambda value: value == 0,
    ".ifgt": lambda value: value > 0,
    ".ifge": lambda value: value >= 0,
    ".iflt": lambda value: value < 0,
    ".ifle": lambda value: value <= 0,
}
IF_DEFINED = {".ifdef": True, ".ifndef": False, ".ifnotdef": False}
"""The directives that ask for a name, and whether they hold if it is defined."""
CONDITIONS = {*_OF_NUMBERS, *IF_DEFINED, ".ifb", ".ifnb", ".ifc", ".ifnc", ".ifeqs", ".ifnes"} - {
    ".elseif"
}
"""All directives that begin a conditional block."""

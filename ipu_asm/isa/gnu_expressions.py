"""Evaluation of GNU-style constant expressions: operands of Colossus, conditions of directives.

Names have no known value here, and a text that is not expanded has more of them than others.
Nothing here raises: an unknown value is `None`; text that cannot be an expression sets `is_broken`.
"""

from __future__ import annotations

import operator
import re
import struct
from functools import lru_cache
from typing import Callable, Mapping

from ipu_asm.named_tuple import NamedTuple

_TOKEN = re.compile(
    r"(?P<number>0[xX][0-9a-fA-F]+|0[bB][01]+(?![0-9a-zA-Z])"
    r"|[0-9]+[bf](?![0-9a-zA-Z_.])"
    r"|(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE][-+]?[0-9]))(?:[eE][-+]?[0-9]+)?[hf]?"
    r"|[0-9]+h?(?![0-9a-zA-Z_.]))"
    r"|(?P<name>[A-Za-z_.][\w.$]*)|(?P<register>\$[\w.$]*)"
    r"|(?P<character>'(?:\\.|[^\\])'?)"
    r"|(?P<mark><<|>>|&&|\|\||[<>=!]=|<>|[-+*/%&|^~!<>()])|(?P<blank>[ ]+)"
)
_LABEL = re.compile(r"[0-9]+[bf]")
_FLOAT = re.compile(r"[0-9]*\.[0-9]*(?:[eE][-+]?[0-9]+)?f?|[0-9]+[eE][-+]?[0-9]+f?")
_HALF = re.compile(r"(?!0[xX])[0-9.]+(?:[eE][-+]?[0-9]+)?h")
# Anchored at word starts: trying every character as a start would take quadratic time.
_CALL = re.compile(r"(?<![\w.$])(?:[^\WA-Za-z_]|\$)*[A-Za-z_.][\w.$]*\(")
_SYMBOL = re.compile(r"(?<![\w.$'\\])[A-Za-z_.$][\w.$]*")
_MACRO_PART = "\\"
_MAX_DEPTH = 40
_MAX_LENGTH = 2_000
_MAX_DIGITS = 40
_MAX_VALUE = 1 << 128
_MAX_SHIFTED = 64
Symbols = Mapping[str, int | None]
"""The values of symbols; None for one whose value is not known."""


class Expression(NamedTuple):
    """The result of reading an operand's text as an expression.

    `value` is None if unknown. `names` are the symbols in it, `register` is the first register.
    `is_opaque`: the text has a macro call or macro argument, so that its meaning is unknown.
    `float_literal` is the first number in it with a fraction or an exponent, `half_literal` the
    first with the suffix of half precision.
    """

    value: int | None = None
    names: tuple[str, ...] = ()
    register: str | None = None
    is_opaque: bool = False
    is_broken: bool = False
    float_literal: str = ""
    half_literal: str = ""

    @property
    def has_infinite_half(self) -> bool:
        """Whether a half constant is too large for half precision."""
        return bool(self.half_literal) and _number(self.half_literal) is None


@lru_cache(maxsize=20_000)
def read_expression(text: str) -> Expression:
    """Parse and evaluate an expression, given without surrounding blanks."""
    if _MACRO_PART in text or _CALL.search(text):
        return Expression(is_opaque=True)
    if len(text) > _MAX_LENGTH:
        return Expression(is_broken=True)
    tokens: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            tokens.append(("stray", text[at]))
            at += 1
            continue
        if match.lastgroup != "blank":
            tokens.append((match.lastgroup or "", match[0]))
        at = match.end()
    names = tuple(dict.fromkeys(text for kind, text in tokens if kind == "name"))
    register = next((text for kind, text in tokens if kind == "register"), None)
    numbers = [text for kind, text in tokens if kind == "number"]
    reader = _Reader(tokens)
    value = reader.whole()
    return Expression(
        value,
        names,
        register,
        is_broken=reader.is_broken,
        float_literal=next(filter(_FLOAT.fullmatch, numbers), ""),
        half_literal=next(filter(_HALF.fullmatch, numbers), ""),
    )


def evaluate(text: str, symbols: Symbols) -> int | None:
    """Return the value of an expression; None if it depends on what only the linker knows."""
    known = _SYMBOL.sub(lambda match: _valued(match[0], symbols), text)
    return read_expression(known.strip()).value


def _valued(name: str, symbols: Symbols) -> str:
    value = symbols.get(name)
    return name if value is None else f"({value})"


def is_local_label(text: str) -> bool:
    """Return whether a text refers to a numeric label, such as ``1b`` or ``1f``."""
    return _LABEL.fullmatch(text) is not None


def _divided(one: int, other: int) -> int | None:
    if other == 0:
        return None
    quotient = abs(one) // abs(other)
    return quotient if (one < 0) == (other < 0) else -quotient


def _rest(one: int, other: int) -> int | None:
    quotient = _divided(one, other)
    return None if quotient is None else one - quotient * other


def _shifted(one: int, other: int) -> int | None:
    return one << other if 0 <= other <= _MAX_SHIFTED else None


def _shifted_down(one: int, other: int) -> int | None:
    return one >> other if 0 <= other <= _MAX_SHIFTED else None


def _truth(test: Callable[[int, int], bool]) -> Callable[[int, int], int]:
    """Wrap a comparison to return -1 (all bits set) for true, as the GNU assembler does."""
    return lambda one, other: -1 if test(one, other) else 0


_BINARY: Mapping[str, tuple[int, Callable[[int, int], int | None]]] = {
    "||": (1, lambda one, other: int(bool(one or other))),
    "&&": (2, lambda one, other: int(bool(one and other))),
    "==": (3, _truth(operator.eq)),
    "!=": (3, _truth(operator.ne)),
    "<>": (3, _truth(operator.ne)),
    "<": (3, _truth(operator.lt)),
    "<=": (3, _truth(operator.le)),
    ">": (3, _truth(operator.gt)),
    ">=": (3, _truth(operator.ge)),
    "+": (4, operator.add),
    "-": (4, operator.sub),
    "|": (5, operator.or_),
    "^": (5, operator.xor),
    "&": (5, operator.and_),
    "!": (5, lambda one, other: one | ~other),
    "*": (6, operator.mul),
    "/": (6, _divided),
    "%": (6, _rest),
    "<<": (6, _shifted),
    ">>": (6, _shifted_down),
}
_UNARY: Mapping[str, Callable[[int], int]] = {
    "-": operator.neg,
    "+": operator.pos,
    "~": operator.invert,
    "!": lambda value: int(not value),
}


class _Reader:
    """Precedence-climbing evaluator. An unknown operand makes the result unknown."""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self.tokens = tokens
        self.at = 0
        self.depth = 0
        self.is_broken = not tokens

    def whole(self) -> int | None:
        value = self._binary(0)
        if self.at < len(self.tokens):
            self.is_broken = True
        return None if self.is_broken else value

    def _mark(self) -> str:
        kind, text = self.tokens[self.at] if self.at < len(self.tokens) else ("", "")
        return text if kind == "mark" else ""

    def _binary(self, least: int) -> int | None:
        value = self._unary()
        while not self.is_broken:
            mark = self._mark()
            if mark not in _BINARY or _BINARY[mark][0] <= least:
                break
            rank, operation = _BINARY[mark]
            self.at += 1
            other = self._binary(rank)
            value = None if value is None or other is None else operation(value, other)
            if value is not None:
                value = max(-_MAX_VALUE, min(value, _MAX_VALUE))
        return value

    def _unary(self) -> int | None:
        self.depth += 1
        mark = self._mark()
        if self.depth > _MAX_DEPTH or self.at >= len(self.tokens):
            self.is_broken = True
            value = None
        elif mark in _UNARY:
            value = self._signed(mark)
        elif mark == "(":
            self.at += 1
            value = self._binary(0)
            self.is_broken = self.is_broken or self._mark() != ")"
            self.at += 1
        else:
            value = self._atom(*self.tokens[self.at])
            self.at += 1
        self.depth -= 1
        return value

    def _signed(self, mark: str) -> int | None:
        self.at += 1
        kind, text = self.tokens[self.at] if self.at < len(self.tokens) else ("", "")
        if kind == "number" and mark in "+-" and text[-1] == "h":
            self.at += 1
            return _number(text if mark == "+" else f"-{text}")
        value = self._unary()
        return None if value is None else _UNARY[mark](value)

    def _atom(self, kind: str, text: str) -> int | None:
        if kind == "number":
            return _number(text)
        if kind == "character":
            return ord(text[1]) if text[1] != _MACRO_PART else None
        if kind != "name":
            self.is_broken = True
        return None


def _number(text: str) -> int | None:
    """Return a literal's value; of half precision the bits, of labels and other floats None."""
    if text[-1] == "h" and text[:2] not in ("0x", "0X"):
        try:
            return int.from_bytes(struct.pack(">e", float(text[:-1])), "big")
        except (OverflowError, ValueError):
            return None
    if text[:2] in ("0x", "0X", "0b", "0B"):
        digits = text[2:].lstrip("0") or "0"
        return int(digits[:_MAX_DIGITS], 16 if text[1] in "xX" else 2)
    if not text.isdigit():
        return None
    digits = text.lstrip("0") or "0"
    if len(digits) < len(text) and digits != "0":
        return int(digits[:_MAX_DIGITS], 8) if set(digits) <= set("01234567") else None
    return int(digits[:_MAX_DIGITS])

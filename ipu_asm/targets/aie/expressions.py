"""C integer expressions in immediates: `4*4*4 * 8`, `(1<<3)|2`, `-0x20`.

Size and depth are limited. The evaluator is our own: user text never reaches Python's `eval`.
"""

from __future__ import annotations

import re
from typing import Callable, Mapping

_TOKEN = re.compile(
    r"(0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+|'(?:[^\\\r\n]|\\.)')"
    r"|(<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^~()<>!])"
)
_NAME = re.compile(r"(?<![\w.$@])[A-Za-z_.$@\"\\]")
_WITH_LETTERS = re.compile(r"0[xX][0-9a-fA-F]+|0[bB][01]+|'(?:[^\\\r\n]|\\.)'")
_SYMBOL = re.compile(r"(?<![\w.$@'])[A-Za-z_.$@][\w.$@]*")
_ESCAPED = {"b": 8, "t": 9, "n": 10, "f": 12, "r": 13}
_MAX_TOKENS = 200
_MAX_DEPTH = 40
_MAX_SHIFT = 64
_MAX_VALUE = 1 << 128

_BINARY: Mapping[str, tuple[int, Callable[[int, int], int]]] = {
    "||": (1, lambda a, b: int(bool(a) or bool(b))),
    "&&": (2, lambda a, b: int(bool(a) and bool(b))),
    "|": (3, lambda a, b: a | b),
    "^": (4, lambda a, b: a ^ b),
    "&": (5, lambda a, b: a & b),
    "==": (6, lambda a, b: int(a == b)),
    "!=": (6, lambda a, b: int(a != b)),
    "<": (7, lambda a, b: int(a < b)),
    ">": (7, lambda a, b: int(a > b)),
    "<=": (7, lambda a, b: int(a <= b)),
    ">=": (7, lambda a, b: int(a >= b)),
    "<<": (8, lambda a, b: a << _shift(b)),
    ">>": (8, lambda a, b: a >> _shift(b)),
    "+": (9, lambda a, b: a + b),
    "-": (9, lambda a, b: a - b),
    "*": (10, lambda a, b: a * b),
    "/": (10, lambda a, b: _quotient(a, b)),
    "%": (10, lambda a, b: a - b * _quotient(a, b)),
}
_UNARY: Mapping[str, Callable[[int], int]] = {
    "-": lambda a: -a,
    "+": lambda a: a,
    "~": lambda a: ~a,
    "!": lambda a: int(not a),
}


class InvalidExpressionError(ValueError):
    """An invalid expression; the message completes a sentence that begins with "which"."""


def has_names(text: str) -> bool:
    """Return whether an expression contains symbols, whose values only the linker knows."""
    return bool(_NAME.search(_WITH_LETTERS.sub("0", text)))


def evaluated(text: str, symbols: Mapping[str, int | None]) -> int | None:
    """Evaluate an expression with the values of its symbols; None without a value."""
    known = _SYMBOL.sub(lambda match: f"({symbols.get(match[0], match[0])})", text)
    try:
        return None if has_names(known) else value_of(known.replace(" ", ""))
    except InvalidExpressionError:
        return None


def value_of(text: str) -> int:
    """Evaluate an expression without symbols. Raises `InvalidExpressionError`."""
    reader = _Reader(_tokens(text))
    value = reader.binary(0, 0)
    if reader.tokens:
        raise InvalidExpressionError(f"does not fit at `{reader.tokens[-1]}`")
    return value


def _tokens(text: str) -> list[str]:
    """The tokens in reverse order. Raises `InvalidExpressionError`."""
    tokens: list[str] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None or len(tokens) > _MAX_TOKENS:
            raise InvalidExpressionError(
                "is no integer expression" if match is None else "is too long"
            )
        tokens.append(match[0])
        at = match.end()
    return tokens[::-1]


class _Reader:
    """Precedence-climbing evaluator. `tokens` holds the unread tokens in reverse order."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens

    def binary(self, least: int, depth: int) -> int:
        """Evaluate operators of at least this precedence, with their operands."""
        value = self._unary(depth)
        while self.tokens and self.tokens[-1] in _BINARY:
            strength, operation = _BINARY[self.tokens[-1]]
            if strength < least:
                break
            self.tokens.pop()
            value = operation(value, self.binary(strength + 1, depth + 1))
            if abs(value) > _MAX_VALUE:
                raise InvalidExpressionError("is too large")
        return value

    def _unary(self, depth: int) -> int:
        if depth > _MAX_DEPTH:
            raise InvalidExpressionError("is too deep")
        if not self.tokens:
            raise InvalidExpressionError("is not complete")
        token = self.tokens.pop()
        if token in _UNARY:
            return _UNARY[token](self._unary(depth + 1))
        if token == "(":
            value = self.binary(0, depth + 1)
            if not self.tokens or self.tokens.pop() != ")":
                raise InvalidExpressionError("lacks a `)`")
            return value
        if token[0].isdigit():
            return _number(token)
        if token[0] == "'":
            return _ESCAPED.get(token[2], ord(token[2])) if token[1] == "\\" else ord(token[1])
        raise InvalidExpressionError(f"does not fit at `{token}`")


def _number(token: str) -> int:
    """Return the value of a number; a leading zero means octal, as in C."""
    if len(token) > _MAX_DEPTH:
        raise InvalidExpressionError("is too large")
    if token[0] == "0" and token.isdigit():
        if set(token) > set("01234567") or "8" in token or "9" in token:
            raise InvalidExpressionError(
                f"has `{token}`, which begins with a zero and is not octal"
            )
        return int(token, 8)
    return int(token, 0)


def _shift(count: int) -> int:
    if not 0 <= count <= _MAX_SHIFT:
        raise InvalidExpressionError(f"shifts by {count}")
    return count


def _quotient(dividend: int, divisor: int) -> int:
    """Divide with truncation towards zero, as in C."""
    if divisor == 0:
        raise InvalidExpressionError("divides by zero")
    quotient = abs(dividend) // abs(divisor)
    return quotient if (dividend < 0) == (divisor < 0) else -quotient

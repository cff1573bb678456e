"""Integer expressions in immediates, with the operators of the GNU assembler: `1<<3|2`, `-0x20`.

Size and depth are limited.
"""

from __future__ import annotations

import re
from typing import Mapping

from ipu_asm.isa.gnu_expressions import GNU_OPERATORS, ExpressionReader, octal, without_escapes

_TOKEN = re.compile(
    r"(?P<number>0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)|(?P<character>'(?:[^\\\r\n]|\\.)')"
    r"|(?P<mark><<|>>|<=|>=|<>|==|!=|&&|\|\||[-+*/%&|^~()<>!])"
)
_NAME = re.compile(r"(?<![\w.$@])[A-Za-z_.$@\"\\]")
_WITH_LETTERS = re.compile(r"0[xX][0-9a-fA-F]+|0[bB][01]+|'(?:[^\\\r\n]|\\.)'")
_SYMBOL = re.compile(r"(?<![\w.$@'])[A-Za-z_.$@][\w.$@]*")
_ESCAPED = {"b": 8, "t": 9, "n": 10, "f": 12, "r": 13}
_MAX_TOKENS = 200
_MAX_DIGITS = 40


class InvalidExpressionError(ValueError):
    """An invalid expression; the message completes a sentence that begins with "which"."""


def has_names(text: str) -> bool:
    """Return whether an expression contains symbols, whose values only the linker knows."""
    return bool(_NAME.search(_WITH_LETTERS.sub("0", text)))


def evaluated(text: str, symbols: Mapping[str, int | None]) -> int | None:
    """Evaluate an expression with the values of its symbols; None without a value."""
    text = without_escapes(text)
    known = _SYMBOL.sub(lambda match: f"({symbols.get(match[0], match[0])})", text)
    try:
        return None if has_names(known) else value_of(known.replace(" ", ""))
    except InvalidExpressionError:
        return None


def value_of(text: str) -> int:
    """Evaluate an expression without symbols. Raises `InvalidExpressionError`."""
    reader = ExpressionReader(_tokens(text), GNU_OPERATORS, _value)
    value = reader.whole()
    if value is None or reader.problem:
        raise InvalidExpressionError(reader.problem)
    return value


def _tokens(text: str) -> list[tuple[str, str]]:
    """Return the kinds and texts of the tokens. Raises `InvalidExpressionError`."""
    tokens: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None or len(tokens) > _MAX_TOKENS:
            raise InvalidExpressionError(
                "is no integer expression" if match is None else "is too long"
            )
        tokens.append((match.lastgroup or "", match[0]))
        at = match.end()
    return tokens


def _value(kind: str, token: str) -> int:
    """Return the value of an operand; a leading zero means octal, as in C."""
    if kind == "character":
        return _ESCAPED.get(token[2], ord(token[2])) if token[1] == "\\" else ord(token[1])
    if kind != "number":
        raise InvalidExpressionError(f"does not fit at `{token}`")
    if len(token) > _MAX_DIGITS:
        raise InvalidExpressionError("is too large")
    if token[0] == "0" and token.isdigit():
        return octal(token)
    return int(token, 0)

"""What may follow an incomplete expression, which may contain errors."""

from __future__ import annotations

from enum import Enum
from typing import Final

from ipu_asm.debugger.expressions.machine_view import LABEL
from ipu_asm.expressions.parser import WORDS
from ipu_asm.expressions.tokens import WORD


class Expected(Enum):
    """What may come next."""

    VALUE = "value"
    OPERATOR = "operator"
    LABEL = "label"
    TYPE = "type"
    FORMAT = "format"
    NOTHING = "nothing"


def expected_at_end(text: str) -> Expected:
    """Return what may follow a text, also one that is incomplete or wrong."""
    brackets = _OpenBrackets()
    for match in WORD.finditer(text):
        if match.lastgroup == "sign":
            brackets.sign(match.group())
        else:
            brackets.word(match.group())
    return brackets.expected


_TOP: Final = "top"
_INDEX: Final = "index"
_LIST: Final = "list"
_GROUP: Final = "group"


class _Bracket:
    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.choices = 0


class _OpenBrackets:
    """The stack of open brackets, and what may come next within the innermost."""

    def __init__(self) -> None:
        self.expected = Expected.VALUE
        self._open = [_Bracket(_TOP)]
        self._word = ""

    def word(self, text: str) -> None:
        """Consume a name or a number."""
        self.expected = Expected.VALUE if text in WORDS else Expected.OPERATOR
        self._word = text

    def sign(self, sign: str) -> None:
        """Consume an operator or a bracket."""
        inner = self._open[-1]
        if sign in ("(", "["):
            self._enter(sign)
        elif sign in (")", "]"):
            if len(self._open) > 1:
                self._open.pop()
            self.expected = Expected.OPERATOR
        elif sign == "?":
            inner.choices += 1
            self.expected = Expected.VALUE
        elif sign == ":":
            self.expected = self._behind_colon(inner)
        elif sign == ",":
            self.expected = {_TOP: Expected.FORMAT, _INDEX: Expected.NOTHING}.get(
                inner.kind, Expected.VALUE
            )
        else:
            self.expected = Expected.VALUE
        self._word = ""

    def _enter(self, sign: str) -> None:
        behind_value = self.expected is Expected.OPERATOR
        if sign == "[":
            self._open.append(_Bracket(_INDEX if behind_value else _LIST))
        else:
            self._open.append(_Bracket(_GROUP))
        is_label = behind_value and sign == "(" and self._word == LABEL
        self.expected = Expected.LABEL if is_label else Expected.VALUE

    def _behind_colon(self, inner: _Bracket) -> Expected:
        if inner.choices:
            inner.choices -= 1
            return Expected.VALUE
        return Expected.TYPE if inner.kind == _INDEX else Expected.NOTHING

"""Evaluation of GNU-style constant expressions: operands of Colossus, conditions of directives.

Names have no known value here, and a text that is not expanded has more of them than others.
Nothing here raises: an unknown value is `None`; text that cannot be an expression sets `is_broken`.
"""

from __future__ import annotations

import operator
import re
import struct
from functools import lru_cache
from typing import Callable, Mapping, Sequence

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
_ESCAPE = re.compile(r"""'\\([btnfr"'\\])'""")
_ESCAPES = {"b": 8, "t": 9, "n": 10, "f": 12, "r": 13}
_MAX_DEPTH = 40
_MAX_LENGTH = 20_000  # names of C++ with templates have thousands of characters
_MAX_TOKENS = 2_000
_MAX_DIGITS = 40
_MAX_VALUE = 1 << 128
_MAX_SHIFTED = 64
_WORD = (1 << 64) - 1
Symbols = Mapping[str, int | None]
"""The values of symbols; None for one whose value is not known."""


class Expression(NamedTuple):
    """The result of reading an operand's text as an expression.

    `value` is None if unknown. `names` are the symbols in it, `register` is the first register.
    `is_opaque`: the text has a macro call or macro argument, so that its meaning is unknown.
    `float_literal` is the first number in it with a fraction or an exponent, `half_literal` the
    first with the suffix of half precision. `problem` tells why there is no value whatever the
    names are; it completes a sentence that begins with "which".
    """

    value: int | None = None
    names: tuple[str, ...] = ()
    register: str | None = None
    is_opaque: bool = False
    is_broken: bool = False
    float_literal: str = ""
    half_literal: str = ""
    problem: str = ""

    @property
    def has_infinite_half(self) -> bool:
        """Whether a half constant is too large for half precision."""
        return bool(self.half_literal) and _number(self.half_literal) is None


@lru_cache(maxsize=20_000)
def read_expression(text: str) -> Expression:
    """Parse and evaluate an expression, given without surrounding blanks."""
    if _MACRO_PART in text:
        text = without_escapes(text)
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
    if len(tokens) > _MAX_TOKENS:
        return Expression(is_broken=True)
    names = tuple(dict.fromkeys(text for kind, text in tokens if kind == "name"))
    register = next((text for kind, text in tokens if kind == "register"), None)
    numbers = [text for kind, text in tokens if kind == "number"]
    reader = ExpressionReader(tokens, GNU_OPERATORS, _value)
    value = reader.whole()
    return Expression(
        value,
        names,
        register,
        is_broken=reader.is_broken,
        float_literal=next(filter(_FLOAT.fullmatch, numbers), ""),
        half_literal=next(filter(_HALF.fullmatch, numbers), ""),
        problem=reader.problem if value is None and not reader.is_broken else "",
    )


def without_escapes(text: str) -> str:
    """Return an expression with numbers for characters that are written with a backslash."""
    return _ESCAPE.sub(lambda match: str(_ESCAPES.get(match[1], ord(match[1]))), text)


def evaluate(text: str, symbols: Symbols) -> int | None:
    """Return the value of an expression; None if it depends on what only the linker knows."""
    if _MACRO_PART in text:
        text = without_escapes(text)
    known = _SYMBOL.sub(lambda match: _valued(match[0], symbols), text)
    return read_expression(known.strip()).value


def _valued(name: str, symbols: Symbols) -> str:
    value = symbols.get(name)
    return name if value is None else f"({value})"


def is_local_label(text: str) -> bool:
    """Return whether a text refers to a numeric label, such as ``1b`` or ``1f``."""
    return _LABEL.fullmatch(text) is not None


class UndefinedError(ArithmeticError):
    """An operation without a value; the message completes a sentence that begins with "which"."""


def divided(one: int, other: int) -> int:
    """Divide towards zero, as C does. Raises `UndefinedError`."""
    if other == 0:
        raise UndefinedError("divides by zero")
    quotient = abs(one) // abs(other)
    return quotient if (one < 0) == (other < 0) else -quotient


def _shift(count: int) -> int:
    if not 0 <= count <= _MAX_SHIFTED:
        raise UndefinedError(f"shifts by {count}")
    return count


Operation = Callable[[int, int], int]
Operators = Mapping[str, tuple[int, Operation]]
"""The rank and the function of each binary operator; a higher rank binds more tightly."""

_ARITHMETIC: Mapping[str, Operation] = {
    "||": lambda one, other: int(bool(one or other)),
    "&&": lambda one, other: int(bool(one and other)),
    "|": operator.or_,
    "^": operator.xor,
    "&": operator.and_,
    "<<": lambda one, other: one << _shift(other),
    # Logical on 64 bits, as in the GNU assembler and in LLVM's for ELF.
    ">>": lambda one, other: (one & _WORD if one < 0 and other else one) >> _shift(other),
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": divided,
    "%": lambda one, other: one - divided(one, other) * other,
}
_COMPARISONS: Mapping[str, Operation] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _ranked(
    levels: Sequence[str], truth: int, further: Mapping[str, Operation] = {}
) -> dict[str, tuple[int, Operation]]:
    """Return the operators of levels from loose to tight; `truth` is what a comparison gives."""

    def comparison(holds: Operation) -> Operation:
        return lambda one, other: truth if holds(one, other) else 0

    compared = {sign: comparison(holds) for sign, holds in {**_COMPARISONS, **further}.items()}
    functions = {**compared, **_ARITHMETIC}
    return {
        sign: (rank, functions[sign])
        for rank, signs in enumerate(levels, 1)
        for sign in signs.split()
    }


C_OPERATORS: Operators = _ranked(
    ("||", "&&", "|", "^", "&", "== !=", "< <= > >=", "<< >>", "+ -", "* / %"), truth=1
)
# A comparison that holds has all bits set, as in the GNU assembler.
GNU_OPERATORS: Operators = {
    **_ranked(
        ("||", "&&", "== != <> < <= > >=", "+ -", "| ^ &", "* / % << >>"),
        truth=-1,
        further={"<>": operator.ne},
    ),
    "!": (5, lambda one, other: one | ~other),
}
_UNARY: Mapping[str, Callable[[int], int]] = {
    "-": operator.neg,
    "+": operator.pos,
    "~": operator.invert,
    "!": lambda value: int(not value),
}


class ExpressionReader:
    """Precedence-climbing evaluator. An unknown operand makes the result unknown.

    `atom` gives the value of a token that is no mark, by its kind; it raises ValueError for what
    is no operand. `problem` is the first mistake, which completes a sentence that begins with
    "which"; `is_broken`: the text is no expression.
    """

    def __init__(
        self,
        tokens: Sequence[tuple[str, str]],
        operators: Operators,
        atom: Callable[[str, str], int | None],
    ) -> None:
        self.is_broken = False
        self.problem = ""
        self._tokens = tokens
        self._operators = operators
        self._atom = atom
        self._at = 0
        self._depth = 0

    def whole(self) -> int | None:
        """Return the value of all tokens, None if it is unknown."""
        value = self._binary(0)
        if self._at < len(self._tokens):
            self._break(f"does not fit at `{self._tokens[self._at][1]}`")
        return None if self.is_broken else value

    def _break(self, problem: str) -> None:
        self.problem = self.problem or problem
        self.is_broken = True

    def _token(self) -> tuple[str, str]:
        return self._tokens[self._at] if self._at < len(self._tokens) else ("", "")

    def _mark(self) -> str:
        kind, text = self._token()
        return text if kind == "mark" else ""

    def _binary(self, loosest: int) -> int | None:
        value = self._unary()
        while not self.is_broken:
            rank, operation = self._operators.get(self._mark(), (0, operator.add))
            if rank <= loosest:
                break
            self._at += 1
            other = self._binary(rank)
            value = None if other is None else self._applied(operation, value, other)
        return value

    def _applied(self, operation: Operation, one: int | None, other: int) -> int | None:
        try:
            value = operation(one or 0, other)
        except UndefinedError as error:
            self.problem = self.problem or str(error)
            return None
        if one is None:
            return None
        if abs(value) > _MAX_VALUE:
            self.problem = self.problem or "is too large"
        return max(-_MAX_VALUE, min(value, _MAX_VALUE))

    def _unary(self) -> int | None:
        self._depth += 1
        mark, value = self._mark(), None
        if self._depth > _MAX_DEPTH:
            self._break("is too deep")
        elif self._at >= len(self._tokens):
            self._break("is not complete")
        elif mark in _UNARY:
            value = self._signed(mark)
        elif mark == "(":
            self._at += 1
            value = self._binary(0)
            if self._mark() != ")":
                self._break("lacks a `)`")
            self._at += 1
        else:
            try:
                value = self._atom(*self._token())
            except UndefinedError as error:
                self.problem = self.problem or str(error)
            except ValueError as error:
                self._break(str(error))
            self._at += 1
        self._depth -= 1
        return value

    def _signed(self, mark: str) -> int | None:
        self._at += 1
        kind, text = self._token()
        if kind == "number" and mark in "+-" and text[-1] == "h":
            self._at += 1
            return _number(text if mark == "+" else f"-{text}")
        value = self._unary()
        return None if value is None else _UNARY[mark](value)


def _value(kind: str, text: str) -> int | None:
    if kind == "number":
        return _number(text)
    if kind == "character":
        return ord(text[1]) if text[1] != _MACRO_PART else None
    if kind != "name":
        raise ValueError(f"does not fit at `{text}`")
    return None


def _number(text: str) -> int | None:
    """Return a literal's value; of half precision the bits, of labels and other floats None.

    Raises `UndefinedError` for octal numbers with other digits.
    """
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
    return octal(text) if text[0] == "0" else int(text[:_MAX_DIGITS])


def octal(text: str) -> int:
    """Return the value of digits after a zero. Raises `UndefinedError` for an 8 and a 9."""
    digits = text.lstrip("0") or "0"
    if not set(digits) <= set("01234567"):
        raise UndefinedError(f"has `{text}`, which begins with a zero and is not octal")
    return int(digits[:_MAX_DIGITS], 8)

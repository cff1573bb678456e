"""Evaluation of `#if` expressions in 64-bit integers, with assumptions about unknown names.

A name that a missing header may define makes a condition unknown. Its unknown parts are *tests*,
``defined(X)`` or a comparison as it is written; an expansion assumes a value for each.
"""

from __future__ import annotations

import re
from typing import Callable, Mapping, Sequence

from ipu_asm.isa.gnu_expressions import C_OPERATORS, Operators, divided
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.preprocessor.lines import Line
from ipu_asm.source.preprocessor.substitution import Substitution
from ipu_asm.source.preprocessor.tokens import Kind, Token, solid, words_of

Assumptions = Mapping[str, bool | int]
_INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)([uUlL]*)$")
_ESCAPES = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27}
_BITS = 64
_MASK = (1 << _BITS) - 1
_MAX_DEPTH = 60
_MAX_WORDS = 1_000
_RESERVED = re.compile("__|defined[(]")
_OPERATORS = re.compile(r"<<|>>|&&|\|\||\+\+|--|[<>=!]=|[-+*/%&|^~!<>()?:,]")


class Value(NamedTuple):
    """A value: `number` is None where it is unknown. `text` is the expression as it is written."""

    number: int | None
    is_unsigned: bool = False
    text: str = ""


class _BadCondition(Exception):
    """A malformed expression; the message says what is wrong."""


class Condition(NamedTuple):
    """A condition whose known names are replaced.

    `words` are the tokens without blanks; a known ``defined(X)`` is ``1`` or ``0`` in it, an
    unknown one the single word ``defined(X)``. The names in it that are `unknown` have no known
    value, those of `choices` have one of several, the first if nothing is assumed; all others
    are 0.
    """

    words: tuple[str, ...]
    unknown: frozenset[str] = frozenset()
    choices: Mapping[str, tuple[int, ...]] = {}

    def holds(
        self,
        assumptions: Assumptions,
        tested: dict[str, bool | int] | None = None,
        problems: list[str] | None = None,
    ) -> bool:
        """Evaluate the condition with these assumptions; a malformed one is false.

        Tests without an assumption are false. `tested` collects all tests with their values, and
        the values of choices. `problems` collects what is certainly malformed: unknown and reserved
        names may be macros of a header or of the compiler.
        """
        reader = _Reader(self, assumptions, {} if tested is None else tested)
        try:
            return reader.truth(reader.whole())
        except _BadCondition as error:
            is_certain = not self.unknown and not any(map(_RESERVED.match, self.words))
            if is_certain and problems is not None:
                problems.append(str(error))
            return False


class _Reader:
    def __init__(
        self, condition: Condition, assumptions: Assumptions, tested: dict[str, bool | int]
    ) -> None:
        self._words, self._unknown, self._choices = condition
        self._assumptions = assumptions
        self._tested = tested
        self._at = 0
        self._depth = 0
        # How many operands around the current one are not evaluated in C.
        self._skipped = 0

    def whole(self) -> Value:
        if len(self._words) > _MAX_WORDS:
            raise _BadCondition(f"a condition has at most {_MAX_WORDS:,} words, found more")
        value = self._comma()
        if self._at < len(self._words):
            raise _BadCondition(f"expected an operator, found `{self._words[self._at]}`")
        return value

    def truth(self, value: Value) -> bool:
        if value.number is not None:
            return value.number != 0
        holds = bool(self._assumptions.get(value.text, False))
        self._tested[value.text] = holds
        return holds

    def _peek(self) -> str:
        return self._words[self._at] if self._at < len(self._words) else ""

    def _comma(self) -> Value:
        value = self._ternary()
        while self._peek() == ",":
            self._at += 1
            value = self._ternary()
        return value

    def _ternary(self) -> Value:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise _BadCondition(f"parentheses go at most {_MAX_DEPTH} deep, found more")
        value = self._binary(1)
        if self._peek() == "?":
            self._at += 1
            holds = self.truth(value)
            self._skipped += not holds
            one = self._comma()
            self._skipped += holds - (not holds)
            if self._peek() != ":":
                raise _BadCondition("expected `:` after `?`, found none")
            self._at += 1
            other = self._ternary()
            self._skipped -= holds
            value = one if holds else other
            value = value._replace(is_unsigned=one.is_unsigned or other.is_unsigned)
        self._depth -= 1
        return value

    def _binary(self, weakest: int) -> Value:
        left = self._unary()
        while (row := _BINARY.get(self._peek())) is not None and row[0] >= weakest:
            word = self._peek()
            self._at += 1
            if word in ("&&", "||"):
                left = self._logical(word, left, row[0])
            else:
                right = self._binary(row[0] + 1)
                if word in ("/", "%") and right.number == 0 and not self._skipped:
                    raise _BadCondition(f"`{left.text} {word} {right.text}` divides by zero")
                left = _apply(word, row[1], left, right)
        return left

    def _logical(self, word: str, left: Value, strength: int) -> Value:
        one = self.truth(left)
        is_decided = one == (word == "||")
        self._skipped += is_decided
        other = self._binary(strength + 1)
        self._skipped -= is_decided
        # The right side is tested even where the left one decides, so that its tests are known.
        holds = self.truth(other)
        return Value(int((one and holds) if word == "&&" else (one or holds)))

    def _unary(self) -> Value:
        signs: list[str] = []
        while self._peek() in ("-", "+", "~", "!"):
            signs.append(self._peek())
            self._at += 1
        value = self._primary()
        for sign in reversed(signs):
            value = self._signed(sign, value)
        return value

    def _signed(self, sign: str, value: Value) -> Value:
        if sign == "!":
            return Value(int(not self.truth(value)))
        if value.number is None:
            return value._replace(text=f"{sign}{value.text}")
        number = {"-": -value.number, "+": value.number, "~": ~value.number}[sign]
        return Value(_wrapped(number, value.is_unsigned), value.is_unsigned, f"{sign}{value.text}")

    def _primary(self) -> Value:
        word = self._peek()
        if not word:
            raise _BadCondition("expected a value, found the end of the condition")
        self._at += 1
        if word == "(":
            value = self._comma()
            if self._peek() != ")":
                raise _BadCondition("expected `)`, found none")
            self._at += 1
            return value
        if word.startswith(("defined(", "__has_include(")):
            return Value(None, text=word)
        if word == "defined":
            raise _BadCondition("`defined` needs a name, found none")
        if word[0].isalpha() or word[0] == "_":
            return self._name(word)
        number = integer(word)
        if number is None:
            raise _BadCondition(f"expected a value, found `{word}`")
        return number

    def _name(self, name: str) -> Value:
        if name in self._choices:
            number = int(self._assumptions.get(name, self._choices[name][0]))
            self._tested[name] = number
            return Value(number, text=name)
        if self._peek() == "(" and name in self._unknown:
            # A call of a macro that nothing known defines.
            start = self._at - 1
            self._skip_group()
            return Value(None, text="".join(self._words[start : self._at]))
        if name in self._unknown and self._assumptions.get(f"defined({name})") is not False:
            return Value(None, text=name)
        return Value(int(name == "true"), text=name)

    def _skip_group(self) -> None:
        depth = 0
        while self._at < len(self._words):
            depth += (self._peek() == "(") - (self._peek() == ")")
            self._at += 1
            if depth == 0:
                return
        raise _BadCondition("expected `)`, found none")


def integer(word: str) -> Value | None:
    """Return the value of an integer or character constant."""
    match = _INTEGER.match(word)
    if match:
        digits = match[1]
        is_octal = len(digits) > 1 and digits[0] == "0" and digits.isdigit()
        try:
            number = int(digits, 8) if is_octal else int(digits, 10 if digits.isdigit() else 0)
        except ValueError:
            return None
        is_unsigned = "u" in match[2].lower() or number >= 1 << (_BITS - 1)
        return Value(_wrapped(number, is_unsigned), is_unsigned, word)
    if len(word) >= 3 and word[0] == word[-1] == "'":
        inner = word[1:-1]
        return Value(_escaped(inner[1:]) if inner[0] == "\\" else ord(inner[0]), text=word)
    return None


def _escaped(text: str) -> int:
    """Return the code of the character that is written as a backslash and a text."""
    if text[0] == "x" and len(text) > 1:
        return int(text[1:], 16) & 0xFF
    if text[0] in "01234567":
        return int(text, 8) & 0xFF
    return _ESCAPES.get(text[0], ord(text[0]))


def _apply(word: str, function: Callable[[int, int], int], one: Value, other: Value) -> Value:
    text = f"{one.text} {word} {other.text}"
    is_shift = word in ("<<", ">>")
    is_unsigned = one.is_unsigned or (other.is_unsigned and not is_shift)
    if one.number is None or other.number is None:
        return Value(None, text=text)
    left, right = one.number, other.number
    if is_unsigned:
        left &= _MASK
        right = right if is_shift else right & _MASK
    number = function(left, right)
    if word in _COMPARING:
        is_unsigned = False
    return Value(_wrapped(number, is_unsigned), is_unsigned, text)


def _wrapped(number: int, is_unsigned: bool) -> int:
    number &= _MASK
    return number if is_unsigned or number < 1 << (_BITS - 1) else number - (1 << _BITS)


def _shifted(one: int, by: int) -> int:
    if by < 0:
        return _shifted_down(one, -by)
    return one << by if by < _BITS else 0


def _shifted_down(one: int, by: int) -> int:
    return _shifted(one, -by) if by < 0 else one >> min(by, _BITS)


_COMPARING = frozenset(("==", "!=", "<", "<=", ">", ">="))
# Division by zero is refused before, unless the operand is not evaluated: then it is 0.
_BINARY: Operators = {
    **C_OPERATORS,
    "<<": (C_OPERATORS["<<"][0], _shifted),
    ">>": (C_OPERATORS[">>"][0], _shifted_down),
    "/": (C_OPERATORS["/"][0], lambda one, other: divided(one, other) if other else 0),
    "%": (
        C_OPERATORS["%"][0],
        lambda one, other: one - divided(one, other) * other if other else one,
    ),
}


def operator_words(texts: Sequence[str]) -> list[str]:
    """Join single marks to operators: ``<`` and ``=`` that touch are ``<=``.

    A blank is an empty text.
    """
    words: list[str] = []
    for number, text in enumerate(texts):
        touches = bool(number and texts[number - 1] and words)
        if touches and text and _OPERATORS.fullmatch(words[-1] + text):
            words[-1] += text
        elif text:
            words.append(text)
    return words


_HAS_INCLUDE = ("__has_include", "__has_include_next")
_IsUnknown = Callable[[str], bool]
_HasInclude = Callable[[str, bool], bool]


def condition_of(
    line: Line,
    table: Mapping[str, object],
    is_unknown: _IsUnknown,
    choices: Mapping[str, tuple[int, ...]],
    substitution: Substitution,
    has_include: _HasInclude,
) -> Condition:
    """Return the condition of an `#if`, `#ifdef`, `#ifndef` or `#elif` line."""
    tokens = words_of(line)
    if line.directive.endswith("def"):
        word = _defined(solid(tokens)[0].text, table, is_unknown) if solid(tokens) else "0"
        return Condition(("!", word) if line.directive.endswith("ndef") else (word,))
    valued = _with_values(tokens, table, is_unknown, has_include)
    hidden = frozenset(choices)
    expanded = substitution.expand([each._replace(hidden=hidden) for each in valued])
    texts: list[str] = []
    for before, each in zip([*expanded[:1], *expanded], expanded):
        if before.place.line is not each.place.line or before.place.end != each.place.start:
            texts.append("")  # marks of different macros make no operator
        texts.append("" if each.kind is Kind.BLANK else each.text)
    words = tuple(operator_words(texts))
    names = [each.text for each in expanded if each.kind is Kind.NAME]
    return Condition(
        words,
        frozenset(name for name in names if name not in choices and is_unknown(name)),
        {name: choices[name] for name in names if name in choices},
    )


def _defined(name: str, table: Mapping[str, object], is_unknown: _IsUnknown) -> str:
    if name in table:
        return "1"
    return f"defined({name})" if is_unknown(name) else "0"


def _with_values(
    tokens: list[Token],
    table: Mapping[str, object],
    is_unknown: _IsUnknown,
    has_include: _HasInclude,
) -> list[Token]:
    """Replace each `defined` and `__has_include` by its value, or by one token if unknown."""
    result: list[Token] = []
    waiting = [*reversed(tokens)]
    while waiting:
        token = waiting.pop()
        if token.text == "defined":
            names = [each for each in _operand(waiting) if each.kind is Kind.NAME]
            text = _defined(names[0].text, table, is_unknown) if names else token.text
            token = token._replace(kind=Kind.NUMBER, text=text)
        elif token.text in _HAS_INCLUDE:
            name = "".join(each.text for each in _operand(waiting))
            is_found = has_include(name[1:-1], name.startswith("<"))
            text = "1" if is_found else f"__has_include({name})"
            token = token._replace(kind=Kind.NUMBER, text=text)
        result.append(token)
    return result


def _operand(waiting: list[Token]) -> list[Token]:
    """Pop the operand of `defined` or `__has_include`; return it without its parentheses."""
    while waiting and waiting[-1].kind is Kind.BLANK:
        waiting.pop()
    if not waiting:
        return []
    token = waiting.pop()
    if token.text != "(":
        return [token]
    taken: list[Token] = []
    while waiting and (token := waiting.pop()).text != ")":
        if token.kind is not Kind.BLANK:
            taken.append(token)
    return taken

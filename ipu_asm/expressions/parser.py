"""Parser of expressions: text to syntax tree.

Precedence from low to high: `a ? b : c`, `or ||`, `and &&`, `not`, comparisons and `in`, `|`, `^`,
`&`, `<< >>`, `+ -`, `* / // %`, signs and `~ !`, `**`, brackets. A chained comparison holds if all
its comparisons do: `0 <= x < 5`. `x in 1..5` is short for `1 <= x <= 5`, and `x in [1, 5]` for
`x == 1 or x == 5`.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache, partial, reduce
from typing import Final

from ipu_asm.expressions.tree import (
    Binary,
    Call,
    ConditionalExpression,
    ExpressionError,
    Index,
    IndexRange,
    ListLiteral,
    Name,
    Node,
    Number,
    Parsed,
    Unary,
    quoted,
)
from ipu_asm.isa.operands import number_value
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span

MAX_LENGTH: Final = 4096
"""Limit on the characters of an expression."""
WORD: Final = re.compile(
    r"(?P<float>[0-9][0-9_]*(?:\.[0-9][0-9_]*(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)(?![0-9A-Za-z_]))"
    r"|(?P<number>[0-9][0-9A-Za-z_]*)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<sign>\.\.|\*\*|//|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^~!<>()\[\],:?=])"
)
"""A token of an expression; the name of the matching group is its kind."""
_BLANK: Final = re.compile(r"[ \t\r\n]*")
_REMEDIES: Final = {
    "$": "; registers and names are written without it",
    ".": "; an element is `r0[3]`, a slice `r0[0..7]`",
    "@": "; in a debugger `lr2@incr`, what an instruction sees of a register, stands alone",
}
END: Final = "end"


class Token(NamedTuple):
    """A token; `kind` is float, number, name, sign or end."""

    kind: str
    text: str
    span: Span

    def __str__(self) -> str:
        return "the end" if self.kind == END else quoted(self.text)


MAX_DEPTH: Final = 48
"""Limit on the nesting of operators and brackets."""
_MAX_NUMBER_LENGTH: Final = 200
_LOGIC: Final = {"||": "or", "&&": "and", "!": "not"}
_COMPARISONS: Final = ("==", "!=", "<", "<=", ">", ">=", "in")
_LEVELS: Final = (
    ("or",), ("and",), ("not",), _COMPARISONS, ("|",), ("^",), ("&",), ("<<", ">>"),
    ("+", "-"), ("*", "/", "//", "%"),
)  # fmt: skip
_TIGHTNESS: Final = {sign: level for level, signs in enumerate(_LEVELS) for sign in signs}
_NOT: Final = _TIGHTNESS["not"]
_COMPARISON: Final = _TIGHTNESS["<"]
_TIGHTEST: Final = len(_LEVELS)
WORDS: Final = ("and", "or", "not", "in")


@lru_cache(maxsize=512)
def parse(text: str) -> Parsed:
    """Parse an expression and its formats. Raises ExpressionError."""
    parser = _Parser(tokens_of(text))
    node = parser.expression()
    formats = []
    while parser.accept(","):
        formats.append(parser.name("a format such as `x`, `u`, `b`, `d` or `i8`"))
    parser.expect_end()
    return Parsed(node, tuple(formats))


def parse_list(text: str) -> tuple[Node, ...]:
    """Parse expressions with commas between them. Raises ExpressionError."""
    parser = _Parser(tokens_of(text))
    nodes = [parser.expression()]
    while parser.accept(","):
        nodes.append(parser.expression())
    parser.expect_end()
    return tuple(nodes)


def parse_first(text: str) -> tuple[Node, int]:
    """Parse the expression at the beginning of a text; returns its tree and the offset after it.

    Raises ExpressionError.
    """
    parser = _Parser(tokens_of(text))
    return parser.expression(), parser.offset


class _Parser:
    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._next = 0
        self._depth = 0
        # Height of each parsed tree by `id` of its root: a chain of operators grows to the left,
        # without recursion.
        self._heights: dict[int, int] = {}

    @property
    def _token(self) -> Token:
        return self._tokens[self._next]

    @property
    def offset(self) -> int:
        return self._token.span.start

    def accept(self, sign: str) -> bool:
        """Consume the next token if it is this sign; returns whether it is."""
        if self._token.kind == "sign" and self._token.text == sign:
            self._next += 1
            return True
        return False

    def name(self, expected: str) -> Name:
        """Consume a name. Raises ExpressionError with `expected` if the next token is none."""
        token = self._token
        if token.kind != "name" or token.text in WORDS:
            raise ExpressionError(f"expected {expected}, found {token}", token.span)
        self._next += 1
        return Name(token.text, token.span)

    def expect_end(self) -> None:
        """Check that no token is left. Raises ExpressionError."""
        token = self._token
        if token.kind != END:
            raise ExpressionError(f"expected an operator or the end, found {token}", token.span)

    def expression(self) -> Node:
        """Parse an expression, at the top level or within brackets."""
        self._enter()
        node = self._binary(0)
        if self.accept("?"):
            one = self.expression()
            self._expect(":", "between the two values of a choice")
            other = self.expression()
            node = self._with_height(
                ConditionalExpression(node, one, other, _over(node, other)), node, one, other
            )
        self._depth -= 1
        return node

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise _too_deep(self._token.span)

    def _with_height(self, node: Node, *parts: Node) -> Node:
        """The node, with its height recorded. Raises ExpressionError if the tree is too high."""
        height = 1 + max((self._heights.get(id(part), 0) for part in parts), default=0)
        if height > MAX_DEPTH:
            raise _too_deep(node.span)
        self._heights[id(node)] = height
        return node

    def _operator(self) -> str | None:
        token = self._token
        text = _LOGIC.get(token.text, token.text)
        return text if token.kind in ("sign", "name") and text in _TIGHTNESS else None

    def _binary(self, tightness: int) -> Node:
        left = self._prefix_operand(tightness)
        last = None
        while (operator := self._operator()) and operator != "not":
            level = _TIGHTNESS[operator]
            if level < tightness:
                break
            self._next += 1
            self._enter()
            right = self._binary(level + 1)
            if operator == "in":
                left = self._membership(left, right)
                self._depth -= 1
                last = None
                continue
            self._depth -= 1
            made: Node = Binary(operator, left, right, _over(left, right))
            if level == _COMPARISON and last is not None:
                held = self._with_height(
                    Binary(operator, last, right, _over(last, right)), last, right
                )
                made = Binary("and", left, held, _over(left, right))
                left = self._with_height(made, left, held)
            else:
                left = self._with_height(made, left, right)
            last = right if level == _COMPARISON else None
        return left

    def _membership(self, value: Node, first: Node) -> Node:
        """Return the condition that a value is in a list, or in the range from `first` on."""
        if self.accept(".."):
            last = self._binary(_COMPARISON + 1)
            low = self._joined("<=", first, value)
            return self._joined("and", low, self._joined("<=", value, last))
        if not isinstance(first, ListLiteral):
            found = self._token
            raise ExpressionError(
                f"expected `..` and the last value of a range after `in`, found {found}", found.span
            )
        return reduce(
            partial(self._joined, "or"), [self._joined("==", value, item) for item in first.items]
        )

    def _joined(self, operator: str, left: Node, right: Node) -> Node:
        span = Span(min(left.span.start, right.span.start), max(left.span.end, right.span.end))
        return self._with_height(Binary(operator, left, right, span), left, right)

    def _prefix_operand(self, tightness: int) -> Node:
        start = self._token
        if start.kind == "name" and start.text == "not" and tightness <= _NOT:
            return self._prefixed("not", _NOT)
        if start.kind == "sign" and start.text in ("-", "+", "~", "!"):
            return self._prefixed(_LOGIC.get(start.text, start.text), _TIGHTEST)
        base = self._postfixed()
        if not self.accept("**"):
            return base
        self._enter()
        exponent = self._prefix_operand(_TIGHTEST)
        self._depth -= 1
        return self._with_height(
            Binary("**", base, exponent, _over(base, exponent)), base, exponent
        )

    def _prefixed(self, operator: str, tightness: int) -> Node:
        start = self._token.span.start
        self._next += 1
        self._enter()
        operand = self._binary(tightness)
        self._depth -= 1
        return self._with_height(Unary(operator, operand, Span(start, operand.span.end)), operand)

    def _postfixed(self) -> Node:
        node = self._primary()
        while self.accept("["):
            part = self._range()
            end = self._expect("]", "after an index")
            inner = [p for p in (part.first, part.last, part.length) if p is not None]
            index = Index(node, part, Span(node.span.start, end.span.end))
            node = self._with_height(index, node, *inner)
        return node

    def _range(self) -> IndexRange:
        first, last, length = self.expression(), None, None
        if self.accept(".."):
            if self.accept("+"):
                length = self.expression()
            else:
                last = self.expression()
        kind = self.name("a type such as `i8` or `f32`") if self.accept(":") else None
        return IndexRange(first, last, length, kind)

    def _primary(self) -> Node:
        token = self._token
        if token.kind in ("number", "float"):
            self._next += 1
            return Number(_number(token), token.span)
        if self.accept("("):
            node = self.expression()
            self._expect(")", "for the `(` before")
            return node
        if self.accept("["):
            items = self._items("]")
            span = Span(token.span.start, self._tokens[self._next - 1].span.end)
            return self._with_height(ListLiteral(items, span), *items)
        name = self.name("a value")
        if not self.accept("("):
            return name
        arguments = self._items(")")
        span = Span(name.span.start, self._tokens[self._next - 1].span.end)
        return self._with_height(Call(name, arguments, span), *arguments)

    def _items(self, closing: str) -> tuple[Node, ...]:
        items = [self.expression()]
        while self.accept(","):
            items.append(self.expression())
        self._expect(closing, "or `,` after a value")
        return tuple(items)

    def _expect(self, sign: str, purpose: str) -> Token:
        token = self._token
        if not self.accept(sign):
            raise ExpressionError(f"expected `{sign}` {purpose}, found {token}", token.span)
        return token


def _number(token: Token) -> int | float:
    """The value of a numeric token. Raises ExpressionError."""
    text = token.text
    if len(text) > _MAX_NUMBER_LENGTH:
        message = f"a number has at most {_MAX_NUMBER_LENGTH} characters, found {len(text)}"
        raise ExpressionError(message, token.span)
    value: int | float | None
    try:
        value = _whole_or_float(token)
    except ValueError:
        value = None
    if value is None:
        message = f"a number is decimal without leading zeros, 0x, 0o or 0b, found {quoted(text)}"
        raise ExpressionError(message, token.span)
    if math.isinf(value):
        raise ExpressionError(f"a float is below 1.8e308, found {quoted(text)}", token.span)
    return value


def _whole_or_float(token: Token) -> int | float | None:
    if token.kind == "float":
        return float(token.text)
    # `number_value` reads the first hundred characters only.
    return int(token.text, 0) if number_value(token.text) is not None else None


def _too_deep(span: Span) -> ExpressionError:
    return ExpressionError(
        f"an expression nests at most {MAX_DEPTH} deep, found one more; split it", span
    )


def _over(first: Node, last: Node) -> Span:
    return Span(first.span.start, last.span.end)


def tokens_of(text: str) -> list[Token]:
    """Split an expression into tokens, the last of kind `end`. Raises ExpressionError."""
    if len(text) > MAX_LENGTH:
        raise ExpressionError(
            f"an expression has at most {MAX_LENGTH:,} characters, found {len(text):,}",
            Span(MAX_LENGTH, len(text)),
        )
    tokens = []
    offset = _skipped(text, 0)
    while offset < len(text):
        match = WORD.match(text, offset)
        if match is None or match.lastgroup is None:
            is_before_word = text[offset + 1 : offset + 2].isalnum()
            remedy = _REMEDIES.get(text[offset], "") if is_before_word else ""
            message = (
                f"an expression has names, numbers and operators, found {quoted(text[offset])}"
            )
            raise ExpressionError(f"{message}{remedy}", Span(offset, offset + 1))
        tokens.append(Token(match.lastgroup, match.group(), Span(*match.span())))
        offset = _skipped(text, match.end())
    return [*tokens, Token(END, "", Span(len(text), len(text)))]


def _skipped(text: str, offset: int) -> int:
    match = _BLANK.match(text, offset)
    return match.end() if match else offset

"""Syntax tree of an expression, and errors in it. Every node has its span in the text."""

from __future__ import annotations

from typing import Iterator, TypeAlias

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span


class ExpressionError(Exception):
    """An expression that cannot be evaluated, or a value that does not fit.

    `span` is the wrong part of the expression's text.
    """

    def __init__(self, message: str, span: Span) -> None:
        self.message = message
        self.span = span
        super().__init__(message)


_MAX_QUOTED = 40
_MAX_BITS_IN_FULL = 64


class Number(NamedTuple):
    value: int | float
    span: Span


class Name(NamedTuple):
    """A register, a constant, a name from a register note, or a label."""

    text: str
    span: Span


class Unary(NamedTuple):
    """A prefix operator (sign, `~` or `not`) and its operand."""

    operator: str
    operand: Node
    span: Span


class Binary(NamedTuple):
    """A binary operator and its operands, including comparisons, `and` and `or`."""

    operator: str
    left: Node
    right: Node
    span: Span


class ConditionalExpression(NamedTuple):
    """A conditional: `condition ? one : other`."""

    condition: Node
    one: Node
    other: Node
    span: Span


class IndexRange(NamedTuple):
    """The content of index brackets: `first`, `first .. last` or `first .. +length`, and a type.

    Both ends belong to the range.
    """

    first: Node
    last: Node | None
    length: Node | None
    kind: Name | None


class Index(NamedTuple):
    """Elements of a vector, or bytes of xmem."""

    base: Node
    part: IndexRange
    span: Span


class Call(NamedTuple):
    """A call of a function, or the conversion of an argument to a type."""

    name: Name
    arguments: tuple[Node, ...]
    span: Span


class ListLiteral(NamedTuple):
    items: tuple[Node, ...]
    span: Span


Node: TypeAlias = (
    Number | Name | Unary | Binary | ConditionalExpression | Index | Call | ListLiteral
)


class Parsed(NamedTuple):
    """An expression and the formats after it: `acc[0..7],x`."""

    node: Node
    formats: tuple[Name, ...]


def names_in(node: object) -> Iterator[Name]:
    """Yield the names in a tree, with those of functions and types, in their order."""
    if isinstance(node, Name):
        yield node
    elif isinstance(node, tuple):
        for part in node:
            yield from names_in(part)


def quoted(text: str) -> str:
    """Quote user input for a message: shortened, in backticks, unprintable characters escaped."""
    short = text if len(text) <= _MAX_QUOTED else text[: _MAX_QUOTED - 1] + "…"
    return "`" + "".join(c if c.isprintable() else f"<U+{ord(c):04X}>" for c in short) + "`"


def number_text(number: int | float) -> str:
    """Format a number for a message; a very long one as its number of bits."""
    if isinstance(number, int) and number.bit_length() > _MAX_BITS_IN_FULL:
        return f"a number of {number.bit_length():,} bits"
    return repr(number)

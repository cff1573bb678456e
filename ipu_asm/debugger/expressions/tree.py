"""What an expression consists of. Every part knows its place in the text."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from ipu_asm.text import Span


class Number(NamedTuple):
    """A number as written."""

    value: int | float
    span: Span


class Name(NamedTuple):
    """A register, a label, a name that the author gave."""

    text: str
    span: Span


class Unary(NamedTuple):
    """A sign or `~` or `not` before an operand."""

    operator: str
    operand: Node
    span: Span


class Binary(NamedTuple):
    """Two operands with an operator between them, comparisons and `and`, `or` included."""

    operator: str
    left: Node
    right: Node
    span: Span


class Choice(NamedTuple):
    """`condition ? one : other`."""

    condition: Node
    one: Node
    other: Node
    span: Span


class Range(NamedTuple):
    """What stands in brackets: `first`, or `first .. last`, or `first .. +length`, and a type.

    Both ends are part of it.
    """

    first: Node
    last: Node | None
    length: Node | None
    kind: Name | None


class Index(NamedTuple):
    """Elements of a vector, or bytes of the memory."""

    base: Node
    part: Range
    span: Span


class Call(NamedTuple):
    """A function or a type, and what it is applied to."""

    name: Name
    arguments: tuple[Node, ...]
    span: Span


class Values(NamedTuple):
    """`[1, 2, 3]`."""

    items: tuple[Node, ...]
    span: Span


Node: TypeAlias = Number | Name | Unary | Binary | Choice | Index | Call | Values


class Parsed(NamedTuple):
    """An expression and the formats after it: `acc[0..7],x`."""

    node: Node
    formats: tuple[Name, ...]

"""Parsed assertions: conditions, counts, regions, log expressions, and configurations of the host.

All spans are in the text of the assertion. The host's registers have values from comments
(`# CR cr4 = 64 | 128`), which count before `[kernel."GLOB"]` in the configuration of the project;
what is given for one run (`--cr 4=64`) counts before both.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice, product
from typing import Iterable, Iterator, Mapping, Sequence

from ipu_asm.config.kernel_keys import NAMED_VALUES
from ipu_asm.expressions.parser import parse_first, parse_list
from ipu_asm.expressions.tree import Binary, ExpressionError, Node, quoted
from ipu_asm.flow.assertions.comments import AssertionComment, AssertionKind, assertion_comments
from ipu_asm.isa.operands import number_value
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.text import Span

MAX_CONFIGURATIONS = 16
"""The combinations of values of one program: what it does is computed in each."""


class StatedValue(NamedTuple):
    """The value of a register or setting in the first configuration, and all that are stated.

    `comment` states it; None if the configuration of the project does.
    """

    value: int
    every: tuple[int, ...]
    comment: AssertionComment | None


_RELATION = re.compile(r"(==|=|<=|>=|<|>)?[ \t]*")
_REGION = re.compile(r"(\w+)[ \t]*=[ \t]*")
_RANGE = re.compile(r"[ \t]*\.\.(?!\+)[ \t]*")
_ACCESS = re.compile(r"[ \t]*(?:(read|write)[ \t]*)?$")
_SETTING = re.compile(r"[ \t]*(\w+)[ \t]*=([^,=]*)(?:,|$)")
_VALUE = re.compile(r"[^|\s][^|]*")
_MAX_VALUES = 16
_SEPARATOR = re.compile(r"[ \t]*,?[ \t]*")


class Conditions(NamedTuple):
    """Conditions that hold before, or after, each execution of a bundle."""

    nodes: tuple[Node, ...]


class Count(NamedTuple):
    """A relation that a number of trips or cycles has to the value of an expression."""

    relation: str
    node: Node


class Region(NamedTuple):
    """A range of a memory: ``base + first..end``, or ``first..end`` without a base.

    The byte at `end` does not belong to it. `access` is ``read``, ``write``, or empty for both.
    """

    name: str
    base: Node | None
    first: Node
    end: Node
    access: str


class Configurations(NamedTuple):
    """The values that each of some registers has when the program starts."""

    values: tuple[tuple[str, tuple[int, ...]], ...]


class Logged(NamedTuple):
    """Expressions that a debugger prints."""

    nodes: tuple[Node, ...]


Parsed = Conditions | Count | Region | Configurations | Logged


@lru_cache(maxsize=1024)
def parse_assertion(kind: AssertionKind, text: str) -> Parsed:
    """Parse the text after the keyword of an assertion. Raises `ExpressionError`."""
    if kind in (AssertionKind.BEFORE, AssertionKind.AFTER):
        return Conditions(parse_list(text))
    if kind is AssertionKind.REGION:
        return _region(text)
    if kind is AssertionKind.CONFIGURATION:
        return Configurations(tuple(_configurations(text)))
    if kind is AssertionKind.LOG:
        return Logged(tuple(_logged(text)))
    return _count(text)


def _count(text: str) -> Count:
    match = _RELATION.match(text)
    assert match is not None
    relation = match[1] if match[1] not in (None, "=") else "=="
    node, at = _first_in_text(text, match.end())
    if text[at:].strip():
        raise ExpressionError("expected the end after a number", Span(at, len(text)))
    return Count(relation, node)


def _region(text: str) -> Region:
    named = _REGION.match(text)
    if named is None:
        raise ExpressionError("expected `NAME = BASE + FIRST..END`", Span(0, len(text)))
    start, at = _first_in_text(text, named.end())
    between = _RANGE.match(text, at)
    if between is None:
        found = quoted(text[at:].strip()) if text[at:].strip() else "the end"
        message = f"expected `..` and the end of the region, found {found}"
        raise ExpressionError(message, Span(at, len(text)))
    end, at = _first_in_text(text, between.end())
    access = _ACCESS.match(text, at)
    if access is None:
        message = f"expected `read`, `write` or the end, found {quoted(text[at:].strip())}"
        raise ExpressionError(message, Span(at, len(text)))
    base, first = _base_and_offset(start)
    return Region(named[1], base, first, end, access[1] or "")


def _base_and_offset(node: Node) -> tuple[Node | None, Node]:
    if isinstance(node, Binary) and node.operator == "+":
        return node.left, node.right
    return None, node


def _configurations(text: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    at = 0
    while at < len(text):
        match = _SETTING.match(text, at)
        if match is None:
            message = "expected `REGISTER = VALUE | VALUE`"
            raise ExpressionError(message, Span(at, len(text)))
        name = match[1].lower()
        yield name, tuple(_values(text, *match.span(2), NAMED_VALUES.get(name, ())))
        at = match.end()


def _values(text: str, start: int, end: int, names: Sequence[str]) -> Iterator[int]:
    """Yield the numbers that are separated by `|`; those of `names`, if there are any."""
    found = list(_VALUE.finditer(text, start, end))
    if not 1 <= len(found) <= _MAX_VALUES:
        message = f"a register has 1 to {_MAX_VALUES} values, found {len(found)}"
        raise ExpressionError(message, Span(start, end))
    for match in found:
        word = match[0].strip()
        value = number_value(word.lstrip("-"))
        if names:
            value = names.index(word.lower()) if word.lower() in names else None
        if value is None:
            expected = f"one of {', '.join(names)}" if names else "a number"
            message = f"expected {expected}, found {quoted(word)}"
            raise ExpressionError(message, Span(match.start(), match.start() + len(word)))
        yield -value if word.startswith("-") else value


def _logged(text: str) -> Iterator[Node]:
    at = 0
    while at < len(text):
        node, at = _first_in_text(text, at)
        yield node
        separator = _SEPARATOR.match(text, at)
        at = separator.end() if separator else at


def _first_in_text(text: str, start: int) -> tuple[Node, int]:
    """Parse the expression at an offset; the spans count from the start of the text."""
    return parse_first(" " * start + text[start:])


def configurations_of(program: Program) -> Sequence[Mapping[str, int]]:
    """Return the values of registers by name, in lower case; the first 16 combinations."""
    found: dict[tuple[tuple[str, int], ...], Mapping[str, int]] = {}
    for values in islice(_combinations(program), MAX_CONFIGURATIONS**2):
        found.setdefault(tuple(sorted(values.items())), values)
    return list(found.values())[:MAX_CONFIGURATIONS]


def _combinations(program: Program) -> Iterator[Mapping[str, int]]:
    commented = commented_values(program)
    given = {name.lower(): value for name, value in program.presets.items()}
    for configured in program.configurations or ({},):
        for values in product(*commented.values()):
            yield {**configured, **dict(zip(commented, values)), **given}


def stated_values(program: Program) -> dict[str, StatedValue]:
    """Return what comments and the project state, apart from what is given for one run."""
    first, comments = configurations_of(program)[0], _commented(program)
    given = {name.lower() for name in program.presets}
    found = {}
    for name, value in first.items():
        configured = [each[name] for each in program.configurations if name in each]
        if name not in given:
            comment, values = comments.get(name, (None, configured))
            found[name] = StatedValue(value, tuple(dict.fromkeys(values)), comment)
    return found


def commented_values(program: Program) -> dict[str, Sequence[int]]:
    """Return the values in comments by register; of several comments the last one counts."""
    return {name: values for name, (_, values) in _commented(program).items()}


def _commented(program: Program) -> dict[str, tuple[AssertionComment, Sequence[int]]]:
    found: dict[str, tuple[AssertionComment, Sequence[int]]] = {}
    for comment in assertion_comments(program):
        if comment.kind is AssertionKind.CONFIGURATION:
            found |= {name: (comment, values) for name, values in _values_in(comment.text)}
    return found


def _values_in(text: str) -> Iterable[tuple[str, Sequence[int]]]:
    """Return registers with their values; none for a text that has a finding of its own."""
    try:
        parsed = parse_assertion(AssertionKind.CONFIGURATION, text)
    except ExpressionError:
        return ()
    assert isinstance(parsed, Configurations)
    return parsed.values

"""Per-line results of the preprocessor, reused across edits of other lines.

An output or a condition depends on what its names mean. It is used again where they mean the same:
where each is the same macro, or none. Macros are made once for each line that defines one.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import zip_longest
from typing import Callable, Mapping, Sequence

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.preprocessor.conditions import Condition
from ipu_asm.source.preprocessor.lines import LINE_BREAK, Line
from ipu_asm.source.preprocessor.mistakes import MAX_LINE_LENGTH, Budget, LimitExceeded
from ipu_asm.source.preprocessor.output import Output, Part, parts_of, verbatim
from ipu_asm.source.preprocessor.substitution import FollowingLines, Substitution
from ipu_asm.source.preprocessor.tokens import (
    Kind,
    Macro,
    Place,
    Token,
    macro_of,
    tokens_of,
    words_of,
)

_BREAK = re.compile(LINE_BREAK)
_MAX_KEPT = 8
Table = Mapping[str, Macro]


class KnownOutput(NamedTuple):
    """A cached output of lines, with the lines that it depends on and its cost in tokens.

    `after` is the line that ended the search for a call; with `is_at_end` it was the end. One that
    `is_dynamic` depends on the line number or a counter, and cannot be used again.
    """

    output: Output
    read: Sequence[Line] = ()
    behind: Line | None = None
    is_at_end: bool = False
    cost: int = 0
    is_dynamic: bool = False


class KnownCondition(NamedTuple):
    """A cached condition, the names that it depends on, and which of them are unknown."""

    condition: Condition
    used: Mapping[str, Macro | None]
    unknown: frozenset[str]
    cost: int


class LineMemo:
    """Cached results of one line."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._outputs: list[KnownOutput] = []
        self._conditions: list[KnownCondition] = []

    @cached_property
    def macro(self) -> Macro | None:
        """The macro that a `#define` line defines."""
        return macro_of(self._line)

    @cached_property
    def words(self) -> list[Token]:
        """The tokens of a directive after its word."""
        return words_of(self._line)

    @cached_property
    def plain(self) -> Output:
        """The output of a line without macros."""
        return verbatim(self._line)

    @cached_property
    def breaks(self) -> Output:
        """The line breaks of a directive, and an unclosed comment to be reported later."""
        return _breaks(self._line)

    def output(self, table: Table, lines: Sequence[Line], at: int) -> KnownOutput | None:
        """Return the cached output of the line at an index if its inputs are unchanged."""
        for known in self._outputs:
            output, read, behind, is_at_end, *_ = known
            end = at + len(read)
            if is_at_end and end < len(lines):
                continue
            if behind is not None and (end >= len(lines) or lines[end] is not behind):
                continue
            if len(read) > 1 and any(a is not b for a, b in zip_longest(read, lines[at:end])):
                continue
            if _means_same(output.used, table):
                return known
        return None

    def keep_output(self, known: KnownOutput) -> None:
        self._outputs.insert(0, known)
        del self._outputs[_MAX_KEPT:]

    def condition(self, table: Table, is_unknown: Callable[[str], bool]) -> KnownCondition | None:
        """Return the cached condition of the line if its inputs are unchanged."""
        for known in self._conditions:
            if _means_same(known.used, table) and all(
                is_unknown(name) == (name in known.unknown) for name in known.used
            ):
                return known
        return None

    def keep_condition(self, known: KnownCondition) -> None:
        self._conditions.insert(0, known)
        del self._conditions[_MAX_KEPT:]


def memo_of(line: Line) -> LineMemo:
    """Return what is remembered of a source line, made when first asked for."""
    memo = line.memo
    if memo is None:
        memo = line.memo = LineMemo(line)
    assert isinstance(memo, LineMemo)
    return memo


def _means_same(used: Mapping[str, Macro | None], table: Table) -> bool:
    return all(table.get(name) is macro for name, macro in used.items())


def _breaks(line: Line) -> Output:
    if "/*" in line.text and (last := tokens_of(line)[-1]).kind is Kind.COMMENT:
        return verbatim(line, last.place.start)
    if line.text.find("\n") == len(line.text) - 1 and "\r" not in line.text:
        return verbatim(line, len(line.text) - 1)
    breaks = [*_BREAK.finditer(line.text)]
    parts = [Part(each[0], Place(line, each.start(), each.end()), True) for each in breaks]
    return Output("".join(part.text for part in parts), tuple(parts))


def output_at(lines: Sequence[Line], at: int, table: Table, budget: Budget) -> KnownOutput:
    """Return the output of the line at an index, with those that its calls extend over.

    Raises `LimitExceeded`.
    """
    line = lines[at]
    memo = memo_of(line)
    if not line.is_spliced and table.keys().isdisjoint(line.names):
        return KnownOutput(memo.plain)
    known = memo.output(table, lines, at)
    if known is not None:
        budget.spend(known.cost)
        return known
    if len(line.text) > MAX_LINE_LENGTH:
        raise LimitExceeded(f"a line with macros has at most {MAX_LINE_LENGTH:,} characters")
    before = budget.spent
    following = FollowingLines(lines, at + 1)
    substitution = Substitution(table, budget, following)
    parts = parts_of(substitution.expand_line(tokens_of(line)))
    text = "".join(part.text for part in parts)
    mistakes = substitution.mistakes
    is_open = following.behind is not None or following.is_at_end
    reads_on = is_open or bool(mistakes and following.at > at + 1)
    made = KnownOutput(
        Output(text, parts, substitution.used, following.at - at, mistakes, reads_on),
        lines[at : following.at],
        following.behind,
        following.is_at_end,
        budget.spent - before,
        substitution.is_dynamic,
    )
    if not substitution.is_dynamic:
        memo.keep_output(made)
    return made

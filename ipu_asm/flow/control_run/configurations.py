"""The values of registers with which the host starts a program, one mapping for each case.

They come from comments (`# CR cr4 = 64 | 128`), which count before `[kernel."GLOB"]` in the
configuration of the project; what is given for one run (`--cr 4=64`) counts before both.
"""

from __future__ import annotations

from itertools import islice, product
from typing import Iterable, Iterator, Mapping, Sequence

from ipu_asm.flow.assertions.comments import (
    AssertionComment,
    AssertionKind,
    assertion_comments,
)
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program

MOST_CONFIGURATIONS = 16
"""The combinations of values of one program: what it does is computed in each."""


class StatedValue(NamedTuple):
    """The value of a register or setting in the first configuration, and all that are stated.

    `comment` states it; None if the configuration of the project does.
    """

    value: int
    every: tuple[int, ...]
    comment: AssertionComment | None


def configurations_of(program: Program) -> Sequence[Mapping[str, int]]:
    """Return the values of registers by name, in lower case; the first 16 combinations."""
    found: dict[tuple[tuple[str, int], ...], Mapping[str, int]] = {}
    for values in islice(_combinations(program), MOST_CONFIGURATIONS**2):
        found.setdefault(tuple(sorted(values.items())), values)
    return list(found.values())[:MOST_CONFIGURATIONS]


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
    from ipu_asm.expressions.errors import ExpressionError  # few programs have such comments
    from ipu_asm.flow.assertions.syntax import Configurations, parse_assertion

    try:
        parsed = parse_assertion(AssertionKind.CONFIGURATION, text)
    except ExpressionError:
        return ()
    assert isinstance(parsed, Configurations)
    return parsed.values

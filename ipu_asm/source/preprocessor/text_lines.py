"""What a line of assembly becomes, with the macros of a table in place of their names."""

from __future__ import annotations

from typing import Sequence

from ipu_asm.source.preprocessor.following import FollowingLines
from ipu_asm.source.preprocessor.limits import LONGEST_LINE, Budget, LimitExceeded
from ipu_asm.source.preprocessor.lines import Line
from ipu_asm.source.preprocessor.memo import KnownOutput, Table, memo_of
from ipu_asm.source.preprocessor.output import Output, parts_of
from ipu_asm.source.preprocessor.substitution import Substitution
from ipu_asm.source.preprocessor.tokens import tokens_of


def output_at(lines: Sequence[Line], at: int, table: Table, budget: Budget) -> KnownOutput:
    """Return the output of the line at an index, with those that its calls extend over.

    Raises `LimitExceeded`.
    """
    line = lines[at]
    memo = memo_of(line)
    if not line.is_spliced and table.keys().isdisjoint(line.names):
        return KnownOutput(memo.plain())
    known = memo.output(table, lines, at)
    if known is not None:
        budget.spend(known.cost)
        return known
    if len(line.text) > LONGEST_LINE:
        raise LimitExceeded(f"a line with macros has at most {LONGEST_LINE:,} characters")
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

"""`--statistics`: the number of findings of each rule instead of their locations."""

from __future__ import annotations

from collections import Counter
from typing import Any, Sequence

from ipu_asm.cli.lint.formats import FileFindings, json_of
from ipu_asm.diagnostics import Applicability
from ipu_asm.named_tuple import NamedTuple

# The first that applies to a rule: some of its findings are corrected by `--fix`, or only with
# `--unsafe-fixes`.
_MARKS = {Applicability.SAFE: "[*]", Applicability.UNSAFE: "[-]"}


class RuleCount(NamedTuple):
    """The number of findings with a code, and how many of them have a fix of each applicability."""

    number: int
    code: str
    name: str
    fixes: Counter[Applicability]


def rule_counts(files: Sequence[FileFindings]) -> list[RuleCount]:
    """Return a count for each code that was found, the most frequent first."""
    findings = [diagnostic for _, diagnostics, _ in files for diagnostic in diagnostics]
    counts = Counter(diagnostic.code for diagnostic in findings)
    names = {diagnostic.code: diagnostic.name for diagnostic in findings}
    fixes: dict[str, Counter[Applicability]] = {code: Counter() for code in counts}
    for item in findings:
        if item.fix is not None:
            fixes[item.code][item.fix.applicability] += 1
    rows = [RuleCount(counts[code], code, names[code], fixes[code]) for code in counts]
    return sorted(rows, key=lambda row: (-row.number, row.code))


def format_statistics(files: Sequence[FileFindings], name: str = "text") -> str:
    """Return the counts as a table, or as a list of objects if `name` is `json`."""
    rows = rule_counts(files)
    if name == "json":
        objects = [_object(row) for row in rows]
        return json_of(objects, 2)
    widths = [max((len(str(row[field])) for row in rows), default=0) for field in (0, 1)]
    return "".join(_line(row, *widths) for row in rows)


def _object(row: RuleCount) -> dict[str, Any]:
    return {
        "code": row.code,
        "name": row.name,
        "count": row.number,
        "fixable": row.fixes[Applicability.SAFE] > 0,
        "fixes": {each.label: row.fixes[each] for each in Applicability},
    }


def _line(row: RuleCount, count_width: int, code_width: int) -> str:
    mark = next((_MARKS[each] for each in _MARKS if row.fixes[each]), "[ ]")
    return f"{row.number:>{count_width}}  {row.code:<{code_width}}  {mark} {row.name}\n"

"""`--statistics`: how often each rule was broken, instead of where."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple, Sequence

from ipu_asm.cli.formats import FileFindings


class RuleCount(NamedTuple):
    """How many findings share a code, and whether `--fix` can mend any of them."""

    number: int
    code: str
    name: str
    fixable: bool


def rule_counts(files: Sequence[FileFindings]) -> list[RuleCount]:
    """A count per code that was found, the most frequent first."""
    findings = [diagnostic for _, diagnostics in files for diagnostic in diagnostics]
    counts = Counter(diagnostic.code for diagnostic in findings)
    names = {diagnostic.code: diagnostic.name for diagnostic in findings}
    fixable = {item.code for item in findings if item.fix and item.fix.safe}
    rows = [RuleCount(counts[code], code, names[code], code in fixable) for code in counts]
    return sorted(rows, key=lambda row: (-row.number, row.code))


def format_statistics(files: Sequence[FileFindings], name: str = "text") -> str:
    """The counts as a table, or as a list of objects where `name` is `json`."""
    rows = rule_counts(files)
    if name == "json":
        import json  # the table does not need it

        objects = [
            {"code": code, "name": rule, "count": number, "fixable": fixable}
            for number, code, rule, fixable in rows
        ]
        return json.dumps(objects, indent=2) + "\n"
    widths = [max((len(str(row[field])) for row in rows), default=0) for field in (0, 1)]
    return "".join(_line(row, *widths) for row in rows)


def _line(row: RuleCount, count_width: int, code_width: int) -> str:
    mark = "[*]" if row.fixable else "[ ]"
    return f"{row.number:>{count_width}}  {row.code:<{code_width}}  {mark} {row.name}\n"

"""The formats for people: `text`, `concise`, and the counts of `--statistics`."""

from __future__ import annotations

from collections import Counter
from typing import Any, Sequence

from ipu_asm.cli.lint.formats import FileFindings, LintReport, json_of
from ipu_asm.diagnostics import Applicability
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import counted


def write_text(report: LintReport) -> str:
    """Return each finding with its source lines, then a summary line."""
    return "\n\n".join([*_paragraphs(report), summary(report.files)]) + "\n"


def _paragraphs(report: LintReport) -> list[str]:
    if not any(diagnostics for _, diagnostics, _ in report.files):
        return []
    from ipu_asm.diagnostics.rendering import render  # imported on use: not needed for a clean file

    return [
        render(diagnostic, source, report.color, others, columns=report.columns)
        for source, diagnostics, others in report.files
        for diagnostic in diagnostics
    ]


def summary(files: Sequence[FileFindings]) -> str:
    """Return the number of findings by severity, and of those that can be fixed."""
    findings = [diagnostic for _, diagnostics, _ in files for diagnostic in diagnostics]
    place = f"in {counted(len(files), 'file')}"
    if not findings:
        return f"no findings {place}"
    severities = Counter(diagnostic.severity for diagnostic in findings)
    counts = ", ".join(counted(severities[key], key.label) for key in sorted(severities))
    fixes = Counter(diagnostic.fix.applicability for diagnostic in findings if diagnostic.fix)
    return f"{counts} {place}" + _fixable(fixes[Applicability.SAFE], fixes[Applicability.UNSAFE])


def _fixable(safe: int, unsafe: int) -> str:
    if safe and unsafe:
        return f"; {safe} fixable with `--fix`, {unsafe} more with `--unsafe-fixes`"
    if safe:
        return f"; {safe} fixable with `--fix`"
    return f"; {unsafe} fixable with `--unsafe-fixes`" if unsafe else ""


def write_concise(report: LintReport) -> str:
    """Return ``path:row:column: error[E101] message`` for each finding; "" if there are none.

    This is the usual format of compilers, which editors parse.
    """
    from ipu_asm.diagnostics.rendering import render_concise

    return "".join(
        render_concise(diagnostic, source, report.color) + "\n"
        for source, diagnostics, _ in report.files
        for diagnostic in diagnostics
    )


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

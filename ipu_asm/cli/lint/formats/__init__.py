"""Findings of files, and the output formats of `ipu-lint`: text here, others on request."""

from __future__ import annotations

import os
import re
from collections import Counter
from importlib import import_module
from types import MappingProxyType
from typing import Any, Mapping, Sequence

from ipu_asm.diagnostics import Applicability, Diagnostic, Severity
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import SourceFile, Span, counted

FORMATS: Mapping[str, tuple[str, str]] = {
    "text": ("", "write_text"),
    "concise": ("", "write_concise"),
    "json": (".json_formats", "write_json"),
    "json-lines": (".json_formats", "write_json_lines"),
    "sarif": (".json_formats", "write_sarif"),
    "github": (".services", "write_github"),
    "gitlab": (".services", "write_gitlab"),
    "junit": (".services", "write_junit"),
    "rdjson": (".json_formats", "write_rdjson"),
}
"""The module and the function that write a format, by its name."""
# Control characters that JSON does not escape, and those that change the writing direction. The
# pattern is compiled on first use: that takes 2 % of a run on a small file.
_INVISIBLE = r"[\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
_LONE_SURROGATE = "[\ud800-\udfff]"


class Found(NamedTuple):
    """What an analysis of a file found, before rules are selected.

    `empty` are the findings about a file with nothing to assemble, None if they were not asked for.
    `headers` are those with places of findings, `header_paths` all, also missing ones. `read` has
    the digest of each file that was looked for, None for one that is missing.
    """

    findings: tuple[Diagnostic, ...]
    empty: tuple[Diagnostic, ...] | None
    headers: Mapping[str, SourceFile]
    header_paths: frozenset[str]
    read: Mapping[str, str | None]


class FileFindings(NamedTuple):
    """A file and its findings, sorted by position.

    Related places are in this file, or in the one of `others` that their path names.
    """

    source: SourceFile
    diagnostics: Sequence[Diagnostic]
    others: Mapping[str, SourceFile] = MappingProxyType({})


class RuleInfo(NamedTuple):
    """The data of a rule for reports; `documentation` is Markdown."""

    code: str
    name: str
    severity: Severity
    summary: str
    documentation: str


class LintReport(NamedTuple):
    """The input of a format: the files in report order, the rules by code, and settings."""

    files: Sequence[FileFindings]
    rules: Mapping[str, RuleInfo]
    color: bool = False
    version: str = ""
    columns: int | None = None


def format_findings(
    name: str,
    files: Sequence[FileFindings],
    *,
    rules: Mapping[str, RuleInfo] | None = None,
    color: bool = False,
    version: str = "",
    columns: int | None = None,
) -> str:
    """Return the report on `files` in the format `name`, a key of `FORMATS`.

    The result consists of whole lines that can be encoded in UTF-8. `rules` maps codes to rule data
    for SARIF, `version` is that of this program, and `color` applies to the two formats for people,
    `columns`, the width of a terminal, to `text`.
    Raises `KeyError` for an unknown format.
    """
    module, function = FORMATS[name]
    write = getattr(import_module(f"{__name__}{module}"), function)
    return encodable(write(LintReport(files, rules or {}, color, version, columns)))


def json_of(value: object, indent: int | None = None) -> str:
    """Return a value as JSON with a line break, escaping characters that affect a terminal."""
    import json  # imported on use: the formats for people do not need it

    text = json.dumps(value, ensure_ascii=False, indent=indent)
    if not text.isascii() or "\x7f" in text:
        text = re.sub(_INVISIBLE, lambda match: f"\\u{ord(match[0]):04x}", text)
    return text + "\n"


def encodable(text: str) -> str:
    """Return `text` with U+FFFD for lone surrogates, which come from undecodable names and JSON."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return re.sub(_LONE_SURROGATE, "\ufffd", text)
    return text


def findings_by_file(linted: Sequence[FileFindings]) -> list[FileFindings]:
    """Return findings by file; if there are some in headers, sorted by file name.

    The findings of a linted file may be in one of its `others`, the headers that it includes. A
    header that is linted itself, or included by several files, has each of its findings once.
    """
    files = [
        _FoundIn(source, [each for each in findings if each.path is None])
        for source, findings, _ in linted
    ]
    if all(len(file.findings) == len(each.diagnostics) for file, each in zip(files, linted)):
        return list(linted)
    by_path = {os.path.abspath(file.source.path): file for file in reversed(files)}
    others: dict[str, SourceFile] = {}
    for source, findings, headers in linted:
        main = os.path.abspath(source.path)
        others |= {**headers, main: source}
        for finding in findings:
            if finding.path is not None:
                file = by_path.get(finding.path)
                if file is None:
                    file = by_path[finding.path] = _FoundIn(headers[finding.path], [])
                    files.append(file)
                file.add(_in_header(finding, main))
    return sorted((file.sorted(others) for file in files), key=lambda each: each.source.path)


class _FoundIn:
    """A file and its findings."""

    def __init__(self, source: SourceFile, findings: list[Diagnostic]) -> None:
        self.source = source
        self.findings = findings
        self._known = {(finding.code, finding.span) for finding in findings}

    def add(self, finding: Diagnostic) -> None:
        """Add a finding of a file that includes this one, if it is a new one."""
        key: tuple[str, Span] = (finding.code, finding.span)
        if key not in self._known:
            self._known.add(key)
            self.findings.append(finding)

    def sorted(self, others: Mapping[str, SourceFile]) -> FileFindings:
        """Return the findings by position; `others` are the files of related places."""
        findings = sorted(self.findings, key=lambda finding: finding.span)
        return FileFindings(self.source, findings, others)


def _in_header(finding: Diagnostic, main: str) -> Diagnostic:
    """Return a finding as one of its header: related places without a path are in it."""
    related = tuple(
        place._replace(path=None if place.path == finding.path else place.path or main)
        for place in finding.related
    )
    return finding._replace(path=None, related=related)


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

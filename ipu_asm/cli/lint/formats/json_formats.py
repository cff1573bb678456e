"""JSON: `json` and `json-lines` with the field names of ruff, `rdjson` of reviewdog, and SARIF."""

from __future__ import annotations

import os
import re
from typing import Any
from urllib.parse import quote

from ipu_asm.cli.lint.formats import FileFindings, LintReport, RuleInfo, json_of
from ipu_asm.cli.lint.formats.services import fingerprints
from ipu_asm.cli.sources import absolute_path, path_inside, project_path
from ipu_asm.diagnostics import Diagnostic, Fix, Severity
from ipu_asm.lint import rule_link
from ipu_asm.text import SourceFile, Span, TextEdit, apply_edits


def write_json(report: LintReport) -> str:
    """Return all findings of all files as one list."""
    findings = [
        finding_object(diagnostic, source)
        for source, diagnostics, _ in report.files
        for diagnostic in diagnostics
    ]
    return json_of(findings, 2)


def finding_object(diagnostic: Diagnostic, source: SourceFile) -> dict[str, Any]:
    """Return one finding; rows and columns count from 1 in code points, ends are exclusive."""
    return {
        "code": diagnostic.code,
        "name": diagnostic.name,
        "severity": diagnostic.severity.label,
        "message": diagnostic.message,
        "filename": source.path,
        "location": _location(source, diagnostic.span.start),
        "end_location": _location(source, diagnostic.span.end),
        "fix": diagnostic.fix and _fix(diagnostic.fix, source),
        "url": rule_link(diagnostic.name),
    }


def _fix(fix: Fix, source: SourceFile) -> dict[str, Any]:
    return {
        "applicability": fix.applicability.label,
        "message": fix.title,
        "edits": [_edit(edit, source) for edit in fix.edits],
    }


def _edit(edit: TextEdit, source: SourceFile) -> dict[str, Any]:
    return {
        "content": edit.new_text,
        "location": _location(source, edit.span.start),
        "end_location": _location(source, edit.span.end),
    }


def _location(source: SourceFile, offset: int) -> dict[str, int]:
    line, column = source.lines.position(offset)
    return {"row": line + 1, "column": column + 1}


def write_json_lines(report: LintReport) -> str:
    """Return one object per line, so that readers can process the output as it arrives."""
    return "".join(
        json_of(finding_object(diagnostic, source))
        for source, diagnostics, _ in report.files
        for diagnostic in diagnostics
    )


_SEVERITIES = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.HINT: "INFO"}
_MAX_SUGGESTION = 2_000  # code points; longer suggestions are hard to review


def write_rdjson(report: LintReport) -> str:
    """Return one result with all findings; its severity is the highest one."""
    severities = {item.severity for findings in report.files for item in findings.diagnostics}
    result = {
        "source": {"name": "ipu-lint"},
        "severity": _SEVERITIES[min(severities, default=Severity.HINT)],
        "diagnostics": [
            _diagnostic(diagnostic, source, path)
            for source, diagnostics, _ in report.files
            for path in [project_path(source.path)]
            for diagnostic in diagnostics
        ],
    }
    return json_of(result, 2)


def _diagnostic(diagnostic: Diagnostic, source: SourceFile, path: str) -> dict[str, Any]:
    suggestions = _suggestions(diagnostic.fix, source)
    message = diagnostic.message
    if diagnostic.fix and suggestions:
        # The format has no field for the applicability of a suggestion.
        message += f"\n{diagnostic.fix.applicability.label} fix: {diagnostic.fix.title}"
    link = rule_link(diagnostic.name)
    return {
        "message": message,
        "location": {"path": path, "range": _utf8_range(source, diagnostic.span)},
        "severity": _SEVERITIES[diagnostic.severity],
        "code": {"value": diagnostic.code, **({"url": link} if link else {})},
        "suggestions": suggestions,
    }


def _suggestions(fix: Fix | None, source: SourceFile) -> list[dict[str, Any]]:
    """Return the fix as one replacement: reviewdog treats several as alternatives."""
    if fix is None or not fix.edits:
        return []
    start = min(edit.span.start for edit in fix.edits)
    end = max(edit.span.end for edit in fix.edits)
    if end - start > _MAX_SUGGESTION:
        return []
    text = apply_edits(source.text[start:end], [edit.shifted(-start) for edit in fix.edits])
    return [{"range": _utf8_range(source, Span(start, end)), "text": text}]


def _utf8_range(source: SourceFile, span: Span) -> dict[str, Any]:
    return {"start": _utf8_position(source, span.start), "end": _utf8_position(source, span.end)}


def _utf8_position(source: SourceFile, offset: int) -> dict[str, int]:
    line, column = source.lines.position(offset)
    if not source.text.isascii():
        first = source.lines.starts[line]
        # "replace" writes one byte for a surrogate, which represents one undecodable byte.
        column = len(source.text[first : first + column].encode("utf-8", "replace"))
    return {"line": line + 1, "column": column + 1}


LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "note"}
"""Maps a severity to SARIF's `level`."""
# GitHub's `problem.severity`, by which its dashboard filters.
_PROBLEM_SEVERITIES = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.HINT: "recommendation",
}
_MAX_DESCRIPTION = 1024  # maximum number of characters on GitHub
ROOT = "%SRCROOT%"
"""The conventional name of the base URI for the root of the project."""
# Surrogates other than those that represent undecodable bytes of a file name.
_NO_BYTE = re.compile("[\ud800-\udc7f\udd00-\udfff]")
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_FINGERPRINT = "ipuLint/v1"


def write_sarif(report: LintReport) -> str:
    """Return a log of one run with all known rules and all findings of all files."""
    rules = descriptors(report)
    driver = {"name": "ipu-lint", "rules": rules}
    if report.version:
        driver["version"] = report.version
    indices = {rule["id"]: index for index, rule in enumerate(rules)}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {ROOT: {"uri": root_uri()}},
        "results": [result for file in report.files for result in _results(file, indices)],
    }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json_of(log, 2)


def _results(findings: FileFindings, indices: dict[str, int]) -> list[dict[str, Any]]:
    return [
        {
            **_result(diagnostic, findings),
            "ruleIndex": indices[diagnostic.code],
            "partialFingerprints": {_FINGERPRINT: fingerprint},
        }
        for diagnostic, fingerprint in zip(
            findings.diagnostics, fingerprints(findings), strict=True
        )
    ]


def _result(diagnostic: Diagnostic, findings: FileFindings) -> dict[str, Any]:
    source = findings.source
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "level": LEVELS[diagnostic.severity],
        "message": _message(diagnostic.message),
        "locations": [_sarif_location(source, diagnostic.span)],
    }
    if diagnostic.related:
        result["relatedLocations"] = [
            {
                "id": number,
                **_sarif_location(findings.others.get(related.path or "", source), related.span),
                "message": _message(related.message),
            }
            for number, related in enumerate(diagnostic.related, 1)
        ]
    if diagnostic.fix and diagnostic.fix.edits:
        result["fixes"] = [_sarif_fix(diagnostic.fix, source)]
    return result


def _sarif_fix(fix: Fix, source: SourceFile) -> dict[str, Any]:
    replacements = [
        {"deletedRegion": _region(source, edit.span), "insertedContent": {"text": edit.new_text}}
        for edit in fix.edits
    ]
    change = {"artifactLocation": artifact_location(source.path), "replacements": replacements}
    return {
        "description": _message(fix.title),
        "artifactChanges": [change],
        "properties": {"applicability": fix.applicability.label},
    }


def _sarif_location(source: SourceFile, span: Span) -> dict[str, Any]:
    artifact = artifact_location(source.path)
    return {"physicalLocation": {"artifactLocation": artifact, "region": _region(source, span)}}


def _region(source: SourceFile, span: Span) -> dict[str, int]:
    start, end = source.lines.position(span.start), source.lines.position(span.end)
    return {
        "startLine": start.line + 1,
        "startColumn": start.column + 1,
        "endLine": end.line + 1,
        "endColumn": end.column + 1,
    }


def _message(text: str) -> dict[str, str]:
    # Section 3.11.5: braces delimit placeholders, so literal ones are doubled.
    return {"text": text.replace("{", "{{").replace("}", "}}")}


def artifact_location(path: str) -> dict[str, str]:
    """Return the location of `path` relative to the project root, or absolute if outside of it."""
    inside = path_inside(path)
    if inside is None:
        return {"uri": _file_uri(absolute_path(path))}
    return {"uri": _quoted(inside), "uriBaseId": ROOT}


def root_uri() -> str:
    """Return the URI of the working directory, with the final slash that a base needs."""
    return _file_uri(os.path.join(absolute_path("."), ""))


def _file_uri(absolute: str) -> str:
    path = absolute.replace(os.sep, "/")
    if path.startswith("//"):  # a Windows share: its host is the URI's authority
        return f"file:{_quoted(path)}"
    return f"file://{'' if path.startswith('/') else '/'}{_quoted(path, '/:')}"


def _quoted(path: str, safe: str = "/") -> str:
    return quote(_NO_BYTE.sub("\ufffd", path).encode("utf-8", "surrogateescape"), safe)


def descriptors(report: LintReport) -> list[dict[str, Any]]:
    """Return the descriptors of all rules by code.

    A finding whose rule is not in the report gets a minimal descriptor.
    """
    rules = dict(report.rules)
    for _, diagnostics, _ in report.files:
        for item in diagnostics:
            words = item.name.replace("-", " ")
            rules.setdefault(item.code, RuleInfo(item.code, item.name, item.severity, words, ""))
    return [_descriptor(rules[code]) for code in sorted(rules)]


def _descriptor(rule: RuleInfo) -> dict[str, Any]:
    descriptor: dict[str, Any] = {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary[:_MAX_DESCRIPTION]},
        "fullDescription": {"text": _first_paragraph(rule)[:_MAX_DESCRIPTION]},
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
        "properties": {"problem.severity": _PROBLEM_SEVERITIES[rule.severity]},
    }
    link = rule_link(rule.name)
    if link is not None:
        descriptor["helpUri"] = link
    if rule.documentation:
        descriptor["help"] = {"text": rule.documentation, "markdown": rule.documentation}
    return descriptor


def _first_paragraph(rule: RuleInfo) -> str:
    paragraphs = (paragraph.strip() for paragraph in rule.documentation.split("\n\n"))
    return next((text for text in paragraphs if text and text[0] != "#"), rule.summary)

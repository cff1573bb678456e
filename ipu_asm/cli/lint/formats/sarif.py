"""`sarif`: the Static Analysis Results Interchange Format, version 2.1.0 (OASIS)."""

from __future__ import annotations

from typing import Any

from ipu_asm.cli.lint.formats import FileFindings, LintReport, json_of
from ipu_asm.cli.lint.formats.artifacts import ROOT, artifact_location, root_uri
from ipu_asm.cli.lint.formats.fingerprints import fingerprints
from ipu_asm.cli.lint.formats.sarif_rules import LEVELS, descriptors
from ipu_asm.diagnostics import Diagnostic, Fix
from ipu_asm.text import SourceFile, Span

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_FINGERPRINT = "ipuLint/v1"


def write(report: LintReport) -> str:
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
        "locations": [_location(source, diagnostic.span)],
    }
    if diagnostic.related:
        result["relatedLocations"] = [
            {
                "id": number,
                **_location(findings.others.get(related.path or "", source), related.span),
                "message": _message(related.message),
            }
            for number, related in enumerate(diagnostic.related, 1)
        ]
    if diagnostic.fix and diagnostic.fix.edits:
        result["fixes"] = [_fix(diagnostic.fix, source)]
    return result


def _fix(fix: Fix, source: SourceFile) -> dict[str, Any]:
    replacements = [
        {
            "deletedRegion": _region(source, edit.span),
            "insertedContent": {"text": edit.new_text},
        }
        for edit in fix.edits
    ]
    change = {"artifactLocation": artifact_location(source.path), "replacements": replacements}
    return {
        "description": _message(fix.title),
        "artifactChanges": [change],
        "properties": {"applicability": fix.applicability.label},
    }


def _location(source: SourceFile, span: Span) -> dict[str, Any]:
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

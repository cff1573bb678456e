"""Output formats of `ipu-lint --format`: one module each, imported when requested."""

from __future__ import annotations

import re
from importlib import import_module
from types import MappingProxyType
from typing import Mapping, Sequence

from ipu_asm.diagnostics import Diagnostic, Severity
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import SourceFile

FORMATS: Mapping[str, str] = {
    "text": "ipu_asm.cli.lint.formats.text",
    "concise": "ipu_asm.cli.lint.formats.concise",
    "json": "ipu_asm.cli.lint.formats.json_list",
    "json-lines": "ipu_asm.cli.lint.formats.json_lines",
    "sarif": "ipu_asm.cli.lint.formats.sarif",
    "github": "ipu_asm.cli.lint.formats.github",
    "gitlab": "ipu_asm.cli.lint.formats.gitlab",
    "junit": "ipu_asm.cli.lint.formats.junit",
    "rdjson": "ipu_asm.cli.lint.formats.rdjson",
}
"""Maps the name of a format to the module whose ``write(report)`` produces it."""

# Control characters that JSON does not escape, and those that change the writing direction. The
# pattern is compiled on first use: that takes 2 % of a run on a small file.
_INVISIBLE = r"[\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
_LONE_SURROGATE = "[\ud800-\udfff]"


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
    written: str = import_module(FORMATS[name]).write(
        LintReport(files, rules or {}, color, version, columns)
    )
    return encodable(written)


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

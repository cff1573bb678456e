"""What `ipu-lint --format` offers: one module per format, loaded when it is asked for."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Mapping, NamedTuple, Sequence

from ipu_asm.diagnostics import Diagnostic, Severity
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
"""Format name -> the module whose ``write(report)`` makes it."""

# Control characters above those that JSON escapes, and those that change the writing direction.
# Patterns are compiled at their first use: this one takes a fiftieth of a run on a small file.
_INVISIBLE = r"[\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
_LONE_SURROGATE = "[\ud800-\udfff]"


class FileFindings(NamedTuple):
    """One file that was looked at, with what was found in it, sorted by position."""

    source: SourceFile
    diagnostics: Sequence[Diagnostic]


class RuleInfo(NamedTuple):
    """What a report says about a rule; `documentation` is Markdown."""

    code: str
    name: str
    severity: Severity
    summary: str
    documentation: str


class Report(NamedTuple):
    """Everything a format may speak of: the files in the order in which they are reported."""

    files: Sequence[FileFindings]
    rules: Mapping[str, RuleInfo]
    color: bool = False
    version: str = ""


def format_findings(
    name: str,
    files: Sequence[FileFindings],
    *,
    rules: Mapping[str, RuleInfo] | None = None,
    color: bool = False,
    version: str = "",
) -> str:
    """`files` in the format `name`, a key of `FORMATS`; whole lines that are always UTF-8.

    `rules` maps codes to what SARIF tells about rules, and `version` is this program's; `color`
    is for the two formats that people read. Raises KeyError for a name that is no format.
    """
    written: str = import_module(FORMATS[name]).write(Report(files, rules or {}, color, version))
    return encodable(written)


def json_of(value: object, indent: int | None = None) -> str:
    """A line, or more, of JSON. What would do something to a terminal is written as an escape."""
    import json  # the formats that people read do not need it

    text = json.dumps(value, ensure_ascii=False, indent=indent)
    if not text.isascii() or "\x7f" in text:
        text = re.sub(_INVISIBLE, lambda match: f"\\u{ord(match[0]):04x}", text)
    return text + "\n"


def encodable(text: str) -> str:
    """`text` with U+FFFD for lone surrogates, which come from undecodable names and JSON."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return re.sub(_LONE_SURROGATE, "\ufffd", text)
    return text

"""Comments that silence findings: ``# ipu: ignore[name, CODE] reason``, ``# ipu: ignore-file[..]``.

One on a line of code silences findings that begin on that line, one alone on its line those of the
next line of code; `ignore-file` above the first bundle silences the whole file. A name that
silences nothing is itself a finding.
"""

from __future__ import annotations

import re

from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.program.program import Program
from ipu_asm.text import SourceFile

UNUSED_SUPPRESSION = RuleId("W001", "unused-suppression", Severity.WARNING)
# In a long text a search for an expression is quicker than `in`.
_MARK = re.compile("ipu:")


def suppress(program: Program, source: SourceFile, findings: list[Diagnostic]) -> list[Diagnostic]:
    """The findings that no comment silences, and one for each name that silences nothing."""
    if not _MARK.search(program.text):
        return findings
    from ipu_asm.lint.apply_suppressions import apply_suppressions  # few texts have such comments

    return apply_suppressions(program, source, findings)

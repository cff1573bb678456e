"""Suppression comments: ``# ipu: ignore[name, CODE] reason`` and ``# ipu: ignore-file[name]``.

A comment on a line of code suppresses the findings that begin on that line; a comment alone on its
line suppresses those of the next line of code. `ignore-file` above the first bundle applies to the
whole file. A name that suppresses nothing is itself a finding.
"""

from __future__ import annotations

import re

from ipu_asm.diagnostics import Diagnostic
from ipu_asm.program.program import Program
from ipu_asm.text import SourceFile

# In a long text a search for an expression is faster than `in`.
_MARK = re.compile("ipu:")


def suppress(program: Program, source: SourceFile, findings: list[Diagnostic]) -> list[Diagnostic]:
    """The findings that no comment suppresses, plus one for each name that suppresses nothing."""
    if not _MARK.search(program.text):
        return findings
    # Few texts have such comments, so the rest of the package is imported late.
    from ipu_asm.lint.suppressions.application import apply_suppressions

    return apply_suppressions(program, source, findings)

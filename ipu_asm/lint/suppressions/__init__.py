"""Suppression comments: ``# ipu: ignore[name, CODE] reason`` and ``# ipu: ignore-file[name]``.

A comment on a line of code suppresses the findings that begin on that line; a comment alone on its
line suppresses those of the next line of code. `ignore-file` above the first bundle applies to the
whole file. `ALL` stands for every name. One that suppresses nothing is itself a finding. Of files
that are expanded, the comments are those that the author wrote, in headers as well as in the
comments of templates.
"""

from __future__ import annotations

import re
from typing import Callable, Mapping

from ipu_asm.diagnostics import Diagnostic
from ipu_asm.isa.surface import Surface
from ipu_asm.program.program import Program
from ipu_asm.text import SourceFile

# In a long text a search for an expression is faster than `in`.
_MARK = re.compile("ipu:")
_WITHOUT_MARK = re.compile(r"ignore(?:-file)?[ \t]*\[")
"""A suppression whose mark is misspelt."""


def suppress(program: Program, source: SourceFile, findings: list[Diagnostic]) -> list[Diagnostic]:
    """The findings that no comment suppresses, plus one for each name that suppresses nothing."""
    if not _is_marked(program.text):
        return findings
    # Few texts have such comments, so the rest of the package is imported late.
    from ipu_asm.lint.suppressions.application import apply_suppressions

    return apply_suppressions(program, source, findings)


def suppress_written(
    source: SourceFile,
    program: Callable[[], Program],
    surface: Surface,
    headers: Mapping[str, SourceFile],
    findings: list[Diagnostic],
) -> list[Diagnostic]:
    """The same for an expanded source and its headers, with findings where they were written.

    `program` returns that of the written text. A name counts as used if it suppresses a finding of
    any iteration, call or context; in a header it may be for another file that includes it.
    """
    paths = {finding.path for finding in findings if finding.path in headers}
    if not _is_marked(source.text) and not any(_is_marked(headers[p].text) for p in paths if p):
        return findings
    from ipu_asm.lint.suppressions.application import WrittenFile, apply_written_suppressions

    files = [WrittenFile(None, source, program)]
    files += [WrittenFile(path, headers[path], None) for path in paths if path]
    return apply_written_suppressions(files, surface, findings)


def _is_marked(text: str) -> bool:
    return bool(_MARK.search(text) or _WITHOUT_MARK.search(text))

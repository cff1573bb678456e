"""What an analysis found, for a file whose result is not known from an earlier run."""

from __future__ import annotations

from typing import Mapping

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.cli.headers import header_paths, headers_in
from ipu_asm.cli.lint.found import Found
from ipu_asm.diagnostics import Diagnostic


def found_in(analysis: Analysis, digests: Mapping[str, str | None], *, is_asked_for: bool) -> Found:
    """Return what an analysis found; `digests` are those of the headers that it has looked for.

    A file that was found in a folder or is open in an editor may be still unwritten, so only one
    that is asked for has the error of `ipu-as` if there is nothing to assemble.
    """
    findings = analysis.diagnostics
    return Found(
        findings,
        _empty_program_findings(analysis) if is_asked_for else None,
        headers_in(findings, analysis),
        frozenset(header_paths(analysis)),
        digests,
    )


def _empty_program_findings(analysis: Analysis) -> tuple[Diagnostic, ...]:
    """Return the error of `ipu-as` if a file has nothing to assemble."""
    if not analysis.isa.has_words:
        return ()
    program = analysis.effective_program
    is_told = program.findings or any(each.expansion.findings for each in analysis.expanded)
    if is_told or program.size:
        return ()
    from ipu_asm.assembler.encode import errors_of

    return tuple(errors_of(program))

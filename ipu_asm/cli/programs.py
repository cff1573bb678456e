"""Functions shared by the commands that read a program or an image."""

from __future__ import annotations

import os
import sys
from typing import Sequence

from ipu_asm.assembler.images import ImageError
from ipu_asm.cli.console import print_message, wants_color, write
from ipu_asm.config.configuration import Configuration, ConfigurationError
from ipu_asm.config.configuration_file import Configurations
from ipu_asm.config.files import counted
from ipu_asm.diagnostics import Diagnostic, Severity
from ipu_asm.diagnostics.rendering import render
from ipu_asm.isa.model import Isa
from ipu_asm.lint.selection import selection_of
from ipu_asm.program.effective_program import EffectiveProgram, read_effective_program
from ipu_asm.text import SourceFile


def read_source(
    isa: Isa, source: SourceFile, warn: bool
) -> tuple[EffectiveProgram, list[Diagnostic]]:
    """Return the program of a source and, if `warn` is set, the warnings of `ipu-lint` for it."""
    if not warn:
        return read_effective_program(isa, source), []
    from ipu_asm.analysis.analyzer import Analyzer  # 8 ms, for warnings only

    analysis = Analyzer(isa).analyze(source.text, source.path)
    selection = selection_of(_configuration(source.path))
    warnings = [
        finding
        for finding in analysis.diagnostics
        if finding.severity is Severity.WARNING and selection.keeps(finding.rule, source.path)
    ]
    expansions = tuple(each.expansion for each in analysis.expanded)
    return EffectiveProgram(analysis.effective_program, expansions), warnings


def show_findings(findings: Sequence[Diagnostic], source: SourceFile, outcome: str = "") -> None:
    """Print errors and warnings by position, then their counts and the `outcome` of the command."""
    color = wants_color("auto", sys.stderr)
    for finding in sorted(findings, key=lambda finding: finding.span):
        write(f"{render(finding, source, color)}\n\n", sys.stderr)
    severities = [finding.severity for finding in findings]
    counts = [
        counted(severities.count(severity), severity.label)
        for severity in (Severity.ERROR, Severity.WARNING)
        if severity in severities
    ]
    if counts:
        write(", ".join([*counts, outcome] if outcome else counts) + "\n", sys.stderr)


def show_image_mistakes(program: str, name: str, error: ImageError) -> None:
    """Print, one line each, why `program` cannot read the image `name`."""
    for line, message in error.mistakes:
        place = f"{name}:{line}" if line else name
        print_message(program, f"{place}: {message}")


def _configuration(path: str) -> Configuration:
    """Return the nearest configuration.

    An invalid one counts as empty and selects no rules: with `--isa`, the command does not need it.
    """
    try:
        found = Configurations().nearest(os.path.dirname(os.path.abspath(path)))
    except ConfigurationError:
        found = None
    return found or Configuration()

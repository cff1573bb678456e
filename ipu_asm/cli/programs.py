"""Functions shared by the commands that read a program or an image.

Apart from `sources`, because `ipu-lint` of files that have not changed needs none of it.
"""

from __future__ import annotations

import os
import sys
from typing import Mapping, Sequence

from ipu_asm.assembler.images import ImageError
from ipu_asm.cli.console import columns_of, print_message, wants_color, write
from ipu_asm.cli.sources import headers_of
from ipu_asm.config import Configuration, ConfigurationError, Value
from ipu_asm.config.configuration_file import Configurations, possible_files
from ipu_asm.config.files import FileError, Target, input_at
from ipu_asm.diagnostics import Diagnostic, Severity
from ipu_asm.diagnostics.rendering import render
from ipu_asm.isa.model import Isa
from ipu_asm.lint.selection import selection_of
from ipu_asm.program.line_table import (
    ContextChoiceError,
    EffectiveProgram,
    read_effective_program,
    require_one_context,
)
from ipu_asm.source.expand import is_template
from ipu_asm.source.expansion import Expansion, source_settings
from ipu_asm.text import SourceFile, counted


def read_source(
    isa: Isa,
    source: SourceFile,
    defines: Mapping[str, Value],
    warn: bool,
    presets: Mapping[str, int] = {},
) -> tuple[EffectiveProgram, list[Diagnostic]]:
    """Return the program of a source and, if `warn` is set, the warnings of `ipu-lint` for it.

    `presets` are the values of registers that are given for a run of it.

    A template is expanded in the context that `defines` choose; raises `FileError` if that is not
    one, and `ConfigurationError` if there may be one in a configuration with mistakes.
    """
    configuration = configuration_of(source.path, is_template(isa.surface, source.text))
    settings = source_settings(source.path, configuration, defines)._replace(presets=presets)
    if not warn:
        effective = read_effective_program(isa, source, settings)
        in_one_context(effective.expansions, source)
        return effective, []
    from ipu_asm.analysis.analyzer import Analyzer  # 8 ms, for warnings only

    analysis = Analyzer(isa).analyze(source.text, source.path, settings=settings)
    expansions = tuple(each.expansion for each in analysis.expanded)
    in_one_context(expansions, source)
    selection = selection_of(configuration)
    warnings = [
        finding
        for finding in analysis.diagnostics
        if finding.severity is Severity.WARNING and selection.keeps(finding.rule, source.path)
    ]
    return EffectiveProgram(analysis.effective_program, expansions), warnings


def check_output(path: str | None, inputs: Sequence[Target]) -> None:
    """Raise `FileError` if the output is one of the inputs, or may configure one of them."""
    if path is None:
        return
    folders = (os.path.dirname(os.path.abspath(each.name)) for each in inputs)
    found = input_at(path, [*inputs, *map(Target, possible_files(folders))])
    if found is not None:
        raise FileError(f"would replace the input `{found.name}`", f"--output {path}")


def in_one_context(
    expansions: Sequence[Expansion], source: SourceFile, options: str = "--define"
) -> None:
    """Raise `FileError` if a source has expansions that differ; `options` choose one of them."""
    try:
        require_one_context(expansions)
    except ContextChoiceError as error:
        raise FileError(f"{error}; choose with {options}", source.path) from error


def show_findings(
    findings: Sequence[Diagnostic],
    source: SourceFile,
    outcome: str = "",
    expansion: Expansion | None = None,
) -> None:
    """Print errors and warnings by position, then their counts and the `outcome` of the command.

    `expansion` has the headers of findings that are not in the source itself.
    """
    color = wants_color("auto", sys.stderr)
    headers = headers_of([expansion]) if expansion else {}
    columns = columns_of(sys.stderr)
    for finding in sorted(findings, key=lambda finding: (finding.path or "", finding.span)):
        text = render(finding, source, color, headers, columns=columns)
        write(f"{text}\n\n", sys.stderr)
    severities = [finding.severity for finding in findings]
    counts = [
        counted(severities.count(severity), severity.label)
        for severity in (Severity.ERROR, Severity.WARNING, Severity.HINT)
        if severity in severities
    ]
    if counts:
        write(", ".join([*counts, outcome] if outcome else counts) + "\n", sys.stderr)


def show_image_mistakes(program: str, name: str, error: ImageError) -> None:
    """Print, one line each, why `program` cannot read the image `name`."""
    for line, message in error.mistakes:
        place = f"{name}:{line}" if line else name
        print_message(program, f"{place}: {message}")


def configuration_of(path: str, is_needed: bool) -> Configuration:
    """Return the nearest configuration of a file.

    An invalid one counts as empty and selects no rules: with `--isa`, the command does not need it.
    If it `is_needed`, raises `ConfigurationError`.
    """
    try:
        found = Configurations().nearest(os.path.dirname(os.path.abspath(path)))
    except ConfigurationError:
        if is_needed:
            raise
        found = None
    return found or Configuration()

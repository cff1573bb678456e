"""The programs that `ipu-mca` reports: read, expanded, and with their control followed."""

from __future__ import annotations

import os
import time

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.cli.console import print_message
from ipu_asm.cli.mca.options import HTML, JSON, PROGRAM, TEXT, McaOptions
from ipu_asm.cli.programs import configuration_of, in_one_context
from ipu_asm.config.host_configurations import Hosts, configured_host, configured_run
from ipu_asm.diagnostics import Diagnostic, Severity
from ipu_asm.flow.control_run.facts import (
    ControlFacts,
    control_facts,
    facts_with,
    followed_further,
)
from ipu_asm.ide.run_facts import origin_of, shown_configurations
from ipu_asm.isa.model import Isa
from ipu_asm.lint.selection import selection_of
from ipu_asm.program.line_table import EffectiveProgram, LineTable
from ipu_asm.program.program import Program
from ipu_asm.reports.performance.report import PerformanceReport, performance_report
from ipu_asm.source.expansion import source_settings
from ipu_asm.text import SourceFile

_MAX_STEPS = 1_000_000
"""Bundles of a run that are executed one by one, more than an editor could wait for."""
_MAX_SECONDS = 0.8
"""Of processor time, to follow the runs of a program further: with all else it takes below 2 s."""


def programs_of(analysis: Analysis, *, is_one: bool) -> list[EffectiveProgram]:
    """Return what is executed: of a template in several contexts, the program of each."""
    expansions = tuple(each.expansion for each in analysis.expanded)
    if is_one or len({each.text for each in expansions}) < 2:
        return [EffectiveProgram(analysis.effective_program, expansions)]
    return [
        EffectiveProgram(each.analysis.program, (each.expansion,)) for each in analysis.expanded
    ]


def analyzed(
    isa: Isa, source: SourceFile, options: McaOptions, kernel: str = ""
) -> tuple[Analysis, list[Diagnostic]]:
    """Return the analysis of a source and its errors and, unless they are off, warnings.

    The values that no comment and no option states are those of the configured run of the file
    `kernel`, by default the source's own. Raises `FileError` for the only file if it is a template
    in several contexts, and `ConfigurationError`.
    """
    configuration = configuration_of(source.path, is_needed=True)
    ours = configuration_of(kernel, is_needed=True) if kernel else configuration
    path = os.path.abspath(kernel or source.path)
    run, host = configured_run(path, ours), configured_host(path, ours)
    defines = {**(run.run.define if run else {}), **options.defines}
    settings = source_settings(source.path, configuration, defines)
    settings = settings._replace(
        presets={**settings.presets, **options.presets}, hosts=Hosts((host,) if host else ())
    )
    analysis = Analyzer(isa).analyze(source.text, source.path, settings=settings)
    if options.is_for_one:
        expansions = [each.expansion for each in analysis.expanded]
        in_one_context(expansions, source, "--context or --define")
    selection = selection_of(configuration)
    least = Severity.WARNING if options.warnings else Severity.ERROR
    wanted = [
        finding
        for finding in analysis.diagnostics
        if finding.severity <= least and selection.keeps(finding.rule, source.path)
    ]
    return analysis, wanted


def reports_of(
    effective: EffectiveProgram, source: SourceFile, options: McaOptions
) -> list[PerformanceReport]:
    """Return a report for each configuration of the host; of formats with one, the first."""
    program = effective.program
    known = control_facts(program)
    if known and program.hosts.configurations:
        found = (facts_with(program, each.values) for each in shown_configurations(program))
        known = tuple(each for each in found if each is not None) or known
    most = _MAX_STEPS // max(1, len(known))
    end = time.process_time() + _MAX_SECONDS
    every: list[ControlFacts | None] = [
        followed_further(program, facts, most, lambda: time.process_time() > end) for facts in known
    ]
    if not every:
        if not program.isa.counting.registers:
            message = f"what control of `{program.isa.name}` depends on is not described"
            message = f"no cycles, trips and addresses: {message}"
            print_message(PROGRAM, f"{source.path}: {message}", "note")
        every = [None]
    elif len(every) > 1 and options.format in (JSON, HTML):
        message = f"{len(every)} configurations, reported for the first; choose with --cr"
        print_message(PROGRAM, f"{source.path}: {message}", "note")
        every = every[:1]
    lines = LineTable(program, effective.expansion, source)
    with_moves = options.format in (TEXT, HTML)
    return [
        performance_report(program, lines, facts, with_moves=with_moves)._replace(
            origins={name: _origin(program, name) for name in facts.presets} if facts else {}
        )
        for facts in every
    ]


def _origin(program: Program, register: str) -> str:
    is_given = register in map(str.lower, program.presets)
    return "the command line" if is_given else origin_of(program, register)

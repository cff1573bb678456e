"""`ipu-mca`: report cycles, loops, bounds and addresses of a program without running it.

Where data may decide control, trips and cycles are those that follow from constants. A program of a
set whose description does not say what control depends on has its loops and what bounds them.
"""

from __future__ import annotations

from typing import Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.assembler.encode import written_errors
from ipu_asm.assembler.kernel import chosen_isa
from ipu_asm.cli.console import ExitStatus, print_message, run_guarded, write_bytes
from ipu_asm.cli.headers import header_paths, headers_in
from ipu_asm.cli.lint.by_file import findings_by_file
from ipu_asm.cli.lint.formats import FileFindings, encodable, format_findings, json_of
from ipu_asm.cli.mca.host_mode import check_mode
from ipu_asm.cli.mca.options import (
    GITHUB,
    HTML,
    JSON,
    PROGRAM,
    TEXT,
    McaOptions,
    read_options,
    usage_error,
)
from ipu_asm.cli.programs import check_output, configuration_of, in_one_context, show_findings
from ipu_asm.cli.run.host_options import WrongOptionError
from ipu_asm.config.configuration import ConfigurationError
from ipu_asm.config.file_writing import replace_file
from ipu_asm.config.files import STANDARD_INPUT, Target, read_text
from ipu_asm.diagnostics import Diagnostic, Severity
from ipu_asm.diagnostics.rendering import printable
from ipu_asm.flow.control_run.facts import ControlFacts, control_facts, followed_further
from ipu_asm.flow.control_run.run import ENDLESS, FAULT
from ipu_asm.isa.model import Isa
from ipu_asm.lint.selection import selection_of
from ipu_asm.program.effective_program import EffectiveProgram
from ipu_asm.program.line_table import LineTable
from ipu_asm.reports.performance.json_data import report_data
from ipu_asm.reports.performance.report import PerformanceReport, performance_report
from ipu_asm.reports.performance.text import report_text
from ipu_asm.reports.performance.wording import failure_text
from ipu_asm.source.settings import source_settings
from ipu_asm.text import SourceFile

_MOST_STEPS = 1_000_000
"""Bundles of a run that are executed one by one, more than an editor could wait for."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run `ipu-mca` with `argv`, by default that of the process; return the exit status."""
    return run_guarded(PROGRAM, lambda: _command(read_options(argv)))


def _command(options: McaOptions) -> int:
    target = Target.of_argument(options.file)
    check_output(options.output, [target])
    text = read_text(target).text
    try:
        isa, _ = chosen_isa(text, target.name, options.isa)
        check_mode(isa.name, options.presets)
        analysis, findings = _analyzed(isa, SourceFile(text, target.name), options)
    except WrongOptionError as error:
        usage_error(str(error))
    except ConfigurationError as error:
        for finding in error.findings:
            print_message(PROGRAM, str(finding))
        return ExitStatus.USAGE
    check_output(options.output, [Target(path) for path in header_paths(analysis)])
    return _report(analysis, findings, options)


def _analyzed(
    isa: Isa, source: SourceFile, options: McaOptions
) -> tuple[Analysis, list[Diagnostic]]:
    """Return the analysis of a source and its errors and, unless they are off, warnings.

    Raises `FileError` for a template in several contexts, and `ConfigurationError`.
    """
    configuration = configuration_of(source.path, is_needed=True)
    settings = source_settings(source.path, configuration, options.defines)
    settings = settings._replace(presets={**settings.presets, **options.presets})
    analysis = Analyzer(isa).analyze(source.text, source.path, settings=settings)
    in_one_context([each.expansion for each in analysis.expanded], source, "--context or --define")
    selection = selection_of(configuration)
    least = Severity.WARNING if options.warnings else Severity.ERROR
    wanted = [
        finding
        for finding in analysis.diagnostics
        if finding.severity <= least and selection.keeps(finding.rule, source.path)
    ]
    return analysis, wanted


def _report(analysis: Analysis, findings: list[Diagnostic], options: McaOptions) -> int:
    expansions = tuple(each.expansion for each in analysis.expanded)
    effective = EffectiveProgram(analysis.effective_program, expansions)
    errors = written_errors(effective)
    if errors:
        warnings = [each for each in findings if each.severity is not Severity.ERROR]
        _show([*errors, *warnings], analysis, options, "nothing reported")
        return ExitStatus.FINDINGS
    _show(findings, analysis, options, "")
    is_wrong = any(finding.severity is Severity.ERROR for finding in findings)
    if options.pack:
        return _pack(analysis, options) or (ExitStatus.FINDINGS if is_wrong else ExitStatus.OK)
    reports = _reports(effective, analysis.source, options)
    if options.format != GITHUB:
        _write(_formatted(reports, _name(effective, analysis.source), options), options)
    is_wrong |= _print_failures(reports, analysis.source.path)
    return ExitStatus.FINDINGS if is_wrong else ExitStatus.OK


def _reports(
    effective: EffectiveProgram, source: SourceFile, options: McaOptions
) -> list[PerformanceReport]:
    """Return a report for each configuration of the host; of formats with one, the first."""
    program = effective.program
    known = control_facts(program)
    most = _MOST_STEPS // max(1, len(known))
    every: list[ControlFacts | None] = [followed_further(program, facts, most) for facts in known]
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
    return [performance_report(program, lines, facts, with_moves=with_moves) for facts in every]


def _name(effective: EffectiveProgram, source: SourceFile) -> str:
    """Return the name of a source, with the context of a template."""
    context = effective.expansion.context if effective.expansion else ""
    return f"{source.path} ({context})" if context else source.path


def _pack(analysis: Analysis, options: McaOptions) -> int:
    from ipu_asm.cli.mca.pack import packed_text, rewritten_text

    if options.pipeline or options.rebase:
        text = rewritten_text(analysis, pipeline=options.pipeline, rebase=options.rebase)
    else:
        text = packed_text(analysis)
    if text is None:
        return ExitStatus.FINDINGS
    _write(text, options)
    return ExitStatus.OK


def _print_failures(reports: Sequence[PerformanceReport], path: str) -> bool:
    """Print how runs fault or never end; return whether one does."""
    failed = [each for each in reports if each.end and each.end.reason in (FAULT, ENDLESS)]
    for end in dict.fromkeys(map(failure_text, failed)):
        print_message(PROGRAM, f"{path}: the program {end}")
    return bool(failed)


def _formatted(reports: Sequence[PerformanceReport], name: str, options: McaOptions) -> str:
    if options.format == JSON:
        return json_of(report_data(reports[0]), indent=2)
    if options.format == HTML:
        from ipu_asm.reports.performance.page import report_page  # needs Jinja

        return report_page(reports[0], name)
    return encodable("\n".join(report_text(report, printable(name)) for report in reports))


def _show(
    findings: Sequence[Diagnostic], analysis: Analysis, options: McaOptions, outcome: str
) -> None:
    """Print findings as `ipu-lint` does: as annotations, or for people on standard error."""
    if options.format == GITHUB:
        others = headers_in(findings, analysis)
        files = findings_by_file([FileFindings(analysis.source, findings, others)])
        _write(format_findings(GITHUB, files), options)
    else:
        expansion = analysis.expanded[0].expansion if analysis.expanded else None
        show_findings(findings, analysis.source, outcome, expansion)


def _write(text: str, options: McaOptions) -> None:
    data = text.encode("utf-8", "surrogateescape")
    if options.output is None or options.output == STANDARD_INPUT:
        write_bytes(data)
    else:
        replace_file(options.output, data)

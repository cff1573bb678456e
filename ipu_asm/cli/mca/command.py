"""`ipu-mca`: report cycles, loops, bounds and addresses of a program without running it.

Where data may decide control, trips and cycles are those that follow from constants. A program of a
set whose description does not say what control depends on has its loops and what bounds them.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any, Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.assembler.encode import written_errors
from ipu_asm.assembler.kernel import chosen_isa
from ipu_asm.cli.console import (
    ExitStatus,
    columns_of,
    print_message,
    run_guarded,
    wants_color,
    write_bytes,
)
from ipu_asm.cli.lint.formats import (
    FileFindings,
    encodable,
    findings_by_file,
    format_findings,
    json_of,
)
from ipu_asm.cli.mca import (
    GITHUB,
    HTML,
    JSON,
    PROGRAM,
    TEXT,
    McaOptions,
    check_mode,
    read_options,
    usage_error,
)
from ipu_asm.cli.mca.checks import (
    analyzed,
    certificate_data,
    certified,
    compared,
    programs_of,
    reports_of,
    version_of,
)
from ipu_asm.cli.mca.rewriting import packed_text, rewritten_text, scheduled_text
from ipu_asm.cli.programs import check_output, configuration_of, show_findings
from ipu_asm.cli.run.host_options import WrongOptionError
from ipu_asm.cli.sources import Problems, chosen_files, header_paths, headers_in
from ipu_asm.config.configuration_file import Configurations
from ipu_asm.config.file_writing import replace_file
from ipu_asm.config.files import Target, decoded, is_elf, read_bytes
from ipu_asm.config.isa_choice import UNCLAIMED, choose_isa, foreign_assembly
from ipu_asm.diagnostics import Diagnostic, Severity
from ipu_asm.diagnostics.rendering import printable
from ipu_asm.flow.control_run.run import ENDLESS, FAULT
from ipu_asm.program.line_table import EffectiveProgram, LineTable
from ipu_asm.reports.performance.report import PerformanceReport
from ipu_asm.reports.performance.text import report_data, report_text
from ipu_asm.reports.performance.wording import failure_text
from ipu_asm.text import SourceFile

if TYPE_CHECKING:
    pass


def main(argv: Sequence[str] | None = None) -> int:
    """Run `ipu-mca` with `argv`, by default that of the process; return the exit status."""
    return run_guarded(PROGRAM, lambda: _McaRun(read_options(argv)).status())


class _McaRun:
    """Reports the programs that the options name; what is written comes at the end."""

    def __init__(self, options: McaOptions) -> None:
        self._options = options
        self._problems = Problems(lambda line: print_message(PROGRAM, line))
        self._texts: list[str] = []
        self._data: list[dict[str, Any]] = []
        self._annotated: list[FileFindings] = []
        self._compared: dict[str, Any] = {}

    def status(self) -> int:
        """Report all programs; return the exit status, the highest of them."""
        options = self._options
        if options.is_for_one and not options.force_exclude:
            targets = [Target.of_argument(options.paths[0])]
        else:
            targets = chosen_files(options, Configurations(), self._problems.report)
        check_output(options.output, targets)
        worst: int = ExitStatus.OK
        for target in targets:
            found = self._problems.reported(partial(self._target, target))
            worst = _worse(worst, ExitStatus.USAGE if found is None else found)
        self._write_all()
        return _worse(worst, ExitStatus.USAGE if self._problems else worst)

    def _target(self, target: Target) -> int:
        """Report one file; return the exit status. Raises `FileError` or `ConfigurationError`."""
        options, data = self._options, read_bytes(target)
        if is_elf(data):
            from ipu_asm.assembler.code_files import read_code_file  # few files are machine code

            code = read_code_file(data, target.name, options.isa)
            source = SourceFile(code.text(has_labels=True), target.name)
            return self._report(*analyzed(code.isa, source, options))
        text = decoded(data, target.name).text
        if not target.asked_for and _is_foreign(text, target.name, options):
            return ExitStatus.OK
        isa, _ = chosen_isa(text, target.name, options.isa)
        try:
            check_mode(isa.name, options.presets)
        except WrongOptionError as error:
            if target.asked_for:
                usage_error(str(error))
        analysis, findings = analyzed(isa, SourceFile(text, target.name), options)
        check_output(options.output, [Target(path) for path in header_paths(analysis)])
        return self._report(analysis, findings)

    def _report(self, analysis: Analysis, findings: list[Diagnostic]) -> int:
        options = self._options
        programs = programs_of(analysis, is_one=options.is_for_one)
        errors = [error for each in programs[:1] for error in written_errors(each)]
        if errors:
            warnings = [each for each in findings if each.severity is not Severity.ERROR]
            self._show([*errors, *warnings], analysis, "nothing reported")
            return ExitStatus.FINDINGS
        self._show([] if options.schedule else findings, analysis, "")
        is_wrong = any(finding.severity is Severity.ERROR for finding in findings)
        if options.schedule:
            text = scheduled_text(analysis)
            self._texts += [] if text is None else [text]
            return ExitStatus.FINDINGS if text is None else ExitStatus.OK
        if options.pack:
            return self._pack(analysis) or (ExitStatus.FINDINGS if is_wrong else ExitStatus.OK)
        status: int = ExitStatus.OK
        for effective in programs:
            if options.certify:
                status = _worse(status, certified(effective, analysis.source, self._texts, options))
                if options.format == TEXT:
                    continue
            reports = reports_of(effective, analysis.source, options)
            if options.baseline is not None:
                new = version_of(effective, analysis.source, reports[0])
                found = compared(new, options)
                status = _worse(status, found.status)
                self._compared = found.data
                if options.format == TEXT:
                    self._texts.append(encodable(found.text))
                    continue
            self._add(reports, effective, analysis.source)
            is_wrong |= _print_failures(reports, analysis.source.path)
        return _worse(status, ExitStatus.FINDINGS if is_wrong else ExitStatus.OK)

    def _add(
        self, reports: Sequence[PerformanceReport], effective: EffectiveProgram, source: SourceFile
    ) -> None:
        """Add reports of a program to what is written."""
        name, format_ = _name(effective, source), self._options.format
        if format_ == JSON:
            context = effective.expansion.context if effective.expansion else ""
            about = {"file": source.path} | ({"context": context} if context else {})
            self._data.append({**about, **report_data(reports[0])})
            self._data[-1].update(self._compared)
            if self._options.certify:
                lines = LineTable(effective.program, effective.expansion, source)
                self._data[-1]["certificate"] = certificate_data(effective.program, lines)
        elif format_ == HTML:
            from ipu_asm.reports.performance.page import report_page  # needs Jinja

            self._texts.append(report_page(reports[0], name, source))
        elif format_ == TEXT:
            stream = None if self._options.writes_file else sys.stdout
            color, columns = wants_color(self._options.color, stream), columns_of(stream)
            self._texts += [
                encodable(report_text(report, printable(name), columns=columns, color=color))
                for report in reports
            ]

    def _pack(self, analysis: Analysis) -> int:
        options = self._options
        if options.pipeline or options.rebase:
            text = rewritten_text(analysis, pipeline=options.pipeline, rebase=options.rebase)
        else:
            text = packed_text(analysis)
        if text is None:
            return ExitStatus.FINDINGS
        self._texts.append(text)
        return ExitStatus.OK

    def _show(self, findings: Sequence[Diagnostic], analysis: Analysis, outcome: str) -> None:
        """Show findings as `ipu-lint` does: as annotations, or for people on standard error."""
        if self._options.format == GITHUB:
            others = headers_in(findings, analysis)
            self._annotated.append(FileFindings(analysis.source, findings, others))
        else:
            expansion = analysis.expanded[0].expansion if analysis.expanded else None
            show_findings(findings, analysis.source, outcome, expansion)

    def _write_all(self) -> None:
        options = self._options
        if options.format == GITHUB:
            if self._annotated:
                _write(format_findings(GITHUB, findings_by_file(self._annotated)), options)
        elif options.format == JSON and not options.is_for_one:
            _write(json_of(self._data, indent=2), options)
        elif options.format == JSON:
            for each in self._data:
                plain = {key: each[key] for key in each if key not in ("file", "context")}
                _write(json_of(plain, indent=2), options)
        elif self._texts:
            _write("\n".join(self._texts), options)


def _worse(one: int, other: int) -> int:
    """Return the exit status that counts; what is not known comes before what is wrong."""
    ranks = (ExitStatus.OK, ExitStatus.UNKNOWN, ExitStatus.FINDINGS, ExitStatus.USAGE)
    return max(one, other, key=ranks.index)


def _is_foreign(text: str, name: str, options: McaOptions) -> bool:
    """Return whether a file that was found is one for another assembler."""
    if foreign_assembly(text) is None:
        return False
    configuration = configuration_of(name, is_needed=True)
    return choose_isa(text, name, options.isa, configuration, UNCLAIMED).name == UNCLAIMED


def _name(effective: EffectiveProgram, source: SourceFile) -> str:
    """Return the name of a source, with the context of a template."""
    context = effective.expansion.context if effective.expansion else ""
    return f"{source.path} ({context})" if context else source.path


def _print_failures(reports: Sequence[PerformanceReport], path: str) -> bool:
    """Print how runs fault or never end; return whether one does."""
    failed = [each for each in reports if each.end and each.end.reason in (FAULT, ENDLESS)]
    for end in dict.fromkeys(map(failure_text, failed)):
        print_message(PROGRAM, f"{path}: the program {end}")
    return bool(failed)


def _write(text: str, options: McaOptions) -> None:
    data = text.encode("utf-8", "surrogateescape")
    if options.output is not None and options.writes_file:
        replace_file(options.output, data)
    else:
        write_bytes(data)

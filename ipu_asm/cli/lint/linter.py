"""Linting of one file: choose its instruction set and rules, analyse it, and apply fixes."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import partial
from typing import Callable, Mapping, NamedTuple, Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.assembler.encode import errors_of
from ipu_asm.cli.headers import header_paths, headers_in
from ipu_asm.cli.lint.options import LintOptions
from ipu_asm.cli.sources import configuration_override
from ipu_asm.config.configuration import (
    FAIL_LEVELS,
    MOST_FINDINGS,
    Configuration,
    ConfigurationError,
    ConfigurationFinding,
    listed,
)
from ipu_asm.config.configuration_file import Configurations
from ipu_asm.config.files import FileError, SourceText, Target, read_text
from ipu_asm.config.isa_choice import DEFAULT_ISA, UNCLAIMED, IsaChoice, choose_isa
from ipu_asm.diagnostics import Applicability, Diagnostic, Severity
from ipu_asm.diagnostics.suggestions import nearest_of
from ipu_asm.isa import UnknownIsaError, load_isa
from ipu_asm.isa.operands import quoted
from ipu_asm.lint.rules import all_rules
from ipu_asm.lint.selection import Selection, selection_of
from ipu_asm.source.expansion import SourceSettings
from ipu_asm.source.settings import source_settings
from ipu_asm.text import SourceFile

DEFAULT_FAIL_LEVEL = Severity.WARNING

Analyze = Callable[[str, str], Analysis]


class LintResult(NamedTuple):
    """The result for one file: its text as read, its source after fixes, and its findings.

    `findings` are those to report, some of them in `headers`; `header_paths` are all headers, also
    those that are missing. `fixed` is the number of findings that fixes removed, and `unfixed` is
    the result without fixes. The analysis is not part of it: it is large, and files are many.
    """

    target: Target
    original: SourceText
    source: SourceFile
    findings: list[Diagnostic]
    fails: bool
    headers: Mapping[str, SourceFile]
    header_paths: frozenset[str]
    fixed: int = 0
    unfixed: LintResult | None = None


class Linter:
    """Lints files according to the options and the configuration of each file."""

    def __init__(self, options: LintOptions, report: Callable[[str], None]) -> None:
        """Create a linter; `report` takes a line about each unusable file or configuration.

        Raises `ConfigurationError` for an invalid file given by `--config` and for unknown rules.
        """
        if options.select or options.ignore or options.extend_select:
            _check(Selection(options.select, options.ignore, options.extend_select), "")
        self.options = options
        self.configurations = Configurations()
        self._report = report
        self._override = configuration_override(options)
        # Keys: the instruction set and the memory that a project chooses.
        self._analyzers: dict[tuple[str, str], Analyzer] = {}
        self._selections: dict[str, Selection | ConfigurationError] = {}
        self._reported: set[str] = set()

    def configuration_files(self, targets: Sequence[Target]) -> set[str]:
        """Return the paths of the configuration files of the targets."""
        if self.options.config is not None:
            return {self.options.config}
        for target in targets:
            with suppress(ConfigurationError):
                self._configuration(target)
        return self.configurations.files()

    def settings_of(self, target: Target) -> tuple[IsaChoice, Configuration] | None:
        """Return the settings of a file; None, reporting the reason, if it has none."""
        try:
            text = read_text(target).text
            configuration = self._configuration(target)
        except FileError as error:
            self._report(str(error))
        except ConfigurationError as error:
            for finding in error.findings:
                self._report_once(str(finding))
        else:
            isa = choose_isa(text, target.name, self.options.isa, configuration, DEFAULT_ISA)
            return isa, configuration
        return None

    def lint(self, target: Target) -> LintResult | None:
        """Lint one file; return None and report the reason if it cannot be read or analysed."""
        try:
            original = read_text(target)
            configuration = self._configuration(target)
            selection = self._selection(configuration)
            analyze = self._analyze(target, original.text, configuration)
        except FileError as error:
            self._report(str(error))
        except ConfigurationError as error:
            for finding in error.findings:
                self._report_once(str(finding))
        else:
            if analyze is not None:
                return self._lint(target, original, analyze, configuration, selection)
        return None

    def _lint(
        self,
        target: Target,
        original: SourceText,
        analyze: Analyze,
        configuration: Configuration,
        selection: Selection,
    ) -> LintResult:
        unsafe = self.options.unsafe_fixes
        most = Applicability.UNSAFE if unsafe else Applicability.SAFE

        def is_kept(finding: Diagnostic) -> bool:
            return selection.keeps(finding.rule, finding.path or target.name)

        def is_to_fix(finding: Diagnostic) -> bool:
            fix = finding.fix
            return fix is not None and fix.applicability <= most and is_kept(finding)

        def linted(analysis: Analysis) -> LintResult:
            found = [*self._empty_program_findings(target, analysis), *analysis.diagnostics]
            findings = [finding for finding in found if is_kept(finding)]
            level = self._fail_level(configuration)
            fails = any(finding.severity <= level for finding in findings)
            headers = headers_in(findings, analysis)
            paths = frozenset(header_paths(analysis))
            return LintResult(target, original, analysis.source, findings, fails, headers, paths)

        analysis = analyze(original.text, target.name)
        unfixed = linted(analysis)
        applies_fixes = self.options.fix or self.options.diff
        if not applies_fixes or not any(map(is_to_fix, analysis.diagnostics)):
            return unfixed
        from ipu_asm.analysis.apply_fixes import (
            apply_fixes,  # imported on use: most runs fix nothing
        )

        settings = self._source_settings(target, configuration)
        analyzer = self._analyzer_of(analysis)
        fixed_analysis, fixed = apply_fixes(analyzer, analysis, is_to_fix, settings)
        return linted(fixed_analysis)._replace(fixed=fixed, unfixed=unfixed)

    def _empty_program_findings(self, target: Target, analysis: Analysis) -> list[Diagnostic]:
        """Return the error of `ipu-as` if a file has nothing to assemble and is named explicitly.

        A file that was found in a folder or is open in an editor may be still unwritten.
        """
        is_shown = target.is_standard_input and self.options.stdin_filename is not None
        if is_shown or not target.asked_for or not analysis.isa.has_words:
            return []
        program = analysis.effective_program
        is_told = program.findings or any(each.expansion.findings for each in analysis.expanded)
        return [] if is_told else errors_of(program)

    def _configuration(self, target: Target) -> Configuration:
        if self._override is not None:
            return self._override
        folder = os.path.dirname(os.path.abspath(target.name))
        return self.configurations.nearest(folder) or Configuration()

    def _selection(self, configuration: Configuration) -> Selection:
        """Return the selected rules. Raises `ConfigurationError` for names that no rule has."""
        if configuration.path not in self._selections:
            try:
                found: Selection | ConfigurationError = self._checked_selection(configuration)
            except ConfigurationError as error:
                found = error
            self._selections[configuration.path] = found
        found = self._selections[configuration.path]
        if isinstance(found, ConfigurationError):
            raise found
        return found

    def _checked_selection(self, configuration: Configuration) -> Selection:
        if configuration.names_rules:
            _check(selection_of(configuration), configuration.path)
        ours, options = configuration, self.options
        if options.select is not None:  # replaces everything that the configuration selects
            ours = ours._replace(select=options.select, extend_select=(), ignore=())
        return selection_of(
            ours._replace(
                ignore=(*ours.ignore, *options.ignore),
                extend_select=(*ours.extend_select, *options.extend_select),
            )
        )

    def _analyze(self, target: Target, text: str, configuration: Configuration) -> Analyze:
        """Return the function that analyses files of the instruction set of this one.

        Raises `ConfigurationError` if the set does not exist.
        """
        choice = choose_isa(text, target.name, self.options.isa, configuration, UNCLAIMED)
        name = choice.name or DEFAULT_ISA
        memory = configuration.memory.get(name, "")
        if (name, memory) not in self._analyzers:
            try:
                self._analyzers[name, memory] = Analyzer(load_isa(name, memory))
            except UnknownIsaError as error:
                raise ConfigurationError(
                    [ConfigurationFinding(str(error), choice.origin)]
                ) from error
        analyzer = self._analyzers[name, memory]
        analyze = analyzer.analyze if choice.is_explicit else analyzer.analyze_implied
        if choice.name == UNCLAIMED:
            analyze = analyzer.analyze_unclaimed
        return partial(analyze, settings=self._source_settings(target, configuration))

    def _source_settings(self, target: Target, configuration: Configuration) -> SourceSettings:
        return source_settings(target.name, configuration, self.options.defines)

    def _analyzer_of(self, analysis: Analysis) -> Analyzer:
        """Return the analyzer that made an analysis."""
        return next(each for each in self._analyzers.values() if each.isa is analysis.isa)

    def _fail_level(self, configuration: Configuration) -> Severity:
        if self.options.fail_level is not None:
            return FAIL_LEVELS[self.options.fail_level]
        return configuration.fail_level or DEFAULT_FAIL_LEVEL

    def _report_once(self, line: str) -> None:
        if line not in self._reported:
            self._reported.add(line)
            self._report(line)


def _check(selection: Selection, path: str) -> None:
    """Raise `ConfigurationError` if a selection has unknown rules.

    `path` is the file that it comes from, "" for the command line.
    """
    unknown = selection.unknown_selectors()
    if not unknown:
        return
    names = [rule.id.name for rule in all_rules()]
    findings = []
    for selector in unknown[:MOST_FINDINGS]:
        meant = nearest_of(selector, names)
        hint = f"; did you mean `{meant}`?" if meant else ""
        message = f"no rule has the code, name or prefix {quoted(selector)}{hint}"
        findings.append(ConfigurationFinding(message, path))
    raise ConfigurationError(listed(findings, len(unknown)), len(unknown))

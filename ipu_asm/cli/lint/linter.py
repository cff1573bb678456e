"""Linting of one file: choose its instruction set and rules, analyse it, and apply fixes."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Callable, Iterable, Mapping, Sequence

from ipu_asm.cli.lint.formats import Found
from ipu_asm.cli.lint.options import LintOptions
from ipu_asm.cli.sources import Analyzers, Problems, header_paths, headers_in
from ipu_asm.config import (
    FAIL_LEVELS,
    MOST_FINDINGS,
    Configuration,
    ConfigurationError,
    ConfigurationFinding,
    listed,
)
from ipu_asm.config.files import (
    FileError,
    SourceText,
    Target,
    decoded,
    is_elf,
    read_bytes,
    read_text,
)
from ipu_asm.config.isa_choice import IsaChoice
from ipu_asm.diagnostics import Applicability, Diagnostic, Severity
from ipu_asm.isa import DEFAULT_ISA
from ipu_asm.lint.selection import Selection, selection_of
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import SourceFile

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis
    from ipu_asm.assembler.code_files import CodeFile
    from ipu_asm.cli.lint.cache import Cache, Question


DEFAULT_FAIL_LEVEL = Severity.WARNING


class LintResult(NamedTuple):
    """The result for one file: its text as read, its source after fixes, and its findings.

    `findings` are those to report, some of them in `headers`; `header_paths` are all headers, also
    those that are missing. `fixed` is the number of findings that fixes removed, and `unfixed` is
    the result without fixes. The analysis is not part of it: it is large, and files are many.
    `answer` is what to keep for later runs, None if it comes from one.
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
    answer: tuple[Question, Found] | None = None


class _File(NamedTuple):
    """A file as read, with what its result depends on; without a `question` it is not cached.

    `code` is the content of an ELF file, of which `original` is the assembly.
    """

    target: Target
    original: SourceText
    configuration: Configuration
    selection: Selection
    choice: IsaChoice
    question: Question | None
    code: CodeFile | None = None

    def keeps(self, finding: Diagnostic) -> bool:
        """Whether the rule of a finding is selected."""
        return self.selection.keeps(finding.rule, finding.path or self.target.name)


class Linter:
    """Lints files according to the options and the configuration of each file."""

    def __init__(self, options: LintOptions, report: Callable[[str], None]) -> None:
        """Create a linter; `report` takes a line about each unusable file or configuration.

        Raises `ConfigurationError` for an invalid file given by `--config` and for unknown rules.
        """
        if options.select or options.ignore or options.extend_select:
            _check(Selection(options.select, options.ignore, options.extend_select), "")
        self.options = options
        self._analyzers = Analyzers(options, options.defines)
        self.configurations = self._analyzers.configurations
        self._problems = Problems(report)
        self._cache: Cache | None = None
        if not options.no_cache:
            from ipu_asm.cli.lint.cache import Cache  # with modules that no run without it needs

            self._cache = Cache()
        self._selections: dict[str, Selection | ConfigurationError] = {}

    def configuration_files(self, targets: Sequence[Target]) -> set[str]:
        """Return the paths of the configuration files of the targets."""
        if self.options.config is not None:
            return {self.options.config}
        for target in targets:
            with suppress(ConfigurationError):
                self._analyzers.configuration(target)
        return self.configurations.files()

    def settings_of(self, target: Target) -> tuple[IsaChoice, Configuration] | None:
        """Return the settings of a file; None, reporting the reason, if it has none."""
        return self._problems.reported(lambda: self._settings_of(target))

    def lint(self, target: Target) -> LintResult | None:
        """Lint one file; return None and report the reason if it cannot be read or analysed."""
        return self._problems.reported(lambda: self._lint(self._opened(target)))

    def remembered(self, target: Target) -> LintResult | None:
        """Return the result of a file if an earlier run has left it. Reports nothing."""
        if self._cache is None or target.is_standard_input:
            return None
        with suppress(FileError, ConfigurationError):
            file = self._opened(target)
            if file.question is not None:
                found = self._cache.find(file.question, is_asked_for=target.asked_for)
                if found is not None and not self._has_fixes(file, found.findings):
                    source = SourceFile(file.original.text, target.name)
                    return self._result(file, source, found)
        return None

    def remember(self, results: Iterable[LintResult]) -> None:
        """Leave results to later runs."""
        if self._cache is not None:
            for one in results:
                if one.answer is not None:
                    self._cache.add(*one.answer)
            self._cache.write()

    def _settings_of(self, target: Target) -> tuple[IsaChoice, Configuration]:
        choice = self._analyzers.choice(target, read_text(target).text)
        isa = choice._replace(name=choice.name or DEFAULT_ISA)
        return isa, self._analyzers.configuration(target)

    def _opened(self, target: Target) -> _File:
        """Read a file and its settings. Raises `FileError` and `ConfigurationError`."""
        data = read_bytes(target)
        configuration = self._analyzers.configuration(target)
        selection = self._selection(configuration)
        if is_elf(data):
            return self._opened_code(target, data, configuration, selection)
        original = decoded(data, target.name)
        choice = self._analyzers.choice(target, original.text)
        question = None
        if self._cache is not None and not target.is_standard_input:
            settings = self._analyzers.settings(target)
            known = choice, settings
            question = self._cache.question(target, original.text, configuration, known)
        return _File(target, original, configuration, selection, choice, question)

    def _opened_code(
        self, target: Target, data: bytes, configuration: Configuration, selection: Selection
    ) -> _File:
        from ipu_asm.assembler.code_files import read_code_file  # few files are machine code

        code = read_code_file(data, target.name, self.options.isa)
        text = code.text(has_labels=True)
        choice = IsaChoice(code.isa.name, target.name, is_explicit=True)
        return _File(target, SourceText(text), configuration, selection, choice, None, code)

    def _lint_code(self, file: _File, code: CodeFile) -> LintResult:
        """Lint an object: findings without fixes, in its assembly."""
        from ipu_asm.analysis.annotated_code import analysed

        analyzer = self._analyzers.analyzer(file.choice, file.configuration)
        analysis = analysed(code, file.target.name, analyzer)
        findings = tuple(each._replace(fix=None) for each in analysis.diagnostics)
        found = Found(findings, None, {}, frozenset(), {})
        return self._result(file, analysis.source, found)

    def _lint(self, file: _File) -> LintResult:
        if file.code is not None:
            return self._lint_code(file, file.code)
        from ipu_asm.analysis.doubtful_isa import with_isa_hint

        target, choice = file.target, file.choice
        analyzer = self._analyzers.analyzer(choice, file.configuration)
        is_shown = target.is_standard_input and self.options.stdin_filename is not None
        is_asked_for = target.asked_for and not is_shown
        recorder = None
        if file.question is not None:
            from ipu_asm.cli.lint.digests import RecordingReader, digests_of  # for the cache alone

            recorder = RecordingReader()
        settings = self._analyzers.settings(target, recorder)
        plain = analyzer.analyze(file.original.text, target.name, settings=settings)
        analysis = with_isa_hint(plain, choice)
        digests = {} if recorder is None else digests_of(recorder, settings.project)
        found = found_in(analysis, digests, is_asked_for=is_asked_for)
        unfixed = self._result(file, analysis.source, found)
        if file.question is not None:
            unfixed = unfixed._replace(answer=(file.question, found))
        if not self._has_fixes(file, found.findings):
            return unfixed
        from ipu_asm.analysis.apply_fixes import apply_fixes  # most runs fix nothing

        fixed, count = apply_fixes(analyzer, analysis, self._is_to_fix(file), settings)
        found = found_in(fixed, {}, is_asked_for=is_asked_for)
        return self._result(file, fixed.source, found)._replace(fixed=count, unfixed=unfixed)

    def _result(self, file: _File, source: SourceFile, found: Found) -> LintResult:
        findings = list(filter(file.keeps, (*(found.empty or ()), *found.findings)))
        level = self._fail_level(file.configuration)
        fails = any(finding.severity <= level for finding in findings)
        target, original = file.target, file.original
        paths = found.header_paths
        return LintResult(target, original, source, findings, fails, found.headers, paths)

    def _has_fixes(self, file: _File, findings: Iterable[Diagnostic]) -> bool:
        """Whether there is something to fix, and fixes are asked for."""
        if not (self.options.fix or self.options.diff):
            return False
        return any(map(self._is_to_fix(file), findings))

    def _is_to_fix(self, file: _File) -> Callable[[Diagnostic], bool]:
        most = Applicability.UNSAFE if self.options.unsafe_fixes else Applicability.SAFE

        def is_to_fix(finding: Diagnostic) -> bool:
            fix = finding.fix
            return fix is not None and fix.applicability <= most and file.keeps(finding)

        return is_to_fix

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

    def _fail_level(self, configuration: Configuration) -> Severity:
        if self.options.fail_level is not None:
            return FAIL_LEVELS[self.options.fail_level]
        return configuration.fail_level or DEFAULT_FAIL_LEVEL


def _check(selection: Selection, path: str) -> None:
    """Raise `ConfigurationError` if a selection has unknown rules.

    `path` is the file that it comes from, "" for the command line.
    """
    unknown = selection.unknown_selectors()
    if not unknown:
        return
    from ipu_asm.isa.operands import quoted
    from ipu_asm.lint.rules import rule_hint  # many modules, for wrong usage alone

    problem = "no rule has the code, name or prefix"
    findings = [
        ConfigurationFinding(f"{problem} {quoted(selector)}{rule_hint(selector)}", path)
        for selector in unknown[:MOST_FINDINGS]
    ]
    if path:
        from ipu_asm.config.configuration_file import read_configuration
        from ipu_asm.lint.configuration_findings import at_their_strings

        findings = at_their_strings(read_configuration(path).text, unknown, findings)
    raise ConfigurationError(listed(findings, len(unknown)), len(unknown))


def found_in(analysis: Analysis, digests: Mapping[str, str | None], *, is_asked_for: bool) -> Found:
    """Return what an analysis found, with the digests of all headers that it looked for.

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

"""Sources of commands: the files that arguments name, their configurations, and reading them."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Callable, Iterable, Iterator, Mapping, Protocol, Sequence, TypeVar

from ipu_asm.assembler.images import ImageError
from ipu_asm.cli.console import columns_of, print_message, wants_color, write
from ipu_asm.config import (
    Configuration,
    ConfigurationError,
    ConfigurationFinding,
    Value,
)
from ipu_asm.config.configuration_file import Configurations, possible_files, read_configuration
from ipu_asm.config.files import FileError, Target, input_at, is_listing
from ipu_asm.config.globs import Exclusion, find_targets
from ipu_asm.config.isa_choice import UNCLAIMED, IsaChoice, choose_isa
from ipu_asm.config.source_keys import ProjectFolders
from ipu_asm.diagnostics import Diagnostic, Severity
from ipu_asm.diagnostics.rendering import render
from ipu_asm.isa import DEFAULT_ISA, UnknownIsaError, load_isa
from ipu_asm.isa.model import Isa
from ipu_asm.lint.configuration_findings import selection_of
from ipu_asm.program.line_table import (
    ContextChoiceError,
    EffectiveProgram,
    read_effective_program,
    require_one_context,
)
from ipu_asm.source.expand import is_template
from ipu_asm.source.expansion import Expansion, SourceReader, SourceSettings, source_settings
from ipu_asm.text import SourceFile, counted

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis
    from ipu_asm.analysis.analyzer import Analyzer
    from ipu_asm.diagnostics import Diagnostic


def project_path(path: str) -> str:
    """Return `path` relative to the working directory if it is inside, else as given."""
    inside = path_inside(path)
    return path.replace(os.sep, "/") if inside is None else inside


def path_inside(path: str) -> str | None:
    """Return `path` relative to the working directory, or None if it is not inside."""
    absolute, prefix = absolute_path(path), os.path.join(absolute_path("."), "")
    inside = absolute.startswith(prefix) and len(absolute) > len(prefix)
    return absolute[len(prefix) :].replace(os.sep, "/") if inside else None


def absolute_path(path: str) -> str:
    """Return the absolute, normalized form of `path`."""
    try:
        folder = os.getcwd()
    except OSError:  # the working directory has been deleted
        folder = os.sep
    return os.path.normpath(os.path.join(folder, path))


def headers_of(expansions: Iterable[Expansion]) -> dict[str, SourceFile]:
    """Return the headers that expansions read, by absolute path.

    Their names are relative to the working directory, if they are inside of it.
    """
    return {
        path: SourceFile(file.text, path_inside(path) or path)
        for expansion in expansions
        for path, file in expansion.files.items()
    }


def headers_in(findings: Iterable[Diagnostic], analysis: Analysis) -> dict[str, SourceFile]:
    """Return the headers with places of findings of an analysis, by absolute path."""
    if not analysis.expanded:
        return {}
    paths = {path for f in findings for path in (f.path, *(r.path for r in f.related)) if path}
    headers = headers_of(each.expansion for each in analysis.expanded)
    return {path: headers[path] for path in paths if path in headers}


def header_paths(analysis: Analysis) -> Iterator[str]:
    """Yield the headers that an analysis has read, and where it has missed one."""
    settings = analysis.settings
    for expansion, _ in analysis.expanded:
        yield from expansion.files
        for place, name, path in expansion.includes:
            if path is None:
                folder = os.path.dirname(os.path.abspath(place.path or analysis.source.path))
                elsewhere = settings.project.folders if settings.project is not None else ()
                for each in (folder, *settings.include_paths, *elsewhere):
                    yield os.path.join(each, name)


STANDARD_INPUT_NAME = "<stdin>"
_T = TypeVar("_T")


class FileOptions(Protocol):
    """The options that choose files and their configurations."""

    @property
    def paths(self) -> tuple[str, ...]:
        """The files and folders, `-` for standard input."""

    @property
    def stdin_filename(self) -> str | None:
        """The path of standard input."""

    @property
    def exclude(self) -> tuple[str, ...]:
        """Globs of what a search leaves out."""

    @property
    def force_exclude(self) -> bool:
        """Whether excluded files are left out also where they are named."""

    @property
    def isa(self) -> str | None:
        """The instruction set of all files."""

    @property
    def config(self) -> str | None:
        """The configuration file for all files."""

    @property
    def isolated(self) -> bool:
        """Whether configuration files are ignored."""


def chosen_files(
    options: FileOptions, configurations: Configurations, report: Callable[[FileError], None]
) -> list[Target]:
    """Return the files that exist now; report the paths that cannot be searched."""
    name = options.stdin_filename or STANDARD_INPUT_NAME
    is_searched = any(map(os.path.isdir, options.paths))
    if not is_searched and not options.force_exclude:
        return find_targets(options.paths, name, report)
    from ipu_asm.config.globs import Exclusion  # for folders alone

    exclusion = Exclusion(options.exclude, configurations, configuration_override(options))
    targets = find_targets(options.paths, name, report, exclusion)
    if options.force_exclude:
        targets = [each for each in targets if not _is_excluded(each, options, exclusion)]
    return targets


def configuration_override(options: FileOptions) -> Configuration | None:
    """Return the configuration that the options set for all files, if any.

    Raises `ConfigurationError` for an invalid file.
    """
    if options.isolated:
        return Configuration()
    if options.config is None:
        return None
    given = read_configuration(options.config).usable() or Configuration()
    return given._replace(folder=os.getcwd())


class Problems:
    """The problems of a run with files and configurations, each reported once."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._reported: set[str] = set()

    def __bool__(self) -> bool:
        """Return whether there was any."""
        return bool(self._reported)

    def report(self, problem: object) -> None:
        """Report a problem, unless it was reported before."""
        line = str(problem)
        if line not in self._reported:
            self._reported.add(line)
            self._report(line)

    def reported(self, work: Callable[[], _T]) -> _T | None:
        """Return the result of `work`; None, reporting the reason, if it cannot be done."""
        try:
            return work()
        except FileError as error:
            self.report(error)
        except ConfigurationError as error:
            for finding in error.findings:
                self.report(finding)
        return None


def _is_excluded(target: Target, options: FileOptions, exclusion: Exclusion) -> bool:
    """Whether a file that was named, also one given as `--stdin-filename`, is excluded."""
    name = options.stdin_filename if target.is_standard_input else target.name
    return target.asked_for and name is not None and exclusion.excludes_named(name)


class Analyzers:
    """The configurations and analyzers of the files that options name."""

    def __init__(self, options: FileOptions, defines: Mapping[str, Value] = {}) -> None:
        """Raises `ConfigurationError` for an invalid file given by `--config`."""
        self.configurations = Configurations()
        self._isa = options.isa
        self._defines = defines
        self._override = configuration_override(options)
        # Keys: the instruction set and the memory that a project chooses.
        self._analyzers: dict[tuple[str, str], Analyzer] = {}
        self._projects: dict[ProjectFolders | None, ProjectFolders | None] = {}

    def configuration(self, target: Target) -> Configuration:
        """Return the configuration of a file. Raises `ConfigurationError`."""
        if self._override is not None:
            return self._override
        folder = os.path.dirname(os.path.abspath(target.name))
        return self.configurations.nearest(folder) or Configuration()

    def choice(self, target: Target, text: str) -> IsaChoice:
        """Return the set of a file, `UNCLAIMED` if nothing states it."""
        asked = self._isa
        if asked is None and is_listing(text):
            from ipu_asm.assembler.listed_source import isa_of_listing  # few files are listings

            asked = isa_of_listing(text)
        return choose_isa(text, target.name, asked, self.configuration(target), UNCLAIMED)

    def settings(self, target: Target, reader: SourceReader | None = None) -> SourceSettings:
        """Return the settings of the expansion of a file. Raises `ConfigurationError`."""
        found = source_settings(target.name, self.configuration(target), self._defines, reader)
        # The files of a project share one search for its folders.
        return found._replace(project=self._projects.setdefault(found.project, found.project))

    def analyzer(self, choice: IsaChoice, configuration: Configuration) -> Analyzer:
        """Return the analyzer of an instruction set. Raises `ConfigurationError` for unknown ones.

        Its modules are imported here: a run whose results are known needs none of them.
        """
        from ipu_asm.analysis.analyzer import Analyzer

        name = choice.name or DEFAULT_ISA
        memory = configuration.memory.get(name, "")
        if (name, memory) not in self._analyzers:
            try:
                isa = load_isa(name, memory)
                self._analyzers[name, memory] = Analyzer(isa)
            except UnknownIsaError as error:
                finding = ConfigurationFinding(str(error), choice.origin)
                raise ConfigurationError([finding]) from error
        return self._analyzers[name, memory]

    def analysis(self, target: Target, text: str) -> Analysis:
        """Return the analysis of the text of a file. Raises `ConfigurationError`."""
        analyzer = self.analyzer(self.choice(target, text), self.configuration(target))
        return analyzer.analyze(text, target.name, settings=self.settings(target))


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

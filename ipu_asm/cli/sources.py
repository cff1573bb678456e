"""Sources of commands: the files that arguments name, their configurations, and reading them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Callable, Iterable, Iterator, Mapping, Protocol, TypeVar

from ipu_asm.config import (
    Configuration,
    ConfigurationError,
    ConfigurationFinding,
    Value,
)
from ipu_asm.config.configuration_file import Configurations, read_configuration
from ipu_asm.config.files import FileError, Target, is_listing
from ipu_asm.config.globs import Exclusion, find_targets
from ipu_asm.config.isa_choice import UNCLAIMED, IsaChoice, choose_isa
from ipu_asm.config.source_keys import ProjectFolders
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.isa import DEFAULT_ISA, UnknownIsaError, load_isa
from ipu_asm.source.expansion import Expansion, SourceReader, SourceSettings, source_settings
from ipu_asm.text import SourceFile

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis
    from ipu_asm.analysis.analyzer import Analyzer


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

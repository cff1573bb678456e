"""Settings of a document: from the editor and from the nearest configuration file."""

from __future__ import annotations

import os
from typing import Callable

from ipu_asm.config.configuration import Configuration, ConfigurationError
from ipu_asm.config.configuration_file import Configurations
from ipu_asm.diagnostics import INCLUDE_NOT_FOUND, Diagnostic, Severity
from ipu_asm.isa.operands import quoted
from ipu_asm.lint.selection import Selection
from ipu_asm.named_tuple import NamedTuple
from ipu_lsp.server.documents import Document
from ipu_lsp.server.settings import Settings


class Project(NamedTuple):
    """The settings that all documents of a folder share."""

    configuration: Configuration
    selection: Selection
    errors_only: bool

    def selects(self, finding: Diagnostic, path: str | None) -> bool:
        """Return whether settings select a finding in the document stored at `path`."""
        if self.errors_only and finding.severity is not Severity.ERROR:
            return False
        if path is None and finding.rule == INCLUDE_NOT_FOUND:
            return False  # a document that is not saved yet has no folder to search
        if path is not None and self.configuration.per_file_ignores:
            path = os.path.relpath(path, self.configuration.folder or ".")
        return self.selection.keeps(finding.rule, path)


class Projects:
    """The project of each folder, cached.

    `warn` is called with a sentence about each configuration file with mistakes, and its path.
    """

    def __init__(self, warn: Callable[[str, str], None]) -> None:
        self.settings = Settings()
        self.files_to_check: dict[str, None] = {}
        """Configuration files in which a mistake was seen; it may be corrected by now."""
        self._warn = warn
        self._configurations = Configurations()
        self._by_folder: dict[str | None, Project] = {}
        self._by_file: dict[str, Project] = {}

    def of(self, document: Document) -> Project:
        """Return the project of a document; without a file only the editor's settings apply."""
        return self.of_folder(os.path.dirname(document.path) if document.path is not None else None)

    def of_folder(self, folder: str | None) -> Project:
        """Return the project of the files in a folder."""
        if folder not in self._by_folder:
            nearest = self._nearest(folder)
            if nearest.path not in self._by_file:
                self._by_file[nearest.path] = self._project(nearest)
            self._by_folder[folder] = self._by_file[nearest.path]
        return self._by_folder[folder]

    def dependencies(self, path: str) -> tuple[object, ...]:
        """Everything that the findings of a file depend on besides its text."""
        project = self.of_folder(os.path.dirname(path))
        ours = self.settings
        return project.configuration, project.errors_only, ours.defines, ours.include_paths

    def forget(self) -> None:
        """Clear all caches: settings or configuration files have changed."""
        self._configurations.forget()
        self._by_folder.clear()
        self._by_file.clear()

    def _nearest(self, folder: str | None) -> Configuration:
        try:
            found = self._configurations.nearest(folder) if folder is not None else None
        except ConfigurationError as error:
            self.files_to_check[error.path] = None
            sentence = f"{error.findings[0]}{_more(error.count)}; the file is ignored"
            self._warn(sentence, error.path)
            found = None
        return found or Configuration()

    def _project(self, nearest: Configuration) -> Project:
        configuration = self.settings.over(nearest)
        selection = Selection(
            configuration.select,
            configuration.ignore,
            configuration.extend_select,
            configuration.per_file_ignores,
        )
        unknown = selection.unknown_selectors()
        if unknown:
            origin = configuration.path or "ipu.lint"
            if configuration.path:
                self.files_to_check[configuration.path] = None
            what = f"no finding has the code or name {quoted(unknown[0])}{_more(len(unknown))}"
            self._warn(f"{origin}: {what}", configuration.path)
        return Project(configuration, selection, self.settings.enable is False)


def _more(count: int) -> str:
    """Mention the number of further mistakes, which are shown in the file itself."""
    return f" (and {count - 1:,} more)" if count > 1 else ""

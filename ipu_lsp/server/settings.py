"""Settings of the editor in the section `ipu`, which correspond to those of configuration files.

Each setting is judged alone, so that an invalid one costs only itself. The
projects of files are found here.
"""

from __future__ import annotations

import os
from typing import Any, Callable, Mapping

from ipu_asm.config import (
    FORMAT_STYLES,
    MNEMONIC_CASES,
    Configuration,
    ConfigurationError,
    Context,
)
from ipu_asm.config.configuration_file import Configurations
from ipu_asm.config.schema import (
    Field,
    Mistake,
    OneOf,
    SettingError,
    Table,
    flag,
    list_of_strings,
    read_table,
    text,
)
from ipu_asm.config.source_keys import check_name, define_value, include_paths
from ipu_asm.diagnostics import INCLUDE_NOT_FOUND, Diagnostic, Severity
from ipu_asm.ide import DEFAULT_HINTS, DEFAULT_LENSES, HINT_FAMILIES, LENS_FAMILIES
from ipu_asm.isa.operands import quoted
from ipu_asm.lint.selection import Selection
from ipu_asm.named_tuple import NamedTuple
from ipu_lsp.server.documents import Document
from ipu_lsp.transport import Json

Names = tuple[str, ...]

NO_WORDS = "none"
_LISTING_WORDS = ("full", NO_WORDS)


class Settings(NamedTuple):
    """The settings of a session. None means not set: then configuration files decide.

    `inlay_hints` and `code_lenses` are the families that are on. `defines` are
    values like those of `ipu-lint --define`, `include_paths` are searched before the configured.
    `listing_words` is "full" or "none": whether listings have words beside the addresses.
    """

    isa: str | None = None
    enable: bool | None = None
    select: Names | None = None
    ignore: Names | None = None
    extend_select: Names | None = None
    format_style: str | None = None
    mnemonic_case: str | None = None
    inlay_hints: frozenset[str] = DEFAULT_HINTS
    code_lenses: frozenset[str] = DEFAULT_LENSES
    defines: Context | None = None
    include_paths: Names | None = None
    listing_words: str | None = None

    def over(self, configuration: Configuration) -> Configuration:
        """Merge the settings into a configuration; they rank like the options of `ipu-lint`."""
        if self.isa is not None:
            configuration = configuration._replace(isa=self.isa, isa_by_glob=())
        if self.format_style is not None:
            configuration = configuration._replace(format_style=self.format_style)
        if self.mnemonic_case is not None:
            configuration = configuration._replace(mnemonic_case=self.mnemonic_case)
        if self.select is not None:
            configuration = configuration._replace(select=self.select, extend_select=(), ignore=())
        return configuration._replace(
            ignore=(*configuration.ignore, *(self.ignore or ())),
            extend_select=(*configuration.extend_select, *(self.extend_select or ())),
        )


class ParsedSettings(NamedTuple):
    """Settings, and a message for each invalid value, which counts as not set."""

    settings: Settings
    complaints: tuple[str, ...]


def read_settings(section: object) -> ParsedSettings:
    """Return the settings in the section `ipu`. Keys that are not declared are ignored."""
    if section is None:
        return ParsedSettings(Settings(), ())
    mistakes: list[Mistake] = []
    values: Json = read_table(_SECTION, section, mistakes, ("ipu",)) or {}
    lint, layout = values.get("lint", {}), values.get("format", {})
    settings = Settings(
        isa=values.get("isa"),
        enable=lint.get("enable"),
        select=lint.get("select"),
        ignore=lint.get("ignore"),
        extend_select=lint.get("extendSelect"),
        format_style=layout.get("style"),
        mnemonic_case=layout.get("mnemonicCase"),
        inlay_hints=_families(DEFAULT_HINTS, values.get("inlayHints", {})),
        code_lenses=_families(DEFAULT_LENSES, values.get("codeLens", {})),
        defines=values.get("defines"),
        include_paths=values.get("includePaths"),
        listing_words=values.get("listing", {}).get("words"),
    )
    return ParsedSettings(settings, tuple(map(_complaint, mistakes)))


def _families(default: frozenset[str], table: Mapping[str, bool]) -> frozenset[str]:
    return frozenset(name for name in default | table.keys() if table.get(name, True))


def _complaint(mistake: Mistake) -> str:
    key, error = ".".join(mistake.place), mistake.error
    if not error.has_value:
        return f"setting `{key}`: {error}; it is ignored"
    expected = error.message.removeprefix("expected ")
    return f"setting `{key}` is {expected}, found {error.found!r:.60}; it is ignored"


def _defines(value: Any) -> Context:
    """Return values by name. Raises `SettingError`."""
    if not isinstance(value, dict):
        if value == []:  # an empty table of Lua
            return {}
        raise SettingError("expected an object with a value for each name", value)
    for name in value:
        check_name(name)
    return {name: define_value(each) for name, each in value.items()}


def _object(fields: Mapping[str, Field]) -> Table:
    return Table(fields, is_json=True)


_STRINGS = list_of_strings("a list of strings")
_SECTION = _object(
    {
        "isa": text,
        "lint": _object(
            {"enable": flag, "select": _STRINGS, "ignore": _STRINGS, "extendSelect": _STRINGS}
        ),
        "format": _object({"style": OneOf(FORMAT_STYLES), "mnemonicCase": OneOf(MNEMONIC_CASES)}),
        "listing": _object({"words": OneOf(_LISTING_WORDS)}),
        "inlayHints": _object(dict.fromkeys(HINT_FAMILIES, flag)),
        "codeLens": _object(dict.fromkeys(LENS_FAMILIES, flag)),
        "defines": _defines,
        "includePaths": include_paths,
    }
)


def unwrap_section(settings: object) -> object:
    """Return the section `ipu` of settings that have it, else the settings themselves."""
    if isinstance(settings, dict) and "ipu" in settings:
        return settings["ipu"]
    return settings


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

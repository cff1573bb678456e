"""Source settings of documents, the headers that their analyses read, and their analyzers."""

from __future__ import annotations

import os
from typing import Callable, Iterator

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.analysis.doubtful_isa import with_isa_hint
from ipu_asm.assembler.listed_source import isa_of_listing
from ipu_asm.config import Configuration
from ipu_asm.config.host_configurations import HostConfiguration, Hosts, configured_host
from ipu_asm.config.host_search import host_configurations
from ipu_asm.config.isa_choice import UNCLAIMED, IsaChoice, choose_isa
from ipu_asm.config.source_keys import ProjectFolders, include_folders
from ipu_asm.isa import DEFAULT_ISA, UnknownIsaError, load_isa, manifests
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.expansion import SourceSettings, source_settings
from ipu_lsp.server.documents import Document
from ipu_lsp.server.settings import Projects
from ipu_lsp.server.workspace import Headers, Stamps, Workspace

HEADER_EXTENSIONS = (".h", ".hh", ".hpp", ".inc", ".def")
"""Of files that are no programs of their own."""

HEADER_LANGUAGES = ("c", "cpp")
"""The languages that editors take headers for."""


class Sources:
    """The source settings of documents, and which of them include which headers."""

    def __init__(self, projects: Projects, workspace: Workspace, headers: Headers) -> None:
        self._projects = projects
        self._workspace = workspace
        self._headers = headers
        self._settings: dict[str, SourceSettings] = {}
        # The last launch of each program, and the name of the configuration that is shown, by path.
        self._launched: dict[str, HostConfiguration] = {}
        self._chosen: dict[str, str] = {}

    def settings(self, document: Document) -> SourceSettings:
        """Return the source settings of a document. One without a file includes no header."""
        key = document.key
        if key not in self._settings:
            self._settings[key] = self._found(document)
        return self._settings[key]

    def forget(self) -> None:
        """Drop all settings: configurations or folders have changed."""
        self._settings.clear()

    def forget_settings(self, document: Document) -> None:
        """Drop the settings of a document: a folder of headers may be new."""
        self._settings.pop(document.key, None)

    def _found(self, document: Document) -> SourceSettings:
        """Return the settings of `ipu-lint`, those of the editor over them.

        Headers may be anywhere in the workspace folder of the file, even above its project.
        """
        ours = self._projects.settings
        configuration = self._projects.of(document).configuration
        found = source_settings(document.key or None, configuration, ours.defines or {})
        if not document.key:
            return found._replace(hosts=Hosts((), self._chosen.get("", "")))
        folder = self._workspace.folder_of(document.key)
        root = found.root if folder is None or folder.startswith(found.root) else folder
        folders = (
            *include_folders(ours.include_paths or (), folder or root).folders,
            *found.include_paths,
        )
        reader = self._headers.below([root, *folders])
        hosts = self._hosts(document.key, root, configuration)
        project = ProjectFolders(root) if found.project is not None else None
        found = found._replace(include_paths=folders, root=root, reader=reader)
        return found._replace(hosts=hosts, project=project)

    def _hosts(self, path: str, root: str, configuration: Configuration) -> Hosts:
        """Return what runs, launches and tests say of a kernel, its last launch first."""
        first = (self._launched.get(path), configured_host(path, configuration))
        found = (each for each in first if each is not None)
        return Hosts((*found, *host_configurations(path, root)), self._chosen.get(path, ""))

    def launched(self, path: str, host: HostConfiguration) -> None:
        """Remember the values of the last launch of a program."""
        self._launched[path] = host
        self._settings.pop(path, None)

    def choose(self, document: Document, name: str) -> None:
        """Show a document with the configuration of a name."""
        self._chosen[document.key] = name
        found = self._settings.get(document.key)
        if found is not None:
            hosts = found.hosts._replace(chosen=name)
            self._settings[document.key] = found._replace(hosts=hosts)

    def stamps(self, analysis: Analysis) -> Stamps:
        """Return the stamps of the headers that an analysis has read."""
        return self._headers.stamps(analysis.headers)

    def is_stale(self, document: Document) -> bool:
        """Return whether a header has changed since a document's analysis read it."""
        return not self._headers.are_unchanged(document.headers)

    def includers(self, document: Document) -> list[Document]:
        """Return the other open documents whose analysis has read a document as a header."""
        return [each for each in self.readers(document.key) if each is not document]

    def readers(self, path: str) -> list[Document]:
        """Return the open documents whose analysis has read a file as a header."""
        return [each for each in self._headers.documents() if path in each.headers]

    def is_header(self, document: Document) -> bool:
        """Return whether a document is a header, whether a document includes it or not."""
        ending = os.path.splitext(document.path or "")[1]
        return ending in HEADER_EXTENSIONS or document.language in HEADER_LANGUAGES

    def is_foreign(self, document: Document) -> bool:
        """Return whether a document is in another language and serves as a header only."""
        return document.language in HEADER_LANGUAGES

    def open_headers(self, document: Document) -> list[Document]:
        """Return the open documents that the analysis of a document has read as headers."""
        found = (self._headers.document(path) for path in document.headers)
        return [header for header in found if header is not None and header is not document]

    def searching(self, name: str) -> list[Document]:
        """Return the open documents with an include of this file name, resolved or not."""
        return [each for each in self._headers.documents() if name in _included_names(each)]


def _included_names(document: Document) -> set[str]:
    analysis = document.analysis
    return {
        os.path.basename(include.name)
        for each in (analysis.expanded if analysis else ())
        for include in each.expansion.includes
    }


class ChosenAnalyzer(NamedTuple):
    """The analyzer of a document, and how its instruction set was chosen."""

    analyzer: Analyzer
    choice: IsaChoice


class Analyzers:
    """The analyzers of a session. Instruction sets are loaded when they are first needed."""

    def __init__(self, projects: Projects, sources: Sources, warn: Callable[[str], None]) -> None:
        self._projects = projects
        self._sources = sources
        self._warn = warn
        # By the name of the instruction set and of the memory that a project chooses.
        self._analyzers: dict[tuple[str, str], Analyzer] = {}

    def analysis(self, document: Document) -> Analysis | None:
        """Return the analysis of a document's text; None if its instruction set is unknown."""
        before = document.analysis
        is_same = before is not None and before.text is document.text
        if is_same and not self._sources.is_stale(document):
            return before
        chosen = self._choose(document)
        if chosen is None:
            return None
        analyzer = chosen.analyzer
        if before is not None and before.isa is not analyzer.isa:
            before = None
        settings = self._sources.settings(document)
        plain = analyzer.analyze(
            document.text, document.name, before, change=document.edit, settings=settings
        )
        analysis = with_isa_hint(plain, chosen.choice)
        document.keep(analysis, self._sources.stamps(analysis))
        return analysis

    def read_ahead(self, document: Document) -> Iterator[None]:
        """Parse the bundles of a document in steps, one bundle each, ahead of `analysis`."""
        chosen = self._choose(document)
        if chosen is not None:
            yield from chosen.analyzer.read_ahead(document.text)

    def _choose(self, document: Document) -> ChosenAnalyzer | None:
        configuration = self._projects.of(document).configuration
        language = isa_of_language(document.language)
        default = UNCLAIMED if language == DEFAULT_ISA else language
        is_unclaimed = self._sources.is_header(document) and not is_ours(document.language)
        if is_unclaimed:
            default = self._isa_of_includers(document)
            if default == UNCLAIMED and self._sources.is_foreign(document):
                return None
        asked = isa_of_listing(document.text)
        choice = choose_isa(document.text, document.name, asked, configuration, default)
        if is_unclaimed and choice.name == UNCLAIMED:
            return None
        name = choice.name or DEFAULT_ISA
        memory = configuration.memory.get(name, "") if configuration else ""
        if (name, memory) not in self._analyzers:
            try:
                self._analyzers[name, memory] = Analyzer(load_isa(name, memory))
            except UnknownIsaError as error:
                self._warn(f"{choice.origin}: {error}")
                return None
        return ChosenAnalyzer(self._analyzers[name, memory], choice)

    def _isa_of_includers(self, document: Document) -> str:
        """Return the instruction set of the first open document that includes a header."""
        found = (each.analysis for each in self._sources.includers(document))
        return next((analysis.isa.name for analysis in found if analysis), UNCLAIMED)


def is_ours(language: str) -> bool:
    """Return whether an editor's language ID is that of an instruction set."""
    return any(manifest.language_id == language for manifest in manifests().values())


def isa_of_language(language: str) -> str:
    """Return the instruction set of an editor's language ID; the default one for an unknown ID.

    Loads no instruction set.
    """
    every = manifests()
    if language == every[DEFAULT_ISA].language_id:
        return DEFAULT_ISA
    meant = (name for name, manifest in every.items() if manifest.language_id == language)
    return next(meant, DEFAULT_ISA)

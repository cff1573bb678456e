"""The analyzers of a session, one per instruction set in use, and their choice for documents."""

from __future__ import annotations

from typing import Callable, Iterator

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.analysis.doubtful_isa import with_isa_hint
from ipu_asm.config.isa_choice import UNCLAIMED, IsaChoice, choose_isa
from ipu_asm.isa import DEFAULT_ISA, UnknownIsaError, load_isa, manifests
from ipu_asm.named_tuple import NamedTuple
from ipu_lsp.server.documents import Document
from ipu_lsp.server.projects import Projects
from ipu_lsp.server.sources import Sources


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
        choice = choose_isa(document.text, document.name, None, configuration, default)
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

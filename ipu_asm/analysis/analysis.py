"""The answer about one text: its program, its expansions and all findings."""

from __future__ import annotations

from typing import Callable, Mapping

from ipu_asm.diagnostics import Diagnostic
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.source.expansion import DEFAULT_SETTINGS, Expansion, SourceSettings
from ipu_asm.text import SourceFile


class Expanded(NamedTuple):
    """One expansion of a file, and its analysis as a plain text of its own."""

    expansion: Expansion
    analysis: Analysis


class Analysis:
    """What is known about one text. Never changed after it is made.

    `source` is what the author wrote, and all spans of `program` and `diagnostics` are in it,
    except those of diagnostics with a `path`. A template, or a source with macros and includes, is
    `expanded`: what the assembler reads, once for each context. Its `program` is then only that of
    the written text: with macro calls unexpanded, and with words in place of the template's tags.
    The listing of a disassembler is expanded, too: its expansion is the assembly of its bytes.
    `settings` are those of the expansion.
    """

    __slots__ = ("_program", "diagnostics", "expanded", "isa", "settings", "source")

    def __init__(
        self,
        source: SourceFile,
        program: Program | Callable[[], Program],
        isa: Isa,
        diagnostics: tuple[Diagnostic, ...],
        expanded: tuple[Expanded, ...] = (),
        settings: SourceSettings = DEFAULT_SETTINGS,
    ) -> None:
        self.source = source
        self.isa = isa
        # By position; suppressed ones are not among them.
        self.diagnostics = diagnostics
        self.expanded = expanded
        self.settings = settings
        self._program = program

    @property
    def program(self) -> Program:
        """The program of the written text; that of a template is made when first asked for."""
        if callable(self._program):
            self._program = self._program()
        return self._program

    @property
    def text(self) -> str:
        return self.source.text

    @property
    def is_listing(self) -> bool:
        """Whether the text is the listing of a disassembler, which no edit or fix is for."""
        return bool(self.expanded) and self.expanded[0].expansion.is_listing

    @property
    def effective_program(self) -> Program:
        """The program that the assembler reads, in the first context."""
        return self.expanded[0].analysis.program if self.expanded else self.program

    @property
    def headers(self) -> Mapping[str, SourceFile]:
        """The files that its expansions have read, by absolute path."""
        if len(self.expanded) == 1:
            return self.expanded[0].expansion.files
        return {path: f for each in self.expanded for path, f in each.expansion.files.items()}

    def seen_in(self, context: str) -> Analysis:
        """Return the same analysis with the expansion of one context first.

        Features answer in the first expansion that has an answer. Without such a context the
        analysis itself is returned.
        """
        chosen = [each for each in self.expanded if each.expansion.context == context]
        if not chosen or chosen[0] is self.expanded[0]:
            return self
        others = (each for each in self.expanded if each is not chosen[0])
        expanded = (chosen[0], *others)
        return Analysis(
            self.source, lambda: self.program, self.isa, self.diagnostics, expanded, self.settings
        )

    def with_diagnostics(self, diagnostics: tuple[Diagnostic, ...]) -> Analysis:
        """Return the same analysis with other findings, such as those that settings select."""
        return Analysis(
            self.source, lambda: self.program, self.isa, diagnostics, self.expanded, self.settings
        )

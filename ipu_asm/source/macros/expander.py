"""What is known while the statements of one file are expanded, from its start to its end."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Callable

from ipu_asm.diagnostics import Diagnostic, RelatedInformation, RuleId
from ipu_asm.isa.surface import Surface
from ipu_asm.source.expansion import Include
from ipu_asm.source.lifting import related_places
from ipu_asm.source.macros.conditionals import Conditionals
from ipu_asm.source.macros.limits import Budget
from ipu_asm.source.macros.macro import Body, Macro
from ipu_asm.source.macros.mapped_text import (
    MappedText,
    TextBuilder,
    frame_at,
    written_block,
    written_range,
)
from ipu_asm.source.macros.names import NameLog
from ipu_asm.source.macros.statements import Statement, StatementReader
from ipu_asm.text import SourceFile, Span

LABEL = re.compile(r"([A-Za-z_.$][\w.$]*)[ \t]*:")
_READS_FILES = re.compile(r"#\s*(?:include|import)\b")

FindHeader = Callable[[str, str], SourceFile | None]
"""Returns the header of a name that a file, given by its path, includes; None if there is none."""


class Expander:
    """The state that macros, calls and symbols share; `out` is the expansion made so far."""

    def __init__(self, surface: Surface, text: str, find_header: FindHeader | None = None) -> None:
        """Without `find_header`, no header is found, and none is missed."""
        self.find_header = find_header or (lambda name, includer: None)
        self.tells_missing = find_header is not None
        self.includes: list[Include] = []
        self.files: dict[str, SourceFile] = {}
        self.reader = StatementReader(surface)
        self.out = TextBuilder()
        self.names = NameLog()
        self.budget = Budget()
        self._findings: dict[tuple[RuleId, str | None, Span], Diagnostic] = {}
        self.macros: dict[str, Macro] = {}
        # The names of all macros that were defined, and the bodies in the text of the file itself.
        self.defined_macros: set[str] = set()
        self.bodies: list[Body] = []
        # The names of which a condition asks whether they are defined, as a label or otherwise.
        self.asked: set[str] = set()
        self.symbols: dict[str, int | None] = {}
        # Macros of which calls stay in the text; their definitions are put behind it.
        self.called: dict[str, Macro] = {}
        self.calls = 0
        self.is_alternate = False
        # Headers that were not found may define names.
        self.is_partial = _READS_FILES.search(text) is not None

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """The findings about macros and loops themselves."""
        return tuple(self._findings.values())

    def report(
        self,
        rule: RuleId,
        message: str,
        source: MappedText,
        span: Span,
        *related: RelatedInformation,
    ) -> None:
        """Add a finding about a place in a source."""
        written = written_range(source, *span)
        places = (*related, *related_places(frame_at(source, span.start)))
        finding = Diagnostic(rule, message, written.span, places, path=written.path or None)
        self._findings.setdefault((rule, finding.path, finding.span), finding)

    def add_called_macros(self) -> None:
        """Append the definitions of macros of which calls stay in the text.

        The program then knows their names, and what their bodies may define.
        """
        for macro in self.called.values():
            source = macro.body.source
            self.out.add_computed("\n", written_block(source, *macro.full), None)
            self.out.add(source, *macro.full)


class OpenText:
    """A text that is being expanded: the file itself, the body of a call, an iteration.

    `next` is the offset of the next statement. What is before it and behind `copied` has not been
    appended, yet. `expand` expands a text inside this one.
    """

    def __init__(
        self,
        expander: Expander,
        source: MappedText,
        depth: int,
        is_uncertain: bool,
        expand: Callable[[Expander, MappedText, int, bool], bool],
    ) -> None:
        self.expander = expander
        self.source = source
        self.depth = depth
        self.conditionals = Conditionals()
        self.copied = 0
        self.next = 0
        self.is_left = False
        self._is_uncertain = is_uncertain
        self._expand = expand

    @property
    def is_uncertain(self) -> bool:
        """Whether it is unknown if the current statement is assembled."""
        return self._is_uncertain or self.conditionals.is_uncertain

    @cached_property
    def labels(self) -> set[str]:
        """The names that a colon follows somewhere in the text."""
        return set(LABEL.findall(self.source.text))

    def copy(self, end: int) -> None:
        """Append the text up to an offset."""
        if self.depth:
            self.expander.budget.make(self.source.text.count("\n", self.copied, end))
        self.expander.out.add(self.source, self.copied, end)
        self.copied = end

    def remember(self, body: Body) -> None:
        """Remember a body of the file itself, in which an edit may be found again."""
        if not self.depth:
            self.expander.bodies.append(body)

    def use_symbols(self, start: int, end: int) -> None:
        """Record the uses of symbols in a part of the text."""
        source = self.source
        self.expander.names.add(lambda names: names.use_symbols(source, start, end))

    def drop(self, statement: Statement) -> None:
        """Append the text before a statement, its labels included, and leave out the statement."""
        self.copy(statement.word_start)
        self.copied = statement.end

    def expand(self, text: MappedText) -> bool:
        """Append the expansion of a text that a call or an iteration has made."""
        lines = text.text.count("\n") + text.text.count(";") + 1
        self.expander.budget.read(lines, 0)
        self.expander.budget.enter(self.depth + 1)
        return self._expand(self.expander, text, self.depth + 1, self.is_uncertain)

    def end_of(self, end_words: set[str], openings: set[str]) -> Statement | None:
        """Return the directive that ends what the last statement began; None if none does."""
        depth = 1
        reader = self.expander.reader
        for match in reader.matches(self.source.text, self.next):
            word = match["word"].lower()
            if word in openings:
                depth += 1
            elif word in end_words:
                depth -= 1
                if not depth:
                    return reader.statement(match)
        return None

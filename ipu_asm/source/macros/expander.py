"""State of an expansion: names, limits and output while the statements of one file are read."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Callable, Sequence

from ipu_asm.diagnostics import Diagnostic, RelatedInformation, RuleId
from ipu_asm.isa.surface import Surface
from ipu_asm.source.expansion import Include, NameDefinition, NameKind, NameUse
from ipu_asm.source.lifting import related_places
from ipu_asm.source.macros.macro import Body, Macro, Parameter
from ipu_asm.source.macros.mapped_text import (
    MappedText,
    TextBuilder,
    frame_at,
    written_block,
    written_range,
)
from ipu_asm.source.macros.statements import Conditionals, Statement, StatementReader
from ipu_asm.source.source_map import SourceRange
from ipu_asm.text import SourceFile, Span

MAX_DEPTH = 64
MAX_LINES = 40_000
MAX_LINES_READ = 200_000
MAX_CHARACTERS_READ = 8_000_000


class ExpansionLimitError(Exception):
    """A limit is exceeded; the message is for the finding."""


class Budget:
    """The remaining allowance for one file."""

    def __init__(self) -> None:
        self._made = MAX_LINES
        self._read = MAX_LINES_READ
        self._characters = MAX_CHARACTERS_READ
        self.is_spent = False
        self._bodies = 0

    def is_within_limits(self, lines: int, characters: int) -> bool:
        """Return whether so much more in each body surely stays within the limits."""
        lines, characters = lines * (self._bodies + 1), characters * (self._bodies + 1)
        return lines <= min(self._made, self._read) and characters <= self._characters

    def read(self, lines: int, characters: int) -> None:
        """Account for the text of a body with its arguments. Raises `ExpansionLimitError`."""
        self._bodies += 1
        self._read -= lines
        self._characters -= characters
        if self._read < 0:
            raise self._spent(f"{MAX_LINES_READ:,} lines before conditions")
        if self._characters < 0:
            raise self._spent(f"{MAX_CHARACTERS_READ:,} characters before conditions")

    def make(self, lines: int) -> None:
        """Account for lines of output. Raises `ExpansionLimitError`."""
        self._made -= lines
        if self._made < 0:
            raise self._spent(f"{MAX_LINES:,} lines")

    def reserve(self, iterations: int) -> None:
        """Check whether a loop may be repeated as often. Raises `ExpansionLimitError`."""
        if iterations > self._read:
            self.read(iterations, 0)

    def enter(self, depth: int) -> None:
        """Check the nesting depth of a call. Raises `ExpansionLimitError`."""
        if depth > MAX_DEPTH:
            raise ExpansionLimitError(f"macros and repetitions nest at most {MAX_DEPTH} deep")

    def _spent(self, most: str) -> ExpansionLimitError:
        self.is_spent = True
        return ExpansionLimitError(f"macros and repetitions make at most {most}")


_REMARK = re.compile(r"[^\r\n]*?(?://[ \t]*([^\r\n]*)|/\*[ \t]*((?:[^*\r\n]|\*(?!/))*))")
_SYMBOL = re.compile(r"(?<![\w.$\\])[A-Za-z_.][\w.$]*")


class NameLog:
    """Records definitions and uses; their places are computed on first access."""

    def __init__(self) -> None:
        self.defined: set[str] = set()
        self._events: list[Callable[[Names], None]] = []

    def add(self, event: Callable[[Names], None], defined: str = "") -> None:
        """Add a function that adds a definition or a use to `Names`."""
        self._events.append(event)
        if defined:
            self.defined.add(defined)

    @cached_property
    def names(self) -> Names:
        names = Names()
        for event in self._events:
            event(names)
        return names


class Names:
    """Collects definitions and uses, each written place once."""

    def __init__(self) -> None:
        self._definitions: dict[tuple[SourceRange, str], NameDefinition] = {}
        self._uses: dict[tuple[SourceRange, str], NameUse] = {}
        self._macros: dict[SourceRange, NameDefinition] = {}
        self._symbols: dict[str, NameDefinition] = {}

    @property
    def definitions(self) -> tuple[NameDefinition, ...]:
        """All definitions in order of expansion."""
        return tuple(self._definitions.values())

    @property
    def uses(self) -> tuple[NameUse, ...]:
        """Uses of macros and parameters, in the order of expansion."""
        return tuple(self._uses.values())

    def define_macro(self, macro: Macro, source: MappedText, head_end: int) -> None:
        """Add a macro, its parameters, and their uses in its body."""
        parameters = tuple(parameter.written for parameter in macro.parameters)
        full = written_block(source, *macro.full)
        remark = _remark(source.text, head_end)
        definition = NameDefinition(
            macro.name, NameKind.MACRO, macro.place, full, None, parameters, remark
        )
        self._macros[macro.place] = self._define(definition)
        self.define_parameters(macro.body, macro.parameters, full)

    def define_parameters(
        self, body: Body, parameters: Sequence[Parameter], full: SourceRange
    ) -> None:
        """Add the parameters of a macro, or the variable of a loop, and their uses in the body."""
        known = {}
        for parameter in parameters:
            place = body.parameters[parameter.name]
            value = parameter.default.text if parameter.default else None
            known[parameter.name] = self._define(
                NameDefinition(parameter.name, NameKind.PARAMETER, place, full, value)
            )
        for start, end, name, _ in body.parts:
            if name in known:
                self._use(name, written_range(body.source, start + 1, end), known[name])

    def define_symbol(self, name: str, source: MappedText, start: int, full: Span) -> None:
        """Add a definition of a symbol; its name begins at `start`, its value ends with `full`."""
        place = written_range(source, start, start + len(name))
        value = source.text[start + len(name) : full.end].lstrip(" \t,=")
        remark = _remark(source.text, full.end)
        definition = NameDefinition(
            name, NameKind.SYMBOL, place, written_range(source, *full), value, None, remark
        )
        self._symbols.setdefault(name, self._define(definition))

    def call(self, macro: Macro, source: MappedText, word: Span) -> None:
        """Add a call of a macro."""
        self._use(macro.name, written_range(source, *word), self._macros.get(macro.place))

    def use_symbols(self, source: MappedText, start: int, end: int) -> None:
        """Add the uses of symbols in a part of a text."""
        for match in _SYMBOL.finditer(source.text, start, end) if self._symbols else ():
            definition = self._symbols.get(match[0])
            if definition is not None:
                self._use(match[0], written_range(source, *match.span()), definition)

    def _define(self, definition: NameDefinition) -> NameDefinition:
        return self._definitions.setdefault((definition.place, definition.name), definition)

    def _use(self, name: str, place: SourceRange, definition: NameDefinition | None) -> None:
        self._uses.setdefault((place, name), NameUse(name, place, definition))


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
        # The names of all macros that were defined; those that `.purgem` made undefined again.
        self.defined_macros: set[str] = set()
        self.purged: set[str] = set()
        # The bodies in the text of the file itself.
        self.bodies: list[Body] = []
        # The names of which a condition asks whether they are defined, as a label or otherwise.
        self.asked: set[str] = set()
        self.symbols: dict[str, int | None] = {}
        # Macros of which calls stay in the text; their definitions are put after it.
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

    `next` is the offset of the next statement. What is before it and after `copied` has not been
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


def _remark(text: str, offset: int) -> str:
    match = _REMARK.match(text, offset)
    return (match[1] or match[2] or "").strip() if match else ""

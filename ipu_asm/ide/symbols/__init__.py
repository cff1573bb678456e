"""Symbols: what a cursor can name, a class for each kind with the verbs of `Symbol`.

A label, register, macro, parameter, template name or header name is found once, by
`navigation.symbol_at`. A feature then asks the symbol, whatever it is.
"""

from __future__ import annotations

from enum import Enum
from typing import Protocol, Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span, TextEdit


class RenameError(Exception):
    """Raised if a symbol cannot be renamed, or not to this name; the message is shown to users."""


class OccurrenceKind(Enum):
    """How an occurrence uses its symbol: it names, reads, writes or defines it."""

    NAMES = "names"
    READS = "reads"
    WRITES = "writes"
    READS_AND_WRITES = "reads and writes"
    DEFINES = "defines"
    TARGETS_BY_DISTANCE = "goes there by distance"


class Occurrence(NamedTuple):
    """A span that names a symbol."""

    span: Span
    kind: OccurrenceKind


class Definition(NamedTuple):
    """The span of a name at its definition, and of all that the definition consists of."""

    name: Span
    full: Span


class Symbol(Protocol):
    """A named thing of a program. Equal symbols of two analyses of a file are the same thing."""

    @property
    def name(self) -> str:
        """The name, as its author or the instruction set spells it."""

    def definitions(self, analysis: Analysis) -> Sequence[Definition]:
        """Return the definitions in the file, in source order; none for a register."""

    def occurrences(self, analysis: Analysis) -> Sequence[Occurrence]:
        """Return all occurrences in the file, in source order."""

    def description(self, analysis: Analysis) -> str | None:
        """Return the Markdown page of the symbol, if there is one."""

    def check_renameable(self, analysis: Analysis, span: Span) -> None:
        """Raise `RenameError` if the symbol, which is named at `span`, cannot be renamed."""

    def renaming(self, analysis: Analysis, new_name: str) -> list[TextEdit]:
        """Return the edits that rename the symbol. Raises `RenameError` if the meaning changes."""


class NamedSymbol(NamedTuple):
    """A symbol, and the span that names it at the cursor."""

    symbol: Symbol
    span: Span


def line_of(analysis: Analysis, span: Span) -> int:
    """Return the 1-based line on which a span begins."""
    return analysis.source.lines.position(span.start).line + 1

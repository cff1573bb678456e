"""Expansion of assembler macros, repetitions and conditional blocks in a text."""

from __future__ import annotations

from ipu_asm.isa.surface import Surface
from ipu_asm.source.expansion import (
    DEFAULT_SETTINGS,
    Deferred,
    Expansion,
    SourceSettings,
    place_of_use,
)
from ipu_asm.source.macros.edited_lines import MacroLines
from ipu_asm.source.macros.expander import Expander
from ipu_asm.source.macros.mapped_text import JoinedMap, WrittenText
from ipu_asm.source.macros.passes import expand_text
from ipu_asm.source.preprocessor.includes import IncludeSearch
from ipu_asm.source.source_map import MAIN, Segment, SourceMap, SourceRange
from ipu_asm.text import SourceFile, Span


def expand_macros(
    surface: Surface,
    expansion: Expansion,
    path: str | None = None,
    settings: SourceSettings = DEFAULT_SETTINGS,
) -> Expansion:
    """Return an expansion after assembler macros, repetitions and conditional blocks.

    `path` is the file of the text, None for a text in no file: then no header is read.

    What cannot be evaluated stays in the text: calls of unknown macros, both branches of a
    condition that depends on an address, a loop without a known count.
    """
    search = IncludeSearch(path, settings)

    def find_header(name: str, includer: str) -> SourceFile | None:
        found = search.find(name, False, includer)
        return settings.reader.read(found) if found else None

    expander = Expander(surface, expansion.text, find_header if path is not None else None)
    source = WrittenText(expansion.text, expansion.source_map)
    expand_text(expander, source)
    expander.add_called_macros()
    made = expander.out.built()
    log = expander.names
    return expansion._replace(
        text=made.text,
        source_map=JoinedMap(made),
        includes=(*expansion.includes, *expander.includes),
        files={**expansion.files, **expander.files},
        defined=expansion.defined | log.defined,
        findings=(*expansion.findings, *expander.findings),
        definitions=Deferred(lambda: (*expansion.definitions, *log.names.definitions)),
        uses=Deferred(lambda: sorted((*expansion.uses, *log.names.uses), key=place_of_use)),
        memo=MacroLines(expander, source, made),
    )


def as_written(text: str) -> Expansion:
    """Return a text as its own expansion."""
    whole = Segment(0, len(text), SourceRange(MAIN, Span(0, len(text))), True)
    return Expansion(text, SourceMap([whole] if text else []))

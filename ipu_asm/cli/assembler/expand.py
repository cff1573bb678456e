"""`ipu-as expand`: the text that the assembler reads, and where each of its lines was written."""

from __future__ import annotations

import json
from typing import Iterator, Mapping

from ipu_asm.cli.headers import headers_of
from ipu_asm.cli.programs import configuration_of, in_one_context
from ipu_asm.config.configuration import Value
from ipu_asm.isa.model import Isa
from ipu_asm.source.expand import expand
from ipu_asm.source.expansion import Expansion
from ipu_asm.source.settings import source_settings
from ipu_asm.source.source_map import MAIN
from ipu_asm.text import LineIndex, SourceFile, Span


def expansion_of(isa: Isa, source: SourceFile, defines: Mapping[str, Value]) -> Expansion | None:
    """Return the expansion of a source; None if the assembler reads it as it is.

    Raises `FileError` if there are several, and `ConfigurationError`.
    """
    configuration = configuration_of(source.path, is_needed=True)
    settings = source_settings(source.path, configuration, defines)
    expansions = expand(isa.surface, source.text, source.path, settings)
    in_one_context(expansions, source)
    return expansions[0] if expansions else None


def line_map(source: SourceFile, expansion: Expansion | None) -> Iterator[str]:
    """Yield a JSON object for each line of an expansion: where its first character was written.

    Blanks at the beginning of a line do not count. Rows, columns and lines are 1-based.
    """
    files = {**headers_of([expansion] if expansion else ()), MAIN: source}
    text = expansion.text if expansion else source.text
    lines = LineIndex.of(text)
    for number in range(len(lines.starts)):
        span = lines.line_span(number)
        if span.start == span.end:  # behind the last line break
            continue
        place = _written(expansion, _first_code(text, span))
        if place is not None:
            path, offset = place
            row, column = files[path].lines.position(offset)
            line = {"line": number + 1, "file": files[path].path, "row": row + 1}
            yield json.dumps({**line, "column": column + 1}, ensure_ascii=False)


def _first_code(text: str, line: Span) -> int:
    blanks = len(text[line.start : line.end]) - len(text[line.start : line.end].lstrip())
    return line.start if line.start + blanks == line.end else line.start + blanks


def _written(expansion: Expansion | None, offset: int) -> tuple[str, int] | None:
    if expansion is None:
        return MAIN, offset
    place = expansion.source_map.written(Span(offset, offset + 1))
    return None if place is None else (place.path, place.span.start)

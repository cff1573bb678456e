"""The directive `.include`, which reads another file in its place."""

from __future__ import annotations

import re

from ipu_asm.diagnostics.errors import EXPANSION_LIMIT, INCLUDE_NOT_FOUND
from ipu_asm.source.expansion import Include
from ipu_asm.source.macros.expander import OpenText
from ipu_asm.source.macros.limits import ExpansionLimitError
from ipu_asm.source.macros.mapped_text import WrittenText, frame_at, written_range
from ipu_asm.source.macros.statements import Statement
from ipu_asm.source.source_map import Frame, FrameKind, Segment, SourceMap, SourceRange
from ipu_asm.text import SourceFile, Span

_NAME = re.compile(r'"([^"\\\r\n]+)"')


def include(opened: OpenText, statement: Statement) -> None:
    """Append the expansion of a header; the directive stays where the header is not found."""
    expander, source = opened.expander, opened.source
    match = _NAME.match(statement.rest)
    if match is None:
        return
    start = statement.rest_start
    span = Span(start + match.start(1), start + match.end(1))
    place = written_range(source, *span)
    header = expander.find_header(match[1], place.path)
    expander.includes.append(Include(place, match[1], header.path if header else None))
    if header is None:
        expander.is_partial = True
        if expander.tells_missing:
            message = f"an include names a file in the include paths, found no `{match[1]}`"
            expander.report(INCLUDE_NOT_FOUND, message, source, span)
        return
    opened.copy(statement.word_start)
    before = expander.out.mark()
    try:
        opened.expand(_text_of(opened, statement, header))
        opened.copied = statement.rest_end
        expander.files[header.path] = header
    except ExpansionLimitError as error:
        if opened.depth:
            raise
        expander.out.cut_back(before)
        expander.report(EXPANSION_LIMIT, str(error), source, span)


def _text_of(opened: OpenText, statement: Statement, header: SourceFile) -> WrittenText:
    source, start = opened.source, statement.word_start
    call = written_range(source, start, statement.rest_end)
    label = f"include of `{header.path.rpartition('/')[2]}`"
    frame = Frame(FrameKind.INCLUDE, label, call, None, frame_at(source, start))
    whole = SourceRange(header.path, Span(0, len(header.text)))
    segment = Segment(0, len(header.text), whole, True, frame)
    return WrittenText(header.text, SourceMap([segment] if header.text else []))

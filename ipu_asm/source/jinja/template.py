"""Rendering of a template in each of its contexts."""

from __future__ import annotations

from typing import Sequence

from jinja2 import TemplateError

from ipu_asm.diagnostics import Diagnostic
from ipu_asm.diagnostics.errors import TEMPLATE_SYNTAX
from ipu_asm.source.contexts import TemplateContext, contexts_of
from ipu_asm.source.expansion import Expansion, SourceSettings
from ipu_asm.source.jinja.environment import MarkingEnvironment, segments_of
from ipu_asm.source.source_map import SourceMap
from ipu_asm.text import Change, LineIndex, Span


def expand_template(
    text: str,
    settings: SourceSettings,
    before: Sequence[Expansion],
    change: Change | None,
) -> tuple[Expansion, ...]:
    """Return the expansions of a template, one for each context."""
    return tuple(_render(text, context) for context in contexts_of(settings))


def _render(text: str, context: TemplateContext) -> Expansion:
    variables, described = context
    environment = MarkingEnvironment()
    try:
        rendered = environment.from_string(text).render(variables)
    except TemplateError as error:
        line = LineIndex.of(text).line_span((getattr(error, "lineno", None) or 1) - 1)
        written = text[line.start : line.end].rstrip()
        span = Span(line.start, line.start + len(written))
        finding = Diagnostic(TEMPLATE_SYNTAX, f"template: {error.message}", span)
        return Expansion("", SourceMap(()), described, (finding,))
    expanded, segments = segments_of(rendered, environment.spans)
    return Expansion(expanded, SourceMap(segments), described)

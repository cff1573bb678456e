"""Markdown pages of the tags of a template: names, loops, macros and calls."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Callable, Final, Sequence

from ipu_asm.ide.expansions import Occasion, occasions
from ipu_asm.ide.run_facts import size_in_memory
from ipu_asm.ide.template.blocks import Statement, TemplateSyntax, template_syntax
from ipu_asm.ide.template.bundles import WrittenBundles
from ipu_asm.ide.template.lookup import TemplateName, values_of
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.reports.markdown import escaped, inline_code
from ipu_asm.source.expansion import NameDefinition, NameKind
from ipu_asm.source.source_map import FrameKind
from ipu_asm.source.templates import Tag
from ipu_asm.text import Span, counted

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis

_MOST_VALUES: Final = 4
_MOST_OCCASIONS: Final = 200
_LONGEST_VALUE: Final = 60
_COUNTED: Final = ("for", "macro", "if", "elif", "else", "call")


class Page(NamedTuple):
    """A Markdown page about a span of a tag."""

    markdown: str
    span: Span


def name_page(analysis: Analysis, found: TemplateName) -> str:
    """Return the page of a name: its value, the author's remark, and where it is defined."""
    definition = found.definition
    if definition is None:
        return f"**{inline_code(found.name)}** · {_given(analysis, found.name)}"
    if definition.kind is NameKind.TEMPLATE_MACRO:
        return _macro_page(analysis, found, definition)
    values = values_of(analysis, definition)
    shown = " or ".join(inline_code(_cut(value)) for value in values[:_MOST_VALUES])
    title = " · ".join(
        part
        for part in (
            f"**{inline_code(found.name)}**",
            shown,
            escaped(definition.remark),
        )
        if part
    )
    return f"{title}\n\n{_kind(definition)}, {_place(analysis, definition)}"


def block_page(analysis: Analysis, syntax: TemplateSyntax, tag: Tag, offset: int) -> Page | None:
    """Return the page of a loop, condition or macro keyword: the bundles of its block."""
    statement = next((each for each in syntax.statements if each.tag == tag), None)
    if statement is None or not statement.words:
        return None
    word = statement.words[0]
    opening = _opening(syntax, statement)
    if not word.span.touches(offset) or opening is None:
        return None
    block = syntax.block_of(opening)
    if block is None or not analysis.expanded:
        return None
    lines = [size_phrase(analysis, number, block.span) for number in range(len(analysis.expanded))]
    head = " ".join(syntax.text[opening.tag.body.start : opening.tag.body.end].split())
    title = f"**{inline_code(head)}**"
    return Page(_made(analysis, title, lines), word.span)


def size_phrase(analysis: Analysis, number: int, written: Span) -> str:
    """Return the number of bundles of a written span in a context, and of its iterations."""
    bundles = WrittenBundles(analysis.expanded[number])
    count, iterations = len(bundles.addresses(written)), bundles.iterations(written)
    size = size_in_memory(analysis.isa, count)
    return f"{size} in {counted(iterations, 'iteration')}" if iterations else size


def occasions_phrase(
    analysis: Analysis, offset: int, word: Callable[[Occasion], Span | None]
) -> str:
    """Describe how the text of a place differs between iterations, calls and contexts.

    `word` returns the span of the word at a place of an expansion.
    """
    found: dict[str, str] = {}
    count = 0
    for occasion in islice(occasions(analysis, offset), _MOST_OCCASIONS):
        span = word(occasion)
        if span is not None:
            count += 1
            text = occasion.reading.analysis.text[span.start : span.end]
            found.setdefault(text, described_frames(occasion))
    if len(found) < 2:
        return ""
    shown = [
        f"{inline_code(_cut(text))} {escaped(where)}".rstrip()
        for text, where in islice(found.items(), _MOST_VALUES)
    ]
    more = f", … {len(found)} values in {count} places" if len(found) > _MOST_VALUES else ""
    return f"{', '.join(shown)}{more}"


def described_frames(occasion: Occasion) -> str:
    """Return the iterations and calls around a place of an expansion as a phrase."""
    source_map = occasion.reading.source_map
    frame = source_map.frame_at(occasion.offset) if source_map else None
    kinds = (FrameKind.ITERATION, FrameKind.MACRO)
    frames = [each for each in frame.stack() if each.kind in kinds] if frame else []
    parts = [f"in {f.label}" if f.kind is FrameKind.MACRO else f.label for f in frames]
    context = occasion.reading.context
    return ", ".join([*parts, f"with {context}"] if context else parts)


def _macro_page(analysis: Analysis, found: TemplateName, definition: NameDefinition) -> str:
    """Return the page of a macro: its signature, and the bundles of its calls."""
    parameters = ", ".join(definition.parameters or ())
    signature = inline_code(f"{definition.name}({parameters})")
    title = f"**{signature}** · macro, {_place(analysis, definition)}"
    made = f"All calls make {size_phrase(analysis, 0, definition.full.span)}."
    tag = template_syntax(analysis.text).tag_at(found.span.start)
    if tag is not None and found.span != definition.place.span:
        made = f"This call makes {size_phrase(analysis, 0, tag.span)}. {made}"
    return "\n\n".join(filter(None, (title, escaped(definition.remark), made)))


def _opening(syntax: TemplateSyntax, statement: Statement) -> Statement | None:
    """Return the statement that begins the block of a keyword, itself or that of its end."""
    if statement.keyword in _COUNTED:
        return statement
    for block in syntax.blocks:
        if block.closing == statement.tag and block.opening.keyword in _COUNTED:
            return block.opening
    return None


def _made(analysis: Analysis, title: str, sizes: Sequence[str]) -> str:
    """Return a title with the bundles of a block, by context if they differ."""
    if len(set(sizes)) == 1:
        return f"{title} · makes {sizes[0]}"
    each = zip(analysis.expanded, sizes)
    return "\n".join(
        [
            f"{title} makes\n",
            *(f"- with {inline_code(made.expansion.context)}: {size}" for made, size in each),
        ]
    )


def _given(analysis: Analysis, name: str) -> str:
    """Return the values that contexts or settings give to a name."""
    settings = analysis.settings
    contexts = settings.contexts or ({},)
    values = [{**context, **settings.defines}.get(name) for context in contexts]
    shown = dict.fromkeys(inline_code(_cut(str(value))) for value in values if value is not None)
    if not shown:
        return "nothing defines it"
    return f"{' or '.join([*shown][:_MOST_VALUES])}, given by the context"


def _kind(definition: NameDefinition) -> str:
    kind = definition.kind.value
    return f"{kind[:1].upper()}{kind[1:]}"


def _place(analysis: Analysis, definition: NameDefinition) -> str:
    line = analysis.source.lines.position(definition.place.span.start).line + 1
    return f"line {line}"


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"

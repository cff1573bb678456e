"""The bundles of a template's loops, macros and calls: pages, hints, and their addresses."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from functools import cached_property
from itertools import islice
from typing import Callable, Final, Iterator, Mapping, Sequence

from ipu_asm.analysis.analysis import Analysis, Expanded
from ipu_asm.ide.expansions import Occasion, occasions
from ipu_asm.ide.run_facts import size_in_memory
from ipu_asm.ide.template_syntax import Statement, TemplateSyntax, template_syntax
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.reports.markdown import escaped, inline_code
from ipu_asm.source.expansion import Expansion
from ipu_asm.source.source_map import MAIN, FrameKind, SourceMap, SourceRange
from ipu_asm.source.templates import Tag, TagKind
from ipu_asm.text import Span, counted

MAX_VALUES: Final = 4
_MAX_OCCASIONS: Final = 200
_MAX_LENGTH: Final = 60
_MAX_HINT_VALUES: Final = 3
_MAX_HINT: Final = 24
_COUNTED: Final = ("for", "macro", "if", "elif", "else", "call")


class WrittenBundles:
    """The addresses of the bundles of an expansion, by the written places that they come from.

    A place is where the end of the bundle is written, and the calls and loops that led there.
    """

    def __init__(self, expanded: Expanded) -> None:
        program, source_map = expanded.analysis.program, expanded.expansion.source_map
        found: list[tuple[int, int]] = []
        for address, number in enumerate(program.bundle_at_address):
            end = program.span(number, program.bundles[number].syntax.spans[-1])
            found += [(place, address) for place in _places(source_map, end)]
        found.sort()
        self._places = [place for place, _ in found]
        self._addresses = [address for _, address in found]
        self._source_map = source_map

    @cached_property
    def _frames(self) -> Mapping[tuple[FrameKind, int], int]:
        """How many frames of each kind there are, by the starts of their calls."""
        frames = {
            id(frame): (frame.kind, frame.call.span.start)
            for segment in self._source_map.segments
            for frame in (segment.frame.stack() if segment.frame else ())
            if frame.call.path == MAIN
        }
        return Counter(frames.values())

    def iterations(self, loop: Span) -> int:
        """Return how often a loop runs; its span begins with its tag."""
        return self._frames.get((FrameKind.ITERATION, loop.start), 0)

    def addresses(self, written: Span) -> list[int]:
        """Return the addresses of the bundles that come from a written span, in order."""
        first, last = (
            bisect_left(self._places, written.start),
            bisect_right(self._places, max(written.start, written.end - 1)),
        )
        return sorted(set(self._addresses[first:last]))


def _places(source_map: SourceMap, span: Span) -> set[int]:
    segment = source_map.segment_at(span.start)
    if segment is None:
        return set()
    written = source_map.written(span)
    places = [written] if written else []
    places += [frame.call for frame in (segment.frame.stack() if segment.frame else ())]
    return {place.span.start for place in places if place.path == MAIN}


class TagRemark(NamedTuple):
    """A text about the tag at a span."""

    span: Span
    text: str


def output_values(analysis: Analysis, span: Span) -> Iterator[TagRemark]:
    """Yield the first values of each output in a span, in the first expansion, where short."""
    if not analysis.expanded:
        return
    expansion = analysis.expanded[0].expansion
    for tag in template_syntax(analysis.text).tags:
        if tag.kind is TagKind.OUTPUT and tag.span.start <= span.end and span.start <= tag.span.end:
            values = _values(expansion, tag.span)
            text = ", ".join(values[:_MAX_HINT_VALUES])
            if text.strip() and len(text) <= _MAX_HINT and text.isprintable():
                yield TagRemark(tag.span, f"{text}, …" if len(values) > _MAX_HINT_VALUES else text)


def block_sizes(analysis: Analysis) -> Iterator[TagRemark]:
    """Yield the number of bundles of each loop and macro in the first expansion."""
    if not analysis.expanded:
        return
    bundles, unit = WrittenBundles(analysis.expanded[0]), analysis.isa.unit
    for block in template_syntax(analysis.text).blocks:
        if block.opening.keyword in ("for", "macro"):
            count = len(bundles.addresses(block.span))
            iterations = bundles.iterations(block.span)
            text = counted(count, unit)
            if iterations:
                text += f" in {counted(iterations, 'iteration')}"
            yield TagRemark(block.opening.tag.span, text)


def _values(expansion: Expansion, tag: Span) -> list[str]:
    """Return the distinct texts of an output, without those of macros that it calls."""
    spans = expansion.source_map.expanded_spans(SourceRange(MAIN, tag))
    if not set(spans).isdisjoint(expansion.unknown):
        return []
    return list(dict.fromkeys(expansion.text[span.start : span.end] for span in spans))


class Page(NamedTuple):
    """A Markdown page about a span of a tag."""

    markdown: str
    span: Span


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
    for occasion in islice(occasions(analysis, offset), _MAX_OCCASIONS):
        span = word(occasion)
        if span is not None:
            count += 1
            text = occasion.reading.analysis.text[span.start : span.end]
            found.setdefault(text, described_frames(occasion))
    if len(found) < 2:
        return ""
    shown = [
        f"{inline_code(cut(text))} {escaped(where)}".rstrip()
        for text, where in islice(found.items(), MAX_VALUES)
    ]
    more = f", … {len(found)} values in {count} places" if len(found) > MAX_VALUES else ""
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


def cut(text: str) -> str:
    """Return a value on one line of bounded length."""
    text = " ".join(text.split())
    return text if len(text) <= _MAX_LENGTH else f"{text[: _MAX_LENGTH - 1]}…"

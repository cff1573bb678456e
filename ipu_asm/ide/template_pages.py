"""The names that templates define, and the bundles of their loops, macros and calls, as pages."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from functools import cached_property
from itertools import islice
from typing import Callable, Final, Iterator, Mapping, Sequence

from ipu_asm.analysis.analysis import Analysis, Expanded
from ipu_asm.ide.expansions import Occasion, expanded_texts, occasions
from ipu_asm.ide.run_facts import size_in_memory
from ipu_asm.ide.symbols import Definition, Occurrence, OccurrenceKind, RenameError
from ipu_asm.ide.template_syntax import (
    Statement,
    TemplateSyntax,
    WrittenName,
    names_known_at,
    template_syntax,
    written_names,
)
from ipu_asm.isa.operands import quoted
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.reports.markdown import escaped, inline_code
from ipu_asm.source.expansion import Expansion, NameDefinition, NameKind
from ipu_asm.source.source_map import MAIN, FrameKind, SourceMap, SourceRange
from ipu_asm.source.templates import Tag, TagKind, WordKind, tag_words
from ipu_asm.text import Span, TextEdit, apply_edits, counted

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


_RESERVED: Final = frozenset({
    "and", "block", "call", "caller", "elif", "else", "false", "False", "filter", "for", "if", "in",
    "is", "kwargs", "loop", "macro", "namespace", "none", "None", "not", "or", "range", "raw",
    "recursive", "self", "set", "super", "true", "True", "varargs", "with", "without",
})  # fmt: skip


class TemplateName(NamedTuple):
    """A name that a tag has at `span`; its definition is None if nothing in the template has it."""

    name: str
    span: Span
    definition: NameDefinition | None

    def definitions(self, _analysis: Analysis) -> list[Definition]:
        if self.definition is None or self.definition.place.path != MAIN:
            return []
        return [Definition(self.definition.place.span, self.definition.full.span)]

    def occurrences(self, analysis: Analysis) -> list[Occurrence]:
        """Return the definition and the uses; none if Jinja cannot read the template."""
        found = {span: Occurrence(span, OccurrenceKind.NAMES) for span in self.uses(analysis)}
        for span, _ in self.definitions(analysis):
            found[span] = Occurrence(span, OccurrenceKind.DEFINES)
        return sorted(found.values(), key=lambda each: each.span) if self.span in found else []

    def uses(self, analysis: Analysis) -> list[Span]:
        """Return the spans that refer to the definition in any context, in source order.

        For an undefined name, these are all undefined uses of the same name.
        """
        place_of_own = self.definition.place if self.definition else None
        found = {
            place.span
            for expansion in _expansions(analysis)
            for name, place, definition in expansion.uses
            if name == self.name and place.path == MAIN
            if (definition.place if definition else None) == place_of_own
        }
        return sorted(found)

    def description(self, analysis: Analysis) -> str:
        """Return the page of the name: its value, the author's remark, and its definition."""
        definition = self.definition
        if definition is None:
            return f"**{inline_code(self.name)}** · {_given_values(analysis, self.name)}"
        if definition.kind is NameKind.TEMPLATE_MACRO:
            return _macro_page(analysis, self, definition)
        values = _values_of(analysis, definition)
        shown = " or ".join(inline_code(cut(value)) for value in values[:MAX_VALUES])
        title = (f"**{inline_code(self.name)}**", shown, escaped(definition.remark))
        kind = definition.kind.value
        where = f"{kind[:1].upper()}{kind[1:]}, {_line(analysis, definition)}"
        return f"{' · '.join(filter(None, title))}\n\n{where}"

    def check_renameable(self, analysis: Analysis, _span: Span) -> None:
        """Raise `RenameError` unless the template defines the name."""
        if not are_names_known(analysis):
            raise RenameError("the template has an error: correct that before you rename")
        called, definition = quoted(self.name), self.definition
        if definition is None:
            raise RenameError(f"nothing in the template defines {called}, so it cannot be renamed")
        if definition.kind is NameKind.CONTEXT or definition.place.path != MAIN:
            raise RenameError(f"{called} is given by the context: rename it where that is written")

    def renaming(self, analysis: Analysis, new_name: str) -> list[TextEdit]:
        """Return the edits that rename the name and keep every expansion as it is."""
        called = quoted(new_name)
        if not (new_name.isidentifier() and new_name.isascii()) or new_name in _RESERVED:
            raise RenameError(f"a name in a template cannot be {called}")
        for tag in template_syntax(analysis.text).tags:
            for word in tag_words(analysis.text, tag):
                if word.kind is WordKind.NAME and word.text == new_name:
                    line = analysis.source.lines.position(word.span.start).line + 1
                    raise RenameError(f"{called} is used in the template already, on line {line}")
        given = {*analysis.settings.defines, *(n for c in analysis.settings.contexts for n in c)}
        if new_name in given:
            raise RenameError(f"{called} is given by the context already")
        spans = {*self.uses(analysis), *(name for name, _ in self.definitions(analysis))}
        edits = [TextEdit(span, new_name) for span in sorted(spans)]
        before = [each.expansion.text for each in analysis.expanded]
        if expanded_texts(analysis, apply_edits(analysis.text, edits)) != before:
            raise RenameError(f"{called} would change the expansion")
        return edits


def template_name_at(analysis: Analysis, offset: int) -> TemplateName | None:
    """Return the name at an offset of a tag; None if there is none that a tag uses or defines."""
    for expansion in _expansions(analysis):
        for definition in expansion.definitions:
            if definition.place.path == MAIN and definition.place.span.touches(offset):
                return TemplateName(definition.name, definition.place.span, definition)
        for name, place, used in expansion.uses:
            if place.path == MAIN and place.span.touches(offset):
                return TemplateName(name, place.span, used)
    return None if are_names_known(analysis) else _written_name_at(analysis.text, offset)


def are_names_known(analysis: Analysis) -> bool:
    """Check whether Jinja could read the template, so that its names and uses are known."""
    return any(each.definitions or each.uses for each in _expansions(analysis))


def _written_name_at(text: str, offset: int) -> TemplateName | None:
    """Return the name at an offset of a template that Jinja cannot read."""
    syntax = template_syntax(text)
    tag = syntax.tag_at(offset) or syntax.tag_around(offset)
    for word in tag_words(text, tag) if tag else ():
        if word.kind is WordKind.NAME and word.span.touches(offset):
            here = [name for name in written_names(syntax) if name.place == word.span]
            known = [name for name in names_known_at(syntax, offset) if name.name == word.text]
            for name in (*here, *known):
                return TemplateName(word.text, word.span, _definition(name))
    return None


def _definition(known: WrittenName) -> NameDefinition:
    place, full = SourceRange(MAIN, known.place), SourceRange(MAIN, known.full)
    parameters = known.parameters if known.kind is NameKind.TEMPLATE_MACRO else None
    value = known.value or None
    return NameDefinition(known.name, known.kind, place, full, value, parameters, known.remark)


def _values_of(analysis: Analysis, wanted: NameDefinition) -> list[str]:
    """Return the values of a definition in the contexts, each once."""
    values = [wanted.value]
    values += (
        definition.value
        for expansion in _expansions(analysis)
        for definition in expansion.definitions
        if definition.place == wanted.place and definition.name == wanted.name
    )
    return list(dict.fromkeys(value for value in values if value is not None))


def _expansions(analysis: Analysis) -> Iterator[Expansion]:
    return (each.expansion for each in analysis.expanded)


def _given_values(analysis: Analysis, name: str) -> str:
    """Return the values that contexts or settings give to a name."""
    settings = analysis.settings
    contexts = settings.contexts or ({},)
    values = [{**context, **settings.defines}.get(name) for context in contexts]
    shown = dict.fromkeys(inline_code(cut(str(value))) for value in values if value is not None)
    if not shown:
        return "nothing defines it"
    return f"{' or '.join([*shown][:MAX_VALUES])}, given by the context"


def _macro_page(analysis: Analysis, name: TemplateName, definition: NameDefinition) -> str:
    """Return the page of a macro: its signature, and the bundles of its calls."""
    parameters = ", ".join(definition.parameters or ())
    signature = inline_code(f"{definition.name}({parameters})")
    title = f"**{signature}** · macro, {_line(analysis, definition)}"
    sizes = f"All calls make {size_phrase(analysis, 0, definition.full.span)}."
    tag = template_syntax(analysis.text).tag_at(name.span.start)
    if tag is not None and name.span != definition.place.span:
        sizes = f"This call makes {size_phrase(analysis, 0, tag.span)}. {sizes}"
    return "\n\n".join(filter(None, (title, escaped(definition.remark), sizes)))


def _line(analysis: Analysis, definition: NameDefinition) -> str:
    return f"line {analysis.source.lines.position(definition.place.span.start).line + 1}"

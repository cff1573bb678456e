"""Symbols of an outline, and the nested blocks of labels, loops, macros and tags they are for."""

from __future__ import annotations

from bisect import bisect_left
from itertools import zip_longest
from typing import Collection, Final, Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.bundle.bundle import Bundle
from ipu_asm.flow.functions import local_labels
from ipu_asm.flow.loops import last_of_loop
from ipu_asm.ide.macros import Macro, last_bundle_of, macros_in
from ipu_asm.ide.template_syntax import WrittenName, template_syntax, written_names
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.source.expansion import NameKind
from ipu_asm.text import Span

LABEL: Final = "label"
LOOP: Final = "loop"
FUNCTION: Final = "function"
BUNDLE: Final = "bundle"
REGISTER: Final = "register"
REGISTERS: Final = "registers"
MACRO: Final = "macro"


class DocumentSymbol(NamedTuple):
    """A named part of the file: `span` is all of it, `name_span` its name.

    `written_name` is the name in a template, where the distance from a label is unknown.
    """

    name: str
    kind: str
    detail: str
    span: Span
    name_span: Span
    children: tuple[DocumentSymbol, ...] = ()
    written_name: str = ""


_MAX_DEPTH = 20


class OutlineBlock(NamedTuple):
    """The bundles `first` to ``end - 1`` of a label, or of a macro.

    The block of a loop ends with its last branch, or with the delay slots of that.
    """

    first: int
    end: int
    is_loop: bool
    macro: Macro | None = None


def blocks_of(program: Program) -> list[OutlineBlock]:
    """Return the blocks by first bundle; two blocks are nested or disjoint."""
    labelled = [number for number, bundle in program.notable if bundle.label is not None]
    macros = macro_blocks(program)
    outside = _not_in_macros(labelled, macros)
    ends = {**_ends(labelled, program), **_ends(outside, program)}
    functions = _ends_of_functions(program, outside)
    blocks: list[OutlineBlock] = []
    for number in labelled:
        last = last_of_loop(program, program.addresses[number])
        is_loop = last is not None and _may_be_loop(program, number)
        end = ends[number]
        if last is not None and is_loop:
            end = program.number_at(last) + 1
        blocks.append(OutlineBlock(number, max(end, functions.get(number, 0)), is_loop))
    blocks = _clip_to_loops(blocks, functions)
    if macros:
        blocks = sorted([*_clip_to_macros(program, blocks, macros), *macros], key=_by_place)
    return _limit_nesting(_extend_loops(blocks))


def macro_blocks(program: Program) -> list[OutlineBlock]:
    """Return the blocks of macros that have parameters or a body, in source order."""
    found = (
        OutlineBlock(macro.bundle, last_bundle_of(program, macro) + 1, False, macro)
        for macros in macros_in(program).values()
        for macro in macros
        if not macro.is_object_like
    )
    return sorted(found, key=_by_place)


def has_content(bundle: Bundle) -> bool:
    """Check whether a bundle has an instruction or a label."""
    return bool(bundle.size) or bundle.label is not None


def _by_place(block: OutlineBlock) -> tuple[int, bool]:
    return block.first, block.macro is not None


def _ends(labelled: list[int], program: Program) -> dict[int, int]:
    """Return for each label the bundle of the next label, or the number of bundles."""
    return dict(zip(labelled, [*labelled[1:], len(program.bundles)]))


def _not_in_macros(numbers: list[int], macros: list[OutlineBlock]) -> list[int]:
    """Return the bundles in `numbers` that are in no macro."""
    found, end = list[int](), 0
    rest = iter(macros)
    following = next(rest, None)
    for number in numbers:
        while following is not None and following.first < number:
            end = max(end, following.end)
            following = next(rest, None)
        if number >= end:
            found.append(number)
    return found


def _clip_to_loops(blocks: list[OutlineBlock], functions: Collection[int]) -> list[OutlineBlock]:
    """Return the blocks with those of labels in a loop cut at its end.

    What follows the loop is repeated by an outer one at most, and is no part of the label.
    """
    found, ends = list[OutlineBlock](), list[int]()
    for block in blocks:
        while ends and ends[-1] <= block.first:
            ends.pop()
        if block.is_loop:
            ends.append(block.end)
        elif ends and block.first not in functions:
            block = block._replace(end=min(block.end, ends[-1]))
        found.append(block)
    return found


def _clip_to_macros(
    program: Program, blocks: list[OutlineBlock], macros: list[OutlineBlock]
) -> list[OutlineBlock]:
    """Return the blocks of labels, adjusted to macros.

    A block in a macro ends with the macro. Any other block ends after its last instruction or
    label that is not in a macro.
    """
    with_content = [number for number, b in enumerate(program.bundles) if has_content(b)]
    content = _not_in_macros(with_content, macros)
    found, ends, rest = list[OutlineBlock](), list[int](), macros[::-1]
    for block in blocks:
        while rest and rest[-1].first < block.first:
            ends.append(rest.pop().end)
        while ends and ends[-1] <= block.first:
            ends.pop()
        at = bisect_left(content, block.end)
        last = content[at - 1] if at else block.first
        end = min(block.end, ends[-1] - 1) if ends else last + 1
        found.append(block._replace(end=max(end, block.first + 1)))
    return found


def _may_be_loop(program: Program, number: int) -> bool:
    """Check whether a label can head a loop, that is, whether an instruction follows it.

    If a line is a bundle, labels have lines of their own and the instruction may be in a later
    bundle.
    """
    is_line = not program.isa.surface.bundle_end
    return bool(program.bundles[number].size) or (
        is_line and program.addresses[number] < program.size
    )


def _ends_of_functions(program: Program, labelled: list[int]) -> dict[int, int]:
    """Return the ends of functions, which contain their local labels, by first bundle."""
    if not program.isa.surface.linked:
        return {}
    local = local_labels(program)
    first = [n for n in labelled if program.bundles[n].label not in local]
    return _ends(first, program)


def _extend_loops(blocks: list[OutlineBlock]) -> list[OutlineBlock]:
    """Extend each loop to the end of every block that begins in it."""
    closed: list[OutlineBlock] = []
    outer: list[OutlineBlock] = []
    for block in reversed(blocks):
        end = block.end
        while outer and outer[-1].first < end:
            end = max(end, outer.pop().end)
        outer.append(block._replace(end=end))
        closed.append(outer[-1])
    return closed[::-1]


def _limit_nesting(blocks: list[OutlineBlock]) -> list[OutlineBlock]:
    """Limit nesting to `_MAX_DEPTH`: a deeper block ends at the next one."""
    found: list[OutlineBlock] = []
    around: list[int] = []
    for block, following in zip_longest(blocks, blocks[1:]):
        while around and around[-1] <= block.first:
            around.pop()
        if len(around) < _MAX_DEPTH:
            around.append(block.end)
        elif following is not None:
            block = block._replace(end=min(block.end, following.first))
        found.append(block)
    return found


class TemplateSymbol(NamedTuple):
    """A set or a macro: `span` is all of it, `tag` its first tag."""

    name: str
    is_macro: bool
    detail: str
    span: Span
    tag: Span
    name_span: Span


def template_symbols(analysis: Analysis) -> list[TemplateSymbol]:
    """Return the sets and macros of a template in source order; of several in a tag, the first."""
    syntax = template_syntax(analysis.text)
    tags = {tag.span.start: tag.span for tag in syntax.tags}
    found: dict[int, TemplateSymbol] = {}
    for name in written_names(syntax):
        if name.kind in (NameKind.SET, NameKind.TEMPLATE_MACRO):
            tag = tags[name.full.start]
            is_macro = name.kind is NameKind.TEMPLATE_MACRO
            detail = _macro_detail(name) if is_macro else described(name.value, name.remark)
            symbol = TemplateSymbol(name.name, is_macro, detail, name.full, tag, name.place)
            found.setdefault(tag.start, symbol)
    return list(found.values())


def described(value: str | None, remark: str) -> str:
    """Return a value and its remark as one phrase."""
    return ", ".join(filter(None, (value, remark)))


def with_tags(
    found: Sequence[DocumentSymbol], tags: Sequence[TemplateSymbol], depth: int = 0
) -> list[DocumentSymbol]:
    """Return symbols with those of tags at their places, each in the innermost one around it.

    Where the block of a tag overlaps the end of a symbol, or is too deep, it is cut to its tag.
    """
    result: list[DocumentSymbol] = []
    here = there = 0
    while here < len(found) or there < len(tags):
        tag = tags[there] if there < len(tags) else None
        if tag is None or (here < len(found) and found[here].span.start <= tag.tag.start):
            symbol = found[here]
            inside, there = _inside(tags, there, symbol.span)
            children = with_tags(symbol.children, inside, depth + 1)
            result.append(symbol._replace(children=tuple(children)))
            here += 1
            continue
        end = here
        while end < len(found) and found[end].span.end <= tag.span.end:
            end += 1
        overlaps = end < len(found) and found[end].span.start < tag.span.end
        span, end = (tag.tag, here) if overlaps or depth >= _MAX_DEPTH else (tag.span, end)
        inside, there = _inside(tags, there + 1, span)
        children = with_tags(found[here:end], inside, depth + 1)
        result.append(symbol_of_tag(tag, span, tuple(children)))
        here = end
    return result


def symbol_of_tag(
    tag: TemplateSymbol, span: Span, children: tuple[DocumentSymbol, ...] = ()
) -> DocumentSymbol:
    """Return the symbol of a tag, with those that its block contains."""
    kind = MACRO if tag.is_macro else REGISTER
    return DocumentSymbol(tag.name, kind, tag.detail, span, tag.name_span, children)


def _inside(
    tags: Sequence[TemplateSymbol], first: int, span: Span
) -> tuple[list[TemplateSymbol], int]:
    """Return the tags from index `first` that begin in a span, and the index after them.

    A tag whose block extends beyond the span keeps only its opening tag.
    """
    inside: list[TemplateSymbol] = []
    while first < len(tags) and tags[first].tag.start < span.end:
        tag = tags[first]
        if tag.span.end <= span.end:
            inside.append(tag)
        elif tag.tag.end <= span.end:
            inside.append(tag._replace(span=tag.tag))
        first += 1
    return inside, first


def _macro_detail(name: WrittenName) -> str:
    return f"macro: {', '.join(name.parameters)}" if name.parameters else "macro"

"""Document symbols: labels with their bundles, loops with their bodies, and macros."""

from __future__ import annotations

from typing import Final, Iterator, Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.flow.functions import local_labels
from ipu_asm.flow.loops import last_of_loop
from ipu_asm.ide.blocks import (
    BUNDLE,
    FUNCTION,
    LABEL,
    LOOP,
    MACRO,
    REGISTER,
    REGISTERS,
    DocumentSymbol,
    OutlineBlock,
    blocks_of,
    has_content,
    macro_blocks,
    symbol_of_tag,
    template_symbols,
    with_tags,
)
from ipu_asm.ide.expansions import is_template
from ipu_asm.ide.loop_counts import loop_detail
from ipu_asm.ide.macros import Macro, last_bundle_of
from ipu_asm.ide.symbols.parameters import parameters_of, shown_parameters
from ipu_asm.ide.syntax_element import end_of_bundle
from ipu_asm.ide.template_pages import WrittenBundles
from ipu_asm.isa.model import Isa
from ipu_asm.program.program import Program
from ipu_asm.program.register_notes import roles
from ipu_asm.text import Span

_MAX_WORDS: Final = 3
"""Words of a heading, of which the mark of the comment is one."""

_MAX_NAME: Final = 60


def symbols(analysis: Analysis) -> list[DocumentSymbol]:
    """Return a symbol for each label, with the bundles up to the next label, in source order.

    A label that a later branch targets is a loop, which contains all up to that branch. What
    follows is part of what is around the loop, or a symbol of its own: `after row`. The name of a
    bundle is that of the last label before it, plus the distance from it, as in a call stack.
    Bundles before the first label have their addresses as names. They are in a symbol as well,
    `before row`, unless there is no label, or the file is a template, whose tags may be around
    them. A macro that has parameters or a body is a symbol as well. Of a template, the sets and
    macros are symbols, too. The registers with a role in the head of the file are one symbol,
    after all others.
    """
    program, as_template = analysis.program, is_template(analysis)
    blocks = blocks_of(program)
    found = _nested(program, blocks, len(program.bundles), None)
    for leading, after in _leading(program, blocks):
        is_group = after and not as_template
        found += [_group(program, f"before {after}", leading)] if is_group else leading
    found.sort(key=lambda symbol: symbol.span.start)
    if as_template:
        found = _of_template(analysis, found)
    return [*found, *_registers(program)]


def label_symbols(analysis: Analysis) -> list[DocumentSymbol]:
    """Return the symbols of labels without children."""
    program = analysis.program
    found = [_symbol(program, block, ()) for block in blocks_of(program) if block.macro is None]
    if is_template(analysis):
        bundles = WrittenBundles(analysis.expanded[0])
        found = [_as_written(analysis, bundles, each) for each in found]
    return found


def macro_symbols(analysis: Analysis) -> list[DocumentSymbol]:
    """Return the symbols of macros without children."""
    if is_template(analysis):
        tags = template_symbols(analysis)
        return [symbol_of_tag(each, each.span) for each in tags if each.is_macro]
    program = analysis.program
    return [_symbol(program, block, ()) for block in macro_blocks(program)]


def _of_template(analysis: Analysis, found: list[DocumentSymbol]) -> list[DocumentSymbol]:
    """Return the symbols of the skeleton as written, with those of the tags among them."""
    bundles = WrittenBundles(analysis.expanded[0])
    written = [_as_written(analysis, bundles, each) for each in found]
    return with_tags(written, template_symbols(analysis))


def _as_written(
    analysis: Analysis, bundles: WrittenBundles, symbol: DocumentSymbol
) -> DocumentSymbol:
    """Return a symbol of the skeleton with its written name and its addresses in the expansion."""
    children = tuple(_as_written(analysis, bundles, child) for child in symbol.children)
    name = symbol.written_name or symbol.name
    start, end = symbol.name_span
    if analysis.text[start:end] != analysis.program.text[start:end]:
        name = analysis.text[start:end]
    addresses = bundles.addresses(symbol.span)
    detail = _detail(analysis.isa.unit, addresses)
    if symbol.kind == LOOP:
        detail = _loop_detail(analysis.effective_program, detail, addresses[:1])
    return symbol._replace(name=name, detail=detail, children=children)


def _detail(unit: str, addresses: list[int]) -> str:
    """Return the addresses of the bundles that a part of a template makes as a phrase."""
    if not addresses:
        return "not in the expansion"
    first, last = addresses[0], addresses[-1]
    phrase = _addresses(unit, first, last + 1)
    has_gaps = last - first + 1 > len(addresses)
    return f"{len(addresses)} of {phrase}" if has_gaps else phrase


def _registers(program: Program) -> list[DocumentSymbol]:
    """Return a symbol with one for each register note above the first bundle, if there are any."""
    found, end = list[DocumentSymbol](), 0
    for role in roles(program):
        if role.span.start >= end:
            name = ", ".join(role.registers)
            found.append(DocumentSymbol(name, REGISTER, role.text, role.span, role.span))
            end = role.span.end
    if not found:
        return []
    span = Span(_with_heading(program.text, found[0].span.start), end)
    children = tuple(found)
    detail = f"{len(found)} in the header"
    return [DocumentSymbol("Registers", REGISTERS, detail, span, found[0].name_span, children)]


def _with_heading(text: str, start: int) -> int:
    """Return where the line above begins if it is a heading that names registers, else `start`.

    Editors keep the first line of what they scroll through in sight.
    """
    line = text.rfind("\n", 0, start) + 1
    above = text.rfind("\n", 0, max(line - 1, 0)) + 1
    words = text[above:line].lower().split()
    is_heading = len(words) <= _MAX_WORDS and any(word.startswith("register") for word in words)
    return above if is_heading else start


def _nested(
    program: Program, blocks: list[OutlineBlock], end: int, own: int | None
) -> list[DocumentSymbol]:
    """Return the symbols of the blocks, each with its nested ones, and of bundles in no block.

    `own` is the number of the bundle with the label around them. If that is None, only bundles
    after a loop are included.
    """
    found: list[DocumentSymbol] = []
    at, label, first = 0, own, own
    while at < len(blocks):
        block = blocks[at]
        after = at + 1
        while after < len(blocks) and blocks[after].first < block.end:
            after += 1
        found += _in_no_block(program, first, block.first, label, own is None)
        if own is None and block.macro is None:
            label, first = (block.first, block.end) if block.is_loop else (None, None)
        elif first is not None:
            first = block.end
        children = _nested(program, blocks[at + 1 : after], block.end, block.first)
        found.append(_symbol(program, block, tuple(children)))
        at = after
    return [*found, *_in_no_block(program, first, end, label, own is None)]


def _leading(
    program: Program, blocks: list[OutlineBlock]
) -> Iterator[tuple[list[DocumentSymbol], str]]:
    """Yield the symbols of bundles before the first label outside of macros, a list for each gap.

    After a list is the name of the label or macro after it; empty at the end of the file.
    """
    at = 0
    for first, end, _, macro in [*blocks, OutlineBlock(len(program.bundles), 0, False)]:
        if first < at:
            continue
        if found := _bundles(program, at, first, None):
            named = [each._replace(name=each.detail, detail=each.name) for each in found]
            label = program.bundles[first].label if first < len(program.bundles) else None
            yield named, macro.name if macro else label or ""
        if macro is None:
            return
        at = end


def _in_no_block(
    program: Program, first: int | None, end: int, label: int | None, is_after_loop: bool
) -> list[DocumentSymbol]:
    """Return the symbols of bundles; after a loop, one that contains them, if there are any."""
    found = [] if first is None else _bundles(program, first, end, label)
    if not found or not is_after_loop or first is None or label is None:
        return found
    return [_group(program, f"after {program.bundles[label].label}", found)]


def _group(program: Program, name: str, bundles: list[DocumentSymbol]) -> DocumentSymbol:
    """Return a symbol that contains those of bundles."""
    span = Span(bundles[0].span.start, bundles[-1].span.end)
    ends = (program.bundle_at(each.span.start) for each in (bundles[0], bundles[-1]))
    first, last = (program.addresses[number] for number in ends)
    detail = _addresses(program.isa.unit, first, last + 1)
    return DocumentSymbol(name, BUNDLE, detail, span, bundles[0].name_span, tuple(bundles))


def _symbol_of_macro(
    program: Program, macro: Macro, end: int, children: tuple[DocumentSymbol, ...]
) -> DocumentSymbol:
    """Return the symbol of a macro up to its closing directive, if that precedes bundle `end`."""
    parameters = shown_parameters(parameters_of(program, macro))
    syntax = program.bundles[macro.bundle].syntax
    start = program.span(macro.bundle, syntax.spans[syntax.plan.directive]).start
    last = last_bundle_of(program, macro)
    last = last if last < end else macro.bundle
    span = Span(start, end_of_bundle(program, last))
    detail = f"macro: {parameters}" if parameters else "macro"
    return DocumentSymbol(macro.name, MACRO, detail, span, macro.span, children)


def _symbol(
    program: Program, block: OutlineBlock, children: tuple[DocumentSymbol, ...]
) -> DocumentSymbol:
    number, end, is_loop, macro = block
    if macro is not None:
        return _symbol_of_macro(program, macro, end, children)
    bundle = program.bundles[number]
    token = bundle.syntax.plan.label
    name = program.span(number, bundle.syntax.span_of(token, token + 1))
    last = next((n for n in range(end - 1, number, -1) if has_content(program.bundles[n])), number)
    first, following = program.addresses[number], program.addresses[end]
    detail = _addresses(program.isa.unit, first, following)
    surface = program.isa.surface
    ends = [end_of_bundle(program, last), *(child.span.end for child in children[-1:])]
    is_function = surface.linked and bundle.label not in local_labels(program)
    return DocumentSymbol(
        bundle.label or "",
        FUNCTION if is_function else LOOP if is_loop else LABEL,
        _loop_detail(program, detail, [first]) if is_loop else detail,
        Span(name.start, max(ends)),
        name,
        children,
    )


def _loop_detail(program: Program, detail: str, head: Sequence[int]) -> str:
    """Return the detail of a loop with its trips, given the address of its head, if any.

    A label's part of a text may go on after its loop; then the detail is about the loop.
    """
    trips = [loop_detail(program, address) for address in head]
    last = last_of_loop(program, head[0]) if head else None
    if last is not None:
        detail = _addresses(program.isa.unit, head[0], last + 1)
    return ", ".join(filter(None, ("loop", detail, *trips)))


def _bundles(program: Program, first: int, end: int, label: int | None) -> list[DocumentSymbol]:
    """Return the symbols of the bundles ``first`` to ``end - 1`` that have instructions.

    `label` is the number of the bundle with the label around them, or with the directive of their
    macro.
    """
    found = []
    named = program.bundles[label].label if label is not None else None
    if named is not None and first < end:
        label, named = _nearest_label(program, first) or (label, named)
    for number in range(first, end):
        bundle = program.bundles[number]
        mnemonic = _mnemonic_after_label(bundle)
        if mnemonic is not None:
            name_span = program.span(number, mnemonic)
            name = mnemonics = _mnemonics(program.isa, bundle)
            detail = f"{program.isa.unit} {program.addresses[number]}"
            if label is not None and named is not None:
                name = f"{named}+{program.addresses[number] - program.addresses[label]}"
                detail = f"{mnemonics} ({detail})"
            span = Span(name_span.start, end_of_bundle(program, number))
            found.append(
                DocumentSymbol(name, BUNDLE, detail, span, name_span, written_name=mnemonics)
            )
    return found


def _nearest_label(program: Program, number: int) -> tuple[int, str] | None:
    """Return the number and label of the last bundle up to `number` with one, as a debugger does.

    It may be the label of a loop that has ended.
    """
    labels = ((at, program.bundles[at].label) for at in range(number, -1, -1))
    return next(((at, label) for at, label in labels if label is not None), None)


def _mnemonic_after_label(bundle: Bundle) -> Span | None:
    """Return the span of the first mnemonic after the label.

    In a broken bundle, the label may be between instructions.
    """
    syntax = bundle.syntax
    if not bundle.instructions:
        return None
    if syntax.plan.label < syntax.plan.instructions[0].mnemonic:
        return syntax.mnemonic_span(0)
    after = (entry.mnemonic for entry in syntax.plan.instructions)
    token = next((token for token in after if token > syntax.plan.label), None)
    return None if token is None else syntax.spans[token]


@cached_on_bundle
def _mnemonics(isa: Isa, bundle: Bundle) -> str:
    """Return the mnemonics of a bundle, cut to a maximum length."""
    joint = f"{isa.surface.separator} " if isa.surface.separator else " "
    name = joint.join(i.mnemonic for i in bundle.instructions if not i.is_idle)
    name = name or bundle.instructions[0].mnemonic
    return name if len(name) <= _MAX_NAME else f"{name[: _MAX_NAME - 1]}…"


def _addresses(unit: str, first: int, following: int) -> str:
    """Return the addresses from `first` to ``following - 1`` as a phrase."""
    if following <= first + 1:
        return f"{unit} {first}"
    return f"{unit}s {first} to {following - 1}"

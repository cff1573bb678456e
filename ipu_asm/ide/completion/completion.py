"""Completion proposals at a cursor, and their documentation."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Iterable, Iterator, Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.ide.assertions import assertion_completions
from ipu_asm.ide.completion import (
    DIRECTIVE,
    INSTRUCTION,
    LABEL,
    MACRO,
    PARAMETER,
    REGISTER,
    SNIPPET,
    VALUE,
    CompletionItem,
    instruction_snippet,
    snippets_of,
)
from ipu_asm.ide.completion.context import CompletionContext, completion_context_at, free_slots
from ipu_asm.ide.completion.macros import (
    MacroCandidate,
    file_candidates,
    header_candidates,
    header_name_page,
)
from ipu_asm.ide.completion.operands import (
    LAST,
    filter_text,
    macro_item,
    operand_completions,
    written_units,
)
from ipu_asm.ide.completion.template import template_completions
from ipu_asm.ide.expansions import is_template, whole_reading
from ipu_asm.ide.macros import macros_called
from ipu_asm.ide.pages.label import definition_markdown
from ipu_asm.ide.symbols.macros import macro_markdown
from ipu_asm.ide.symbols.parameters import MARK, Parameter, parameters_to_complete
from ipu_asm.ide.symbols.registers import register_markdown
from ipu_asm.ide.syntax_element import directive_at, directive_markdown
from ipu_asm.isa.model import ALONE, InstructionSpec, Isa
from ipu_asm.isa.operands import IntegerType
from ipu_asm.program.program import Program
from ipu_asm.reports.pages import instruction_markdown
from ipu_asm.text import Span

# A bound, so that the time does not grow with the file.
_MAX_BUNDLES = 100
"""The trait of instructions that share a bundle with no other."""

_NAME = re.compile(r"[A-Za-z_]\w*")


def completions(analysis: Analysis, offset: int) -> list[CompletionItem]:
    """Return all proposals at an offset, best first.

    They are not filtered by the part of the word that is already typed: editors do that.
    """
    if is_template(analysis):
        return template_completions(analysis, offset, _plain)
    return _plain(analysis, offset)


def _plain(
    analysis: Analysis, offset: int, names: Sequence[MacroCandidate] = ()
) -> list[CompletionItem]:
    """Return the proposals in a text that the assembler reads; `names` are further operands."""
    program = analysis.program
    begun = parameters_to_complete(program, offset) if program.isa.surface.preprocessed else None
    if begun is not None and begun[0]:
        return list(_of_body(*begun))
    context = completion_context_at(program, offset)
    if context is None:
        return assertion_completions(program, offset) or list(_directives(program, offset))
    items: Iterable[CompletionItem]
    if not context.mnemonic:
        items = (*_instructions(analysis, context), *_macros(analysis, context))
        items = (*items, *_snippets(program, context))
    else:
        items = operand_completions(analysis, context, names)
    return sorted(items, key=lambda item: item.sort_text)


def resolve(analysis: Analysis, label: str, kind: str) -> str | None:
    """Return the documentation of an item as Markdown; None if there is no more than its detail."""
    if is_template(analysis):
        return resolve(whole_reading(analysis).analysis, label, kind)
    program = analysis.program
    if kind == INSTRUCTION and (spec := program.isa.spec(label)):
        return instruction_markdown(program.isa, spec)
    if kind == REGISTER and label in program.isa.file_of_register:
        return register_markdown(program, label)
    if kind == DIRECTIVE:
        return directive_markdown(program, label)
    if kind in (MACRO, VALUE):
        name = label if kind == MACRO else "".join(_NAME.findall(label)[:1])
        macros = macros_called(program, name)
        return macro_markdown(analysis, macros) if macros else header_name_page(analysis, name)
    if kind == LABEL and label in program.labels:
        return definition_markdown(analysis, program.labels[label], label)
    return None


def _instructions(analysis: Analysis, context: CompletionContext) -> Iterator[CompletionItem]:
    """Yield the instructions that fit a slot which the instructions before the cursor leave free.

    Those that the file uses nearby come first, and those whose slots the instructions after the
    cursor take come last.
    """
    program = analysis.program
    isa = program.isa
    others = (*context.before, *context.after)
    free, free_beside = free_slots(isa, context.before), free_slots(isa, others)
    used = nearby_mnemonics(program, context.bundle)
    written = {slot: written_units(isa, slot, context) for slot in free}
    label = _nearest_label(program, context)
    order = {slot.name: number for number, slot in enumerate(isa.slots)}
    for first in isa.instructions.values():
        slots = dict.fromkeys(form.slot for form in isa.forms(first) if form.slot in free)
        if not slots or (context.before and ALONE in first.traits):
            continue
        beside = {slot: None for slot in slots if slot in free_beside}
        has_room = bool(beside) and not (others and ALONE in first.traits)
        slots = beside or slots
        spec = next(form for form in isa.forms(first) if form.slot in slots)
        if spec.nop and not isa.slot_by_name[spec.slot].units:
            # A written no-op of several slots takes the first free one.
            slots = {spec.slot: None}
        place = 0 if context.before else rank_in_fresh_bundle(spec)
        snippet = None
        if not context.is_followed:
            snippet = instruction_snippet(isa, spec, written[spec.slot], label)
        item = CompletionItem(
            spec.mnemonic,
            INSTRUCTION,
            _instruction_detail(isa, spec, list(slots)),
            spec.mnemonic,
            context.span,
            f"{not has_room:d}{_sort_rank(spec)}{spec.mnemonic not in used:d}{place:d}"
            f"{order[spec.slot]:02}{spec.opcode:04}",
            filter_text(spec.mnemonic, context),
            snippet,
            spec.deprecated is not None,
            " or ".join(slots) if len(order) > 1 else "",
        )
        yield item if beside else _before_taken_slot(analysis, context, item, spec.slot)


def _before_taken_slot(
    analysis: Analysis, context: CompletionContext, item: CompletionItem, slot: str
) -> CompletionItem:
    """Return an instruction whose slot is taken after the cursor: accepting it ends the bundle."""
    end = analysis.isa.surface.bundle_end
    taken = _slot_taken_at(analysis.program, context, slot)
    if not end or taken is None:
        return item
    line = analysis.source.lines.position(taken).line + 1
    effect = "ends the bundle here" if context.before else "begins its own bundle"
    detail = f"slot taken in line {line}: {effect}"
    if context.is_followed:
        return item._replace(detail=detail)
    is_whole = item.snippet is None
    return item._replace(
        detail=detail,
        insert_text=item.insert_text + end * is_whole,
        snippet=None if is_whole else f"{item.snippet}{end}",
        removed=context.mark,
    )


def _slot_taken_at(program: Program, context: CompletionContext, slot: str) -> int | None:
    """Return the offset of the instruction after the cursor that takes a slot, None without one."""
    if not context.after:
        return None
    start, bundle = program.starts[context.bundle], program.bundles[context.bundle]
    for plan, instruction in zip(bundle.syntax.plan.instructions, bundle.instructions):
        at = start + bundle.syntax.spans[plan.mnemonic].start
        if at >= context.span.end and instruction.is_of(slot) and instruction in context.after:
            return at
    return None


def _of_body(arguments: Sequence[Parameter], span: Span) -> Iterator[CompletionItem]:
    """Yield the parameters in scope in a macro's body, in order."""
    for number, (body, parameter) in enumerate(arguments):
        text = MARK + parameter.name
        detail = f"parameter of {body.name}"
        yield CompletionItem(text, PARAMETER, detail, text, span, f"{number:02}", text)


def _directives(program: Program, offset: int) -> Iterator[CompletionItem]:
    """Yield the directives of the instruction set if `offset` is in the first word of one."""
    span = directive_at(program, offset)
    for word, text in sorted(program.isa.surface.directives.items()) if span else ():
        assert span is not None
        yield CompletionItem(word, DIRECTIVE, text, word, span, word, word)


def _macros(analysis: Analysis, context: CompletionContext) -> Iterator[CompletionItem]:
    """Yield the macros of the text and of its headers, whatever slots are free.

    Their slots are unknown.
    """
    for candidate in file_candidates(analysis.program).instructions:
        yield macro_item(candidate, context, "1")
    for candidate in header_candidates(analysis).instructions:
        yield macro_item(candidate, context, LAST)


def _snippets(program: Program, context: CompletionContext) -> Iterator[CompletionItem]:
    """Yield the snippets of the instruction set at the start of a line where a bundle may begin."""
    start = context.span.start
    line = program.text[program.text.rfind("\n", 0, start) + 1 : start]
    if context.before or line.strip():
        return
    for snippet in snippets_of(program.isa):
        for word in snippet.words:
            text = filter_text(word, context)
            yield CompletionItem(
                word,
                SNIPPET,
                snippet.description,
                word,
                context.span,
                f"4{word}",
                text,
                snippet.body,
            )


def _instruction_detail(isa: Isa, spec: InstructionSpec, slots: Sequence[str]) -> str:
    if len(isa.slots) == 1:
        return spec.doc.title
    is_simulated = any(isa.slot_by_name[slot].simulation_only for slot in slots)
    remark = " (simulation only)" if is_simulated and not spec.nop else ""
    return f"{' or '.join(slots)}: {spec.doc.title}{remark}"


def _sort_rank(spec: InstructionSpec) -> int:
    """Return the sort rank of an instruction; seldom intended ones have a higher rank.

    Breakpoints are 1, no-ops 2, deprecated instructions 3, all others 0.
    """
    if spec.deprecated is not None:
        return 3
    if spec.nop:
        return 2
    return 1 if spec.flow == "break" else 0


def _nearest_label(program: Program, context: CompletionContext) -> str:
    """Return the label that is nearest to the cursor, or the distance to the next bundle."""
    address = context.address_in(program)
    names = list(program.label_addresses)
    addresses = list(program.label_addresses.values())
    # They ascend. To measure the distance of each was most of a completion among 2,500 labels.
    after = bisect_left(addresses, address)
    near = range(max(0, after - 1), min(after + 1, len(names)))
    nearest = min(near, key=lambda number: abs(addresses[number] - address), default=None)
    return "+1" if nearest is None else names[nearest]


def nearby_mnemonics(program: Program, number: int) -> frozenset[str]:
    """Return the mnemonics, as the set spells them, of the bundles near bundle `number`."""
    bundles = program.bundles
    return frozenset(
        instruction.spec.mnemonic
        for other in range(max(0, number - _MAX_BUNDLES), min(number + _MAX_BUNDLES, len(bundles)))
        if other != number
        for instruction in bundles[other].instructions
        if instruction.spec is not None
    )


def rank_in_fresh_bundle(spec: InstructionSpec) -> int:
    """Return 0 for setting and counting registers by constants, 1 for loads, 2 for all others."""
    facts = spec.scalar
    has_number = any(isinstance(operand.type, IntegerType) for operand in spec.operands)
    if facts is not None and facts.computes and has_number:
        return 0
    is_load = "load" in spec.traits
    if facts is not None:
        is_load = is_load or any(access.kind == "read" for access in facts.accesses)
    return 1 if is_load else 2

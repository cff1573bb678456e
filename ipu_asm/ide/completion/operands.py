"""Completion of operands: registers, keywords, labels, macros, and arguments of calls."""

from __future__ import annotations

from typing import Iterator, Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.bundle.operand_matching import KEYWORD_MARK, expected_operands, value_start
from ipu_asm.diagnostics import UnplacedFinding
from ipu_asm.flow.accesses import access_of, instruction_accesses
from ipu_asm.ide.completion import (
    DISTANCE,
    FIRST,
    KEYWORD,
    LABEL,
    MACRO,
    PARAMETER,
    REGISTER,
    VALUE,
    CompletionItem,
    macro_call_snippet,
)
from ipu_asm.ide.completion.context import CompletionContext, free_slots
from ipu_asm.ide.completion.macros import (
    MacroCandidate,
    argument_candidates,
    file_candidates,
    fitting_candidates,
    header_candidates,
    header_names,
    with_values,
)
from ipu_asm.ide.macros import macros_called
from ipu_asm.ide.pages.label import distance_text
from ipu_asm.ide.symbols.labels import valid_numeric_references
from ipu_asm.ide.symbols.parameters import MARK
from ipu_asm.ide.symbols.registers import free_registers
from ipu_asm.isa.model import InstructionSpec, Isa, Operand
from ipu_asm.isa.operands import OperandType
from ipu_asm.program.program import Program
from ipu_asm.program.register_notes import notes_at
from ipu_asm.text import Span

LAST = "2"
"""The rank after local names and registers: there may be hundreds of names in headers."""


def operand_completions(
    analysis: Analysis, context: CompletionContext, names: Sequence[MacroCandidate]
) -> Iterator[CompletionItem]:
    """Yield the values of the operands that can follow, then the keywords of optional operands."""
    program = analysis.program
    spec = program.isa.spec(context.mnemonic)
    candidates = [*file_candidates(program).operands, *names]
    others = header_candidates(analysis).operands
    if spec is None:
        yield from _arguments(analysis, context, [*candidates, *others])
        return
    values = with_values(analysis, context.complete_operands)
    context = context._replace(complete_operands=values)
    start = value_start(context.operand_prefix)
    keyword = context.operand_prefix[: start - 1].lower() if start else ""
    offered: set[str] = set()
    for form in _candidate_forms(program.isa, spec, context):
        due = expected_operands(form, context.complete_operands)
        named = [operand for operand in due.by_name if operand.keyword == keyword]
        for number, operand in enumerate(named if start else due.by_place):
            begun = context.operand_prefix[start:]
            fitting = fitting_candidates(program.isa, operand.type, begun, candidates)
            named_here = [macro_item(candidate, context, FIRST) for candidate in fitting]
            fitting = fitting_candidates(program.isa, operand.type, begun, others)
            named_here += [macro_item(candidate, context, LAST) for candidate in fitting]
            for item in (*_values(analysis, form, operand, context, begun), *named_here):
                if item.label not in offered:
                    offered.add(item.label)
                    yield item._replace(sort_text=f"{number}{item.sort_text}")
        if not context.operand_prefix and all(operand.optional for operand in due.by_place):
            yield from _keywords(due.by_name, context)


def _candidate_forms(
    isa: Isa, spec: InstructionSpec, context: CompletionContext
) -> Sequence[InstructionSpec]:
    """Return the forms that fit the written operands, preferably those with a free slot."""
    forms = fitting_forms(isa, spec, context.complete_operands)
    if len(forms) == 1:
        return forms
    for others in (context.beside, context.before):
        free = free_slots(isa, others)
        if found := [form for form in forms if form.slot in free]:
            return found
    return forms


def _keywords(operands: Sequence[Operand], context: CompletionContext) -> Iterator[CompletionItem]:
    for number, operand in enumerate(operands):
        text = f"{operand.keyword}{KEYWORD_MARK}"
        yield CompletionItem(
            text,
            PARAMETER,
            operand.description,
            text,
            context.span,
            f"9{number:02}",
            filter_text(text, context),
        )


def _arguments(
    analysis: Analysis, context: CompletionContext, candidates: Sequence[MacroCandidate]
) -> Iterator[CompletionItem]:
    """Yield the arguments of a macro call, or of a mnemonic that contains a macro parameter."""
    name = context.mnemonic
    is_call = macros_called(analysis.program, name) or name in header_names(analysis)
    if MARK in name or is_call:
        for candidate in argument_candidates(analysis.isa, candidates):
            yield macro_item(candidate, context, "")


def _values(
    analysis: Analysis,
    spec: InstructionSpec,
    operand: Operand,
    context: CompletionContext,
    begun: str,
) -> Iterator[CompletionItem]:
    """Yield the values of one operand, of which `begun` is already typed."""
    program = analysis.program
    if begun in ("", operand.type.prefix) and _takes(operand.type, "a_label"):
        yield from _labels(program, operand.type, context, begun)
        prefix = "" if begun else operand.type.prefix
        yield from _numeric_labels(analysis, context, prefix)
    notes = notes_at(program, context.bundle)
    conflicts = _conflicting_writes(program.isa, spec, operand, context)
    free = _free_registers(program, spec, operand, context)
    for number, (text, detail) in enumerate(operand.type.complete_part(begun)):
        yield CompletionItem(
            text,
            REGISTER if text in program.isa.file_of_register else KEYWORD,
            conflicts.get(text) or notes.get(text) or free.get(text) or detail.split("; ")[0],
            text,
            context.span,
            f"{text in conflicts:d}{number:04}",
            filter_text(text, context),
            slots="free" if text in free and text not in conflicts else "",
        )


def _free_registers(
    program: Program, spec: InstructionSpec, operand: Operand, context: CompletionContext
) -> dict[str, str]:
    """Return the registers that a destination can overwrite, each with the list of all of them."""
    if access_of(spec, operand) != "w":
        return {}
    choices = [choice.text for choice in operand.type.complete()]
    free = set(free_registers(program, context.address_in(program)))
    found = [number for number, text in enumerate(choices) if text in free]
    ends = [number for number in found if number + 1 not in found]
    starts = [number for number in found if number - 1 not in found]
    runs = (dict.fromkeys((choices[start], choices[end])) for start, end in zip(starts, ends))
    text = f"free here: {', '.join(map(' to '.join, runs))}"
    return {choices[number]: text for number in found}


def _takes(operand_type: OperandType, label: str) -> bool:
    """Check whether a type accepts a text as a label or as a distance to one."""
    return isinstance(operand_type.parse(operand_type.prefix + label), str)


def _conflicting_writes(
    isa: Isa, spec: InstructionSpec, operand: Operand, context: CompletionContext
) -> dict[str, str]:
    """Return the registers that another instruction of the slot writes, each with a note on it.

    Empty unless the operand is a destination in a slot with exclusive writes.
    """
    if operand.name not in spec.writes or not isa.slot_by_name[spec.slot].exclusive_writes:
        return {}
    written = written_units(isa, spec.slot, context)
    choices = [choice.text for choice in operand.type.complete()] if written else []
    return {
        register: written[unit]
        for register in choices
        for unit in isa.units(register)
        if unit in written
    }


def written_units(isa: Isa, slot: str, context: CompletionContext) -> dict[str, str]:
    """Return what other instructions of a slot with exclusive writes write, each with a note."""
    if not isa.slot_by_name[slot].exclusive_writes:
        return {}
    return {
        unit: f"already written in this bundle by {' '.join(other.words)}"
        for other in context.beside
        if other.spec is not None and other.spec.slot == slot
        for access in instruction_accesses(isa, other)
        if access.writes
        for unit in access.units
    }


def _labels(
    program: Program, operand_type: OperandType, context: CompletionContext, begun: str
) -> Iterator[CompletionItem]:
    """Yield the labels in range, nearest first, then example distances."""
    prefix = "" if begun else operand_type.prefix
    address, unit = context.address_in(program), program.isa.unit
    labels = program.label_addresses
    texts = [(label, LABEL) for label in labels]
    texts += [(text, DISTANCE) for text in ("+1", "-1") if _takes(operand_type, text)]
    for text, kind in texts:
        target = operand_type.resolve(text, address, labels, lambda _: None)
        if target is None or isinstance(target, UnplacedFinding):
            continue
        distance = target - address
        yield CompletionItem(
            text,
            kind,
            f"{unit} {target}, {distance_text(program.isa, distance)}",
            prefix + text,
            context.span,
            f"{kind == DISTANCE:d}{abs(distance):05}{distance > 0:d}",
            text,
        )


def _numeric_labels(
    analysis: Analysis, context: CompletionContext, prefix: str
) -> Iterator[CompletionItem]:
    """Yield the nearest numeric labels before and after the instruction, nearest first."""
    program = analysis.program
    address = context.address_in(program)
    for text, number in valid_numeric_references(program, context.bundle):
        distance = program.addresses[number] - address
        line = analysis.source.lines.position(program.span(number, Span(0, 0)).start).line + 1
        sort_text = f"0{abs(distance):05}{distance > 0:d}"
        edit = prefix + text
        yield CompletionItem(text, LABEL, f"line {line}", edit, context.span, sort_text, text)


def macro_item(candidate: MacroCandidate, context: CompletionContext, rank: str) -> CompletionItem:
    """Return the item of a macro, with its parameters as a snippet where a call is typed."""
    has_snippet = (candidate.parameters or candidate.in_parentheses) and not context.is_followed
    kind = VALUE if candidate.value else MACRO
    snippet = macro_call_snippet(candidate) if has_snippet else None
    text, sort_text = candidate.text, rank + candidate.text
    return CompletionItem(
        text, kind, candidate.detail, text, context.span, sort_text, text, snippet
    )


def filter_text(text: str, context: CompletionContext) -> str:
    """Return the text in the case of the typed word, for editors that match case-sensitively."""
    if context.typed.isupper():
        return text.upper()
    return text.lower() if context.typed.islower() else text


def fitting_forms(
    isa: Isa, spec: InstructionSpec, written: Sequence[str]
) -> tuple[InstructionSpec, ...]:
    """Return the forms that accept the operands in `written`, or all forms if none does."""
    return tuple(form for form in isa.forms(spec) if form_accepts(form, written)) or isa.forms(spec)


def form_accepts(form: InstructionSpec, written: Sequence[str]) -> bool:
    """Check whether each written operand can be the one that the form has at its position."""
    return all(
        any(_is_value_of(operand, text) for operand in _candidates(form, written[:place], text))
        for place, text in enumerate(written)
    )


def _candidates(form: InstructionSpec, before: Sequence[str], text: str) -> Sequence[Operand]:
    due = expected_operands(form, before)
    start = value_start(text)
    if not start:
        return due.by_place
    return [operand for operand in due.by_name if operand.keyword == text[: start - 1].lower()]


def _is_value_of(operand: Operand, text: str) -> bool:
    return not isinstance(operand.type.parse(text[value_start(text) :]), UnplacedFinding)

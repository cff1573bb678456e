"""Hover: the Markdown page of the syntax element under the cursor."""

from __future__ import annotations

from typing import Final, Iterator, Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.operand_matching import Instruction
from ipu_asm.bundle.parser import parser_for
from ipu_asm.diagnostics import Severity
from ipu_asm.flow.assertions.comments import AssertionComment
from ipu_asm.ide.assertions import assertion_at, assertion_markdown, words_of_assertion
from ipu_asm.ide.completion.context import free_slots
from ipu_asm.ide.expansions import Occasion, is_template, reading_at
from ipu_asm.ide.navigation import symbol_at
from ipu_asm.ide.pages.instruction import written_markdown
from ipu_asm.ide.pages.label import definition_markdown
from ipu_asm.ide.pages.operand import operand_markdown, register_use_at
from ipu_asm.ide.symbols.header_names import FileReading, definitions_of, name_at
from ipu_asm.ide.symbols.macros import MacroName
from ipu_asm.ide.symbols.parameters import Parameter
from ipu_asm.ide.symbols.registers import register_markdown
from ipu_asm.ide.syntax_element import (
    Blank,
    BundleEnd,
    Comment,
    LabelDefinition,
    Mnemonic,
    OperandAt,
    SyntaxElement,
    directive_at,
    directive_markdown,
    element_at,
)
from ipu_asm.ide.template_pages import TemplateName, block_page, occasions_phrase, template_name_at
from ipu_asm.ide.template_syntax import TemplateSyntax, template_syntax
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.reports.markdown import inline_code
from ipu_asm.reports.pages import instruction_markdown
from ipu_asm.source.templates import Tag, TagKind, WordKind, has_filler, tag_words, without_fillers
from ipu_asm.text import Span

_SEPARATOR: Final = "\n\n---\n\n"


class Hover(NamedTuple):
    """A Markdown page about the text in `span`."""

    markdown: str
    span: Span


def hover(analysis: Analysis, offset: int) -> Hover | None:
    """Return the page of the symbol or syntax element at an offset; None for blanks and prose."""
    if is_template(analysis):
        return _in_template(analysis, offset)
    program = analysis.program
    assertion = assertion_at(program, offset)
    if assertion is not None:
        return _about_assertion(program, assertion, offset)
    place = element_at(program, offset)
    found = _about_macro(analysis, place, offset) or _about_directive(program, offset)
    if found is not None:
        return found
    if isinstance(place, OperandAt):
        part = register_use_at(program, place, offset)
        shown = operand_markdown(analysis, place, part)
        span = part.span.shifted(program.starts[place.bundle]) if part else place.span
        return Hover(shown, span) if shown else None
    markdown = _markdown(analysis, place)
    return Hover(markdown, place.span) if markdown else None


def hover_in_files(readings: Sequence[FileReading], offset: int) -> Hover | None:
    """Return the page of the name at an offset, if another file defines it.

    After it comes the page of what the name expands to there: a register, or an instruction.
    """
    name = name_at(readings, offset)
    if name is None or not name.is_elsewhere(readings):
        return None
    pages = [name.description(readings), *_of_value(readings[0], offset)]
    return Hover(_SEPARATOR.join(dict.fromkeys(pages)), name.span)


def _of_value(reading: FileReading, offset: int) -> Iterator[str]:
    """Yield the page of the element that an offset expands to first."""
    for expanded in reading.analysis.expanded[:1]:
        for at in expanded.expansion.source_map.expanded(reading.path, offset)[:1]:
            page = hover(expanded.analysis, at)
            if page is not None:
                word = expanded.analysis.text[page.span.start : page.span.end]
                if not any(definitions_of(reading, word)):
                    yield page.markdown


def _about_macro(analysis: Analysis, place: SyntaxElement, offset: int) -> Hover | None:
    """Return the page of a macro or parameter; after that of a macro comes that of the operand."""
    found = None if isinstance(place, Comment) else symbol_at(analysis, offset)
    wanted = Parameter if isinstance(place, LabelDefinition) else MacroName | Parameter
    if found is None or not isinstance(found.symbol, wanted):
        return None
    pages = [found.symbol.description(analysis)]
    if isinstance(place, OperandAt) and isinstance(found.symbol, MacroName):
        pages.append(operand_markdown(analysis, place))
    markdown = _SEPARATOR.join(filter(None, pages))
    return Hover(markdown, found.span) if markdown else None


def _about_assertion(program: Program, comment: AssertionComment, offset: int) -> Hover:
    """Return the page of a register in an assertion, or of the assertion."""
    for span, name in words_of_assertion(program, comment):
        if name is not None and span.touches(offset):
            return Hover(register_markdown(program, name), span)
    span = Span(comment.keyword.start, comment.span.end)
    return Hover(assertion_markdown(program, comment), span)


def _in_template(analysis: Analysis, offset: int) -> Hover | None:
    """Return the page of a name or keyword of a tag, of its value, or of literal text."""
    syntax = template_syntax(analysis.text)
    tag = syntax.tag_at(offset)
    name = template_name_at(analysis, offset) if tag is not None else None
    if tag is not None and tag.kind is not TagKind.OUTPUT:
        return _about_tag(analysis, syntax, tag, name, offset)
    value = _expanded(analysis, offset, tag.span if tag else None)
    if name is None:
        return value
    pages = [name.description(analysis), *([value.markdown] if value else [])]
    return Hover(_SEPARATOR.join(pages), name.span)


def _expanded(analysis: Analysis, offset: int, span: Span | None) -> Hover | None:
    """Return the page in the first expansion, and what the place is in others if that differs."""
    reading, at = reading_at(analysis, offset)
    found = hover(reading.analysis, at)
    written = span or (reading.around(found.span, offset) if found else None)
    if found is None or written is None:
        return None
    if reading.is_partial:
        is_unknown = has_filler(reading.analysis.text[found.span.start : found.span.end])
        return None if is_unknown else Hover(without_fillers(found.markdown), written)
    phrase = occasions_phrase(analysis, offset, _word_at)
    return Hover(f"{phrase}{_SEPARATOR}{found.markdown}" if phrase else found.markdown, written)


def _word_at(occasion: Occasion) -> Span | None:
    """Return the span of the word that a page would be about."""
    program = occasion.reading.analysis.program
    place = element_at(program, occasion.offset)
    if isinstance(place, (Blank, Comment)):
        return None
    part = None
    if isinstance(place, OperandAt):
        part = register_use_at(program, place, occasion.offset)
    return part.span.shifted(program.starts[place.bundle]) if part else place.span


def _about_tag(
    analysis: Analysis, syntax: TemplateSyntax, tag: Tag, name: TemplateName | None, offset: int
) -> Hover | None:
    """Return the page of a name, a register's name or a keyword in a statement."""
    if name is not None:
        value = name.definition.value if name.definition else None
        pages = [name.description(analysis), *_about_register(analysis, value)]
        return Hover(_SEPARATOR.join(pages), name.span)
    for word in tag_words(syntax.text, tag):
        if word.kind is WordKind.STRING and word.span.touches(offset):
            for page in _about_register(analysis, word.text[1:-1]):
                return Hover(page, word.span)
    keyword = block_page(analysis, syntax, tag, offset)
    return Hover(*keyword) if keyword else None


def _about_register(analysis: Analysis, name: str | None) -> list[str]:
    program = analysis.effective_program
    return [register_markdown(program, name)] if name in program.isa.file_of_register else []


def _about_directive(program: Program, offset: int) -> Hover | None:
    span = directive_at(program, offset)
    page = span and directive_markdown(program, program.text[span.start : span.end])
    return Hover(page, span) if span and page else None


def _markdown(analysis: Analysis, place: SyntaxElement) -> str | None:
    program = analysis.program
    if isinstance(place, Mnemonic):
        page = written_markdown(analysis, place.bundle, place.instruction)
        instruction = program.bundles[place.bundle].instructions[place.instruction]
        return page or _unknown(analysis.isa, instruction)
    if isinstance(place, LabelDefinition):
        return definition_markdown(analysis, place.bundle, place.name)
    if isinstance(place, BundleEnd):
        return bundle_markdown(program, place.bundle)
    return None


def _unknown(isa: Isa, instruction: Instruction) -> str | None:
    """Return the page of the known instruction that is nearest to an unknown mnemonic, if any."""
    nearest = next((problem.replacement for _, problem in instruction.findings), None)
    spec = isa.spec(nearest) if nearest else None
    if spec is None:
        return None
    return (
        f"No instruction is called {inline_code(instruction.mnemonic)}; the nearest is:\n\n"
        f"{instruction_markdown(isa, spec)}"
    )


def bundle_markdown(program: Program, number: int) -> str | None:
    """Return the Markdown page of bundle `number`, or None if the bundle is empty.

    The page omits the encoded word if the bundle has an error.
    """
    bundle, isa = program.bundles[number], program.isa
    if not bundle.size:
        return None
    sections = [f"**{isa.unit.capitalize()} {program.addresses[number]}**"]
    word = word_of(program, number)
    if word is not None:
        sections.append(f"`0x{word:0{-(-isa.word_bits // 4)}x}`")
    if len(isa.slots) > 1:
        free = [
            f"`{slot}`" if count == 1 else f"{count} x `{slot}`"
            for slot, count in free_slots(isa, bundle.instructions).items()
        ]
        sections.append(f"Free: {', '.join(free)}." if free else "No slot is free.")
    return "\n\n".join(sections)


def word_of(program: Program, number: int) -> int | None:
    """Return the encoded word of a bundle at its address; None if it is empty or has an error.

    Label operands and slot defaults that depend on the address are filled in. The result is also
    None if a label is undefined or if the instruction set has no encoding.
    """
    bundle = program.bundles[number]
    if not bundle.size or not program.isa.has_words or _has_error(bundle):
        return None
    word = bundle.word
    for reference in program.references_of(number):
        operand = bundle.instructions[reference.use.instruction].operands[reference.use.operand]
        if reference.target is None or operand is None:
            return None
        word |= operand.type.encode(reference.target) << reference.use.low
    for slot, default in parser_for(program.isa).open_defaults():
        if slot in bundle.open_slots:
            place = default.labels[0]
            operand, text = default.operands[place], default.values[place]
            assert operand is not None
            assert isinstance(text, str)
            target = operand.type.resolve(text, program.addresses[number], {}, lambda _: None)
            if not isinstance(target, int):
                return None
            bits = default.bits | operand.type.encode(target) << operand.low
            word |= bits << slot.lows[0]
    return word


def _has_error(bundle: Bundle) -> bool:
    return bundle.is_broken or any(
        finding.severity is Severity.ERROR for finding in bundle.findings
    )

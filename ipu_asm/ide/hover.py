"""Hover: the Markdown page of the syntax element under the cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.instruction import Instruction
from ipu_asm.ide.directives import directive_at, directive_markdown
from ipu_asm.ide.expansions import is_template, reading_at
from ipu_asm.ide.macros.occurrences import macro_at
from ipu_asm.ide.macros.page import macro_markdown, parameter_markdown
from ipu_asm.ide.macros.parameters import parameter_at, parameter_use_at
from ipu_asm.ide.pages.bundle import bundle_markdown
from ipu_asm.ide.pages.label import definition_markdown
from ipu_asm.ide.pages.operand import operand_markdown, register_use_at
from ipu_asm.ide.pages.timing import lines_about_instruction
from ipu_asm.ide.syntax_element import (
    BundleEnd,
    Comment,
    LabelDefinition,
    Mnemonic,
    OperandAt,
    SyntaxElement,
    element_at,
)
from ipu_asm.isa.model import Isa
from ipu_asm.reports.instruction_page import instruction_markdown
from ipu_asm.reports.markdown import inline_code
from ipu_asm.text import Span

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis


class Hover(NamedTuple):
    """A Markdown page about the text in `span`."""

    markdown: str
    span: Span


def hover(analysis: Analysis, offset: int) -> Hover | None:
    """Return the page of the syntax element at an offset; None for blank space and comments."""
    if is_template(analysis):
        reading, at = reading_at(analysis, offset)
        read = hover(reading.analysis, at)
        span = read and reading.around(read.span, offset)
        return read._replace(span=span) if read and span else None
    place = element_at(analysis.program, offset)
    found = _about_macro(analysis, place, offset) or _about_directive(analysis, offset)
    if found is not None:
        return found
    if isinstance(place, OperandAt):
        part = register_use_at(analysis.program, place, offset)
        shown = operand_markdown(analysis, place, part)
        span = part.span.shifted(analysis.program.starts[place.bundle]) if part else place.span
        return Hover(shown, span) if shown else None
    markdown = _markdown(analysis, place)
    return Hover(markdown, place.span) if markdown else None


def _about_macro(analysis: Analysis, place: SyntaxElement, offset: int) -> Hover | None:
    """Return the page of the macro or macro parameter at an offset, if any."""
    program = analysis.program
    if isinstance(place, Comment) or not program.isa.surface.preprocessed:
        return None
    use = parameter_use_at(program, offset) or parameter_at(program, offset)
    if use is not None:
        return Hover(parameter_markdown(analysis, use[0]), use[1])
    macro = None if isinstance(place, LabelDefinition) else macro_at(program, offset)
    if macro is None:
        return None
    pages = [macro_markdown(analysis, macro[0])]
    if isinstance(place, OperandAt):
        pages += filter(None, [operand_markdown(analysis, place)])
    return Hover("\n\n---\n\n".join(pages), macro[1])


def _about_directive(analysis: Analysis, offset: int) -> Hover | None:
    program = analysis.program
    span = directive_at(program, offset)
    page = span and directive_markdown(program, program.text[span.start : span.end])
    return Hover(page, span) if span and page else None


def _markdown(analysis: Analysis, place: SyntaxElement) -> str | None:
    program = analysis.program
    if isinstance(place, Mnemonic):
        return _mnemonic(program.isa, program.bundles[place.bundle], place.instruction)
    if isinstance(place, LabelDefinition):
        return definition_markdown(analysis, place.bundle, place.name)
    if isinstance(place, BundleEnd):
        return bundle_markdown(program, place.bundle)
    return None


def _mnemonic(isa: Isa, bundle: Bundle, number: int) -> str | None:
    """Return the instruction's page, below the timing inside this bundle if there is any."""
    instruction = bundle.instructions[number]
    if instruction.spec is None:
        return _unknown(isa, instruction)
    page = instruction_markdown(isa, instruction.spec)
    lines = lines_about_instruction(isa, bundle, number)
    if not lines:
        return page
    return "\n".join(["**In this bundle**", "", *(f"- {line}" for line in lines), "", "---", page])


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

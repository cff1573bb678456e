"""What an editor shows about the thing under the cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ipu_asm.bundle import Bundle
from ipu_asm.ide.bundle_page import bundle_markdown
from ipu_asm.ide.label_page import definition_markdown
from ipu_asm.ide.moments import lines_about_instruction
from ipu_asm.ide.operand_page import operand_markdown, part_at
from ipu_asm.ide.place import (
    BundleEnd,
    LabelDefinition,
    Mnemonic,
    OperandAt,
    Place,
    place_at,
)
from ipu_asm.instruction import Instruction
from ipu_asm.instruction_page import instruction_markdown
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import quoted
from ipu_asm.text import Span

if TYPE_CHECKING:
    from ipu_asm.analysis import Analysis


class Hover(NamedTuple):
    """A page in Markdown about the text in `span`."""

    markdown: str
    span: Span


def hover(analysis: Analysis, offset: int) -> Hover | None:
    """The page about what stands at an offset; None about blanks and comments."""
    place = place_at(analysis.program, offset)
    if isinstance(place, OperandAt):
        part = part_at(analysis.program, place, offset)
        shown = operand_markdown(analysis, place, part)
        span = part.span.shifted(analysis.program.starts[place.bundle]) if part else place.span
        return Hover(shown, span) if shown else None
    markdown = _markdown(analysis, place)
    return Hover(markdown, place.span) if markdown else None


def _markdown(analysis: Analysis, place: Place) -> str | None:
    program = analysis.program
    if isinstance(place, Mnemonic):
        return _mnemonic(program.isa, program.bundles[place.bundle], place.instruction)
    if isinstance(place, LabelDefinition):
        return definition_markdown(analysis, place.bundle, place.name)
    if isinstance(place, BundleEnd):
        return bundle_markdown(program, place.bundle)
    return None


def _mnemonic(isa: Isa, bundle: Bundle, number: int) -> str | None:
    """What happens in this bundle, if it is worth a word, above the instruction's page."""
    instruction = bundle.instructions[number]
    if instruction.spec is None:
        return _unknown(isa, instruction)
    page = instruction_markdown(isa, instruction.spec)
    lines = lines_about_instruction(isa, bundle, number)
    if not lines:
        return page
    return "\n".join(["**In this bundle**", "", *(f"- {line}" for line in lines), "", "---", page])


def _unknown(isa: Isa, instruction: Instruction) -> str | None:
    """The instruction that an unknown word was perhaps meant to be."""
    nearest = next((problem.replacement for _, problem in instruction.problems), None)
    spec = isa.spec(nearest) if nearest else None
    if spec is None:
        return None
    return (
        f"No instruction is called {quoted(instruction.mnemonic)}; the nearest is:\n\n"
        f"{instruction_markdown(isa, spec)}"
    )

"""Recovery of a bundle with mistakes: a second reading, and findings about its syntax.

The first reading takes a text as written. Where it fails, the author often used the syntax of
another assembler, and one such mistake would become several findings.
"""

from __future__ import annotations

from typing import Callable, Sequence

from ipu_asm.bundle.form_matching import is_instruction
from ipu_asm.bundle.instruction import Instruction
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.diagnostics.errors import TOO_MANY_OPERANDS
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.syntax.foreign_tokens import grouped, with_label
from ipu_asm.syntax.messages import syntax_errors
from ipu_asm.syntax.misplaced_token import InstructionContext


class BundleReading(NamedTuple):
    """The syntax of a bundle and the instructions in it."""

    syntax: BundleSyntax
    instructions: tuple[Instruction, ...]


def syntax_findings(isa: Isa, reading: BundleReading) -> list[Diagnostic]:
    """The findings about tokens that do not fit the grammar."""
    around = [
        InstructionContext(each.spec is not None, each.is_whole) for each in reading.instructions
    ]
    return syntax_errors(reading.syntax, isa.surface, around, isa.file_of_register)


def read_again(
    isa: Isa, reading: BundleReading, parse: Callable[[tuple[str, ...]], Instruction]
) -> BundleReading:
    """The second reading of a bundle; it equals the first where no foreign syntax is recognized.

    `parse` returns the instruction with some words.
    """

    def instructions_of(syntax: BundleSyntax) -> tuple[Instruction, ...]:
        numbers = range(len(syntax.plan.instructions))
        return tuple(parse(syntax.instruction_words(number)) for number in numbers)

    def is_code(words: tuple[str, ...]) -> bool:
        return all(found.replacement for _, found in parse(words).findings)

    syntax, instructions = reading
    if syntax.plan.findings:
        syntax = grouped(syntax, is_code)
        instructions = instructions_of(syntax)
    if any(_has_joined_operand(syntax, n, each) for n, each in enumerate(instructions)):
        syntax = grouped(syntax, is_code, joins_signs=True)
        instructions = instructions_of(syntax)
    if _lacks_colon(isa, syntax, instructions):
        syntax = with_label(syntax)
        instructions = instructions_of(syntax)
    return BundleReading(syntax, instructions)


def _has_joined_operand(syntax: BundleSyntax, number: int, instruction: Instruction) -> bool:
    """Whether a surplus operand touches the one before it, as in `4+4` and `my-loop`."""
    for place, found in instruction.findings:
        if found.rule is TOO_MANY_OPERANDS and place > 0:
            before = syntax.operand_span(number, place - 1)
            return before.end == syntax.operand_span(number, place).start
    return False


def _lacks_colon(isa: Isa, syntax: BundleSyntax, instructions: Sequence[Instruction]) -> bool:
    """Whether the first word is no mnemonic, and the words after it are an instruction."""
    if not instructions or syntax.plan.label >= 0 or syntax.plan.instructions[0].mnemonic != 0:
        return False
    first = instructions[0]
    return first.spec is None and len(first.words) > 1 and is_instruction(isa, first.words[1:])

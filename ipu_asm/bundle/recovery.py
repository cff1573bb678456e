"""Second reading of a bundle with mistakes.

The first reading takes the text literally. Where that fails, the text often has syntax of another
assembler, and one mistake would cause several findings.
"""

from __future__ import annotations

from typing import Callable, NamedTuple, Sequence

from ipu_asm.bundle.instruction import Instruction, is_instruction
from ipu_asm.diagnostics.errors import TOO_MANY_OPERANDS
from ipu_asm.isa.model import Isa
from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.syntax.foreign_tokens import grouped, with_label


class Read(NamedTuple):
    """A bundle's syntax and its instructions."""

    syntax: BundleSyntax
    instructions: tuple[Instruction, ...]


def reread(isa: Isa, read: Read, resolve: Callable[[tuple[str, ...]], Instruction]) -> Read:
    """Read a bundle again: group foreign syntax, and accept a label whose colon is missing.

    `resolve` parses the words of an instruction.
    """

    def instructions_of(syntax: BundleSyntax) -> tuple[Instruction, ...]:
        numbers = range(len(syntax.plan.instructions))
        return tuple(resolve(syntax.instruction_words(number)) for number in numbers)

    def is_code(words: tuple[str, ...]) -> bool:
        return all(problem.replacement for _, problem in resolve(words).findings)

    syntax, instructions = read
    if syntax.plan.findings:
        syntax = grouped(syntax, is_code)
        instructions = instructions_of(syntax)
    if any(_touches(syntax, n, each) for n, each in enumerate(instructions)):
        syntax = grouped(syntax, is_code, joins_signs=True)
        instructions = instructions_of(syntax)
    if _lacks_colon(isa, syntax, instructions):
        syntax = with_label(syntax)
        instructions = instructions_of(syntax)
    return Read(syntax, instructions)


def _touches(syntax: BundleSyntax, number: int, instruction: Instruction) -> bool:
    """Return whether a surplus operand directly follows another one, as in `4+4` and `my-loop`."""
    for place, problem in instruction.findings:
        if problem.rule is TOO_MANY_OPERANDS and place > 0:
            before = syntax.operand_span(number, place - 1)
            return before.end == syntax.operand_span(number, place).start
    return False


def _lacks_colon(isa: Isa, syntax: BundleSyntax, instructions: Sequence[Instruction]) -> bool:
    """Return whether the first word is no mnemonic, but the words after it are an instruction."""
    if not instructions or syntax.plan.label >= 0 or syntax.plan.instructions[0].mnemonic != 0:
        return False
    first = instructions[0]
    return first.spec is None and len(first.words) > 1 and is_instruction(isa, first.words[1:])

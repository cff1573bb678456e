"""A bundle with mistakes, read once more as its author may have meant it.

The first reading takes a text as it is written. Where that fails, people have often written what
another assembler knows, and the pieces of one mistake would make several findings.
"""

from __future__ import annotations

from typing import Callable, NamedTuple, Sequence

from ipu_asm.bundle.instruction import Instruction, is_instruction
from ipu_asm.diagnostics.errors import TOO_MANY_OPERANDS
from ipu_asm.isa.model import Isa
from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.syntax.foreign_tokens import grouped, with_label


class Read(NamedTuple):
    """A bundle's syntax and the instructions in it."""

    syntax: BundleSyntax
    instructions: tuple[Instruction, ...]


def reread(isa: Isa, read: Read, resolve: Callable[[tuple[str, ...]], Instruction]) -> Read:
    """The second reading of a bundle, which is the first one where that makes as much sense.

    `resolve` gives the instruction that some words are.
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
    """Whether a surplus operand touches the one before it, as in `4+4` and `my-loop`."""
    for place, problem in instruction.findings:
        if problem.rule is TOO_MANY_OPERANDS and place > 0:
            before = syntax.operand_span(number, place - 1)
            return before.end == syntax.operand_span(number, place).start
    return False


def _lacks_colon(isa: Isa, syntax: BundleSyntax, instructions: Sequence[Instruction]) -> bool:
    """Whether the first word is no mnemonic, and what follows it is an instruction."""
    if not instructions or syntax.plan.label >= 0 or syntax.plan.instructions[0].mnemonic != 0:
        return False
    first = instructions[0]
    return first.spec is None and len(first.words) > 1 and is_instruction(isa, first.words[1:])

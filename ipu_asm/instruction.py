"""One instruction as it is written: which operand is which, its values, its bits.

Nothing here depends on where an instruction stands.
"""

from __future__ import annotations

from typing import NamedTuple, Sequence

from ipu_asm.diagnostics import Problem
from ipu_asm.errors import UNKNOWN_MNEMONIC
from ipu_asm.isa.model import InstructionSpec, Isa, Operand
from ipu_asm.isa.operands import quoted
from ipu_asm.matching import ON_MNEMONIC, any_named, match_operands, value_start
from ipu_asm.spelling import Vocabulary

Value = int | str | None


class Instruction(NamedTuple):
    """One instruction as written, wherever it stands.

    `operands[i]` is the operand of the spec that the i-th written one is (None if there is no such
    any more); `values[i]` its value (None if it is wrong, the text if it is a label). `problems`
    pairs the number of a written operand, or `ON_MNEMONIC`, with what is wrong. `bits` are the
    slot's bits with label fields still 0.
    """

    words: tuple[str, ...]
    spec: InstructionSpec | None
    operands: tuple[Operand | None, ...] = ()
    values: tuple[Value, ...] = ()
    problems: tuple[tuple[int, Problem], ...] = ()
    bits: int = 0
    labels: tuple[int, ...] = ()

    @property
    def mnemonic(self) -> str:
        """The mnemonic as it is written."""
        return self.words[0]

    def value(self, name: str) -> Value:
        """The value of the operand of that name; None if it is absent or wrong."""
        for operand, value in zip(self.operands, self.values):
            if operand is not None and operand.name == name:
                return value
        return None

    @property
    def is_idle(self) -> bool:
        """Whether it does nothing at all, by what it is or by its operands."""
        if self.spec is None:
            return False
        idle = self.spec.idle.items()
        return self.spec.nop or (
            bool(idle) and all(self.value(name) == value for name, value in idle)
        )


def resolve_instruction(isa: Isa, vocabulary: Vocabulary, words: tuple[str, ...]) -> Instruction:
    """The instruction that these words are. `vocabulary` has the mnemonics of the set."""
    spec = isa.spec(words[0])
    if spec is None:
        return Instruction(words, None, problems=((ON_MNEMONIC, _unknown(isa, vocabulary, words)),))
    texts = words[1:]
    operands, problems = match_operands(spec, texts)
    named = any_named(texts)
    values: list[Value] = []
    labels: list[int] = []
    bits = spec.opcode_bits
    for number, operand in enumerate(operands):
        if operand is None:
            values.append(None)
            continue
        text = texts[number]
        start = value_start(text) if named else 0
        parsed = operand.type.parse(text[start:] if start else text)
        if isinstance(parsed, Problem):
            problems.append((number, _in_operand(parsed, operand, start, len(text))))
            values.append(None)
            continue
        values.append(parsed)
        if isinstance(parsed, str):
            labels.append(number)
        else:
            bits |= operand.type.encode(parsed) << operand.low
    if not spec.all_due:
        bits |= _default_bits(spec, operands)
    return Instruction(
        words, spec, tuple(operands), tuple(values), tuple(problems), bits, tuple(labels)
    )


def _in_operand(problem: Problem, operand: Operand, start: int, stop: int) -> Problem:
    """A problem of a value, told of the operand whose text has the value from `start` to `stop`."""
    part = problem.part
    if part is not None:
        part = (part[0] + start, part[1] + start)
    elif start:
        part = (start, stop)
    return problem._replace(message=f"operand `{operand.name}`: {problem.message}", part=part)


def _default_bits(spec: InstructionSpec, written: Sequence[Operand | None]) -> int:
    """The bits of operands that were left out and whose default is not all zeros."""
    return sum(
        operand.type.encode(operand.default) << operand.low
        for operand in spec.operands
        if operand.default and operand not in written
    )


def _unknown(isa: Isa, vocabulary: Vocabulary, words: tuple[str, ...]) -> Problem:
    mnemonic = words[0]
    if mnemonic.lower() in isa.instructions:
        message = f"mnemonics are lower case, found {quoted(mnemonic)}"
        return Problem(UNKNOWN_MNEMONIC, message, mnemonic.lower())
    message = f"unknown mnemonic {quoted(mnemonic)}"
    return Problem(UNKNOWN_MNEMONIC, message, vocabulary.nearest(mnemonic))

"""What each word is, for colours that know the instruction set.

Each bundle is worked out once; places count from the start of its text.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Iterator, NamedTuple

from ipu_asm.bundle import Bundle, once_a_bundle
from ipu_asm.ide.comments import comments_in
from ipu_asm.instruction import Instruction
from ipu_asm.isa import available_isas, load_isa
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import number_value
from ipu_asm.matching import KEYWORD_MARK
from ipu_asm.resolve import resolver_for
from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.text import Span

MNEMONIC: Final = "function"
REGISTER: Final = "variable"
LABEL: Final = "label"
NUMBER: Final = "number"
KEYWORD: Final = "keyword"
NAME_OF_OPERAND: Final = "parameter"
COMMENT: Final = "comment"
KINDS: Final = (MNEMONIC, REGISTER, LABEL, NUMBER, KEYWORD, NAME_OF_OPERAND, COMMENT)

DEFINITION: Final = "definition"
DEPRECATED: Final = "deprecated"
_MOST_MODIFIERS: Final = 31
_MOST_REMEMBERED: Final = 1 << 14

Meaning = tuple[str, tuple[str, ...]]


class SemanticToken(NamedTuple):
    """A word on one line: its place, one of `KINDS`, and some of `modifiers()`."""

    span: Span
    kind: str
    modifiers: tuple[str, ...] = ()


@lru_cache(maxsize=1)
def modifiers() -> tuple[str, ...]:
    """All modifiers: what can be said of any word, the slots, and the register files.

    A mnemonic has the name of its slot, a register that of its file.
    """
    isas = [load_isa(name) for name in available_isas()]
    slots = [slot.name for isa in isas for slot in isa.slots]
    files = [file.name for isa in isas for file in isa.register_files]
    return tuple(dict.fromkeys((DEFINITION, DEPRECATED, *slots, *files)))[:_MOST_MODIFIERS]


@once_a_bundle
def semantic_tokens(isa: Isa, bundle: Bundle) -> tuple[SemanticToken, ...]:
    """The words of a bundle and the comments around them, in their order."""
    comments = (SemanticToken(span, COMMENT) for span in comments_in(isa, bundle.syntax))
    return tuple(sorted((*comments, *_words(isa, bundle))))


def _words(isa: Isa, bundle: Bundle) -> Iterator[SemanticToken]:
    syntax = bundle.syntax
    plan, spans = syntax.plan, syntax.spans
    if plan.label >= 0:
        yield SemanticToken(spans[plan.label], LABEL, (DEFINITION,))
    for entry, instruction in zip(plan.instructions, bundle.instructions):
        mnemonic, *operands = _meanings(isa, instruction.words)
        if mnemonic is not None:
            yield SemanticToken(spans[entry.mnemonic], *mnemonic)
        for (first, last), meaning in zip(entry.operands, operands):
            if last - first == 1 and meaning is not None:
                yield SemanticToken(spans[first], *meaning)
            elif last - first > 1:
                yield from _parts(syntax, range(first, last), meaning)


def _parts(syntax: BundleSyntax, tokens: range, meaning: Meaning | None) -> Iterator[SemanticToken]:
    """The tokens of a written operand: what they are together, and the name in front of it."""
    mark = next((token for token in tokens if syntax.words[token] == KEYWORD_MARK), None)
    if mark is not None:
        for token in range(tokens.start, mark):
            yield SemanticToken(syntax.spans[token], NAME_OF_OPERAND)
        tokens = range(mark + 1, tokens.stop)
    for token in tokens:
        if meaning is not None and "\n" not in syntax.words[token]:
            yield SemanticToken(syntax.spans[token], *meaning)


@lru_cache(maxsize=_MOST_REMEMBERED)
def _meanings(isa: Isa, words: tuple[str, ...]) -> tuple[Meaning | None, ...]:
    """What the mnemonic and each operand of an instruction are; None for what is wrong."""
    instruction = resolver_for(isa).instruction(words)
    mnemonic = None
    if instruction.spec is not None:
        more = (DEPRECATED,) if instruction.spec.deprecated else ()
        mnemonic = (MNEMONIC, (instruction.spec.slot, *more))
    return (mnemonic, *(_meaning(isa, instruction, place) for place in range(len(words) - 1)))


def _meaning(isa: Isa, instruction: Instruction, place: int) -> Meaning | None:
    """What a written operand is, and of which file if it is a register."""
    operand = instruction.operands[place] if place < len(instruction.operands) else None
    value = instruction.values[place] if place < len(instruction.values) else None
    text = instruction.words[place + 1].rpartition(KEYWORD_MARK)[2]
    if isinstance(value, str):
        return LABEL, ()
    register = text.lower() if text not in isa.file_of_register else text
    if operand is not None and value is not None:
        register = operand.type.format(value)
    file = isa.file_of_register.get(register)
    if file is not None:
        return REGISTER, (file.name,)
    if number_value(text) is not None:
        return NUMBER, ()
    return None if value is None else (KEYWORD, ())

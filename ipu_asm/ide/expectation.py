"""What may be written at a cursor: a mnemonic, or an operand of a certain instruction.

It looks at tokens only, back to the last separator, so it does not matter whether the bundle around
the cursor makes sense yet.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple, Sequence

from ipu_asm.ide.place import comment_around
from ipu_asm.instruction import Instruction
from ipu_asm.isa.model import Isa
from ipu_asm.program import Program
from ipu_asm.resolve import resolver_for
from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.text import Span

_BOUNDARIES = ("SEPARATOR", "END", "COLON")
_SIGNS = ("+", "-")
_BRACKETS = ("[", "]")


class Expectation(NamedTuple):
    """What may be written at a cursor.

    `span` is the word that the cursor is in or behind, empty if there is none, and `typed` the part
    of it before the cursor. `mnemonic` is empty where an instruction begins; else `written` are the
    operands in front of the one at the cursor, and `begun` is what of that one stands in front of
    the word, such as a keyword. `others` are the bundle's other instructions, `is_followed` tells
    whether operands follow the word on its line.
    """

    bundle: int
    span: Span
    typed: str
    mnemonic: str
    written: tuple[str, ...]
    begun: str
    others: tuple[Instruction, ...]
    is_followed: bool

    def address_in(self, program: Program) -> int:
        """The address of the instruction that is being written."""
        return program.addresses[self.bundle]


def expectation_at(program: Program, offset: int) -> Expectation | None:
    """What may be written at an offset; None in comments and where a label is defined.

    Behind the last bundle's end mark a new bundle begins: its number is that of no bundle yet.
    """
    number = program.bundle_at(offset)
    start = program.starts[number]
    offset = min(max(offset, start), program.starts[-1])
    if comment_around(program, number, offset):
        return None
    syntax = program.bundles[number].syntax
    word = _word_at(syntax, offset - start)
    if word.stop > word.start and _kind(syntax, word.stop) == "COLON":
        return None
    first = _first_of_instruction(syntax, word.start)
    before = [token for token in range(first, word.start) if _kind(syntax, token) != "STRAY"]
    others: tuple[Instruction, ...] = ()
    if first and _kind(syntax, first - 1) == "END":
        number = len(program.bundles)
    else:
        others = _others(program, number, before[0] if before else word.start, word)
    span = syntax.span_of(word.start, word.stop).shifted(start) if word else Span(offset, offset)
    texts = [syntax.words[token] for token in before]
    written, begun = _operands(program.isa, texts[1:])
    typed = program.text[span.start : offset]
    mnemonic = texts[0] if texts else ""
    is_followed = _is_followed(syntax, word.stop)
    return Expectation(number, span, typed, mnemonic, written, begun, others, is_followed)


def _kind(syntax: BundleSyntax, token: int) -> str:
    return syntax.tokens[token].kind if token < len(syntax.tokens) else "END"


def _word_at(syntax: BundleSyntax, offset: int) -> range:
    """The tokens of the word that the cursor is in or right behind.

    If there is none, no tokens, and these begin with the first one behind the cursor. Tokens that
    brackets join to each other are one word.
    """
    stop = bisect_left(syntax.spans, (offset, -1))
    if not stop or syntax.spans[stop - 1].end < offset or not _is_wordlike(syntax, stop - 1):
        return range(stop, stop)
    start = stop - 1
    while start and _are_joined(syntax, start - 1):
        start -= 1
    while stop < len(syntax.spans) and _are_joined(syntax, stop - 1):
        stop += 1
    return range(start, stop)


def _is_wordlike(syntax: BundleSyntax, token: int) -> bool:
    """Whether it is a word or the begin of one."""
    text = syntax.words[token]
    if _kind(syntax, token) == "STRAY":
        return text in _SIGNS
    return text[-1].isalnum() or text[-1] in "_." or text in _BRACKETS


def _are_joined(syntax: BundleSyntax, token: int) -> bool:
    """Whether a token and the one behind it touch and a bracket makes them one."""
    touching = syntax.spans[token].end == syntax.spans[token + 1].start
    return touching and (syntax.words[token] == "[" or syntax.words[token + 1] in _BRACKETS)


def _first_of_instruction(syntax: BundleSyntax, until: int) -> int:
    first = until
    while first and _kind(syntax, first - 1) not in _BOUNDARIES:
        first -= 1
    return first


def _operands(isa: Isa, texts: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """The complete operands among the texts behind a mnemonic, and the begin of the next."""
    separator = isa.surface.operand_separator.strip()
    if not separator:
        return tuple(texts), ""
    operands = [""]
    for text in texts:
        if text == separator:
            operands.append("")
        else:
            operands[-1] += text
    return tuple(operands[:-1]), operands[-1]


def _others(program: Program, number: int, mnemonic: int, word: range) -> tuple[Instruction, ...]:
    """The instructions of a bundle without the one whose mnemonic is that token, if any is.

    As long as its separator is missing, that one seems to have the next instruction among its
    operands: a mnemonic behind the word at the cursor counts as an instruction.
    """
    bundle, isa = program.bundles[number], program.isa
    others: list[Instruction] = []
    for plan, instruction in zip(bundle.syntax.plan.instructions, bundle.instructions):
        if plan.mnemonic != mnemonic or mnemonic >= word.stop:
            others.append(instruction)
            continue
        behind = bundle.syntax.words[word.stop : plan.end]
        swallowed = next((at for at, text in enumerate(behind) if isa.spec(text)), None)
        if swallowed is not None and isa.surface.separator:
            others.append(resolver_for(isa).instruction(behind[swallowed:]))
    return tuple(others)


def _is_followed(syntax: BundleSyntax, stop: int) -> bool:
    if not 0 < stop < len(syntax.spans) or _kind(syntax, stop) in _BOUNDARIES:
        return False
    between = syntax.text[syntax.spans[stop - 1].end : syntax.spans[stop].start]
    return "\n" not in between

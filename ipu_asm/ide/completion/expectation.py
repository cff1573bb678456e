"""What may be written at a cursor: a mnemonic, or an operand of a certain instruction.

It looks at tokens only, back to the last separator, so it does not matter whether the bundle around
the cursor makes sense yet.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from typing import NamedTuple

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.bundle.instruction import Instruction
from ipu_asm.bundle.resolve import resolver_for
from ipu_asm.ide.place import comment_around
from ipu_asm.isa.model import Isa
from ipu_asm.program.program import Program
from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.syntax.grammar import Grammar
from ipu_asm.text import Span

_BOUNDARIES = ("SEPARATOR", "END", "LBRACE", "RBRACE")
# With these a word may begin that is not one yet.
_SIGNS = ("+", "-", "$")
_BRACKETS = ("[", "]")
_DEEPER = {"[": 1, "(": 1, "]": -1, ")": -1}


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
    """What may be written at an offset; None in comments, directives and where labels are defined.

    Behind the last bundle's end mark a new bundle begins: its number is that of no bundle yet.
    """
    number = program.bundle_at(offset)
    start = program.starts[number]
    offset = min(max(offset, start), program.starts[-1])
    if comment_around(program, number, offset):
        return None
    syntax = program.bundles[number].syntax
    roles = _roles(program.isa, program.bundles[number])
    word = _word_at(syntax, roles, offset - start)
    if _is_label(syntax, roles, word) or _is_directive(syntax, word):
        return None
    first = _first_of_instruction(roles, word.start)
    before = [token for token in range(first, word.start) if _kind(syntax, token) != "STRAY"]
    others: tuple[Instruction, ...] = ()
    if first and _kind(syntax, first - 1) == "END" and not _is_inside(syntax, first - 1):
        number = len(program.bundles)
    else:
        others = _others(program, number, before[0] if before else word.start, word)
    span = syntax.span_of(word.start, word.stop).shifted(start) if word else Span(offset, offset)
    written, begun = _operands(program.isa, syntax, roles, before[1:])
    typed = program.text[span.start : offset]
    mnemonic = syntax.words[before[0]] if before else ""
    is_followed = _is_followed(syntax, word.stop)
    return Expectation(number, span, typed, mnemonic, written, begun, others, is_followed)


class _Roles(NamedTuple):
    """What each token of a slice is: whether an instruction may begin behind it, and whether it
    stands in the index of a word, as `[0]` in `AB[0]`. Other brackets are around an operand.
    """

    is_boundary: list[bool]
    is_in_index: list[bool]


@cached_on_bundle
def _roles(isa: Isa, bundle: Bundle) -> _Roles:
    """The roles of all tokens of a slice, in one pass over them."""
    syntax, roles = bundle.syntax, _Roles([], [])
    labels_end = _labels_end(syntax)
    is_in_index = False
    for token, (word, span) in enumerate(zip(syntax.words, syntax.spans)):
        kind = _kind(syntax, token)
        is_boundary = kind in _BOUNDARIES or (kind == "COLON" and token < labels_end)
        if word == "[":
            before = syntax.words[token - 1] if token else ""
            is_touching = token > 0 and syntax.spans[token - 1].end == span.start
            is_in_index = is_touching and before[-1:].isalnum()
        elif is_boundary:
            is_in_index = False
        roles.is_boundary.append(is_boundary)
        roles.is_in_index.append(is_in_index)
    return roles


def _labels_end(syntax: BundleSyntax) -> int:
    """The token up to which colons end labels: behind it they may stand in operands."""
    if not _has_colons_in_operands(syntax.grammar):
        return len(syntax.spans)
    end = 0
    while _kind(syntax, end) == "WORD" and _kind(syntax, end + 1) == "COLON":
        end += 2
    return end


def _kind(syntax: BundleSyntax, token: int) -> str:
    return syntax.tokens[token].kind if token < len(syntax.tokens) else "END"


def _is_label(syntax: BundleSyntax, roles: _Roles, word: range) -> bool:
    """Whether a word is the name of a label."""
    return bool(word) and _kind(syntax, word.stop) == "COLON" and roles.is_boundary[word.stop]


def _is_directive(syntax: BundleSyntax, word: range) -> bool:
    """Whether a word stands in a directive, or is the first of one."""
    plan = syntax.plan
    at = word.start
    if 0 <= plan.directive <= at:
        return bool(word) or at < len(syntax.tokens) or _kind(syntax, at - 1) != "END"
    return any(first <= at < last for first, last in plan.inner)


def _is_inside(syntax: BundleSyntax, token: int) -> bool:
    """Whether a token stands inside the braces of a bundle."""
    braces = syntax.plan.braces
    return braces is not None and braces[0] < token <= braces[1]


@lru_cache(maxsize=16)
def _has_colons_in_operands(grammar: Grammar) -> bool:
    return grammar.accepts("WORD", "WORD", "COLON", "WORD")


def _word_at(syntax: BundleSyntax, roles: _Roles, offset: int) -> range:
    """The tokens of the word that the cursor is in or right behind.

    If there is none, no tokens, and these begin with the first one behind the cursor. Tokens that
    brackets join to each other are one word.
    """
    stop = bisect_left(syntax.spans, (offset, -1))
    if not stop or syntax.spans[stop - 1].end < offset:
        return range(stop, stop)
    if not _is_wordlike(syntax, roles, stop - 1):
        return range(stop, stop)
    start = stop - 1
    while start and _are_joined(syntax, roles, start - 1):
        start -= 1
    while stop < len(syntax.spans) and _are_joined(syntax, roles, stop - 1):
        stop += 1
    return range(start, stop)


def _is_wordlike(syntax: BundleSyntax, roles: _Roles, token: int) -> bool:
    """Whether it is a word or the begin of one."""
    text = syntax.words[token]
    if _kind(syntax, token) == "STRAY":
        return text in _SIGNS
    if text in _BRACKETS:
        return roles.is_in_index[token]
    is_word = _kind(syntax, token) == "WORD" and text[0] != '"'
    return is_word or text[-1].isalnum() or text[-1] in "_.$"


def _are_joined(syntax: BundleSyntax, roles: _Roles, token: int) -> bool:
    """Whether a token and the one behind it touch and a bracket makes them one."""
    if syntax.spans[token].end != syntax.spans[token + 1].start:
        return False
    return any(
        syntax.words[each] in brackets and roles.is_in_index[each]
        for each, brackets in ((token, "["), (token + 1, "[]"))
    )


def _first_of_instruction(roles: _Roles, until: int) -> int:
    first = until
    while first and not roles.is_boundary[first - 1]:
        first -= 1
    return first


def _operands(
    isa: Isa, syntax: BundleSyntax, roles: _Roles, tokens: list[int]
) -> tuple[tuple[str, ...], str]:
    """The complete operands among the tokens behind a mnemonic, and the begin of the next."""
    separator = isa.surface.operand_separator.strip()
    texts = [syntax.words[token] for token in tokens]
    if not separator:
        return tuple(texts), ""
    operands: list[list[str]] = [[]]
    depth = 0
    for token, text in zip(tokens, texts):
        if text in _DEEPER and not roles.is_in_index[token]:
            depth = max(depth + _DEEPER[text], 0)
        if text == separator and not depth:
            operands.append([])
        else:
            operands[-1].append(text)
    *complete, begun = map("".join, operands)
    return tuple(complete), begun


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

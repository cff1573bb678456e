"""Syntactic context of a cursor: a mnemonic, or an operand of a certain instruction.

Only the tokens back to the last separator are used, so an incomplete bundle around the cursor does
no harm.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Sequence

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.bundle.operand_matching import Instruction
from ipu_asm.bundle.parser import parser_for
from ipu_asm.bundle.slot_assignment import leaves_room
from ipu_asm.ide.syntax_element import comment_at
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.text import Span

_BOUNDARIES = ("SEPARATOR", "END", "LBRACE", "RBRACE")
# Stray characters with which a word may begin.
_SIGNS = ("+", "-", "$")
_BRACKETS = ("[", "]")
_DEEPER = {"[": 1, "(": 1, "]": -1, ")": -1}


class CompletionContext(NamedTuple):
    """What can be written at a cursor.

    `span` is the word at or directly before the cursor, empty if there is none, and `typed` its
    part before the cursor. `mnemonic` is empty at the start of an instruction. Otherwise
    `complete_operands` are the operands before the one at the cursor, and `operand_prefix` is the
    part of this one before the word, such as a keyword. `before` are the bundle's instructions
    before the cursor, `after` those that follow up to its end or a label, and `mark` is the
    separator between: without one they may be another bundle. `is_followed` is true if operands
    follow the word on its line.
    """

    bundle: int
    span: Span
    typed: str
    mnemonic: str
    complete_operands: tuple[str, ...]
    operand_prefix: str
    before: tuple[Instruction, ...]
    after: tuple[Instruction, ...]
    mark: Span | None
    is_followed: bool

    @property
    def beside(self) -> tuple[Instruction, ...]:
        """The instructions that are surely in the same bundle."""
        return (*self.before, *self.after) if self.mark else self.before

    def address_in(self, program: Program) -> int:
        """Return the address of the instruction at the cursor."""
        return program.addresses[self.bundle]


def completion_context_at(program: Program, offset: int) -> CompletionContext | None:
    """Return what can be written at an offset; None in comments, directives and label definitions.

    After the end mark of the last bundle a new one begins: its number is the number of bundles.
    """
    number = program.bundle_at(offset)
    start = program.starts[number]
    offset = min(max(offset, start), program.starts[-1])
    if comment_at(program, number, offset):
        return None
    syntax = program.bundles[number].syntax
    roles = _roles(program.isa, program.bundles[number])
    word = _word_at(syntax, roles, offset - start)
    if _is_label(syntax, roles, word) or _is_directive(syntax, word):
        return None
    first = _first_of_instruction(roles, word.start)
    tokens = [token for token in range(first, word.start) if _kind(syntax, token) != "STRAY"]
    before: tuple[Instruction, ...] = ()
    after: tuple[Instruction, ...] = ()
    mark: Span | None = None
    if first and _kind(syntax, first - 1) == "END" and not _is_inside(syntax, first - 1):
        number = len(program.bundles)
    else:
        own = range(first, word.stop)
        before, after = _neighbours(program.bundles[number], roles, own)
        mark = _separator_after(syntax, roles, own) if after else None
    span = syntax.span_of(word.start, word.stop).shifted(start) if word else Span(offset, offset)
    written, begun = _operands(program.isa, syntax, roles, tokens[1:])
    typed = program.text[span.start : offset]
    mnemonic = syntax.words[tokens[0]] if tokens else ""
    is_followed = _is_followed(syntax, word.stop)
    mark = mark.shifted(start) if mark else None
    return CompletionContext(
        number, span, typed, mnemonic, written, begun, before, after, mark, is_followed
    )


class _Roles(NamedTuple):
    """The syntactic roles of the tokens of a slice, by token number.

    `is_boundary`: an instruction may begin after the token. `is_in_index`: the token is in the
    index of a word, such as `[0]` in `AB[0]`; other brackets enclose an operand.
    """

    is_boundary: list[bool]
    is_in_index: list[bool]


@cached_on_bundle
def _roles(isa: Isa, bundle: Bundle) -> _Roles:
    """Return the roles of all tokens of a slice, computed in one pass."""
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
    """Return the first token after the labels, where a colon can be part of an operand.

    Returns the number of tokens if the grammar has no colons in operands.
    """
    if not syntax.grammar.accepts("WORD", "WORD", "COLON", "WORD"):
        return len(syntax.spans)
    end = 0
    while _kind(syntax, end) == "WORD" and _kind(syntax, end + 1) == "COLON":
        end += 2
    return end


def _kind(syntax: BundleSyntax, token: int) -> str:
    return syntax.tokens[token].kind if token < len(syntax.tokens) else "END"


def _is_label(syntax: BundleSyntax, roles: _Roles, word: range) -> bool:
    """Check whether a word is the name of a label definition."""
    return bool(word) and _kind(syntax, word.stop) == "COLON" and roles.is_boundary[word.stop]


def _is_directive(syntax: BundleSyntax, word: range) -> bool:
    """Check whether a word is in a directive, its first word included."""
    plan = syntax.plan
    at = word.start
    if 0 <= plan.directive <= at:
        return bool(word) or at < len(syntax.tokens) or _kind(syntax, at - 1) != "END"
    return any(first <= at < last for first, last in plan.inner_directives)


def _is_inside(syntax: BundleSyntax, token: int) -> bool:
    """Check whether a token is inside the braces of a bundle."""
    braces = syntax.plan.braces
    return braces is not None and braces[0] < token <= braces[1]


def _word_at(syntax: BundleSyntax, roles: _Roles, offset: int) -> range:
    """Return the tokens of the word at or directly before the cursor.

    If there is none, the range is empty and starts at the first token after the cursor. A word
    with an index is one word, though its brackets are tokens of their own.
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
    """Check whether a token is a word or can begin one."""
    text = syntax.words[token]
    if _kind(syntax, token) == "STRAY":
        return text in _SIGNS
    if text in _BRACKETS:
        return roles.is_in_index[token]
    is_word = _kind(syntax, token) == "WORD" and text[0] != '"'
    return is_word or text[-1].isalnum() or text[-1] in "_.$"


def _are_joined(syntax: BundleSyntax, roles: _Roles, token: int) -> bool:
    """Check whether a token and the next one touch and belong to the same indexed word."""
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
    """Return the complete operands in the tokens after a mnemonic, and the start of the next."""
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


def _neighbours(
    bundle: Bundle, roles: _Roles, own: range
) -> tuple[tuple[Instruction, ...], tuple[Instruction, ...]]:
    """Return a bundle's instructions before the tokens `own`, and those after them.

    The bundle begins after the last label before them, and ends at the next one.
    """
    syntax = bundle.syntax
    labels = [
        token
        for token, is_boundary in enumerate(roles.is_boundary)
        if is_boundary and _kind(syntax, token) == "COLON"
    ]
    begin = max((token for token in labels if token < own.start), default=-1)
    end = min((token for token in labels if token >= own.stop), default=len(syntax.words))
    written = [
        (plan.mnemonic, instruction)
        for plan, instruction in zip(syntax.plan.instructions, bundle.instructions)
    ]
    return (
        tuple(instruction for at, instruction in written if begin < at < own.start),
        tuple(instruction for at, instruction in written if own.stop <= at < end),
    )


def _separator_after(syntax: BundleSyntax, roles: _Roles, own: range) -> Span | None:
    """Return the separator that ends the instruction of the tokens `own`; None if there is none.

    A mnemonic on a later line begins another instruction: the separator after that is its own.
    """
    later = next(plan.mnemonic for plan in syntax.plan.instructions if plan.mnemonic >= own.stop)
    at = next((at for at in range(own.stop, later) if roles.is_boundary[at]), later)
    return syntax.spans[at] if at < later else None


def _is_followed(syntax: BundleSyntax, stop: int) -> bool:
    if not 0 < stop < len(syntax.spans) or _kind(syntax, stop) in _BOUNDARIES:
        return False
    between = syntax.text[syntax.spans[stop - 1].end : syntax.spans[stop].start]
    return "\n" not in between


def free_slots(isa: Isa, instructions: Sequence[Instruction]) -> dict[str, int]:
    """Return the slots that can hold more instructions, in order, with how many more.

    If slots compete for execution units, a slot is free if one more instruction fits in it,
    possibly after moving the others to other slots; the count is then 1.
    """
    if any(slot.units for slot in isa.slots):
        parser = parser_for(isa)
        whole = [parser.instruction(instruction.words) for instruction in instructions]
        return {slot.name: 1 for slot in isa.slots if leaves_room(isa, whole, slot)}
    named = [instruction.spec.slot for instruction in instructions if instruction.spec is not None]
    free = {slot.name: slot.capacity - named.count(slot.name) for slot in isa.slots}
    return {name: count for name, count in free.items() if count > 0}

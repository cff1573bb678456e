"""What stands at an offset of a program: the question that most features begin with.

A place costs the tokens of one bundle, whatever the length of the program.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import NamedTuple

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.ide.comments import comments_between, is_block
from ipu_asm.program.labels import Reference
from ipu_asm.program.program import Program
from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.text import Span


class Mnemonic(NamedTuple):
    """The name of instruction number `instruction` of a bundle."""

    bundle: int
    span: Span
    instruction: int


class OperandAt(NamedTuple):
    """The written operand number `operand` of an instruction."""

    bundle: int
    span: Span
    instruction: int
    operand: int


class LabelDefinition(NamedTuple):
    """The name of a label where it is defined; the span does not include the colon."""

    bundle: int
    span: Span
    name: str


class BundleEnd(NamedTuple):
    """The mark that ends a bundle."""

    bundle: int
    span: Span


class Comment(NamedTuple):
    """A comment, with its mark and without the line break."""

    bundle: int
    span: Span


class Blank(NamedTuple):
    """Nothing, or a token that has no meaning of its own: a separator, a colon, a stray sign."""

    bundle: int
    span: Span


Place = Mnemonic | OperandAt | LabelDefinition | BundleEnd | Comment | Blank


def place_at(program: Program, offset: int) -> Place:
    """What stands at an offset. Between two neighbours a name wins, then the one that begins there.

    An offset outside the text counts as its nearest end.
    """
    number = program.bundle_at(offset)
    bundle, start = program.bundles[number], program.starts[number]
    offset = min(max(offset, start), program.starts[-1])
    places = [
        _place_of_token(bundle, number, token, start)
        for token in _tokens_touching(bundle.syntax, offset - start)
    ]
    comment = comment_around(program, number, offset)
    if comment:
        return Comment(number, comment)
    places.sort(key=lambda place: isinstance(place, Blank | BundleEnd))
    return places[0] if places else Blank(number, Span(offset, offset))


def reference_at(program: Program, place: OperandAt) -> Reference | None:
    """The reference that an operand is; None for operands that are no labels."""
    for reference in program.references_of(place.bundle):
        use = reference.use
        if (use.instruction, use.operand) == (place.instruction, place.operand):
            return reference
    return None


def has_value(bundle: Bundle, instruction: int, operand: int) -> bool:
    """Whether a written operand is what it should be: a number, a keyword or a register.

    Such a one names no label, even where one is spelt like it.
    """
    values = bundle.instructions[instruction].values
    return operand < len(values) and isinstance(values[operand], int)


def end_of_bundle(program: Program, bundle: int) -> int:
    """The offset behind the last token of a bundle that has any, without a line break it may be."""
    start = program.starts[bundle]
    end = program.span(bundle, program.bundles[bundle].syntax.spans[-1]).end
    return start + len(program.text[start:end].rstrip())


def comment_around(program: Program, bundle: int, offset: int) -> Span | None:
    """The comment in which a cursor at `offset` stands: behind the start of its mark."""
    start = program.starts[bundle]
    syntax = program.bundles[bundle].syntax
    following = bisect_left(syntax.spans, (offset - start, -1))
    gap_start = syntax.spans[following - 1].end if following else 0
    gap_end = syntax.spans[following].start if following < len(syntax.spans) else len(syntax.text)
    if offset < start + gap_start:
        return None
    gap = Span(gap_start, gap_end)
    for comment in comments_between(syntax, *gap):
        behind = is_block(program.isa, syntax.text[comment.start : comment.end])
        if comment.start < offset - start <= comment.end - behind:
            return comment.shifted(start)
    return None


def _tokens_touching(syntax: BundleSyntax, offset: int) -> list[int]:
    """The tokens that hold or touch an offset, the one that ends there last."""
    last = bisect_right(syntax.spans, (offset, len(syntax.text) + 1)) - 1
    return [
        token for token in (last, last - 1) if token >= 0 and syntax.spans[token].touches(offset)
    ]


def _place_of_token(bundle: Bundle, number: int, token: int, start: int) -> Place:
    syntax = bundle.syntax
    span = syntax.spans[token].shifted(start)
    plan = syntax.plan
    if token == plan.label or token in plan.more_labels:
        return LabelDefinition(number, span, syntax.words[token])
    instruction = bisect_right(plan.instructions, token, key=lambda entry: entry.mnemonic) - 1
    if instruction >= 0:
        entry = plan.instructions[instruction]
        if token == entry.mnemonic:
            return Mnemonic(number, span, instruction)
        operand = bisect_right(entry.operands, token, key=lambda tokens: tokens[0]) - 1
        if operand >= 0 and token < entry.operands[operand][1]:
            whole = syntax.operand_span(instruction, operand).shifted(start)
            return OperandAt(number, whole, instruction, operand)
    if syntax.tokens[token].kind == "END":
        return BundleEnd(number, span)
    return Blank(number, span)

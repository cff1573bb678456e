"""Syntax element at an offset of a program; the first step of most editor features.

The cost is proportional to the tokens of one bundle, not to the length of the program.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Final

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.bundle.bundle import Bundle
from ipu_asm.isa.model import InstructionSpec
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program, Reference
from ipu_asm.reports.markdown import inline_code
from ipu_asm.syntax.bundle import BundleSyntax, comments_between, is_block_comment
from ipu_asm.text import Span

_MARK: Final = "."


class Mnemonic(NamedTuple):
    """The mnemonic of instruction number `instruction` of a bundle."""

    bundle: int
    span: Span
    instruction: int


class OperandAt(NamedTuple):
    """An operand as written: number `operand` of instruction number `instruction`."""

    bundle: int
    span: Span
    instruction: int
    operand: int


class LabelDefinition(NamedTuple):
    """The name of a label at its definition; the span does not include the colon."""

    bundle: int
    span: Span
    name: str


class BundleEnd(NamedTuple):
    """The end mark of a bundle."""

    bundle: int
    span: Span


class Comment(NamedTuple):
    """A comment with its delimiters, without the line break."""

    bundle: int
    span: Span


class Blank(NamedTuple):
    """Blank space, or a token without a meaning of its own, such as a separator or a colon."""

    bundle: int
    span: Span


SyntaxElement = Mnemonic | OperandAt | LabelDefinition | BundleEnd | Comment | Blank


def element_at(program: Program, offset: int) -> SyntaxElement:
    """Return the syntax element at an offset.

    Between two adjacent elements, a name is preferred to a mark or blank space, then the element
    that starts at the offset. An offset outside the text is clamped to it.
    """
    number = program.bundle_at(offset)
    bundle, start = program.bundles[number], program.starts[number]
    offset = min(max(offset, start), program.starts[-1])
    places = [
        _place_of_token(bundle, number, token, start)
        for token in _tokens_touching(bundle.syntax, offset - start)
    ]
    comment = comment_at(program, number, offset)
    if comment:
        return Comment(number, comment)
    places.sort(key=lambda place: isinstance(place, Blank | BundleEnd))
    return places[0] if places else Blank(number, Span(offset, offset))


def instruction_at(analysis: Analysis, offset: int) -> InstructionSpec | None:
    """Return the instruction whose mnemonic or operand is at an offset.

    Returns None for any other syntax element and for an unknown mnemonic.
    """
    place = element_at(analysis.program, offset)
    if not isinstance(place, Mnemonic | OperandAt):
        return None
    return analysis.program.bundles[place.bundle].instructions[place.instruction].spec


def reference_at(program: Program, place: OperandAt) -> Reference | None:
    """Return the reference that an operand is; None if the operand is no label."""
    for reference in program.references_of(place.bundle):
        use = reference.use
        if (use.instruction, use.operand) == (place.instruction, place.operand):
            return reference
    return None


def is_valid_value(bundle: Bundle, instruction: int, operand: int) -> bool:
    """Check whether an operand is a valid number, keyword or register.

    Such an operand does not refer to a label, even if one has the same name.
    """
    values = bundle.instructions[instruction].values
    return operand < len(values) and isinstance(values[operand], int)


def end_of_bundle(program: Program, bundle: int) -> int:
    """Return the end offset of a bundle's last token, without a line break in it.

    The bundle must have a token.
    """
    start = program.starts[bundle]
    end = program.span(bundle, program.bundles[bundle].syntax.spans[-1]).end
    return start + len(program.text[start:end].rstrip())


def comment_at(program: Program, bundle: int, offset: int) -> Span | None:
    """Return the comment that contains a cursor at `offset`, if any.

    A cursor directly before a comment is not in it, nor is one after a block comment.
    """
    start = program.starts[bundle]
    syntax = program.bundles[bundle].syntax
    following = bisect_left(syntax.spans, (offset - start, -1))
    gap_start = syntax.spans[following - 1].end if following else 0
    gap_end = syntax.spans[following].start if following < len(syntax.spans) else len(syntax.text)
    if offset < start + gap_start:
        return None
    gap = Span(gap_start, gap_end)
    for comment in comments_between(syntax, *gap):
        after = is_block_comment(program.isa.surface, syntax.text[comment.start : comment.end])
        if comment.start < offset - start <= comment.end - after:
            return comment.shifted(start)
    return None


def _tokens_touching(syntax: BundleSyntax, offset: int) -> list[int]:
    """Return the tokens that contain or touch an offset; the one that ends there comes last."""
    last = bisect_right(syntax.spans, (offset, len(syntax.text) + 1)) - 1
    return [
        token for token in (last, last - 1) if token >= 0 and syntax.spans[token].touches(offset)
    ]


def _place_of_token(bundle: Bundle, number: int, token: int, start: int) -> SyntaxElement:
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


def directive_at(program: Program, offset: int) -> Span | None:
    """Return the span of a directive's name at an offset; None for preprocessor lines."""
    number = program.bundle_at(offset)
    syntax, start = program.bundles[number].syntax, program.starts[number]
    plan = syntax.plan
    for token in (plan.directive, *(first for first, _ in plan.inner_directives)):
        if token >= 0 and syntax.words[token].startswith(_MARK):
            span = syntax.spans[token].shifted(start)
            if span.touches(offset):
                return span
    return None


def directive_markdown(program: Program, word: str) -> str | None:
    """Return the Markdown page of a directive; None if the instruction set does not document it."""
    text = program.isa.surface.directives.get(word)
    return f"**{inline_code(word)}** · directive\n\n{text}" if text else None

"""The syntax of one bundle: its tokens, and which of them are labels, mnemonics and operands."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from itertools import starmap
from typing import Iterator

from ipu_asm.diagnostics import SYNTAX_ERROR, Diagnostic
from ipu_asm.isa.surface import Surface
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.syntax.grammar import Grammar
from ipu_asm.syntax.plan import MAX_TOKENS, Plan, plan_of
from ipu_asm.text import Span, TextEdit


class SyntaxToken(NamedTuple):
    """A token of a bundle: the name of its terminal, its text, and its span in the bundle."""

    kind: str
    text: str
    span: Span


class Tokenization(NamedTuple):
    """The spans of the tokens of a bundle, and their kinds, a letter each."""

    spans: tuple[Span, ...]
    shape: str


class BundleSyntax:
    """The syntax of one bundle slice. All offsets count from the start of the slice.

    It depends on the text alone: slices with the same text share it, and it is never changed.
    """

    # A dictionary for each would be a tenth of the memory of a long text.
    __slots__ = (
        "_directives", "_first_tokens", "_given", "_spans", "_tokens",
        "grammar", "plan", "text", "words",
    )  # fmt: skip

    def __init__(
        self,
        grammar: Grammar,
        text: str,
        tokenization: Tokenization | None = None,
        plan: Plan | None = None,
    ) -> None:
        """By default the tokens, and then the plan, are those of the grammar."""
        self.grammar = grammar
        self.text = text
        self._given = tokenization
        if tokenization is None:
            self.words = grammar.words(text)
        else:
            self.words = tuple(text[start:end] for start, end in tokenization.spans)
        self.plan: Plan = plan or plan_of(grammar, self._beginning)
        # What few ask for is computed at the first use.
        self._spans: tuple[Span, ...] | None = None
        self._tokens: tuple[SyntaxToken, ...] | None = None
        self._directives: list[tuple[str, ...]] | None = None
        self._first_tokens: dict[str, int] | None = None

    def with_plan(self, plan: Plan) -> BundleSyntax:
        """The same tokens with another plan."""
        return BundleSyntax(self.grammar, self.text, self._given, plan)

    @property
    def _beginning(self) -> str:
        """The kinds of the tokens that a plan is made from."""
        if self._given is not None:
            return self._given.shape[: MAX_TOKENS + 1]
        return self.grammar.shape(self.words[: MAX_TOKENS + 1])

    @property
    def is_grouped(self) -> bool:
        """Whether foreign constructs are one token each: see `foreign_tokens`."""
        return self._given is not None

    @property
    def shape(self) -> str:
        """The kinds of all tokens, a letter each."""
        return self.grammar.shape(self.words) if self._given is None else self._given.shape

    @property
    def spans(self) -> tuple[Span, ...]:
        if self._given is not None:
            return self._given.spans
        if self._spans is None:
            self._spans = tuple(starmap(Span, self.grammar.spans(self.text)))
        return self._spans

    @property
    def tokens(self) -> tuple[SyntaxToken, ...]:
        """All tokens; text that fits no terminal has the kind STRAY."""
        if self._tokens is None:
            kinds = map(self.grammar.terminal, self.shape)
            self._tokens = tuple(map(SyntaxToken, kinds, self.words, self.spans))
        return self._tokens

    @property
    def label(self) -> str | None:
        """The label before the first instruction."""
        return self.words[self.plan.label] if self.plan.label >= 0 else None

    @property
    def labels(self) -> list[tuple[str, int]]:
        """All labels with the numbers of their tokens, in order; a name may occur twice."""
        tokens = (self.plan.label, *self.plan.more_labels) if self.plan.label >= 0 else ()
        return [(self.words[token], token) for token in tokens]

    def label_span(self, name: str) -> Span:
        """The span of the first definition of a label."""
        if self._first_tokens is None:
            self._first_tokens = dict(reversed(self.labels))
        token = self._first_tokens[name]
        return self.span_of(token, token + 1)

    def label_spans(self, name: str) -> list[Span]:
        """The spans of all definitions of a label."""
        return [self.span_of(token, token + 1) for label, token in self.labels if label == name]

    @property
    def directive(self) -> str | None:
        """The first word of the directive; None for a bundle that is none."""
        return self.words[self.plan.directive] if self.plan.directive >= 0 else None

    @property
    def directives(self) -> list[tuple[str, ...]]:
        """The words of the directive, or of each directive inside a bundle."""
        if self._directives is None:
            self._directives = self._words_of_directives()
        return self._directives

    def _words_of_directives(self) -> list[tuple[str, ...]]:
        if self.plan.directive >= 0:
            words = self.words[self.plan.directive :]
            ends = self.grammar.shape(words[-1:]) == self.grammar.kind_letter("END")
            return [words[:-1] if ends else words]
        return [self.words[first:last] for first, last in self.plan.inner_directives]

    def span_of(self, first: int, last: int) -> Span:
        """The span of the tokens ``first..last-1``; beyond the last token, the end of the text."""
        if not self.spans:
            return Span(len(self.text), len(self.text))
        first = min(first, len(self.spans) - 1)
        return Span(self.spans[first].start, self.spans[max(first, last - 1)].end)

    def mnemonic_span(self, instruction: int) -> Span:
        token = self.plan.instructions[instruction].mnemonic
        return self.span_of(token, token + 1)

    def operand_span(self, instruction: int, operand: int) -> Span:
        return self.span_of(*self.plan.instructions[instruction].operands[operand])

    def part_span(self, instruction: int, operand: int, start: int, stop: int) -> Span:
        """The span of a part of an operand; `start` and `stop` do not count blanks."""
        first, last = self.plan.instructions[instruction].operands[operand]
        begin, end = self.spans[first].start, self.spans[last - 1].end
        passed = 0
        for span in self.spans[first:last]:
            length = span.end - span.start
            if passed <= start < passed + length:
                begin = span.start + start - passed
            if passed < stop <= passed + length:
                end = span.start + stop - passed
            passed += length
        return Span(begin, end)

    def instruction_span(self, instruction: int) -> Span:
        """From the mnemonic to the last operand."""
        plan = self.plan.instructions[instruction]
        return self.span_of(plan.mnemonic, plan.end)

    def instruction_words(self, instruction: int) -> tuple[str, ...]:
        """The mnemonic and the operands of an instruction, each without blanks inside.

        A blank stays only between two tokens that would be one word without it.
        """
        plan = self.plan.instructions[instruction]
        if plan.single_token_operands:
            return self.words[plan.mnemonic : plan.end]
        operands = (_joined(self.words[first:last]) for first, last in plan.operands)
        return (self.words[plan.mnemonic], *operands)

    def has_finding_at(self, token: int) -> bool:
        return any(finding.token == token for finding in self.plan.findings)

    def has_finding_in(self, instruction: int, operand: int) -> bool:
        """Whether there is a finding at a token of an operand; -1 is the mnemonic."""
        if operand < 0:
            return False
        first, last = self.plan.instructions[instruction].operands[operand]
        return any(first <= finding.token < last for finding in self.plan.findings)

    def removal(self, start: int, end: int) -> tuple[TextEdit, ...]:
        """Edits that remove the text between two offsets, except comments."""
        first, last = bisect_left(self.spans, (start, -1)), bisect_left(self.spans, (end, -1))
        tokens = self.spans[first:last]
        gaps = [start, *(offset for span in tokens for offset in span), end]
        if any(self.text[a:b].strip() for a, b in zip(gaps[::2], gaps[1::2])):
            return tuple(TextEdit(span, "") for span in tokens)
        return (TextEdit(Span(start, end), ""),)

    def instruction_removal(self, number: int) -> tuple[TextEdit, ...]:
        """Edits that remove an instruction and its separator; it must not be the only one."""
        own = self.instruction_span(number)
        if number < len(self.plan.instructions) - 1:
            return self.removal(own.start, self.instruction_span(number + 1).start)
        return self.removal(self.instruction_span(number - 1).end, own.end)

    def token_before(self, offset: int) -> int:
        """The number of the last token that begins before `offset`, or -1."""
        return bisect_left(self.spans, (offset, -1)) - 1


def _joined(words: tuple[str, ...]) -> str:
    text = ""
    for word in words:
        text += f" {word}" if text and _would_join(text[-1], word[0]) else word
    return text


def _would_join(last: str, first: str) -> bool:
    """Whether two tokens would be one word without a blank between them."""
    return (last.isalnum() or last in "_.") and (first.isalnum() or first in "_.$\\")


_STRING = r'"(?:[^"\\\r\n]|\\.)*"'


def comments_in(syntax: BundleSyntax) -> Iterator[Span]:
    """Yield the comments of a slice in order, each with its delimiters."""
    text = syntax.text
    if not syntax.grammar.comment.search(text):
        return
    start = 0
    for span in (*syntax.spans, Span(len(text), len(text))):
        yield from comments_between(syntax, start, span.start)
        start = span.end


def comments_between(syntax: BundleSyntax, start: int, end: int) -> Iterator[Span]:
    """Yield the comments between two offsets of a slice that have no token between them."""
    for match in syntax.grammar.comment.finditer(syntax.text, start, end):
        yield Span(*match.span())


def is_block_comment(surface: Surface, text: str) -> bool:
    """Check whether a comment has a closing delimiter, so that code can follow it on its line."""
    return any(
        text.startswith(opening) and text.endswith(closing) and len(text) > len(opening)
        for opening, closing in surface.block_comments
    )


def unclosed_comment(syntax: BundleSyntax, surface: Surface) -> Diagnostic | None:
    """The finding about a block comment without an end, which hides the rest of the text."""
    for opening, closing in surface.block_comments:
        start = _unclosed(syntax, opening, closing) if opening in syntax.text else None
        if start is not None:
            message = f"a comment that begins with `{opening}` ends with `{closing}`, found none"
            return Diagnostic(SYNTAX_ERROR, message, Span(start, start + len(opening)))
    return None


def _unclosed(syntax: BundleSyntax, opening: str, closing: str) -> int | None:
    """Its offset: after the last token, or inside it where that is a preprocessor's line."""
    at = syntax.spans[-1].start if syntax.spans else 0
    for match in _comments_and_strings(syntax.grammar).finditer(syntax.text, at):
        comment = match[0]
        if comment.startswith(opening) and not comment.endswith(closing, len(opening)):
            return match.start()
    return None


@lru_cache(maxsize=16)
def _comments_and_strings(grammar: Grammar) -> re.Pattern[str]:
    return re.compile(f"{_STRING}|{grammar.comment.pattern}")

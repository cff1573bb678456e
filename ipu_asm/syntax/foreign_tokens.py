"""Tokens for constructs of other assemblers, in a bundle that the grammar rejects.

Authors use what other assemblers have: block comments, strings, expressions, directives, names with
a hyphen. Our grammars split such a construct into several tokens and reject each of them. Reading
the bundle again with one token for each construct makes one finding of one mistake.

This is for surfaces whose operands are single words. With commas between operands the grammar finds
the end of each by itself.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Callable, Container, Sequence
from unicodedata import name

from ipu_asm.diagnostics import Applicability, Fix
from ipu_asm.isa.surface import Surface
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.syntax.bundle import BundleSyntax, Tokenization
from ipu_asm.syntax.grammar import STRAY, Grammar
from ipu_asm.syntax.plan import InstructionPlan, Plan, SyntaxFinding, plan_of
from ipu_asm.text import Span, TextEdit

_BLANKS = "\u00a0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2212\ufe63"
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060"
_MAX_LENGTH = 20
_CONFUSABLES = {
    **dict.fromkeys(_BLANKS, " "),
    **dict.fromkeys(_DASHES, "-"),
    **dict.fromkeys(_INVISIBLE, ""),
    "\u037e": ";",
    "\u201a": ",",
    "\ua789": ":",
    # The full-width forms of all that can be typed.
    **{chr(code + 0xFEE0): chr(code) for code in range(0x21, 0x7F)},
}
_MAX_SHOWN = 20
DIRECTIVE = re.compile(r"[.%@`][^\W\d][\w.]*")
# In a name, an operand or an expression: characters that no name and no number has.
_NO_NAME = re.compile(r"[^A-Za-z0-9_.\s([{\"']+|[(\[{\"'].*", re.DOTALL)
Message = tuple[str, Fix | None]


class InstructionContext(NamedTuple):
    """Whether the instruction around a token has a known mnemonic and the right operand count."""

    is_known: bool
    is_whole: bool


NO_INSTRUCTION = InstructionContext(is_known=True, is_whole=False)


class MisplacedToken(NamedTuple):
    """A token that does not fit, with the instruction it belongs to or follows; -1 for none."""

    syntax: BundleSyntax
    surface: Surface
    word: str
    span: Span
    token: int
    instruction: int
    around: InstructionContext
    registers: Container[str]


def culprit(place: MisplacedToken, reason: str = "stray") -> Span:
    """The span of the part of a foreign construct that does not fit; else of the whole token."""
    start, word = place.span.start, place.word
    if not place.syntax.is_grouped:
        return place.span
    if word.startswith(place.surface.separator):
        return Span(start, start + 1)
    directive = DIRECTIVE.match(word)
    if directive:
        return Span(start, start + (directive.end() if reason == "stray" else 1))
    wrong = _NO_NAME.search(word)
    return Span(*wrong.span()).shifted(start) if wrong else place.span


def shown(word: str) -> str:
    """The beginning of a token in backticks; the code points of what does not print."""
    line = word.partition("\n")[0].rstrip("\r")
    cut = line[:_MAX_SHOWN] + ("..." if len(word) > min(len(line), _MAX_SHOWN) else "")
    if line and cut.isprintable():
        return f"`{cut}`"
    return ", ".join(f"U+{ord(character):04X}" for character in word[:3])


def without(place: MisplacedToken, applicability: Applicability) -> Fix:
    """The fix that removes the token."""
    edit = TextEdit(place.span, "")
    return Fix(f"remove {shown(place.word)}", (edit,), applicability)


def intended_text(word: str) -> str | None:
    """A short word with the characters that were meant; None unless all are confusables."""
    if len(word) > _MAX_LENGTH:
        return None
    letters = [_CONFUSABLES.get(letter) for letter in word]
    return None if None in letters else "".join(filter(None, letters))


def confusable_message(word: str, meant: str, span: Span) -> tuple[str, Fix]:
    """The message about a word of confusables, and the fix that writes the characters meant."""
    first = word[0]
    found = f"U+{ord(first):04X} ({name(first, 'a character without a name').lower()})"
    if not meant:
        said, title = "expected a character that can be seen", "remove the invisible character"
    elif meant.isspace():
        said, title = "words are separated by spaces, tabs and line breaks", "write a blank"
    else:
        said, title = f"expected `{meant}`", f"write `{meant}`"
    return f"{said}, found {found}", Fix(title, (TextEdit(span, meant),), Applicability.DISPLAY)


_NAME = r"[A-Za-z_][A-Za-z0-9_.]*(?:[-$@?][A-Za-z_][A-Za-z0-9_.]*)*"
_DOTTED_NAME = rf"\.{_NAME}"
# Directives of preprocessors; any other word after these marks is a register or a number.
_MARKED_DIRECTIVE = (
    r"[%@`](?:x?define|assign|undef|i?macro|end(?:macro|if|rep)|include|if\w*|else|rep)\b"
)
# A block comment without an end continues to the end of its bundle: a mistake spoils one bundle.
_BLOCK_COMMENT = r"/\*[\s\S]*?(?:\*/|(?=;;\Z)|\Z)|\*+/"
_QUOTED = r'"[^"\r\n]*"|' + r"'[^'\r\n]*'"
_INSIDE = r"(?:[^()\[\]\r\n;#/]|/(?!/))"
_PARENTHESES = rf"\((?:{_INSIDE}|\({_INSIDE}*\))*\)"
_BRACKETS = rf"\[{_INSIDE}*\]"
_OPERATOR = r"(?:[*&|^~<>=!]|/(?![/*]))"
_TERM = rf"(?:[+-]?[\w.]+(?:[+-][\w.]+)*|{_PARENTHESES})"
_EXPRESSION = rf"(?:{_OPERATOR}(?:[ \t]*{_TERM})?)+"
_FOREIGN = "|".join(
    (
        _BLOCK_COMMENT, _QUOTED, _DOTTED_NAME, _MARKED_DIRECTIVE, _NAME, _BRACKETS, _PARENTHESES,
        _EXPRESSION,
    )
)  # fmt: skip
_IS_NAME = re.compile(rf"[.%@`]?{_NAME}")
# Before a colon these make a name, whatever is in them.
_IS_PART_OF_LABEL = re.compile(r"[-+\w.$@?]+")
_IS_DIRECTIVE = re.compile(r"[.%@`][A-Za-z_]")
_IS_DECLARATION = re.compile(rf"(?:const|let|var)[ \t]+{_NAME}[ \t]*=(?!=)")
_IS_SIGNED = re.compile(r"[+-]\w")
# Text that continues the operand that it touches, and text that does so after a blank, too.
_CONTINUES = re.compile(rf"[\[(]|{_OPERATOR}")
_CONTINUES_BEHIND_BLANK = re.compile(rf"{_OPERATOR}+(?:[ \t]|$)")


class _Token(NamedTuple):
    """The offsets and the kind of a token; `is_comment` for a comment of other assemblers."""

    start: int
    end: int
    letter: str
    is_comment: bool = False


def grouped(
    syntax: BundleSyntax, is_code: Callable[[tuple[str, ...]], bool], *, joins_signs: bool = False
) -> BundleSyntax:
    """The same bundle with one token for each foreign construct.

    `is_code` returns whether the words after a `;` are an instruction; else they are a comment of
    another assembler. With `joins_signs` a signed number belongs to the word that it touches:
    without it, `lr0+1` is two operands.
    """
    grammar, text = syntax.grammar, syntax.text
    found = [
        _Token(*match.span(1), _letter(grammar, match[1]))
        for match in _scanner(grammar).finditer(text)
        if match[1]
    ]
    tokens = _Grouping(grammar, text, found, is_code, joins_signs).tokens()
    spans = tuple(Span(token.start, token.end) for token in tokens)
    tokenization = Tokenization(spans, "".join(token.letter for token in tokens))
    bundle = BundleSyntax(grammar, text, tokenization)
    wrong = [
        SyntaxFinding(token, "label-name")
        for label, token in bundle.labels
        if grammar.shape((label,)) == STRAY and not bundle.has_finding_at(token)
    ]
    return bundle.with_plan(_with_findings(bundle.plan, wrong)) if wrong else bundle


def with_joined(syntax: BundleSyntax, tokens: Sequence[int]) -> BundleSyntax:
    """The same text with each of some tokens and the one after it as one token."""
    spans, letters = list(syntax.spans), list(syntax.shape)
    for token in reversed(tokens):
        spans[token] = Span(spans[token].start, spans.pop(token + 1).end)
        del letters[token + 1]
    return BundleSyntax(syntax.grammar, syntax.text, Tokenization(tuple(spans), "".join(letters)))


def with_label(syntax: BundleSyntax) -> BundleSyntax:
    """The same bundle with its first word as a label that lacks its colon."""
    shape = syntax.shape
    rest = plan_of(syntax.grammar, shape[1:])
    plan = rest._replace(
        label=0,
        instructions=tuple(map(_moved, rest.instructions)),
        findings=tuple(finding._replace(token=finding.token + 1) for finding in rest.findings),
    )
    return syntax.with_plan(_with_findings(plan, [SyntaxFinding(0, "label-unmarked")]))


def _moved(plan: InstructionPlan) -> InstructionPlan:
    operands = tuple((first + 1, last + 1) for first, last in plan.operands)
    return plan._replace(mnemonic=plan.mnemonic + 1, operands=operands, end=plan.end + 1)


def _with_findings(plan: Plan, more: list[SyntaxFinding]) -> Plan:
    return plan._replace(findings=tuple(sorted((*plan.findings, *more))))


@lru_cache(maxsize=8)
def _scanner(grammar: Grammar) -> re.Pattern[str]:
    return grammar.scanner(_FOREIGN)


def _letter(grammar: Grammar, word: str) -> str:
    """The kind of a token; a name with a character that no name here has is a word, too."""
    letter = grammar.shape((word,))
    return grammar.kind_letter("WORD") if letter == STRAY and _IS_NAME.fullmatch(word) else letter


class _Grouping:
    """Joins the tokens of each foreign construct."""

    def __init__(
        self,
        grammar: Grammar,
        text: str,
        tokens: list[_Token],
        is_code: Callable[[tuple[str, ...]], bool],
        joins_signs: bool,
    ) -> None:
        self._text = text
        self._tokens = tokens
        self._is_code = is_code
        self._joins_signs = joins_signs
        self._word = grammar.kind_letter("WORD")
        self._separator = grammar.kind_letter("SEPARATOR")
        self._end = grammar.kind_letter("END")
        self._colon = grammar.kind_letter("COLON")
        # After these another statement begins.
        self._marks = (self._separator, self._colon)
        self._done: list[_Token] = []

    def tokens(self) -> list[_Token]:
        """All tokens, with foreign constructs joined."""
        number = 0
        while number < len(self._tokens):
            token, stop = self._tokens[number], self._line_from(number)
            if stop:
                is_comment = token.letter == self._separator
                token = _Token(token.start, self._tokens[stop - 1].end, STRAY, is_comment)
            letter = self._letter_with_last(token)
            if letter:
                token = token._replace(start=self._done.pop().start, letter=letter)
            if token.letter == self._colon:
                self._join_label()
            self._done.append(token)
            number = stop or number + 1
        return self._done

    def _join_label(self) -> None:
        """Join the tokens that touch each other before a colon to one word."""
        pieces: list[_Token] = []
        while self._done and _IS_PART_OF_LABEL.fullmatch(self._text, *self._done[-1][:2]):
            if pieces and self._done[-1].end != pieces[-1].start:
                break
            pieces.append(self._done.pop())
        if pieces:
            self._done.append(_Token(pieces[-1].start, pieces[0].end, self._word))

    def _line_from(self, number: int) -> int:
        """The token after the comment, directive or assignment that begins at one; else 0."""
        token, last = self._tokens[number], self._done[-1] if self._done else None
        follows_comment = last is not None and last.is_comment
        is_first = last is None or last.letter in self._marks or follows_comment
        if token.letter == self._separator:
            if follows_comment:
                return self._line_end(number, self._end)
            return self._comment_from(number) if is_first else 0
        if not is_first and last and "\n" not in self._text[last.end : token.start]:
            return 0
        behind = self._tokens[number + 1].start if number + 1 < len(self._tokens) else -1
        sign = self._text[behind : behind + 2] if behind >= 0 else ""
        if token.letter != self._word or sign[:1] == ":":
            return 0
        if sign[:1] == "=" and sign != "==":
            return number + 2
        for statement in (_IS_DIRECTIVE, _IS_DECLARATION):
            if statement.match(self._text, token.start):
                return self._line_end(number, self._separator)
        return 0

    def _comment_from(self, number: int) -> int:
        stop = self._line_end(number, self._end)
        tokens = self._tokens[number + 1 : stop]
        letters = "".join(token.letter for token in tokens) + self._separator
        first = tokens[: letters.index(self._separator)]
        words = tuple(self._text[token.start : token.end] for token in first)
        return stop if words and not self._is_code(words) else 0

    def _line_end(self, number: int, stopping: str) -> int:
        """The number of the first token after the line of one, or of the mark that ends it."""
        line_end = self._text.find("\n", self._tokens[number].start)
        line_end = line_end if line_end >= 0 else len(self._text)
        stop = number + 1
        while stop < len(self._tokens) and self._tokens[stop].start < line_end:
            if self._tokens[stop].letter in (stopping, self._end):
                break
            stop += 1
        return stop

    def _letter_with_last(self, token: _Token) -> str:
        """The kind of the last token joined with this one; empty if they do not belong together."""
        last = self._done[-1] if self._done else None
        if last is None:
            return ""
        if token.is_comment and last.is_comment:
            return STRAY
        gap = self._text[last.end : token.start]
        is_operand = len(self._done) > 1 and self._done[-2].letter not in self._marks
        if not is_operand or last.letter in self._marks or "\n" in gap:
            return ""
        if gap:
            goes_on = token.letter == STRAY and _CONTINUES_BEHIND_BLANK.match(
                self._text, token.start
            )
            return STRAY if goes_on else ""
        return self._letter_touching(token, last)

    def _letter_touching(self, token: _Token, last: _Token) -> str:
        if token.letter == STRAY:
            goes_on = _CONTINUES.match(self._text, token.start)
            return STRAY if goes_on or self._is_letter(token.start) else ""
        if token.letter != self._word:
            return ""
        if last.letter == STRAY:
            # The rest of a name after a letter that no name may have.
            return STRAY if self._is_letter(last.end - 1) else ""
        is_signed = _IS_SIGNED.match(self._text, token.start)
        return self._word if self._joins_signs and is_signed else ""

    def _is_letter(self, offset: int) -> bool:
        """Return whether a letter is at an offset, not a character that merely looks like one."""
        letter = self._text[offset]
        return letter.isalpha() and intended_text(letter) is None

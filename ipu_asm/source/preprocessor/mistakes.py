"""Malformed directives and calls: their messages, and where they are."""

from __future__ import annotations

from ipu_asm.diagnostics import (
    ERROR_DIRECTIVE,
    SYNTAX_ERROR,
    TOO_FEW_OPERANDS,
    TOO_MANY_OPERANDS,
    RuleId,
)
from ipu_asm.isa.operands import quoted
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.preprocessor.lines import Line
from ipu_asm.source.preprocessor.tokens import (
    RESERVED_NAMES,
    Kind,
    Macro,
    Place,
    Token,
    misplaced_parameter,
    solid,
    words_of,
    written_place,
)
from ipu_asm.text import counted

MAX_TOKENS = 100_000
"""The tokens that macros may make, besides those for the length of the text."""
MAX_TEXT = 2_000_000
"""The characters of an expansion, besides four times those of the text."""
MAX_WRITTEN = 2_000_000
"""The characters of a file that is expanded."""
LENGTH_OF_TOKEN = 32
"""A token counts as several if it is longer, in characters."""
LENGTH_OF_PIECE = 8
"""What a line counts besides its characters."""
MAX_INCLUDES = 1_000
"""The headers that are read for one expansion, repeated ones counted."""
MAX_INCLUDE_DEPTH = 40
MAX_LINE_LENGTH = 200_000
"""The longest line, in characters, in which macros are replaced."""


class LimitExceeded(Exception):
    """An expansion is larger than a limit; the message is the constraint and what was found."""


class Budget:
    """The remaining allowance of one expansion."""

    def __init__(self, length: int) -> None:
        self.spent = 0
        self._most = MAX_TOKENS + length // 10
        self._text = MAX_TEXT + 4 * length

    def spend(self, tokens: int) -> None:
        """Count tokens. Raises `LimitExceeded`."""
        self.spent += tokens
        if self.spent > self._most:
            raise self.exceeded(f"macros make more than {MAX_TOKENS:,} tokens")

    def write(self, length: int) -> None:
        """Count characters of the expansion. Raises `LimitExceeded`."""
        self._text -= length + LENGTH_OF_PIECE
        if self._text < 0:
            raise self.exceeded(f"the text becomes longer than {MAX_TEXT:,} characters")

    def is_within_limits(self, tokens: int, characters: int) -> bool:
        """Return whether an edit of so many characters surely stays within the limits."""
        return self.spent + tokens + characters <= self._most and 8 * characters <= self._text

    def exceeded(self, found: str) -> LimitExceeded:
        """Return the error for a limit that was exceeded."""
        return LimitExceeded(f"the expansion is limited, found that {found}")


class Mistake(NamedTuple):
    """A finding of the preprocessor at a place; `related` are further places with messages."""

    rule: RuleId
    place: Place
    message: str
    related: tuple[tuple[Place, str], ...] = ()


def unclosed_conditional(line: Line) -> Mistake:
    """Return the finding about an `#if` without `#endif`."""
    message = f"`#{line.directive}` must be closed by `#endif`, found the end of the file"
    return Mistake(SYNTAX_ERROR, _directive(line), message)


def stray_branch(line: Line) -> Mistake | None:
    """Return the finding about a directive that belongs to an `#if`, where none is open.

    A line such as ``# else it is odd`` is a comment.
    """
    place = _directive(line)
    if place.end - place.start > len(line.directive) + 1 and words_of(line):
        return None
    message = f"`#{line.directive}` needs an open `#if` before it, found none"
    return Mistake(SYNTAX_ERROR, place, message)


def branch_after_else(line: Line, opening: Line) -> Mistake:
    """Return the finding about an `#else` or `#elif` after `#else`."""
    message = f"`#else` must be the last branch of an `#if`, found `#{line.directive}` after it"
    related = (_directive(opening), f"`#{opening.directive}` is here")
    return Mistake(SYNTAX_ERROR, _directive(line), message, (related,))


def malformed_condition(line: Line, why: str) -> Mistake:
    """Return the finding about a condition that is no expression."""
    return Mistake(SYNTAX_ERROR, _operands(line), f"malformed condition: {why}")


def missing_name(line: Line, what: str = "a name") -> Mistake:
    """Return the finding about a directive whose operand is missing or no name."""
    words = words_of(line)
    found = f"`{words[0].text}`" if words else "none"
    place = words[0].place if words else _directive(line)
    return Mistake(SYNTAX_ERROR, place, f"`#{line.directive}` needs {what}, found {found}")


def malformed_definition(line: Line) -> Mistake:
    """Return the finding about a `#define` that defines no macro."""
    words = words_of(line)
    if words and words[0].text in RESERVED_NAMES:
        return reserved_name(line)
    if len(words) < 2 or words[1].text != "(":
        return missing_name(line)
    closing = next((n for n, token in enumerate(words) if token.text == ")"), None)
    if closing is None:
        message = f"the parameters of `{words[0].text}` must be closed by `)`, found none"
        return Mistake(SYNTAX_ERROR, words[1].place, message)
    token = misplaced_parameter(words[2:closing]) or words[closing]
    again = sum(each.text == token.text for each in words[2:closing] if token.kind is Kind.NAME) > 1
    found = f"{quoted(token.text)}{' again' if again else ''}"
    message = (
        f"the parameters of `{words[0].text}` are different names, separated by commas, "
        f"found {found}"
    )
    return Mistake(SYNTAX_ERROR, token.place, message)


def incomplete_paste(macro: Macro) -> Mistake | None:
    """Return the finding about a `##` at an end of a body; None if there is none."""
    body = solid([*macro.body])
    for token, side in ((body[0], "before"), (body[-1], "after")) if body else ():
        if token.kind is Kind.PASTE:
            message = f"`##` joins what is before and after it, found nothing {side} it"
            return Mistake(SYNTAX_ERROR, token.place, message)
    return None


def reserved_name(line: Line) -> Mistake:
    """Return the finding about a directive that changes a name of the preprocessor's own."""
    name = words_of(line)[0]
    message = (
        f"`#{line.directive}` needs a name that the preprocessor does not keep for itself, "
        f"found `{name.text}`"
    )
    return Mistake(SYNTAX_ERROR, name.place, message)


def reached_error(line: Line) -> Mistake:
    """Return the finding about an `#error` that is reached."""
    text = "".join(token.text for token in words_of(line))
    said = f": {quoted(text)}" if text else ""
    message = f"`#error` is reached{said}; check the conditions around it and `[defines]`"
    return Mistake(ERROR_DIRECTIVE, _directive(line), message)


def unclosed_call(name: Token, macro: Macro, opening: Token) -> Mistake:
    """Return the finding about a call without a closing parenthesis."""
    message = f"the call of macro `{macro.name}` must be closed by `)`, found none"
    place = opening.place if name.origin is None else written_place(name)
    return Mistake(SYNTAX_ERROR, place, message, _definition(macro))


def wrong_count(name: Token, macro: Macro, arguments: list[list[Token]]) -> Mistake:
    """Return the finding about a call with too few or too many arguments."""
    most = len(macro.parameters or ())
    expected = most - 1 if macro.variable else most
    least = "at least " if macro.variable else ""
    takes = f"macro `{macro.name}` takes {least}{counted(expected, 'argument')}"
    related = _definition(macro)
    place = written_place(name)
    if len(arguments) < expected:
        message = f"{takes}, found {len(arguments)}"
        return Mistake(TOO_FEW_OPERANDS, place, message, related)
    surplus = arguments[expected]
    if name.origin is None and surplus and surplus[0].origin is None:
        first, last = surplus[0].place, surplus[-1].place
        place = Place(first.line, first.start, last.end) if last.line is first.line else first
    return Mistake(TOO_MANY_OPERANDS, place, f"{takes}, found {len(arguments)}", related)


def _definition(macro: Macro) -> tuple[tuple[Place, str], ...]:
    if macro.place is None:
        return ()
    return ((macro.place, f"macro `{macro.name}` is defined here"),)


def _directive(line: Line) -> Place:
    return Place(line, *line.directive_span)


def _operands(line: Line) -> Place:
    words = words_of(line)
    if not words:
        return _directive(line)
    first, last = words[0].place, words[-1].place
    return Place(line, first.start, last.end)

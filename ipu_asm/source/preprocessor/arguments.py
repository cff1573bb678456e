"""Arguments of function-like macros: how many there are, and their tokens and strings."""

from __future__ import annotations

from typing import Sequence

from ipu_asm.source.preprocessor.macros import Macro
from ipu_asm.source.preprocessor.tokens import Kind, Place, Token, as_blank, solid, trimmed


def takes_rest(macro: Macro, arguments: list[list[Token]]) -> bool:
    """Return whether a comma belongs to the variable arguments."""
    parameters = macro.parameters or ()
    return bool(macro.variable) and len(arguments) >= len(parameters)


def fits(macro: Macro, arguments: list[list[Token]]) -> bool:
    """Check the number of arguments of a call; a single empty one counts as none."""
    count = len(macro.parameters or ())
    given = len(arguments)
    if macro.variable:
        return given >= count - 1
    return given == count or (count == 0 and given == 1 and not solid(arguments[0]))


def argument_of(tokens: list[Token]) -> list[Token]:
    """Return an argument without surrounding blanks, with blanks for comments and line breaks."""
    return trimmed([as_blank(token) for token in tokens if token.kind is not Kind.SPLICE])


def string_of(mark: Token, argument: Sequence[Token]) -> Token:
    """Return the string that `#` makes of an argument."""
    pieces = []
    for token in argument:
        text = " " if token.kind is Kind.BLANK else token.text
        if token.kind is Kind.STRING:
            text = text.replace("\\", "\\\\").replace('"', '\\"')
        pieces.append(text)
    place = argument[0].place if argument else mark.place
    if argument and argument[-1].place.line is place.line:
        place = Place(place.line, place.start, max(place.end, argument[-1].place.end))
    stands = argument[0].stands if argument and argument[0].stands else place
    return Token(Kind.STRING, '"' + "".join(pieces) + '"', place, stands)


def break_of(token: Token) -> Token:
    """Return the line break inside a splice, or a line break itself."""
    line, _, end = token.place
    length = 2 if line.text[end - 2 : end] == "\r\n" else 1
    return Token(Kind.NEWLINE, line.text[end - length : end], Place(line, end - length, end))

"""Substitution of arguments in the body of a function-like macro: `#`, `##` and `__VA_OPT__`."""

from __future__ import annotations

from typing import Callable, Sequence

from ipu_asm.source.preprocessor.tokens import (
    Kind,
    Macro,
    Place,
    Token,
    as_blank,
    kind_of,
    solid,
    trimmed,
)

_OPTIONAL = "__VA_OPT__"


class Body:
    """The body of a macro with arguments in place of its parameters."""

    def __init__(
        self,
        macro: Macro,
        arguments: list[list[Token]],
        expand: Callable[[Sequence[Token]], list[Token]],
        spend_on: Callable[[Token, Token], None],
    ) -> None:
        """`expand` replaces the macros in an argument, `spend_on` accounts for pasted tokens."""
        parameters = [macro.variable if p == "..." else p for p in macro.parameters or ()]
        self._raw = dict(zip(parameters, arguments, strict=False))
        for parameter in parameters:
            self._raw.setdefault(parameter, [])
        self._variable = macro.variable
        self._expand = expand
        self._spend_on = spend_on
        self._expanded: dict[str, list[Token]] = {}
        self._body: Sequence[Token] = macro.body
        if macro.variable and any(token.text == _OPTIONAL for token in macro.body):
            self._body = self._with_options(macro.body)

    def tokens(self) -> list[tuple[Token, bool]]:
        """Return the tokens; False marks those that come from an argument."""
        result: list[tuple[Token, bool]] = []
        at = 0
        while at < len(self._body):
            token = self._body[at]
            at += 1
            following = self._next(at)
            if token.text == "#" and following is not None:
                name = self._body[following]
                if name.text in self._raw:
                    result.append((string_of(token, self._raw[name.text]), True))
                    at = following + 1
                    continue
            if token.kind is Kind.PASTE and result:
                at = self._paste(result, at)
                continue
            argument = self._raw.get(token.text) if token.kind is Kind.NAME else None
            if argument is None:
                result.append((token, True))
            elif following is not None and self._body[following].kind is Kind.PASTE:
                result += [(each, False) for each in argument] or [(_nothing(token), True)]
            else:
                result += [(each, False) for each in self.argument(token.text)]
        return [each for each in result if each[0].text]

    def _with_options(self, body: Sequence[Token]) -> list[Token]:
        """Return a body with each `__VA_OPT__(...)` replaced by what is in it, or by nothing.

        C23: it is nothing if the variable arguments are, after expansion.
        """
        is_given = bool(solid(self.argument(self._variable)))
        result: list[Token] = []
        at = 0
        while at < len(body):
            end = _end_of_group(body, at + 1) if body[at].text == _OPTIONAL else None
            if end is None:
                result.append(body[at])
                at += 1
                continue
            opening = next(n for n in range(at, end) if body[n].text == "(")
            inside = trimmed([*body[opening + 1 : end - 1]]) if is_given else []
            result += inside or [_nothing(body[at])]
            at = end
        return result

    def _next(self, at: int) -> int | None:
        while at < len(self._body) and self._body[at].kind is Kind.BLANK:
            at += 1
        return at if at < len(self._body) else None

    def argument(self, name: str) -> list[Token]:
        if name not in self._expanded:
            self._expanded[name] = self._expand(self._raw[name])
        return self._expanded[name]

    def _paste(self, result: list[tuple[Token, bool]], at: int) -> int:
        """Paste what follows `##` to the last token of the result; return where to go on."""
        while result and result[-1][0].kind is Kind.BLANK:
            result.pop()
        following = self._next(at)
        if following is None or not result:
            return at
        token = self._body[following]
        right = [(token, True)]
        if token.kind is Kind.NAME and token.text in self._raw:
            argument = self._raw[token.text]
            if result[-1][0].text == "," and token.text == self._variable:
                # GNU: without variable arguments, the comma before them goes.
                if argument:
                    result += [(each, False) for each in self.argument(token.text)]
                else:
                    result.pop()
                return following + 1
            right = [(each, False) for each in argument] or [(_nothing(token), True)]
        (left, is_left_body), (first, is_body) = result[-1], right[0]
        if not left.text or not first.text:
            result[-1:] = right if first.text or not left.text else [result[-1]]
            return following + 1
        self._spend_on(left, first)
        kind = kind_of(left.text + first.text)
        if kind is not None:
            pasted = left._replace(
                kind=kind,
                text=left.text + first.text,
                hidden=left.hidden & first.hidden,
                parts=(*_parts(left, is_left_body), *_parts(first, is_body)),
            )
            result[-1:] = [(pasted, is_left_body)]
            right = right[1:]
        result += right
        return following + 1


def _parts(token: Token, is_body: bool) -> tuple[Token, ...]:
    return token.parts or (token,)


def _nothing(token: Token) -> Token:
    return token._replace(text="", kind=Kind.MARK)


def _end_of_group(body: Sequence[Token], at: int) -> int | None:
    """Return the end of a group in parentheses, maybe after blanks; None if none begins."""
    depth = 0
    for number in range(at, len(body)):
        text = body[number].text
        if not depth and text != "(" and body[number].kind is not Kind.BLANK:
            return None
        depth += (text == "(") - (text == ")")
        if text == ")" and not depth:
            return number + 1
    return None


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
    replaces = argument[0].replaces if argument and argument[0].replaces else place
    return Token(Kind.STRING, '"' + "".join(pieces) + '"', place, replaces)


def break_of(token: Token) -> Token:
    """Return the line break inside a splice, or a line break itself."""
    line, _, end = token.place
    length = 2 if line.text[end - 2 : end] == "\r\n" else 1
    return Token(Kind.NEWLINE, line.text[end - length : end], Place(line, end - length, end))

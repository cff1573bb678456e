"""Macro replacement (C99 6.10.3) that keeps the origin of each resulting token.

A stack of tokens is read from its top. The replacement of a macro is put back onto the stack, so
that it is read again with what follows; its tokens remember in which macros they are `hidden`.
"""

from __future__ import annotations

from typing import Mapping, Sequence

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.preprocessor.body import Body, argument_of, break_of, fits, takes_rest
from ipu_asm.source.preprocessor.lines import Line
from ipu_asm.source.preprocessor.mistakes import (
    LENGTH_OF_TOKEN,
    Budget,
    Mistake,
    unclosed_call,
    wrong_count,
)
from ipu_asm.source.preprocessor.tokens import (
    Kind,
    LineFrame,
    Macro,
    Place,
    Token,
    as_blank,
    tokens_of,
)
from ipu_asm.source.source_map import FrameKind

_MAX_LINES = 500
_IGNORED = (Kind.BLANK, Kind.COMMENT, Kind.SPLICE, Kind.NEWLINE)
_MAX_DEPTH = 100
_MAX_FRAMES = 100
_HIDDEN_OF_TOKEN = 32
"""So many names in which a token is hidden cost as much as a token."""


class FollowingLines:
    """The lines after the current one, up to the next directive."""

    def __init__(self, lines: Sequence[Line], at: int) -> None:
        self._lines = lines
        self._most = at + _MAX_LINES
        self.at = at
        # The line that ended the search for a call: the output depends on it.
        self.behind: Line | None = None
        self.is_at_end = False

    def take(self, opening: bool) -> list[Token] | None:
        """Take the tokens of the next line; with `opening` only if it begins with ``(``."""
        if self.at >= len(self._lines):
            self.is_at_end = True
            return None
        line = self._lines[self.at]
        is_far = self.at >= self._most
        if is_far or line.directive or (opening and not line.text.lstrip().startswith("(")):
            self.behind = line
            return None
        self.at += 1
        return tokens_of(line)


class _Call(NamedTuple):
    """A call: its arguments, and all tokens that are `taken`, from before the parenthesis on."""

    arguments: list[list[Token]]
    taken: list[Token]
    is_closed: bool


class Substitution:
    """Replaces the macros of a table in lines.

    `used` are the names that were looked up, with what they meant: the result depends on nothing
    else, unless `is_dynamic`, when it depends on the line number or a counter.
    """

    def __init__(
        self, table: Mapping[str, Macro], budget: Budget, following: FollowingLines
    ) -> None:
        self.used: dict[str, Macro | None] = {}
        self._table = table
        self._budget = budget
        self._following = following
        self._depth = 0
        self._owed: list[Token] = []
        self.is_dynamic = False
        # By the place of the name: a call in an argument is met again in the replacement.
        self._mistakes: dict[Place, Mistake] = {}

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        return tuple(self._mistakes.values())

    def expand_line(self, tokens: Sequence[Token]) -> list[Token]:
        """Return the tokens of a line of assembly, and of those that its calls extend over.

        Line breaks inside of calls are put after the line.
        """
        result: list[Token] = []
        for token in self._expanded(tokens):
            if token.kind is Kind.SPLICE:
                self._owed.append(token)
            elif token.kind is Kind.NEWLINE:
                result += (token, *map(break_of, self._owed))
                self._owed.clear()
            elif token.kind is Kind.COMMENT and token.text.startswith(("//", "#")):
                result.append(self._one_line(token))
            else:
                result.append(token)
        result += map(break_of, self._owed)
        self._owed.clear()
        return result

    def _one_line(self, comment: Token) -> Token:
        """Return a line comment without the lines that backslashes join to it."""
        first = comment.text.splitlines()[0] if comment.text else ""
        if len(first) == len(comment.text):
            return comment
        line, start, end = comment.place
        self._owed.append(Token(Kind.SPLICE, "\\\n", Place(line, end - 1, end)))
        first = first.rstrip("\\ \t")
        return comment._replace(text=first, place=Place(line, start, start + len(first)))

    def expand(self, tokens: Sequence[Token]) -> list[Token]:
        """Return the tokens of an argument or a condition with all macros replaced."""
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise self._budget.exceeded(f"calls of macros inside each other go {_MAX_DEPTH} deep")
        result = self._expanded(tokens)
        self._depth -= 1
        return result

    def _expanded(self, tokens: Sequence[Token]) -> list[Token]:
        pending = [*reversed(tokens)]
        result: list[Token] = []
        while pending:
            token = pending.pop()
            if token.kind is Kind.NAME and token.text not in token.hidden:
                replacement = self._replacement(token, pending)
                if replacement is not None:
                    length = sum(len(each.text) for each in replacement)
                    names = len(token.hidden) * len(replacement) // _HIDDEN_OF_TOKEN
                    self._budget.spend(len(replacement) + 1 + length // LENGTH_OF_TOKEN + names)
                    pending += reversed(replacement)
                    continue
            result.append(token)
        return result

    def spend_on(self, *pasted: Token) -> None:
        """Account for pasted tokens."""
        self._budget.spend(sum(1 + len(t.parts) + len(t.text) // LENGTH_OF_TOKEN for t in pasted))

    def _replacement(self, token: Token, pending: list[Token]) -> list[Token] | None:
        name = token.text
        macro = self._table.get(name)
        self.used[name] = macro
        if macro is None:
            return None
        if macro.dynamic:
            self.is_dynamic = True
            return [_as_value(token, macro.dynamic(token))]
        if macro.parameters is None:
            body: Sequence[Token] = macro.body
            if any(each.kind is Kind.PASTE for each in body):
                body = [each for each, _ in Body(macro, [], self.expand, self.spend_on).tokens()]
            return _object_like(token, macro, body)
        if not self._is_opened(pending):
            return None
        call = self._call(pending, macro)
        if call.is_closed and fits(macro, call.arguments):
            self._owe(call.taken)
            return self._function_like(token, macro, call)
        return self._without_call(token, macro, call, pending)

    def _call(self, pending: list[Token], macro: Macro) -> _Call:
        """Take the parentheses of a call and everything in them."""
        taken: list[Token] = []
        arguments: list[list[Token]] = [[]]
        nesting = 0
        while nesting or not taken or taken[-1].text != ")":
            if not pending and not self._continue(pending):
                break
            token = pending.pop()
            self._budget.spend(1)
            taken.append(token)
            was_inside = nesting > 0
            nesting += (token.text == "(") - (token.text == ")")
            if token.text == "," and nesting == 1 and not takes_rest(macro, arguments):
                arguments.append([])
            elif was_inside and nesting:
                arguments[-1].append(token)
        return _Call([argument_of(each) for each in arguments], taken, not nesting)

    def _without_call(
        self, name: Token, macro: Macro, call: _Call, pending: list[Token]
    ) -> list[Token] | None:
        """Leave a call that does not fit the macro in the text, or put a blank for a statement.

        A call of several lines becomes one line. One that is not closed ends with its line.
        """
        taken = call.taken
        if call.is_closed:
            self._mistakes.setdefault(name.place, wrong_count(name, macro, call.arguments))
        elif self._depth:
            pending += reversed(taken)
            return None
        else:
            opening = next(n for n, token in enumerate(taken) if token.text == "(")
            self._mistakes[name.place] = unclosed_call(name, macro, taken[opening])
            behind = range(opening, len(taken))
            end = next((n for n in behind if taken[n].kind is Kind.NEWLINE), len(taken))
            pending += reversed(taken[end:])
            place = taken[end - 1].place
            taken = [*taken[:end], taken[opening]._replace(text=")", place=place, replaces=place)]
        self._owe(taken)
        if macro.is_statement:
            place = _call_place(name, taken[-1])
            return [name._replace(kind=Kind.BLANK, text=" ", place=place, replaces=place)]
        pending += (as_blank(t) for t in reversed(taken) if t.kind is not Kind.SPLICE)
        return None

    def _owe(self, taken: Sequence[Token]) -> None:
        """Put the line breaks of tokens that are left out after the line."""
        self._owed += [each for each in taken if each.kind in (Kind.NEWLINE, Kind.SPLICE)]

    def _is_opened(self, pending: list[Token]) -> bool:
        """Return whether a parenthesis is next, maybe in the line that follows."""
        ahead = len(pending) - 1
        while ahead >= 0 and pending[ahead].kind in _IGNORED:
            ahead -= 1
        if ahead >= 0:
            return pending[ahead].text == "("
        more = None if self._depth else self._following.take(True)
        if more is None:
            return False
        pending[:0] = reversed(more)
        return True

    def _continue(self, pending: list[Token]) -> bool:
        """Read on in the line that follows; return whether there is one."""
        more = None if self._depth else self._following.take(False)
        pending += reversed(more or [])
        return bool(more)

    def _function_like(self, token: Token, macro: Macro, call: _Call) -> list[Token]:
        closing = call.taken[-1]
        origin = _origin(token, macro, FrameKind.MACRO, _call_place(token, closing))
        hidden = (token.hidden & closing.hidden) | {macro.name}
        body = Body(macro, call.arguments, self.expand, self.spend_on)
        return [
            _moved(each, token if is_body else None, origin, hidden, token.origin)
            for each, is_body in body.tokens()
        ]


def _object_like(token: Token, macro: Macro, body: Sequence[Token]) -> list[Token]:
    hidden = token.hidden | {macro.name}
    if macro.place is not None and macro.is_statement:
        origin = _origin(token, macro, FrameKind.MACRO, token.place)
        return [_moved(each, token, origin, hidden, token.origin) for each in body]
    origin = _origin(token, macro, FrameKind.VALUE, token.place)
    replaces = token.replaces or token.place
    return [_as_part(each, replaces, origin, hidden) for each in body]


def _as_part(token: Token, replaces: Place, origin: LineFrame, hidden: frozenset[str]) -> Token:
    """Return a token of the body of an object-like macro where the name is used."""
    parts = tuple(_as_part(part, replaces, origin, hidden) for part in token.parts)
    return Token(token.kind, token.text, token.place, replaces, origin, hidden, parts)


def _origin(token: Token, macro: Macro, kind: FrameKind, call: Place) -> LineFrame:
    """Return the origin of a replacement; in a deep chain, the origin of an outer level."""
    if token.origin is not None and len(token.hidden) >= _MAX_FRAMES:
        return token.origin
    what = "macro" if kind is FrameKind.MACRO else "value of"
    return LineFrame(kind, f"{what} `{macro.name}`", call, macro.place, token.origin)


def _moved(
    token: Token,
    call: Token | None,
    origin: LineFrame,
    hidden: frozenset[str],
    outer: LineFrame | None,
) -> Token:
    """Return a token of a body (`call` is the name that called it) or of an argument (None)."""
    replaces = token.replaces
    if call is not None:
        replaces = call.replaces or replaces
    inner = origin if call is not None or token.origin is outer else token.origin
    parts = tuple(_moved(part, call, origin, hidden, outer) for part in token.parts)
    return Token(token.kind, token.text, token.place, replaces, inner, token.hidden | hidden, parts)


def _as_value(token: Token, text: str) -> Token:
    kind = Kind.STRING if text.startswith('"') else Kind.NUMBER
    replaces = token.replaces or token.place
    return Token(kind, text, token.place, replaces, token.origin, token.hidden | {token.text})


def _call_place(name: Token, closing: Token) -> Place:
    line, start, end = name.place
    if closing.place.line is line and closing.place.end > end:
        return Place(line, start, closing.place.end)
    return name.place

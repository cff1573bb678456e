"""What a command of the debugger is, how a line calls it, and how a line is completed.

The debug console of editors and the terminal debugger have a table of such commands each.
"""

from __future__ import annotations

import re
from enum import Enum
from types import MappingProxyType
from typing import Any, Callable, Final, Iterable, Mapping, Sequence

from ipu_asm.debugger.breakpoints import Stop
from ipu_asm.debugger.expressions import (
    Candidate,
    Context,
    ExpressionError,
    Result,
    complete,
    evaluate,
)
from ipu_asm.debugger.expressions.completion import KnownWord, fitting, word_at
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span

COMMAND: Final = "command"
"""The kind of a completion that is a command, or a word of one."""
_WORD: Final = re.compile(r"\s*([a-z]+(?:-[a-z]+)*)(?![A-Za-z0-9_])")
_ASSIGNS: Final = re.compile(r"\s*(?:\[[^\]]*\]\s*)*=(?!=)")
_CONTINUES_EXPRESSION: Final = re.compile(
    r"\s*(?:\Z|(?:and|or)(?![A-Za-z0-9_])|!=|[-+*/%&|^<>=?,\[])"
)
"""What may follow a name in an expression: the end, an operator, an index or a format."""
_IF: Final = " if "
_PLACEHOLDER: Final = "x"


class Takes(Enum):
    """What the argument of a command is, for completion."""

    NOTHING = "nothing"
    EXPRESSION = "expression"
    WORD = "one of its words"
    TOPIC = "one of its words, then an expression"
    COMMAND = "command"
    LOCATION = "location"
    EITHER = "location or expression"
    BREAKPOINTS = "breakpoints"
    FILE = "file"


class CommandError(Exception):
    """A command that cannot be executed; the message says what is expected and what was found."""


class CommandResult(NamedTuple):
    """The text to show to the user.

    `stop` is the new position if the command moved the machine, `changed` whether it wrote a value,
    `result` the value if the input was an expression only.
    """

    text: str
    stop: Stop | None = None
    changed: bool = False
    result: Result | None = None


class Command(NamedTuple):
    """A command of a table, which decides what `run` takes before the argument.

    `usage` begins with the name; `short` are abbreviations that count even where other commands
    begin with the same letters. `words` are what the argument may begin with, with descriptions.
    With `repeats`, an empty line does it again, with `continues` without its argument. One that
    `yields` is not called where its word is a name of the program and an expression goes on.
    """

    usage: str
    summary: str
    run: Callable[..., Any]
    details: str = ""
    short: Sequence[str] = ()
    takes: Takes = Takes.NOTHING
    words: Mapping[str, str] = MappingProxyType({})
    repeats: bool = True
    continues: bool = False
    moves: bool = False
    yields: bool = False

    @property
    def name(self) -> str:
        """The command word."""
        return self.usage.split()[0].split("[")[0]

    @property
    def needs_argument(self) -> bool:
        """Whether the command requires an argument."""
        return " " in self.usage and not self.usage.split()[1].startswith("[")

    @property
    def help(self) -> str:
        """Usage, abbreviations, summary and details."""
        short = f" (short: {', '.join(self.short)})" if self.short else ""
        head = f"{self.usage}{short}: {self.summary}"
        return f"{head}\n{self.details}" if self.details else head


class Call(NamedTuple):
    """A typed line: its command, and the offset at which the argument of the command starts."""

    command: Command
    start: int


class CommandTable:
    """Commands by name; with `abbreviates`, also by unique beginnings of their names."""

    def __init__(self, commands: Sequence[Command], *, abbreviates: bool = False) -> None:
        self.commands = {command.name: command for command in commands}
        self.by_word = {short: command for command in commands for short in command.short}
        self.by_word |= self.commands
        self._abbreviates = abbreviates

    def call(self, context: Context, line: str) -> Call | None:
        """Return the command that a line calls; None for an expression or an assignment.

        Raises `CommandError` for an ambiguous abbreviation.
        """
        match = _WORD.match(line)
        if match is None:
            return None
        word, end = match[1], match.end()
        command = self.by_word.get(word)
        is_assigned = _ASSIGNS.match(line, end) is not None
        if command is None and self._abbreviates and not is_assigned:
            command = self._beginning_with(context, word)
        if command is None:
            return None
        if command.yields:
            is_name = word in context.names or word in context.labels
            if is_name and _CONTINUES_EXPRESSION.match(line, end):
                return None
        elif is_assigned:
            return None
        return Call(command, end)

    def named(self, word: str) -> Command | None:
        """Return the command of a name or an abbreviation."""
        found = [name for name in self.commands if name.startswith(word)]
        unique = self.commands[found[0]] if len(found) == 1 else None
        return self.by_word.get(word) or unique

    def complete(
        self,
        context: Context,
        text: str,
        offset: int,
        further: Mapping[Takes, Callable[[Command, str], Iterable[Candidate] | None]] = {},
    ) -> list[Candidate]:
        """Return the words that fit at an offset, those that begin with the typed letters first.

        `further` completes arguments that are no expressions, at their end; where it returns None,
        they are expressions nevertheless.
        """
        word = word_at(text, offset)
        before = text[:offset] if word is None else text[: word.start]
        if word is not None and not before.strip():
            words = complete(context, text, offset)
            return _sorted([*fitting(self._words(), word), *words], word.typed)
        try:
            call = self.call(context, before if word is None else before + _PLACEHOLDER)
        except CommandError:
            return []
        if call is None or call.start > len(before):
            return complete(context, text, offset)
        argument, start = text[call.start :], call.start
        special = further.get(call.command.takes)
        found = special(call.command, argument) if special else None
        if found is None:
            found = self._in_argument(context, call.command, argument, max(offset - start, 0))
        return [each._replace(start=each.start + start) for each in found]

    def _beginning_with(self, context: Context, word: str) -> Command | None:
        """The only command that begins with a word, unless the word is a name of the program."""
        names = context.view.names
        if word in context.labels or word in context.names or word in names.known_registers:
            return None
        found = [name for name in self.commands if name.startswith(word)]
        if len(found) > 1:
            raise CommandError(f"`{word}` is ambiguous: {', '.join(sorted(found))}")
        return self.commands[found[0]] if found else None

    def _words(self) -> list[KnownWord]:
        return [KnownWord(name, COMMAND, each.summary) for name, each in self.commands.items()]

    def _in_argument(
        self, context: Context, command: Command, argument: str, offset: int
    ) -> list[Candidate]:
        word = word_at(argument, offset)
        if word is None or command.takes is Takes.NOTHING:
            return []
        is_first = not argument[: word.start].strip()
        if command.takes is Takes.COMMAND:
            return fitting(self._words(), word) if is_first else []
        words = [KnownWord(name, COMMAND, about) for name, about in command.words.items()]
        first = fitting(words, word) if is_first else []
        if command.takes is Takes.WORD or (command.takes is Takes.TOPIC and is_first):
            return first
        start = _start_of_expression(command, argument)
        found = complete(context, argument[start:], max(offset - start, 0))
        shifted = [each._replace(start=each.start + start) for each in found]
        return _sorted([*first, *shifted], word.typed)


def _start_of_expression(command: Command, argument: str) -> int:
    """Return where the expression begins that an argument ends with: after `if`, `/x`, a topic."""
    if _IF in argument:
        return argument.rindex(_IF) + len(_IF)
    if argument.startswith("/"):
        return len(argument.split(maxsplit=1)[0])
    if command.takes is Takes.TOPIC:
        return len(argument) - len(argument.lstrip()) + len(argument.split(maxsplit=1)[0])
    return 0


def _sorted(found: Iterable[Candidate], typed: str) -> list[Candidate]:
    typed = typed.lower()
    return sorted(found, key=lambda each: not each.text.lower().startswith(typed))


def whole_number(context: Context, text: str, expected: str) -> int:
    """Evaluate an expression to a whole number. Raises ExpressionError with `expected`."""
    value = evaluate(context, text).value
    if value.is_vector or not isinstance(value.number, int):
        raise ExpressionError(f"{expected}, found {value.describe()}", stripped_span(text))
    return value.number


def stripped_span(text: str) -> Span:
    """Return the span of a text without surrounding blanks."""
    return Span(len(text) - len(text.lstrip()), len(text.rstrip()))

"""How commands are described, found by their abbreviations, and completed."""

from __future__ import annotations

import re
from enum import Enum
from typing import Callable, Final, Sequence

from ipu_asm.cli.run.interactive.session import CommandError, Session
from ipu_asm.diagnostics.suggestions import nearest_of
from ipu_asm.named_tuple import NamedTuple


class Takes(Enum):
    """What the argument of a command is, for completion."""

    NOTHING = "nothing"
    EXPRESSION = "expression"
    LOCATION = "location"
    EITHER = "location or expression"
    BREAKPOINTS = "breakpoints"
    FILE = "file"
    COMMAND = "command"
    WORD = "word"


class SessionCommand(NamedTuple):
    """A command of the session. `run` takes the text behind its name, and raises `CommandError`.

    `usage` begins with the name; `short` are abbreviations that count even where other commands
    begin with the same letters. `words` are what the argument begins with. With `repeats`, an empty
    line does it again, with `continues` without its argument.
    """

    usage: str
    summary: str
    run: Callable[[Session, str], None]
    details: str = ""
    short: Sequence[str] = ()
    takes: Takes = Takes.NOTHING
    words: Sequence[str] = ()
    repeats: bool = True
    continues: bool = False

    @property
    def name(self) -> str:
        """The command word."""
        return self.usage.split()[0].split("[")[0]


class Call(NamedTuple):
    """A typed line: its command, and the offset at which the argument of the command starts."""

    command: SessionCommand
    start: int


_WORD: Final = re.compile(r"\s*([a-z][a-z-]*)(?![A-Za-z0-9_])")
_ASSIGNS: Final = re.compile(r"\s*(?:\[[^\]]*\]\s*)*=(?!=)")


class CommandTable:
    """The commands of a session by name. `further` are words that belong to something else."""

    def __init__(self, commands: Sequence[SessionCommand], further: Sequence[str]) -> None:
        self.commands = {command.name: command for command in commands}
        self.by_word = {short: command for command in commands for short in command.short}
        self.by_word |= self.commands
        self._further = further
        self.names = (*self.commands, *further)
        """All names of commands, in no abbreviation."""

    def call(self, session: Session, line: str) -> Call | None:
        """Return the command that a line calls; None for one of the console and an expression.

        Raises `CommandError` for an ambiguous abbreviation and for a word that means nothing.
        """
        match = _WORD.match(line)
        if match is None or match[1] in self._further or _ASSIGNS.match(line, match.end()):
            return None
        word = match[1]
        command = self.by_word.get(word) or self._begins(session, word)
        return command and Call(command, match.end())

    def _begins(self, session: Session, word: str) -> SessionCommand | None:
        """The only command that begins with a word, unless the word is a name of the program."""
        context = session.context
        names = context.view.names
        if word in context.labels or word in context.names or word in names.known_registers:
            return None
        found = [name for name in self.names if name.startswith(word)]
        if len(found) == 1:
            return self.commands.get(found[0])
        if found:
            raise CommandError(f"`{word}` is ambiguous: {', '.join(sorted(found))}")
        return None

    def named(self, word: str) -> SessionCommand | None:
        """Return the command of a name or an abbreviation."""
        found = [name for name in self.commands if name.startswith(word)]
        unique = self.commands[found[0]] if len(found) == 1 else None
        return self.by_word.get(word) or unique

    def nearest(self, word: str) -> str | None:
        """Return the name that a misspelt word probably means."""
        return nearest_of(word, self.names)

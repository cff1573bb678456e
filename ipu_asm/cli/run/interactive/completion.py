"""Completion of a line: commands, places, breakpoints, and the words of expressions."""

from __future__ import annotations

import os
from typing import Iterable, Iterator

from ipu_asm.cli.run.interactive.command_table import SessionCommand, Takes
from ipu_asm.cli.run.interactive.commands import TABLE
from ipu_asm.cli.run.interactive.session import CommandError, Session
from ipu_asm.debugger.console import complete_command
from ipu_asm.debugger.expressions import Candidate, complete
from ipu_asm.debugger.expressions.completion import KnownWord, fitting, word_at

_COMMAND = "command"


def candidates(session: Session, line: str) -> list[Candidate]:
    """Return the words that fit at the end of a line, those that begin with its letters first."""
    word = word_at(line, len(line))
    before = line[: word.start] if word else line
    if word is not None and not before.strip():
        commands = fitting(_command_words(), word)
        found = complete_command(session.context, line, len(line))
        return _sorted([*commands, *found], word.typed)
    try:
        call = TABLE.call(session, line)
    except CommandError:
        return []
    if call is None:
        return complete_command(session.context, line, len(line))
    argument = line[call.start :]
    return [
        each._replace(start=each.start + call.start)
        for each in _in_argument(session, call.command, argument)
    ]


def _sorted(found: Iterable[Candidate], typed: str) -> list[Candidate]:
    """Without repetitions, those that begin with the typed letters first."""
    unique = {each.text: each for each in reversed(list(found))}
    typed = typed.lower()
    return sorted(
        unique.values(), key=lambda each: (not each.text.lower().startswith(typed), each.text)
    )


def _command_words() -> Iterator[KnownWord]:
    for name, command in TABLE.commands.items():
        yield KnownWord(name, _COMMAND, command.summary)


def _in_argument(session: Session, command: SessionCommand, argument: str) -> list[Candidate]:
    if command.takes is Takes.FILE:
        return list(_files(argument))
    word = word_at(argument, len(argument))
    if command.takes is Takes.BREAKPOINTS:
        return list(_numbers(session, argument))
    if word is None:
        return []
    before = argument[: word.start].strip()
    first = [KnownWord(each, _COMMAND, command.name) for each in command.words]
    if command.takes is Takes.COMMAND:
        return fitting(_command_words(), word) if not before else []
    if command.takes is Takes.WORD:
        return fitting(first, word) if not before else _behind(session, command, argument)
    if command.takes is Takes.LOCATION and " if " not in f" {argument}":
        return fitting([*_places(session), *_conditions(before)], word)
    found = _expression(session, argument)
    if command.takes is Takes.EITHER and not before:
        found = [*fitting(_places(session), word), *found]
    if first and not before:
        found = [*fitting(first, word), *found]
    return _sorted(found, word.typed) if command.takes is not Takes.NOTHING else []


def _behind(session: Session, command: SessionCommand, argument: str) -> list[Candidate]:
    """What follows the first word of a command: a condition, registers, the name of a view."""
    start = len(argument) - len(argument.lstrip())
    start += len(argument.split(maxsplit=1)[0])
    return (
        [
            each._replace(start=each.start + start)
            for each in _expression(session, argument[start:].removeprefix("if "))
        ]
        if command.name in ("info", "catch")
        else []
    )


def _expression(session: Session, argument: str) -> list[Candidate]:
    condition = argument.rfind(" if ")
    start = condition + len(" if ") if condition >= 0 else 0
    if condition < 0 and argument.startswith("/"):
        start = len(argument.split(maxsplit=1)[0])
    if argument.startswith("if "):
        start = len("if ")
    text = argument[start:]
    return [
        each._replace(start=each.start + start)
        for each in complete(session.context, text, len(text))
    ]


def _places(session: Session) -> Iterator[KnownWord]:
    for name, address in session.debugger.program.label_addresses.items():
        yield KnownWord(name, "label", f"bundle {address}")


def _conditions(before: str) -> Iterator[KnownWord]:
    if before:
        yield KnownWord("if", _COMMAND, "a condition")
        yield KnownWord("hits", _COMMAND, "a condition on the number of arrivals")


def _numbers(session: Session, argument: str) -> Iterator[Candidate]:
    typed = argument.rpartition(" ")[2]
    for number, entry in session.table.entries.items():
        if str(number).startswith(typed):
            start = len(argument) - len(typed)
            yield Candidate(str(number), start, len(typed), _COMMAND, entry.target.text)


def _files(argument: str) -> Iterator[Candidate]:
    typed = argument.lstrip()
    folder, name = os.path.split(typed)
    try:
        found = sorted(os.scandir(folder or "."), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in found:
        if entry.name.startswith(name) and (name or not entry.name.startswith(".")):
            is_folder = entry.is_dir()
            text = entry.name + (os.sep if is_folder else "@")
            start = len(argument) - len(name)
            yield Candidate(text, start, len(name), "file", "folder" if is_folder else "file")

"""Completion of a line of the session: commands, places, breakpoints, files, expressions."""

from __future__ import annotations

import os
from typing import Iterator, Sequence

from ipu_asm.cli.run.interactive.commands import TABLE
from ipu_asm.cli.run.interactive.session import Session
from ipu_asm.debugger.console.command import COMMAND, Command, Takes
from ipu_asm.debugger.expressions import Candidate, complete
from ipu_asm.debugger.expressions.completion import KnownWord, fitting, word_at


def candidates(session: Session, line: str) -> list[Candidate]:
    """Return the words that fit at the end of a line, those that begin with its letters first."""

    def place(command: Command, argument: str) -> list[Candidate] | None:
        return _in_place(session, command, argument)

    further = {
        Takes.FILE: lambda command, argument: _files(argument),
        Takes.BREAKPOINTS: lambda command, argument: _numbers(session, argument),
        Takes.LOCATION: place,
        Takes.EITHER: place,
    }
    found = TABLE.complete(session.context, line, len(line), further)
    unique: dict[str, Candidate] = {}
    for each in found:
        unique.setdefault(each.text, each)
    if any(line[: each.start].strip() for each in found):
        return list(unique.values())
    return sorted(unique.values(), key=lambda each: (not _begins(each, line), each.text))


def narrowed(found: Sequence[Candidate], line: str) -> list[Candidate]:
    """Return the candidates that begin with what is typed; without such ones all of them."""
    return [each for each in found if _begins(each, line)] or list(found)


def _begins(candidate: Candidate, line: str) -> bool:
    return candidate.text.lower().startswith(line[candidate.start :].lower())


def _in_place(session: Session, command: Command, argument: str) -> list[Candidate] | None:
    """Complete a location; None where an expression is expected."""
    word = word_at(argument, len(argument))
    if word is None:
        return []
    before = argument[: word.start].strip()
    if command.takes is Takes.LOCATION and " if " not in f" {argument}":
        return fitting([*_places(session), *_conditions(before)], word)
    if command.takes is Takes.LOCATION or before:
        return None
    found = complete(session.context, argument, len(argument))
    return [*fitting(_places(session), word), *found]


def _places(session: Session) -> Iterator[KnownWord]:
    for name, address in session.debugger.program.label_addresses.items():
        yield KnownWord(name, "label", f"bundle {address}")


def _conditions(before: str) -> Iterator[KnownWord]:
    if before:
        yield KnownWord("if", COMMAND, "a condition")
        yield KnownWord("hits", COMMAND, "a condition on the number of arrivals")


def _numbers(session: Session, argument: str) -> Iterator[Candidate]:
    typed = argument.rpartition(" ")[2]
    for number, entry in session.table.entries.items():
        if str(number).startswith(typed):
            start = len(argument) - len(typed)
            yield Candidate(str(number), start, len(typed), COMMAND, entry.target.text)


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

"""The mistakes in a configuration file with their places, for those who show them in the file."""

from __future__ import annotations

import os
import re
from typing import Iterator, NamedTuple

from ipu_asm.configuration import Configuration, ConfigurationError, read_configuration
from ipu_asm.lint.selection import Selection
from ipu_asm.text import LineIndex, Span


class Mistake(NamedTuple):
    """What is wrong in a configuration file. One that is fatal makes the whole file not count."""

    span: Span
    message: str
    is_fatal: bool


class CheckedFile(NamedTuple):
    """The text of a configuration file, empty if there is none, and its mistakes."""

    text: str
    mistakes: tuple[Mistake, ...]


def check_file(path: str) -> CheckedFile:
    """What is wrong in a file of settings. One that is not there is not wrong. Never raises."""
    if not os.path.isfile(path):
        return CheckedFile("", ())
    text = _text(path)
    found = _checked(path, text)
    # It is read twice, so somebody may have written to it in between.
    written = _text(path)
    return found if written == text else _checked(path, written)


def _checked(path: str, text: str) -> CheckedFile:
    try:
        configuration = read_configuration(path)
    except ConfigurationError as error:
        found = tuple(_mistake(text, path, said) for said in error.mistakes)
        return CheckedFile(text, found)
    if configuration is None or not configuration.names_rules:
        return CheckedFile(text, ())
    return CheckedFile(text, tuple(_unknown_names(text, configuration)))


def _mistake(text: str, path: str, said: str) -> Mistake:
    """A mistake out of `path:line: sentence`, on its line if it has one."""
    message = said.removeprefix(path)
    match = re.match(r":(\d+): ", message)
    if match is None:
        return Mistake(_line(text, 0), message.removeprefix(": "), is_fatal=True)
    return Mistake(_line(text, int(match[1]) - 1), message[match.end() :], is_fatal=True)


def _unknown_names(text: str, configuration: Configuration) -> Iterator[Mistake]:
    selection = Selection(
        configuration.select,
        configuration.ignore,
        configuration.extend_select,
        configuration.per_file_ignores,
    )
    for name in selection.unknown_selectors():
        written = re.search(rf"""(["']){re.escape(name)}\1""", text)
        span = Span(*written.span()) if written else _line(text, 0)
        yield Mistake(span, f"no finding has the code or name `{name}`", is_fatal=False)


def _line(text: str, number: int) -> Span:
    """A line without the blanks around it; the last one where there are fewer."""
    lines = LineIndex.of(text)
    start, end = lines.line_span(min(number, len(lines.starts) - 1))
    line = text[start:end]
    first = start + len(line) - len(line.lstrip())
    return Span(min(first, end), max(first, start + len(line.rstrip())))


def _text(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""

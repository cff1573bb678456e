"""The mistakes in a configuration file with their places, for those who show them in the file."""

from __future__ import annotations

import os
import re
from typing import Iterator, NamedTuple

from ipu_asm.config.configuration import (
    MOST_BYTES,
    MOST_MISTAKES,
    Configuration,
    ConfigurationError,
    configuration_of,
    configuration_text,
)
from ipu_asm.config.files import FileError, Target, read_beginning
from ipu_asm.isa.operands import quoted
from ipu_asm.lint.selection import Selection
from ipu_asm.text import LineIndex, Span

_STRING = re.compile(r""""[^"\n]*"|'[^'\n]*'""")


class Mistake(NamedTuple):
    """What is wrong in a configuration file. One that is fatal makes the whole file not count."""

    span: Span
    message: str
    is_fatal: bool


class CheckedFile(NamedTuple):
    """The text of a configuration file, empty if there is none for us, and its mistakes."""

    text: str
    mistakes: tuple[Mistake, ...]


def check_file(path: str) -> CheckedFile:
    """What is wrong in a file of settings. One that is not there is not wrong. Never raises."""
    if not os.path.isfile(path):
        return CheckedFile("", ())
    text: str | None = None
    try:
        text = configuration_text(path)
        configuration = None if text is None else configuration_of(text, path)
    except ConfigurationError as error:
        text = _readable(path) if text is None else text
        return CheckedFile(text, tuple(_mistake(text, path, said) for said in error.mistakes))
    if text is None or configuration is None or not configuration.names_rules:
        return CheckedFile(text or "", ())
    return CheckedFile(text, tuple(_unknown_names(text, configuration)))


def _readable(path: str) -> str:
    """The beginning of a file that is no text or too long."""
    try:
        return read_beginning(Target(path), MOST_BYTES).decode("utf-8", "replace")
    except FileError:
        return ""


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
    unknown = selection.unknown_selectors()
    places = {written[0][1:-1]: written.span() for written in reversed([*_STRING.finditer(text)])}
    for name in unknown[:MOST_MISTAKES]:
        span = Span(*places[name]) if name in places else _line(text, 0)
        yield Mistake(span, f"no finding has the code or name {quoted(name)}", is_fatal=False)
    if len(unknown) > MOST_MISTAKES:
        message = f"{len(unknown) - MOST_MISTAKES:,} more names that no finding has"
        yield Mistake(_line(text, 0), message, is_fatal=False)


def _line(text: str, number: int) -> Span:
    """A line without the blanks around it; the last one where there are fewer."""
    lines = LineIndex.of(text)
    start, end = lines.line_span(min(number, len(lines.starts) - 1))
    line = text[start:end]
    first = start + len(line) - len(line.lstrip())
    return Span(min(first, end), max(first, start + len(line.rstrip())))

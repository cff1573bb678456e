"""The prompt in a terminal, on prompt_toolkit: completion, history, a line that says where we are.

In a dumb terminal, and in an installation without prompt_toolkit, lines are read by `input`.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Iterable, Iterator, Protocol, Sequence

from ipu_asm.cli.run.interactive.command_table import SessionCommand, Takes
from ipu_asm.cli.run.interactive.commands import TABLE, execute
from ipu_asm.cli.run.interactive.screen import Style
from ipu_asm.cli.run.interactive.session import CommandError, Session
from ipu_asm.config.file_writing import replace_file
from ipu_asm.config.files import FileError
from ipu_asm.debugger.console import complete_command
from ipu_asm.debugger.expressions import Candidate, ExpressionError, complete
from ipu_asm.debugger.expressions.completion import KnownWord, fitting, word_at
from ipu_asm.emulator.interrupts import Interrupts

if TYPE_CHECKING:
    from prompt_toolkit.completion import CompleteEvent, Completion
    from prompt_toolkit.document import Document


_COMMAND = "command"
MOST_LINES: Final = 2_000
_FOLDER: Final = "ipu-asm"
_NAME: Final = "debug_history"
_MAX_BYTES: Final = 1 << 20
_APPEND: Final = os.O_WRONLY | os.O_APPEND | os.O_CREAT
PROMPT = "(ipu) "


class ReadLine(Protocol):
    """Reads a line; raises EOFError for Ctrl-D and KeyboardInterrupt for Ctrl-C."""

    def __call__(self) -> str: ...


def run_prompt(session: Session, read_line: ReadLine) -> None:
    """Read and execute lines until the session ends. An empty line repeats the last command."""
    repeated = ""
    while not session.has_ended:
        try:
            with Interrupts():  # so that Ctrl-C is over when the line is read again
                line = read_line().strip()
        except KeyboardInterrupt:
            continue
        except EOFError:
            break
        command = line or repeated
        if not command:
            continue
        try:
            repeated = _do(session, command)
        except KeyboardInterrupt:  # the second Ctrl-C, before the first could pause
            repeated = ""
            session.recover()
        except CommandError as error:
            repeated = ""
            session.screen.show(session.screen.paint(f"error: {error}", Style.FAULT))


def _do(session: Session, line: str) -> str:
    """Execute a line; return what an empty line does next."""
    called: list[SessionCommand | None] = []
    session.interruptible(lambda: called.append(execute(session, line)))
    command = called[0]
    if command is None:
        return line
    again = command.name if command.continues else line
    return again if command.repeats else ""


def line_reader(session: Session, **options: Any) -> ReadLine:
    """Return what reads lines from the terminal; `options` are passed to prompt_toolkit."""
    if os.environ.get("TERM") == "dumb":
        return _plain_reader(session)
    try:
        from prompt_toolkit import PromptSession
    except ModuleNotFoundError:
        session.screen.show(
            "completion and history need prompt_toolkit (`pip install prompt_toolkit`)"
        )
        return _plain_reader(session)
    prompt: PromptSession[str] = PromptSession(
        completer=_completer(session),
        complete_while_typing=False,
        history=_history(),
        bottom_toolbar=lambda: _toolbar(session),
        style=_style(session),
        enable_history_search=True,
        **options,
    )
    return lambda: prompt.prompt(PROMPT)


def _plain_reader(session: Session) -> ReadLine:
    """Read lines without moving the cursor, as an editor's shell needs it."""

    def read_line() -> str:
        try:
            return input(PROMPT)
        except EOFError:
            session.screen.show(" ")
            raise

    return read_line


def _toolbar(session: Session) -> str:
    debugger = session.debugger
    if debugger.state.is_halted:
        return f"cycle {debugger.cycle:,}  halted"
    types = session.context.view.types
    return (
        f"cycle {debugger.cycle:,}  {debugger.lines.describe(session.address)}  "
        f"{types.name or ''}".rstrip()
    )


def _style(session: Session) -> Any:
    from prompt_toolkit.styles import Style as PromptStyle

    return None if session.screen.has_color else PromptStyle([("bottom-toolbar", "noreverse")])


def _completer(session: Session) -> Any:
    from prompt_toolkit.completion import Completer, Completion

    class LineCompleter(Completer):
        def get_completions(
            self, document: Document, complete_event: CompleteEvent
        ) -> Iterable[Completion]:
            del complete_event
            text = document.text_before_cursor
            try:
                found = candidates(session, text)
            except (CommandError, ExpressionError):
                return
            for each in narrowed(found, text):
                yield Completion(each.text, each.start - len(text), display_meta=each.detail)

    return LineCompleter()


def narrowed(found: Sequence[Candidate], line: str) -> list[Candidate]:
    """Return the candidates that begin with what is typed; without such ones all of them."""
    begin = [each for each in found if each.text.lower().startswith(line[each.start :].lower())]
    return begin or list(found)


def _history() -> Any:
    from prompt_toolkit.history import History, InMemoryHistory

    class StateHistory(History):
        def __init__(self, path: str) -> None:
            super().__init__()
            self._path = path

        def load_history_strings(self) -> Iterable[str]:
            return reversed(read_history(self._path))

        def store_string(self, string: str) -> None:
            append_history(self._path, string)

    path = history_path()
    return InMemoryHistory() if path is None else StateHistory(path)


def history_path() -> str | None:
    """Return the path of the file; None if the user has no folder for it."""
    base = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA") or ""
    if not os.path.isabs(base):
        home = os.path.expanduser("~")
        if not os.path.isabs(home):
            return None
        base = os.path.join(home, ".local", "state")
    return os.path.join(base, _FOLDER, _NAME)


def read_history(path: str) -> list[str]:
    """Return the commands in a file, the latest last; none if it cannot be read.

    A file that has become too long is replaced by its end.
    """
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _MAX_BYTES))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except (OSError, ValueError):
        return []
    if len(lines) > MOST_LINES:
        lines = lines[-MOST_LINES // 2 :]
        with suppress(FileError):
            replace_file(path, "".join(f"{line}\n" for line in lines).encode(), new_mode=0o600)
    return lines


def append_history(path: str, command: str) -> None:
    """Append a command to a file, in one write; nothing happens if that is impossible.

    Several sessions may do so at once. Nobody else can read the file.
    """
    line = " ".join(command.split())
    with suppress(OSError, ValueError):
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        descriptor = os.open(path, _APPEND, 0o600)
        try:
            os.write(descriptor, f"{line}\n".encode("utf-8", "replace"))
        finally:
            os.close(descriptor)


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

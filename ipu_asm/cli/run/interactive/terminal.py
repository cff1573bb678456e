"""The prompt in a terminal, on prompt_toolkit: completion, history, a status line.

In a dumb terminal, and in an installation without prompt_toolkit, lines are read by `input`.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Callable, Final, Iterable, Iterator, Protocol, Sequence

from ipu_asm.assembler.kernel import Kernel
from ipu_asm.cli.console import ExitStatus, is_terminal, print_message
from ipu_asm.cli.run.execution import RunOutcome, start_state
from ipu_asm.cli.run.host_options import Host, WrongOptionError
from ipu_asm.cli.run.interactive.commands import TABLE, execute
from ipu_asm.cli.run.interactive.session import Screen, Session, Style
from ipu_asm.cli.run.interactive.stop_view import SIDE_BY_SIDE, view_text
from ipu_asm.cli.run.options import PROGRAM, RunOptions
from ipu_asm.cli.run.results import check_printed, printed_values
from ipu_asm.config.file_writing import replace_file
from ipu_asm.config.files import FileError, Target, decoded, read_bytes
from ipu_asm.debugger.console.command import COMMAND, Command, CommandError, Takes
from ipu_asm.debugger.expressions import Candidate, ExpressionError, complete
from ipu_asm.debugger.expressions.completion import KnownWord, fitting, word_at
from ipu_asm.debugger.inspection import MemoryRange
from ipu_asm.emulator.interrupts import Interrupts
from ipu_asm.testbench.data.memory import host_data
from ipu_asm.text import counted

if TYPE_CHECKING:
    from prompt_toolkit.completion import CompleteEvent, Completion
    from prompt_toolkit.document import Document


MAX_LINES: Final = 2_000
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
    called: list[Command | None] = []
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
            for each in narrowed(candidates(session, text), text):
                yield Completion(each.text, each.start - len(text), display_meta=each.detail)

    return LineCompleter()


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
    if len(lines) > MAX_LINES:
        lines = lines[-MAX_LINES // 2 :]
        with suppress(FileError):
            replace_file(path, "".join(f"{line}\n" for line in lines).encode(), new_mode=0o600)
    return lines


def append_history(path: str, command: str) -> None:
    """Append a command to a file, in one write; nothing happens if that is impossible.

    Several sessions may do so at once. Only the user can read the file.
    """
    line = " ".join(command.split())
    with suppress(OSError, ValueError):
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        descriptor = os.open(path, _APPEND, 0o600)
        try:
            os.write(descriptor, f"{line}\n".encode("utf-8", "replace"))
        finally:
            os.close(descriptor)


_PIPE = "standard input"


def debug(
    kernel: Kernel,
    options: RunOptions,
    host: Host,
    read_line: Callable[[Session], ReadLine] = line_reader,
) -> RunOutcome:
    """Debug a program on a machine that the host has set up.

    Commands are those of `--commands`, then, with `--interactive`, those of the terminal or the
    pipe. Raises as `execute` does, and `FileError` if the commands cannot be read.
    """
    state, loaded = start_state(kernel, options, host)
    ranges = [MemoryRange(each.text, each.address, each.size) for each in loaded]
    session = Session(
        kernel,
        state,
        options,
        settings=host.settings,
        screen=Screen(),
        ranges=ranges,
        data=host_data(state, loaded, options.dump, host.expected),
    )
    status = converse(session, options, read_line)
    stop = session.run_end()
    machine = session.debugger.machine
    printed = printed_values(session.context, options.prints)
    return RunOutcome(
        machine, stop, 0.0, None, host=host, loaded=loaded, printed=printed, session=status
    )


def converse(
    session: Session, options: RunOptions, read_line: Callable[[Session], ReadLine] = line_reader
) -> ExitStatus:
    """Carry out the commands of a session as `debug` says; return the exit status."""
    script = None if options.commands is None else _script(options.commands)
    status = ExitStatus.INTERRUPTED if _begin(session) else ExitStatus.OK
    if status is ExitStatus.OK and script is not None and options.commands is not None:
        status = run_script(session, options.commands, script)
    if options.interactive and not session.has_ended:
        if is_terminal(sys.stdin):
            _prompt(session, read_line)
            status = ExitStatus.OK
        elif status is ExitStatus.OK:
            status = run_script(session, _PIPE, _piped())
    return status


def _begin(session: Session) -> bool:
    """Go to where `--until` says; return whether Ctrl-C was pressed. Raises `WrongOptionError`."""
    options, name = session.options, "--print"
    try:
        check_printed(session.context, options.prints)
        name = "--until"
        if options.until is not None:
            return session.interruptible(partial(execute, session, f"until {options.until}"))
    except (ExpressionError, CommandError) as error:
        raise WrongOptionError(f"argument {name}: {error}") from error
    return False


def _prompt(session: Session, read_line: Callable[[Session], ReadLine]) -> None:
    is_dumb = os.environ.get("TERM") == "dumb"
    session.view = (
        "line" if is_dumb else "bundle" if session.screen.width < SIDE_BY_SIDE else "full"
    )
    session.screen.show(
        f"{session.kernel.name}: {counted(session.kernel.program.size, 'bundle')}; "
        "`help` lists the commands, Ctrl-D quits"
    )
    session.screen.show(view_text(session, session.view))
    run_prompt(session, read_line(session))


def _script(path: str) -> list[str]:
    target = Target.of_argument(path)
    return decoded(read_bytes(target), target.name).text.splitlines()


def _piped() -> Iterator[str]:
    """The lines of standard input, each as soon as it is there."""
    if sys.stdin is not None:  # the parent process may have closed it
        yield from (line.decode("utf-8", "replace") for line in sys.stdin.buffer)


def run_script(session: Session, name: str, lines: Iterable[str]) -> ExitStatus:
    """Execute lines; return the exit status. Blank lines and lines that begin with `#` are skipped.

    `name` is the file for messages.
    """
    for number, line in enumerate(lines, 1):
        command = line.strip()
        if not command or command.startswith("#"):
            continue
        try:
            if session.interruptible(partial(execute, session, command)):
                return ExitStatus.INTERRUPTED
        except CommandError as error:
            print_message(PROGRAM, f"{name}:{number}: `{command}`: {error}")
            return ExitStatus.FINDINGS
        if session.has_ended:
            break
    return ExitStatus.OK


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

"""The prompt in a terminal, on prompt_toolkit: completion, history, a line that says where we are.

In a dumb terminal, and in an installation without prompt_toolkit, lines are read by `input`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Iterable, Protocol, Sequence

from ipu_asm.cli.run.interactive.command_table import SessionCommand
from ipu_asm.cli.run.interactive.commands import execute
from ipu_asm.cli.run.interactive.completion import candidates
from ipu_asm.cli.run.interactive.history_file import append_history, history_path, read_history
from ipu_asm.cli.run.interactive.screen import Style
from ipu_asm.cli.run.interactive.session import CommandError, Session
from ipu_asm.debugger.expressions import Candidate, ExpressionError
from ipu_asm.emulator.interrupts import Interrupts

if TYPE_CHECKING:
    from prompt_toolkit.completion import CompleteEvent, Completion
    from prompt_toolkit.document import Document

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

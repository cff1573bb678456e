"""A session from its beginning to its report: where commands come from, and how it ends."""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import Callable, Iterable, Iterator

from ipu_asm.assembler.kernel import Kernel
from ipu_asm.cli.console import ExitStatus, is_terminal, print_message
from ipu_asm.cli.run.execution import RunOutcome, start_state
from ipu_asm.cli.run.host_options import Host, WrongOptionError
from ipu_asm.cli.run.interactive.commands import execute
from ipu_asm.cli.run.interactive.screen import Screen
from ipu_asm.cli.run.interactive.session import CommandError, Session
from ipu_asm.cli.run.interactive.stop_view import SIDE_BY_SIDE, view_text
from ipu_asm.cli.run.interactive.terminal import ReadLine, line_reader, run_prompt
from ipu_asm.cli.run.options import PROGRAM, RunOptions
from ipu_asm.cli.run.results import check_printed, printed_values
from ipu_asm.config.files import Target, decoded, read_bytes
from ipu_asm.debugger.expressions import ExpressionError
from ipu_asm.debugger.inspection import MemoryRange
from ipu_asm.testbench.data.host_data import host_data
from ipu_asm.text import counted

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
    script = None if options.commands is None else _script(options.commands)
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
    status = ExitStatus.INTERRUPTED if _begin(session) else ExitStatus.OK
    if status is ExitStatus.OK and script is not None and options.commands is not None:
        status = run_script(session, options.commands, script)
    if options.interactive and not session.has_ended:
        if is_terminal(sys.stdin):
            _prompt(session, read_line)
            status = ExitStatus.OK
        elif status is ExitStatus.OK:
            status = run_script(session, _PIPE, _piped())
    stop = session.run_end()
    machine = session.debugger.machine
    printed = printed_values(session.context, options.prints)
    return RunOutcome(
        machine,
        stop,
        0.0,
        None,
        host=host,
        loaded=loaded,
        printed=printed,
        session=status,
    )


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

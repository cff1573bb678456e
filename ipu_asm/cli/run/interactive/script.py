"""Commands from a file or a pipe: one a line, without a prompt; the first that fails ends them."""

from __future__ import annotations

from functools import partial
from typing import Iterable

from ipu_asm.cli.console import ExitStatus, print_message
from ipu_asm.cli.run.interactive.commands import execute
from ipu_asm.cli.run.interactive.session import CommandError, Session
from ipu_asm.cli.run.options import PROGRAM


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

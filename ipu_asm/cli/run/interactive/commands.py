"""All commands of a session, and the execution of a line."""

from __future__ import annotations

from typing import Final, Sequence

from ipu_asm.cli.run.interactive.breakpoint_commands import BREAKPOINTS
from ipu_asm.cli.run.interactive.command_table import CommandTable, SessionCommand, Takes
from ipu_asm.cli.run.interactive.data_commands import DATA
from ipu_asm.cli.run.interactive.info_commands import INFO
from ipu_asm.cli.run.interactive.moves import MOVES, no_argument
from ipu_asm.cli.run.interactive.screen import Style
from ipu_asm.cli.run.interactive.session import CommandError, Session
from ipu_asm.cli.run.interactive.stop_view import show_stop
from ipu_asm.debugger.breakpoints import Stop
from ipu_asm.debugger.console import COMMANDS as CONSOLE
from ipu_asm.debugger.console import CommandResult
from ipu_asm.debugger.console.commands import invocation
from ipu_asm.debugger.expressions import ExpressionError
from ipu_asm.debugger.queries import QueryInterruptedError

_CONSOLE: Final = tuple(name for name in CONSOLE if name != "help")
"""The commands that the debug console of editors has, too."""


def execute(session: Session, line: str) -> SessionCommand | None:
    """Execute a line; return the command that it called, None for one of the console.

    Raises `CommandError`.
    """
    try:
        call = TABLE.call(session, line)
        if call is None:
            _in_console(session, line)
        else:
            call.command.run(session, line[call.start :])
            return call.command
    except ExpressionError as error:
        raise CommandError(error.message) from error
    except QueryInterruptedError as error:
        raise CommandError("interrupted before the answer was found") from error
    return None


def _in_console(session: Session, line: str) -> None:
    """Execute a command of the debug console, an assignment or an expression."""
    shown = session.debugger.resolver
    result: CommandResult | None = None

    def run() -> Stop:
        nonlocal result
        result = session.console.run(line)
        return result.stop or session.stop

    if invocation(session.context, line) is None:
        result = session.console.run(line, TABLE.names)
    else:
        name = line.split()[0]
        if name == "goto":
            session.move(run)
        else:
            run()
    assert result is not None
    if result.stop is not None:
        show_stop(session, result.stop)
    elif result.text:
        session.screen.show(result.text)
    if result.changed or session.debugger.resolver is not shown:
        session.refresh()


def _help(session: Session, argument: str) -> None:
    name = argument.strip()
    if not name:
        session.screen.show(_overview(session))
        return
    if name == "all":
        for command in TABLE.commands.values():
            session.screen.show(_details(command) + "\n")
        return
    named = TABLE.named(name)
    if name in _CONSOLE:
        session.screen.show(session.console.run(f"help {name}").text)
    elif named is not None:
        session.screen.show(_details(named))
    else:
        near = TABLE.nearest(name)
        hint = f"; did you mean `{near}`?" if near else "; `help` lists all"
        raise CommandError(f"no command is called `{name}`{hint}")


def _details(command: SessionCommand) -> str:
    short = f" (short: {', '.join(command.short)})" if command.short else ""
    head = f"{command.usage}{short}: {command.summary}"
    return f"{head}\n{command.details}" if command.details else head


def _overview(session: Session) -> str:
    lines = []
    for heading, commands in _SECTIONS.items():
        lines.append(session.screen.paint(heading, Style.HEADING))
        lines += [_summary_line(each.name, each.short, each.summary) for each in commands]
    lines.append(session.screen.paint("Asking the past, and the program", Style.HEADING))
    lines += [_summary_line(name, (), CONSOLE[name].summary) for name in _CONSOLE]
    return "\n".join([*lines, "", _EXPRESSIONS])


def _summary_line(name: str, short: Sequence[str], summary: str) -> str:
    letters = short[0] if short and len(short[0]) <= _SHORTEST else ""
    return f"  {name:<17}{letters:<5}{summary}"


def _quit(session: Session, argument: str) -> None:
    no_argument(argument, "quit")
    session.has_ended = True


_SHORTEST: Final = 4
_EXPRESSIONS: Final = """\
`help COMMAND` tells more, `help all` everything. Beginnings of commands will
do, an empty line repeats the last one. Anything else is an expression or an
assignment:
  lr5   acc[0..7],x   xmem[cr0 + lr1 .. +16 : f32]   sum(acc) > 100   lr5 = 3"""
_SESSION: Final = (
    SessionCommand(
        "help [COMMAND]",
        "what there is, or more of one command",
        _help,
        short=("h",),
        takes=Takes.COMMAND,
    ),
    SessionCommand(
        "quit", "end the session", _quit, "So does Ctrl-D.", short=("q", "exit"), repeats=False
    ),
)
_SECTIONS: Final = {
    "Moving": MOVES,
    "Breakpoints": BREAKPOINTS,
    "Values": DATA,
    "The program": INFO,
    "The session": _SESSION,
}
TABLE: Final = CommandTable(
    [command for commands in _SECTIONS.values() for command in commands], _CONSOLE
)

"""All commands of a session, and the execution of a line."""

from __future__ import annotations

from itertools import groupby
from typing import Callable, Final, Mapping

from ipu_asm.cli.run.interactive.breakpoint_commands import BREAKPOINTS, show_breakpoints
from ipu_asm.cli.run.interactive.data_commands import DATA
from ipu_asm.cli.run.interactive.moves import MOVES, no_argument, resolve
from ipu_asm.cli.run.interactive.session import VIEWS, Session, Style
from ipu_asm.cli.run.interactive.stop_view import (
    cut,
    numbered_lines,
    show_displays,
    show_stop,
    value_text,
    view_text,
)
from ipu_asm.cli.run.report import settings_of_state
from ipu_asm.debugger.breakpoints import Stop
from ipu_asm.debugger.conditions import BreakpointError
from ipu_asm.debugger.console import COMMANDS as CONSOLE
from ipu_asm.debugger.console import CommandResult, rows
from ipu_asm.debugger.console.command import Command, CommandError, CommandTable, Takes
from ipu_asm.debugger.expressions import ExpressionError
from ipu_asm.debugger.queries import QueryInterruptedError
from ipu_asm.diagnostics.suggestions import hint_of
from ipu_asm.emulator.stops import StopReason
from ipu_asm.flow.control_run.facts import control_facts
from ipu_asm.flow.loop_numbers import loop_numbers, trips_text
from ipu_asm.flow.loops import enclosing_loops, loops_of
from ipu_asm.text import counted, numbered

_LIST_LINES: Final = 11


def _registers(session: Session, argument: str) -> None:
    """Show the registers of some names, or all: scalars, then a line for each vector."""
    if argument.strip():
        for name in argument.replace(",", " ").split():
            session.screen.show(value_text(session, name))
        return
    cells: list[tuple[str, str]] = []
    for scope in session.inspector.scopes():
        for item in session.inspector.children(scope.group):
            if item.location is None or item.location.length is not None or item.indexed:
                continue
            cells.append((item.name, item.value.partition("  #")[0]))
    _show_cells(session, cells)
    items = [session.inspector.item_of(info.name) for info in session.inspector.vectors()]
    rows = []
    for (_, value), same in groupby(
        items, key=lambda item: (item.name.partition("[")[0], item.value)
    ):
        names = [item.name for item in same]
        rows.append((names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}", value))
    wide = max(len(name) for name, _ in rows)
    for name, value in rows:
        session.screen.show(cut(f"{name:<{wide}}  {value}", session.screen.width))


def _show_cells(session: Session, cells: list[tuple[str, str]]) -> None:
    """Show names with values in as many columns as fit, read downwards."""
    wide = max(len(name) for name, _ in cells)
    texts = [f"{name:<{wide}} {value}" for name, value in cells]
    column = max(map(len, texts)) + 2
    count = max(1, session.screen.width // column)
    height = -(-len(texts) // count)
    for row in range(height):
        line = "".join(
            session.screen.paint(text.ljust(column), Style.CHANGED if " was " in text else None)
            for text in texts[row::height]
        )
        session.screen.show(line.rstrip())


def _loops(session: Session, argument: str) -> None:
    no_argument(argument, "loops")
    program, here = session.kernel.program, session.address
    found = loops_of(program)
    if not found:
        session.screen.show("the program has no loops")
        return
    numbers = session.debugger.loops
    if numbers is None:
        facts = control_facts(program)
        numbers = loop_numbers(program, facts[0] if facts else None)
    around = {loop.start for loop in enclosing_loops(program, here)}
    for loop in found:
        trips = f", {trips_text(numbers[loop.first])}" if loop.first in numbers else ""
        mark = "=>" if loop.first in around else "  "
        name = loop.label or f"bundle {loop.first}"
        place = session.debugger.lines.place(loop.first)
        line = f", line {place.line}" if place else ""
        text = f"{mark} {name}: {numbered('bundle', loop.first, loop.last)}{line}{trips}"
        session.screen.show(session.screen.paint(text, Style.HERE if mark == "=>" else None))


def _memory(session: Session, argument: str) -> None:
    """Show the parts of xmem that files and base registers name."""
    no_argument(argument, "info memory")
    scopes = {scope.name: scope.group for scope in session.inspector.scopes()}
    for item in session.inspector.children(scopes["Memory map"]):
        session.screen.show(cut(f"{item.name} = {item.value}", session.screen.width))


def _labels(session: Session, argument: str) -> None:
    no_argument(argument, "info labels")
    for name, address in session.kernel.program.label_addresses.items():
        place = session.debugger.lines.place(address)
        session.screen.show(f"{name}: bundle {address}" + (f", line {place.line}" if place else ""))


def _where(session: Session, argument: str) -> None:
    """Show the bundle, then what it is in: iterations and calls of a template, and loops."""
    no_argument(argument, "where")
    debugger, show = session.debugger, session.screen.show
    show(f"#0  {debugger.lines.describe(session.address)}")
    place = debugger.lines.place(session.address)
    levels = [level.label.replace("`", "") for level in (place.stack if place else ())]
    for number, level in enumerate(levels, 1):
        show(f"#{number}  in {level}")
    loops = enclosing_loops(session.kernel.program, session.address)
    for number, loop in enumerate(loops, len(levels) + 1):
        first = debugger.lines.place(loop.start)
        name = first.name if first and first.name else f"bundle {loop.start}"
        bundles = numbered("bundle", loop.start, loop.stop - 1)
        texts = (f"in loop {name}", bundles, debugger.trip_text(loop.start))
        show(f"#{number}  {', '.join(filter(None, texts))}")


def _program(session: Session, argument: str) -> None:
    no_argument(argument, "info program")
    kernel, debugger, show = session.kernel, session.debugger, session.screen.show
    show(f"{kernel.name}: {kernel.isa.name}, {counted(kernel.program.size, 'bundle')}")
    settings = settings_of_state(debugger.state).items()
    types = session.context.view.types
    show(", ".join([f"element type {types.name or 'none'}", *(f"{n} {v}" for n, v in settings)]))
    why = "" if session.stop.reason is StopReason.STEP else f", {session.stop.description}"
    show(f"cycle {debugger.cycle:,}{why}")
    show(f"engine: {debugger.machine.engine_used}")


def _displays(session: Session, argument: str) -> None:
    no_argument(argument, "info display")
    show_displays(session)
    if not session.displays:
        session.screen.show("no displays: `display EXPRESSION` makes one")


_TOPICS: Final[Mapping[str, tuple[str, Callable[[Session, str], None]]]] = {
    "registers": ("all registers, or those named after it", _registers),
    "breakpoints": ("breakpoints, and events that stop runs", show_breakpoints),
    "display": ("what is shown at each stop", _displays),
    "loops": ("the loops, with their trips where these are known", _loops),
    "memory": ("the parts of xmem that files and base registers name", _memory),
    "labels": ("the labels and their bundles", _labels),
    "program": ("the program, its settings, why it has stopped", _program),
}


def _info(session: Session, argument: str) -> None:
    word, _, rest = argument.strip().partition(" ")
    found = [topic for topic in _TOPICS if topic.startswith(word)] if word else []
    if word == "watchpoints":
        found = ["breakpoints"]
    if "loops" in found and word in ("l", "lo"):
        found = ["loops"]
    if len(found) != 1:
        hint = hint_of(word, _TOPICS)
        shown = f"`{word}`" if word else "nothing"
        raise CommandError(f"`info` takes one of {', '.join(_TOPICS)}, found {shown}{hint}")
    _TOPICS[found[0]][1](session, rest)


def _list(session: Session, argument: str) -> None:
    """Show source lines around a place; again, those that follow."""
    address, text = session.address, argument.strip()
    if text:
        address = resolve(session.debugger, session.context, text).address
        session.listed_to = None
    here = session.debugger.lines.place(session.address)
    place = session.debugger.lines.place(address)
    if place is None:
        for row in rows(session.debugger, address - 3, 8):
            session.screen.show(f"{row.address:>4}  {row.code}")
        return
    first = session.listed_to + 1 if session.listed_to else max(1, place.line - _LIST_LINES // 2)
    last = first + _LIST_LINES - 1
    marked = (here.line, here.end_line) if here else (0, -1)
    lines = numbered_lines(session, first, last, session.screen.width, marked)
    if not lines:
        raise CommandError("the source ends there; `list LOCATION` shows another part")
    session.screen.show("\n".join(lines))
    session.listed_to = last


def _view(session: Session, argument: str) -> None:
    name = argument.strip() or "full"
    if name not in VIEWS:
        raise CommandError(f"`view` takes one of {', '.join(VIEWS)}, found `{name}`")
    session.screen.show(view_text(session, name))


INFO: Final = (
    Command(
        "info TOPIC",
        "registers, breakpoints, loops, memory, labels, ...",
        _info,
        "\n".join(f"  {name:<12} {summary}" for name, (summary, _) in _TOPICS.items()),
        short=("i",),
        takes=Takes.TOPIC,
        words={name: summary for name, (summary, _) in _TOPICS.items()},
    ),
    Command("loops", "the loops of the program; `=>` marks those around", _loops),
    Command(
        "where",
        "the bundle, and loops, calls and iterations around it",
        _where,
        short=("bt", "backtrace", "f", "frame"),
    ),
    Command(
        "list [LOCATION]",
        "source lines around a place; again for the next ones",
        _list,
        short=("l",),
        takes=Takes.LOCATION,
        continues=True,
    ),
    Command(
        "view [full|bundle|source|line]",
        "the source beside the instructions of the bundle",
        _view,
        "`set view NAME` chooses what each stop shows:\n"
        + "\n".join(f"  {name:<7} {summary}" for name, summary in VIEWS.items()),
        takes=Takes.WORD,
        words=VIEWS,
    ),
)

_MAX_SHORT: Final = 4

_EXPRESSIONS: Final = """\
`help COMMAND` tells more, `help all` everything. Beginnings of commands will
do, an empty line repeats the last one. Anything else is an expression or an
assignment:
  lr5   acc[0..7],x   xmem[cr0 + lr1 .. +16 : f32]   sum(acc) > 100   lr5 = 3"""


def execute(session: Session, line: str) -> Command | None:
    """Execute a line; return the command that it called, None for an expression.

    Raises `CommandError`.
    """
    try:
        call = TABLE.call(session.context, line)
        if call is None:
            _show(session, session.console.evaluate(line, TABLE.commands))
            return None
        call.command.run(session, line[call.start :])
        return call.command
    except ExpressionError as error:
        raise CommandError(error.message) from error
    except BreakpointError as error:
        raise CommandError(str(error)) from error
    except QueryInterruptedError as error:
        raise CommandError("interrupted before the answer was found") from error


def _of_console(command: Command) -> Command:
    """Return a command of the debug console for a session."""

    def run(session: Session, argument: str) -> None:
        shown, results = session.debugger.resolver, list[CommandResult]()

        def move() -> Stop:
            results.append(session.console.execute(command, argument))
            return results[0].stop or session.stop

        if command.moves:
            session.move(move)
        else:
            move()
        _show(session, results[0])
        if session.debugger.resolver is not shown:
            session.refresh()

    return command._replace(run=run)


def _show(session: Session, result: CommandResult) -> None:
    if result.stop is not None:
        show_stop(session, result.stop)
    elif result.text:
        session.screen.show(result.text)
    if result.changed:
        session.refresh()


def _help(session: Session, argument: str) -> None:
    name = argument.strip()
    if not name:
        session.screen.show(_overview(session))
        return
    if name == "all":
        for command in TABLE.commands.values():
            session.screen.show(command.help + "\n")
        return
    named = TABLE.named(name)
    if named is None:
        hint = hint_of(name, TABLE.commands) or "; `help` lists all"
        raise CommandError(f"no command is called `{name}`{hint}")
    session.screen.show(named.help)


def _overview(session: Session) -> str:
    lines = []
    for heading, commands in _SECTIONS.items():
        lines.append(session.screen.paint(heading, Style.HEADING))
        for each in commands:
            letters = each.short[0] if each.short and len(each.short[0]) <= _MAX_SHORT else ""
            lines.append(f"  {each.name:<17}{letters:<5}{each.summary}")
    return "\n".join([*lines, "", _EXPRESSIONS])


def _quit(session: Session, argument: str) -> None:
    no_argument(argument, "quit")
    session.has_ended = True


_SESSION: Final = (
    Command(
        "help [COMMAND]",
        "what there is, or more of one command",
        _help,
        short=("h",),
        takes=Takes.COMMAND,
    ),
    Command(
        "quit", "end the session", _quit, "So does Ctrl-D.", short=("q", "exit"), repeats=False
    ),
)

_SECTIONS: Final = {
    "Moving": MOVES,
    "Breakpoints": BREAKPOINTS,
    "Values": DATA,
    "The program": INFO,
    "The session": _SESSION,
    "Asking the past, and the program": tuple(
        _of_console(each) for each in CONSOLE.values() if each.name != "help"
    ),
}

TABLE: Final = CommandTable(
    [command for commands in _SECTIONS.values() for command in commands], abbreviates=True
)

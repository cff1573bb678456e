"""Commands that move the machine: forwards, backwards, to a place."""

from __future__ import annotations

from typing import Callable, Final

from ipu_asm.cli.run.interactive.command_table import SessionCommand, Takes
from ipu_asm.cli.run.interactive.locations import LocationError, is_location, resolve
from ipu_asm.cli.run.interactive.session import HALTED, CommandError, Session
from ipu_asm.cli.run.interactive.stop_view import show_stop
from ipu_asm.debugger.breakpoints import Breakpoint, Stop
from ipu_asm.debugger.conditions import (
    BreakpointError,
    check_condition,
    condition_test,
)
from ipu_asm.debugger.console.command_io import whole_number
from ipu_asm.debugger.debugger import Debugger
from ipu_asm.debugger.expressions import ExpressionError
from ipu_asm.emulator.stops import StopReason

MAX_REPETITIONS: Final = 10_000_000
_SAME: Final = (StopReason.STEP,)


def count_of(session: Session, argument: str, name: str) -> int:
    """Return how often a command is to be done, 1 without an argument. Raises `CommandError`."""
    if not argument.strip():
        return 1
    try:
        count = whole_number(session.context, argument, f"`{name}` takes a number")
    except ExpressionError as error:
        raise CommandError(error.message) from error
    if not 1 <= count <= MAX_REPETITIONS:
        raise CommandError(f"`{name}` takes a number from 1 to {MAX_REPETITIONS:,}, found {count}")
    return count


def no_argument(argument: str, name: str) -> None:
    """Raise `CommandError` if there is an argument."""
    if argument.strip():
        raise CommandError(f"`{name}` takes nothing, found `{argument.strip()}`")


def require_more(session: Session) -> None:
    """Raise `CommandError` if the program has ended."""
    if session.stop.reason in HALTED and session.debugger.state.is_halted:
        raise CommandError("the program has ended: `restart` begins again, `back` and `rc` go back")


def _repeated(name: str, of: Callable[[Debugger], Callable[[], Stop]]) -> Callable[..., None]:
    """A forward move that is done several times, until something else stops it."""

    def run(session: Session, argument: str) -> None:
        count = count_of(session, argument, name)
        require_more(session)
        move = of(session.debugger)

        def moves() -> Stop:
            stop = move()
            for _ in range(count - 1):
                if stop.reason not in _SAME:
                    break
                stop = move()
            return stop

        show_stop(session, session.move(moves))

    return run


def _continue(session: Session, argument: str) -> None:
    count = count_of(session, argument, "continue")
    require_more(session)

    def moves() -> Stop:
        stop = session.debugger.continue_()
        for _ in range(count - 1):
            if not stop.hits:
                break
            stop = session.debugger.continue_()
        return stop

    show_stop(session, session.move(moves))


def _back(session: Session, argument: str) -> None:
    count = count_of(session, argument, "back")
    debugger = session.debugger
    target = debugger.cycle - count
    is_before = target < debugger.history.first
    if count == 1 or (is_before and debugger.cycle == debugger.history.first):
        show_stop(session, session.move(debugger.step_back))
    else:
        show_stop(session, session.move(lambda: debugger.go_to(target)))


def _reverse_next(session: Session, argument: str) -> None:
    no_argument(argument, "reverse-next")
    show_stop(session, session.move(session.debugger.step_back_line))


def _reverse_continue(session: Session, argument: str) -> None:
    no_argument(argument, "reverse-continue")
    show_stop(session, session.move(session.debugger.reverse_continue))


def _out(session: Session, argument: str) -> None:
    no_argument(argument, "out")
    require_more(session)
    show_stop(session, session.move(session.debugger.step_out))


def _run(session: Session, argument: str) -> None:
    no_argument(argument, "run")
    session.debugger.restart()
    show_stop(session, session.move(session.debugger.start))


def _restart(session: Session, argument: str) -> None:
    no_argument(argument, "restart")
    show_stop(session, session.move(session.debugger.restart))


def _until(session: Session, argument: str) -> None:
    require_more(session)
    text = argument.strip()
    debugger = session.debugger
    if not text:
        behind = range(session.address + 1, debugger.state.program_limit)
        show_stop(session, session.move(lambda: debugger.run_to(behind)))
    elif is_location(debugger, text):
        try:
            found = resolve(debugger, session.context, text)
        except LocationError as error:
            raise CommandError(str(error)) from error
        show_stop(session, session.move(lambda: debugger.run_to(found.addresses)))
    else:
        _until_true(session, text)


def _until_true(session: Session, text: str) -> None:
    """Run until a condition holds, for the first time in front of another bundle than this."""
    try:
        check_condition(session.context, text)
    except BreakpointError as error:
        raise CommandError(str(error)) from error
    test = condition_test(text, lambda: session.context, session.warn)
    temporary = Breakpoint(range(session.debugger.state.program_limit), test)
    session.table.with_temporary(temporary)
    try:
        stop = session.move(session.debugger.continue_)
    finally:
        session.table.without_temporary()
    if temporary in stop.hits:
        stop = stop._replace(description=f"`{text}` holds")
    show_stop(session, stop)


MOVES: Final = (
    SessionCommand(
        "step [N]",
        "execute one bundle, or N",
        _repeated("step", lambda debugger: debugger.step),
        "A breakpoint stops on the way. `back` is the way back.",
        short=("s", "si", "stepi"),
    ),
    SessionCommand(
        "next [N]",
        "run to another source line, or to the N-th one",
        _repeated("next", lambda debugger: debugger.step_line),
        "As `step` where each bundle has a line of its own.",
        short=("n", "ni", "nexti"),
    ),
    SessionCommand(
        "continue [N]",
        "run to the next stop, or to the N-th one",
        _continue,
        "Stops at breakpoints, `break`, faults, false assertions, the cycle limit. Ctrl-C pauses.",
        short=("c", "cont"),
    ),
    SessionCommand(
        "out",
        "run until the innermost loop is left",
        _out,
        "Outside of loops it runs to the next stop.",
        short=("o",),
    ),
    SessionCommand("finish", "the same as `out`", _out, short=("fin",)),
    SessionCommand(
        "until [LOCATION|EXPRESSION]",
        "run to a place, or until something holds",
        _until,
        "`until loop`, `until 42`, `until lr4 == 5`, `until nan_count(acc) > 0`. Without one\n"
        "to a bundle behind this one, which leaves a loop at its last branch.",
        short=("u", "advance"),
        takes=Takes.EITHER,
    ),
    SessionCommand(
        "back [N]",
        "undo one bundle, or N, with memory and your changes",
        _back,
        "The time travel of `step`.",
        short=("rs", "rsi", "reverse-step", "reverse-stepi"),
    ),
    SessionCommand(
        "reverse-next",
        "go back to the start of this or the previous line",
        _reverse_next,
        short=("rn",),
    ),
    SessionCommand(
        "reverse-continue",
        "go back to the previous stop",
        _reverse_continue,
        "The stop that continuing would have made last on the way here: a breakpoint, a watch.",
        short=("rc",),
    ),
    SessionCommand(
        "run",
        "begin again, and run to the first stop",
        _run,
        "Changes that you have made to registers and memory are dropped; breakpoints stay.",
        short=("r",),
        repeats=False,
    ),
    SessionCommand(
        "restart",
        "go to the first bundle",
        _restart,
        "Changes that you have made to registers and memory are dropped; breakpoints stay.",
        repeats=False,
    ),
)

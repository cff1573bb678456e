"""Commands that move the machine: forwards, backwards, to a place."""

from __future__ import annotations

import os
import re
from typing import Callable, Final

from ipu_asm.cli.run.interactive.session import HALTED, Session
from ipu_asm.cli.run.interactive.stop_view import show_stop
from ipu_asm.debugger.breakpoint_resolver import ResolvedBreakpoint
from ipu_asm.debugger.breakpoints import Breakpoint, Stop
from ipu_asm.debugger.console.command import Command, CommandError, Takes, whole_number
from ipu_asm.debugger.debugger import Debugger
from ipu_asm.debugger.expressions import LiveContext, quoted
from ipu_asm.diagnostics.suggestions import hint_of
from ipu_asm.emulator.stops import StopReason

MAX_REPETITIONS: Final = 10_000_000
_SAME: Final = (StopReason.STEP,)


def count_of(session: Session, argument: str, name: str) -> int:
    """Return how often a command is to be done, 1 without an argument. Raises `CommandError`."""
    if not argument.strip():
        return 1
    count = whole_number(session.context, argument, f"`{name}` takes a number")
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


def _once(
    name: str, of: Callable[[Debugger], Callable[[], Stop]], *, is_forwards: bool = False
) -> Callable[..., None]:
    """A move without an argument."""

    def run(session: Session, argument: str) -> None:
        no_argument(argument, name)
        if is_forwards:
            require_more(session)
        show_stop(session, session.move(of(session.debugger)))

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


def _run(session: Session, argument: str) -> None:
    no_argument(argument, "run")
    session.debugger.restart()
    show_stop(session, session.move(session.debugger.start))


def _until(session: Session, argument: str) -> None:
    require_more(session)
    text = argument.strip()
    debugger = session.debugger
    if not text:
        after = range(session.address + 1, debugger.state.program_limit)
        show_stop(session, session.move(lambda: debugger.run_to(after)))
    elif is_location(debugger, text):
        found = resolve(debugger, session.context, text)
        show_stop(session, session.move(lambda: debugger.run_to(found.addresses)))
    else:
        _until_true(session, text)


def _until_true(session: Session, text: str) -> None:
    """Run until a condition holds, for the first time in front of another bundle than this."""
    test = session.table.texts.checked(text)
    temporary = Breakpoint(range(session.debugger.state.program_limit), test)
    session.table.with_temporary(temporary)
    try:
        stop = session.move(session.debugger.continue_)
    finally:
        session.table.without_temporary()
    if temporary in stop.hits:
        stop = stop._replace(description=f"`{text}` holds")
    show_stop(session, stop)


_OUT: Final = _once("out", lambda debugger: debugger.step_out, is_forwards=True)
MOVES: Final = (
    Command(
        "step [N]",
        "execute one bundle, or N",
        _repeated("step", lambda debugger: debugger.step),
        "A breakpoint stops on the way. `back` is the way back.",
        short=("s", "si", "stepi"),
    ),
    Command(
        "next [N]",
        "run to another source line, or to the N-th one",
        _repeated("next", lambda debugger: debugger.step_line),
        "As `step` where each bundle has a line of its own.",
        short=("n", "ni", "nexti"),
    ),
    Command(
        "continue [N]",
        "run to the next stop, or to the N-th one",
        _continue,
        "Stops at breakpoints, `break`, faults, false assertions, the cycle limit. Ctrl-C pauses.",
        short=("c", "cont"),
    ),
    Command(
        "out",
        "run until the innermost loop is left",
        _OUT,
        "Outside of loops it runs to the next stop.",
        short=("o",),
    ),
    Command("finish", "the same as `out`", _OUT, short=("fin",)),
    Command(
        "until [LOCATION|EXPRESSION]",
        "run to a place, or until something holds",
        _until,
        "`until loop`, `until 42`, `until lr4 == 5`, `until nan_count(acc) > 0`. Without one\n"
        "to a bundle after this one, which leaves a loop at its last branch.",
        short=("u", "advance"),
        takes=Takes.EITHER,
    ),
    Command(
        "back [N]",
        "undo one bundle, or N, with memory and your changes",
        _back,
        "The time travel of `step`.",
        short=("rs", "rsi", "reverse-step", "reverse-stepi"),
    ),
    Command(
        "reverse-next",
        "go back to the start of this or the previous line",
        _once("reverse-next", lambda debugger: debugger.step_back_line),
        short=("rn",),
    ),
    Command(
        "reverse-continue",
        "go back to the previous stop",
        _once("reverse-continue", lambda debugger: debugger.reverse_continue),
        "The stop that continuing would have made last on the way here: a breakpoint, a watch.",
        short=("rc",),
    ),
    Command(
        "run",
        "begin again, and run to the first stop",
        _run,
        "Changes that you have made to registers and memory are dropped; breakpoints stay.",
        short=("r",),
        repeats=False,
    ),
    Command(
        "restart",
        "go to the first bundle",
        _once("restart", lambda debugger: debugger.restart),
        "Changes that you have made to registers and memory are dropped; breakpoints stay.",
        repeats=False,
    ),
)

_LINE: Final = re.compile(r"(?:(?P<file>.+):)?(?P<line>[0-9]{1,9})", re.ASCII)
_AFTER_LABEL: Final = re.compile(r"(?P<label>[^\s+]+)\s*\+\s*(?P<distance>[0-9]{1,9})", re.ASCII)
EXPECTED: Final = "a label, `label+N`, a line, `FILE:LINE` or `*ADDRESS`"


def is_location(debugger: Debugger, text: str) -> bool:
    """Return whether a text has the form of a location rather than that of an expression."""
    near = _AFTER_LABEL.fullmatch(text)
    name = near["label"] if near else text
    is_place = text.startswith("*") or _LINE.fullmatch(text) is not None
    return is_place or name in debugger.program.label_addresses


def resolve(debugger: Debugger, context: LiveContext, text: str) -> ResolvedBreakpoint:
    """Return the bundles at a location. Raises `CommandError`."""
    if text.startswith("*"):
        address = whole_number(context, text[1:], "`*` takes the address of a bundle")
        return _at_address(debugger, address, text)
    line = _LINE.fullmatch(text)
    if line is not None:
        if line["file"]:
            _check_file(debugger, line["file"])
        return _on_line(debugger, int(line["line"]))
    near = _AFTER_LABEL.fullmatch(text)
    label, distance = (near["label"], int(near["distance"])) if near else (text, 0)
    found = debugger.resolver.at_label(label)
    if found is None:
        raise _unknown(debugger, label)
    return found if not distance else _at_address(debugger, found.address + distance, text)


def _unknown(debugger: Debugger, label: str) -> CommandError:
    labels = tuple(debugger.program.label_addresses)
    hint = hint_of(label, labels)
    if hint:
        return CommandError(f"no label is called {quoted(label)}{hint}")
    return CommandError(f"expected {EXPECTED}, found {quoted(label)}")


def _at_address(debugger: Debugger, address: int, text: str) -> ResolvedBreakpoint:
    found = debugger.resolver.at_address(address)
    if found is None:
        size = debugger.program.size
        raise CommandError(
            f"the program has bundles 0 to {size - 1}, found {address} for {quoted(text)}"
        )
    return found


def _on_line(debugger: Debugger, line: int) -> ResolvedBreakpoint:
    count = len(debugger.lines.source.lines.starts)
    if not 1 <= line <= count:
        raise CommandError(
            f"the source has lines 1 to {count}, found {line} (`*{line}` is bundle {line})"
        )
    found = debugger.resolver.on_line(line - 1)
    if found is None:
        raise CommandError(f"line {line}: {debugger.resolver.reason(line - 1)}")
    return found


def _check_file(debugger: Debugger, name: str) -> None:
    """Raise `CommandError` for a file other than the source of the program."""
    path = debugger.lines.source.path
    shown = path.removesuffix(" (expansion)")
    if os.path.basename(name) != os.path.basename(shown) or not _ends_alike(name, shown):
        raise CommandError(f"the source of the program is {quoted(shown)}, found {quoted(name)}")


def _ends_alike(name: str, path: str) -> bool:
    """Whether two paths may be the same file: one is the end of the other."""
    ours = os.path.normpath(os.path.join(os.getcwd(), path))
    theirs = os.path.normpath(name)
    return ours == theirs or ours.endswith(os.sep + theirs.lstrip("./"))

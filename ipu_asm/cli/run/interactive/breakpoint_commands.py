"""Commands for breakpoints: at bundles, at data, and at events."""

from __future__ import annotations

import re
from typing import Callable, Final

from ipu_asm.cli.run.interactive.moves import EXPECTED, resolve
from ipu_asm.cli.run.interactive.session import Conditions, Entry, Session, Target
from ipu_asm.debugger.breakpoints import AccessType, Trap, target_at
from ipu_asm.debugger.console.command import Command, CommandError, Takes
from ipu_asm.debugger.expressions import evaluate

_CONDITIONS: Final = re.compile(
    r"(?P<place>.*?)"
    r"(?:(?:^|\s+)(?P<if>if)(?:\s+(?P<condition>.+?))?)?"
    r"(?:(?:^|\s+)hits\s+(?P<hits>\S+))?\s*",
    re.DOTALL,
)
_NUMBER: Final = re.compile(r"[0-9]{1,9}", re.ASCII)
_OFF: Final = "off"


def _parts(argument: str) -> tuple[str, Conditions]:
    """The place of a breakpoint, and its conditions after `if` and `hits`.

    Raises `CommandError` if nothing follows `if`.
    """
    match = _CONDITIONS.fullmatch(argument)
    assert match is not None
    if match["if"] and not (match["condition"] or "").strip():
        raise CommandError("expected an expression after `if`, as in `if lr1 > 3`, found none")
    found = Conditions((match["condition"] or "").strip(), match["hits"] or "")
    return match["place"].strip(), found


def _break(is_temporary: bool) -> Callable[[Session, str], None]:
    def run(session: Session, argument: str) -> None:
        place, conditions = _parts(argument)
        _add(session, _target(session, place), conditions, is_temporary)

    return run


def _log(session: Session, argument: str) -> None:
    place, _, message = argument.strip().partition(" ")
    if not message.strip():
        raise CommandError("expected `log LOCATION MESSAGE`, as in `log loop row {lr4}`")
    _add(session, _target(session, place), Conditions(log=message.strip()), False)


def _watch(access: AccessType) -> Callable[[Session, str], None]:
    def run(session: Session, argument: str) -> None:
        place, conditions = _parts(argument)
        if not place:
            raise CommandError("expected a register, an element, a slice or a part of xmem")
        location = evaluate(session.context, place).location
        if location is None:
            raise CommandError(
                f"a watch takes a register, an element, a slice or xmem, found `{place}`; "
                "`until EXPRESSION` stops where a condition holds"
            )
        try:
            watched = target_at(session.context.view, location)
        except ValueError as error:
            raise CommandError(str(error)) from error
        _add(session, Target(place, watched=watched, access=access), conditions, False)

    return run


def _target(session: Session, place: str) -> Target:
    """The bundles of a location, those of the current bundle without one."""
    text = place or f"*{session.address}"
    found = resolve(session.debugger, session.context, text)
    if found.message:
        session.warn(found.message)
    shown = session.debugger.lines.describe(found.address)
    several = f" and {len(found.addresses) - 1} more" if len(found.addresses) > 1 else ""
    return Target(f"{shown}{several}", found.addresses)


def _add(session: Session, target: Target, conditions: Conditions, is_temporary: bool) -> None:
    entry = session.table.add(target, conditions, is_temporary)
    session.screen.show(f"{entry.kind} {entry.number} at {_described(entry)}")


def _described(entry: Entry) -> str:
    condition, hits, log = entry.conditions
    verbs = {AccessType.READ: "read", AccessType.BOTH: "read or changed"}
    access = verbs.get(entry.target.access)
    parts = [f"{entry.target.text} when {access}" if access else entry.target.text]
    parts += [f"if {condition}"] if condition else []
    parts += [f"hits {hits}"] if hits else []
    parts += [f'prints "{log}"'] if log else []
    parts += ["once"] if entry.is_temporary else []
    parts += [] if entry.is_enabled else ["disabled"]
    parts += [f"stopped {entry.stops}x"] if entry.stops else []
    return ", ".join(parts)


def show_breakpoints(session: Session, argument: str) -> None:
    """List the breakpoints, and the events that stop runs."""
    del argument
    show = session.screen.show
    for entry in session.table.entries.values():
        show(f"{entry.number:>3}  {entry.kind:<10} {_described(entry)}")
    if not session.table.entries:
        show("no breakpoints: `break LOCATION` and `watch PLACE` set some")
    traps = (f"{trap} if {text}" if text else str(trap) for trap, text in _traps(session))
    show(f"runs also stop at: {', '.join(traps) or 'nothing'} (`help catch`)")


def _traps(session: Session) -> list[tuple[Trap, str]]:
    return [(trap, session.table.traps[trap]) for trap in Trap if trap in session.table.traps]


def _chosen(session: Session, argument: str, name: str, all_without: bool) -> list[Entry]:
    """The breakpoints whose numbers are given; all of them without any, if that is meant."""
    entries, words = session.table.entries, argument.split()
    if not words and all_without:
        return list(entries.values())
    if not words:
        raise CommandError(f"expected the number of a breakpoint after `{name}`")
    found = []
    for word in words:
        entry = entries.get(int(word)) if _NUMBER.fullmatch(word) else None
        if entry is None:
            known = ", ".join(map(str, entries)) or "none"
            raise CommandError(f"`{name}` takes numbers of breakpoints ({known}), found `{word}`")
        found.append(entry)
    return found


def _delete(session: Session, argument: str) -> None:
    found = _chosen(session, argument, "delete", all_without=True)
    session.table.delete(found)
    names = ", ".join(f"{entry.kind} {entry.number}" for entry in found)
    session.screen.show(f"deleted {names or 'nothing: there are no breakpoints'}")


def _enable(name: str, is_enabled: bool) -> Callable[[Session, str], None]:
    def run(session: Session, argument: str) -> None:
        session.table.enable(_chosen(session, argument, name, all_without=True), is_enabled)

    return run


def _condition(session: Session, argument: str) -> None:
    number, _, rest = argument.strip().partition(" ")
    (entry,) = _chosen(session, number, "condition", all_without=False)
    text = rest.strip()
    conditions = entry.conditions._replace(condition=text.removeprefix("if ").strip())
    _change(session, entry, conditions)


def _hits(session: Session, argument: str) -> None:
    number, _, rest = argument.strip().partition(" ")
    (entry,) = _chosen(session, number, "hits", all_without=False)
    _change(session, entry, entry.conditions._replace(hits=rest.strip()))


def _ignore(session: Session, argument: str) -> None:
    number, _, rest = argument.strip().partition(" ")
    (entry,) = _chosen(session, number, "ignore", all_without=False)
    if not _NUMBER.fullmatch(rest.strip()):
        raise CommandError("expected `ignore N COUNT`, as in `ignore 1 10`")
    _change(session, entry, entry.conditions._replace(hits=f">{rest.strip()}"))


def _change(session: Session, entry: Entry, conditions: Conditions) -> None:
    session.table.change(entry, conditions)
    session.screen.show(f"{entry.kind} {entry.number} at {_described(entry)}")


def _catch(session: Session, argument: str) -> None:
    name, _, rest = argument.strip().partition(" ")
    if name not in tuple(Trap):
        known = ", ".join(Trap)
        raise CommandError(f"`catch` takes one of {known}, found `{name}`")
    rest = rest.strip()
    if rest and rest != _OFF and not rest.startswith("if "):
        raise CommandError(f"expected `off` or `if EXPRESSION` after `{name}`, found `{rest}`")
    condition = None if rest == _OFF else rest.removeprefix("if ").strip()
    session.table.set_trap(Trap(name), condition)
    show_breakpoints(session, "")


_LOCATION_DETAILS: Final = (
    f"LOCATION is {EXPECTED}; without one it is the current\n"
    "bundle. `if EXPRESSION` stops where that holds, `hits N` at arrivals (`5`, `>=5`, `%10`):\n"
    "`b loop if lr4 > 5`, `b kernel.s:42 hits %10`, `b *17`."
)
_WATCH_DETAILS: Final = (
    "`watch lr5`, `watch acc[7]`, `watch xmem[cr2 .. +256] if lr4 > 5`. A stop names the element,\n"
    "its values and the instruction. `rc` goes back to the previous change."
)
BREAKPOINTS: Final = (
    Command(
        "break [LOCATION] [if EXPRESSION] [hits N]",
        "stop in front of a bundle",
        _break(False),
        _LOCATION_DETAILS,
        short=("b",),
        takes=Takes.LOCATION,
    ),
    Command(
        "tbreak [LOCATION] [if EXPRESSION] [hits N]",
        "stop there once",
        _break(True),
        _LOCATION_DETAILS,
        short=("tb",),
        takes=Takes.LOCATION,
    ),
    Command(
        "watch PLACE [if EXPRESSION] [hits N]",
        "stop when a register or memory changes",
        _watch(AccessType.WRITE),
        _WATCH_DETAILS,
        short=("wa",),
        takes=Takes.EXPRESSION,
    ),
    Command(
        "rwatch PLACE [if EXPRESSION] [hits N]",
        "stop when it is read",
        _watch(AccessType.READ),
        _WATCH_DETAILS,
        takes=Takes.EXPRESSION,
    ),
    Command(
        "awatch PLACE [if EXPRESSION] [hits N]",
        "stop when it is read or changes",
        _watch(AccessType.BOTH),
        _WATCH_DETAILS,
        takes=Takes.EXPRESSION,
    ),
    Command(
        "log LOCATION MESSAGE",
        "print a message there and go on",
        _log,
        "`log loop row {lr4}: {acc[0..3]}`: expressions stand in braces.",
        short=("dprintf",),
        takes=Takes.LOCATION,
    ),
    Command(
        "catch EVENT [off|if EXPRESSION]",
        "stop at break, bkpt, fault, nan, overflow or assertion",
        _catch,
        "`catch nan` stops where an instruction makes a NaN, `catch overflow` where a sum wraps\n"
        "around; `catch break off` ignores break instructions.",
        takes=Takes.TOPIC,
        words=dict.fromkeys(map(str, Trap), "an event"),
    ),
    Command(
        "delete [N ...]",
        "delete breakpoints, or all of them",
        _delete,
        short=("d",),
        takes=Takes.BREAKPOINTS,
        repeats=False,
    ),
    Command(
        "disable [N ...]",
        "keep breakpoints, but do not stop at them",
        _enable("disable", False),
        takes=Takes.BREAKPOINTS,
    ),
    Command(
        "enable [N ...]",
        "stop at disabled breakpoints again",
        _enable("enable", True),
        takes=Takes.BREAKPOINTS,
    ),
    Command(
        "condition N [EXPRESSION]",
        "give a breakpoint another condition, or none",
        _condition,
        short=("cond",),
        takes=Takes.BREAKPOINTS,
    ),
    Command(
        "hits N [COUNT]",
        "stop at certain arrivals only: `5`, `>=5`, `%10`",
        _hits,
        "Arrivals count from the first cycle on, also after going back.",
        takes=Takes.BREAKPOINTS,
    ),
    Command(
        "ignore N COUNT",
        "do not stop at the first COUNT arrivals",
        _ignore,
        "The same as `hits N >COUNT`.",
        takes=Takes.BREAKPOINTS,
    ),
)

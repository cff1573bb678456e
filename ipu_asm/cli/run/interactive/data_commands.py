"""Commands that show values and change them: print, display, x, set, load, dump."""

from __future__ import annotations

import re
from typing import Final

from ipu_asm.cli.run.host_options import outside_memory
from ipu_asm.cli.run.interactive.moves import no_argument
from ipu_asm.cli.run.interactive.session import VIEWS, Session
from ipu_asm.cli.run.interactive.stop_view import show_displays, value_text
from ipu_asm.config.file_writing import replace_files
from ipu_asm.config.files import STANDARD_INPUT, FileError
from ipu_asm.debugger.console.command import Command, CommandError, Takes, whole_number
from ipu_asm.debugger.expressions import NOTATIONS, quoted
from ipu_asm.debugger.regions import MEMORY, regions_of
from ipu_asm.testbench.data.conversion import MachineData
from ipu_asm.testbench.data.memory import content_of, dump_outputs
from ipu_asm.testbench.data.numpy_files import read_piece
from ipu_asm.testbench.data.source import Data, data_of, target_of
from ipu_asm.text import counted

_FORMAT: Final = re.compile(r"\s*/(?P<count>[0-9]*)(?P<formats>[A-Za-z0-9_,]*)(?:\s+|$)", re.ASCII)
_COUNT: Final = 64
_MAX_DIGITS: Final = 6


def _print(session: Session, argument: str) -> None:
    text = _with_format(argument, "print")
    if not text.strip():
        raise CommandError("expected an expression, as in `print acc[0..7]` or `p/x lr4`")
    session.screen.show(value_text(session, text))


def _with_format(argument: str, name: str) -> str:
    """Rewrite gdb's `/x lr4` as `lr4,x`. Raises `CommandError` for a count."""
    match = _FORMAT.match(argument)
    if match is None:
        return argument.strip()
    if match["count"]:
        raise CommandError(f"`{name}/FORMAT` takes a format such as `x` or `i8`, found a count")
    text = argument[match.end() :].strip()
    return f"{text},{match['formats']}" if match["formats"] else text


def _display(session: Session, argument: str) -> None:
    text = _with_format(argument, "display")
    if not text.strip():
        show_displays(session)
        return
    shown = value_text(session, text)
    number = max(session.displays, default=0) + 1
    session.displays[number] = text
    session.screen.show(f"{number}: {shown}")


def _undisplay(session: Session, argument: str) -> None:
    words = argument.split()
    unknown = [word for word in words if not word.isdecimal() or int(word) not in session.displays]
    if unknown:
        known = ", ".join(map(str, session.displays)) or "none"
        raise CommandError(f"`undisplay` takes numbers of displays ({known}), found `{unknown[0]}`")
    for number in map(int, words) if words else list(session.displays):
        session.displays.pop(number, None)


def _examine(session: Session, argument: str) -> None:
    match = _FORMAT.match(argument)
    digits = match["count"] if match else ""
    if len(digits) > _MAX_DIGITS:
        raise CommandError(
            f"`x` takes a count of up to {_MAX_DIGITS} digits, found {quoted(digits)}"
        )
    count = int(digits or _COUNT)
    place = argument[match.end() :] if match else argument
    if not place.strip():
        raise CommandError("expected an address, as in `x cr0 + lr1` or `x/16f32 0x20000`")
    address = whole_number(session.context, place, "`x` takes an address, a whole number")
    formats = [each for each in (match["formats"] if match else "").split(",") if each]
    types = [each for each in formats if each.lower() not in NOTATIONS]
    notations = "".join(f",{each}" for each in formats if each.lower() in NOTATIONS)
    if len(types) > 1:
        raise CommandError(f"`x` takes one type, found {' and '.join(types)}")
    type_ = f" : {types[0]}" if types else ""
    session.screen.show(value_text(session, f"xmem[{address:#x} .. +{count}{type_}]{notations}"))


def _set(session: Session, argument: str) -> None:
    text = argument.strip()
    word, _, rest = text.partition(" ")
    if word == "view" and "=" not in rest:
        _set_view(session, rest.strip())
    elif "=" in text:
        _assign(session, text.removeprefix("var ").strip())
    else:
        raise CommandError("expected `set PLACE = VALUE` or `set view full|bundle|source|line`")


def _set_view(session: Session, name: str) -> None:
    if name not in VIEWS:
        known = ", ".join(VIEWS)
        raise CommandError(
            f"`set view` takes one of {known}, found {quoted(name) if name else 'nothing'}"
        )
    session.view = name


def _assign(session: Session, text: str) -> None:
    result = session.console.evaluate(text)
    if not result.changed:
        raise CommandError(f"expected `set PLACE = VALUE`, found `{text}`")
    session.refresh()
    session.screen.show(f"{text.partition('=')[0].strip()} = {result.text}")


def _load(session: Session, argument: str) -> None:
    if not argument.strip():
        raise CommandError("expected a file and its place, as in `load x.npy@0x2000`")
    state, size = session.debugger.state, session.debugger.model.memory_size
    try:
        data = data_of(argument.strip())
        _check(data, size)
        content = content_of(read_piece(data, size), MachineData(state)).data
        where = regions_of(state).region(MEMORY, data.place.address, len(content))
    except (ValueError, FileError) as error:
        raise CommandError(str(error)) from error
    session.debugger.edit(where, content)
    session.refresh()
    length = counted(len(content), "byte")
    session.screen.show(f"loaded {data.source.text}: {length} at {data.place.address:#x}")


def _check(data: Data, size: int) -> None:
    """Raise `CommandError` for a place that is not in a memory of `size` bytes."""
    problem = outside_memory(data.place.address, data.place.size, size)
    if problem:
        raise CommandError(problem)


def _dump(session: Session, argument: str) -> None:
    if not argument.strip():
        raise CommandError("expected a file and a place, as in `dump out.npy@0x4000:64:i32`")
    try:
        target = target_of(argument.strip())
        _check(target, session.debugger.model.memory_size)
        if target.source.file == STANDARD_INPUT:
            raise CommandError("`dump` writes a file, found `-`; `x` shows memory")
        files = dump_outputs(session.debugger.state, [target])
        replace_files([output for output, _ in files])
    except (ValueError, FileError) as error:
        raise CommandError(str(error)) from error
    session.screen.show(f"wrote {', '.join(note for _, note in files)}")


def _changed(session: Session, argument: str) -> None:
    no_argument(argument, "changed")
    from ipu_asm.debugger.inspection.inspector import change_items
    from ipu_asm.debugger.inspection.items import ItemFactory

    items = change_items(ItemFactory(session.comparison, {}, str, None))
    for item in items:
        session.screen.show(f"{item.name} = {item.value}")
    if not items:
        session.screen.show("nothing has changed since the previous stop")


DATA: Final = (
    Command(
        "print[/FORMAT] EXPRESSION",
        "show a value; of a vector all elements",
        _print,
        "Formats are x u d o b, and types: `p/x lr4`, `p/i8 r0`, `p acc[0..31],f32`. Elements\n"
        "that have changed are highlighted. An expression alone is printed short.",
        short=("p", "inspect"),
        takes=Takes.EXPRESSION,
    ),
    Command(
        "x[/COUNT][FORMAT] ADDRESS",
        "show memory from an address on",
        _examine,
        "`x cr0 + lr1`, `x/16f32 0x20000`, `x/32i8,x cr0`: COUNT elements (64), a type, a format.",
        takes=Takes.EXPRESSION,
    ),
    Command(
        "display[/FORMAT] [EXPRESSION]",
        "show a value now and at each stop",
        _display,
        "`undisplay N` ends it. Without an expression all of them are shown.",
        short=("disp",),
        takes=Takes.EXPRESSION,
    ),
    Command(
        "undisplay [N ...]",
        "end displays, or all of them",
        _undisplay,
        short=("und",),
        repeats=False,
    ),
    Command(
        "set PLACE = VALUE",
        "change a register, memory, or what stops show",
        _set,
        "`set lr5 = 3`, `set acc[0..7] = 0`; `lr5 = 3` alone does the same. The views:\n"
        + "\n".join(f"  {name:<7} {summary}" for name, summary in VIEWS.items()),
        takes=Takes.EXPRESSION,
        words={"view": "what each stop shows"},
        repeats=False,
    ),
    Command("changed", "what has changed since the previous stop", _changed),
    Command(
        "load FILE@ADDRESS[:LENGTH][:TYPE]",
        "copy a file to xmem, as `--load` does",
        _load,
        "`load x.npy@0x2000`, `load random:1@0:128`. It is a change of yours: going back undoes\n"
        "it, going forwards does it again.",
        takes=Takes.FILE,
        repeats=False,
    ),
    Command(
        "dump FILE@ADDRESS:LENGTH[:TYPE]",
        "write a part of xmem to a file now",
        _dump,
        takes=Takes.FILE,
        repeats=False,
    ),
)

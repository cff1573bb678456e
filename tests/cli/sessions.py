"""Sessions of the terminal debugger on a small kernel, in this process.

The scripts `sessions/NAME.txt` are what is typed, and below it what is shown;
`python -m tests.cli.sessions` writes what is shown now.
"""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
from pathlib import Path
from typing import Mapping

from ipu_asm.assembler.kernel import read_kernel
from ipu_asm.cli.run.interactive.commands import execute
from ipu_asm.cli.run.interactive.session import Screen, Session
from ipu_asm.cli.run.options import read_options
from ipu_asm.debugger.console.command import CommandError
from ipu_asm.emulator.model import machine_for
from tests.scripts import Script, arguments_of, write_answers

FOLDER = Path(__file__).resolve().with_name("sessions")
KERNEL = """\
    set lr1 0;
    set lr2 5;;            # two lines, one bundle
    set lr3 128;;
outer:
    incr lr4 1;;
inner:
    incr lr1 1; str_acc_reg lr5 cr0;
    blt lr1 lr2 inner;;    # compares the old lr1
    add lr5 lr5 lr3; blt lr4 lr2 outer;;
    bkpt;;
"""


class FixedScreen(Screen):
    """A screen of a certain width, whose text can be read."""

    def __init__(self, width: int = 100, has_color: bool = False) -> None:
        self.text = io.StringIO()
        super().__init__(self.text, has_color)
        self._width = width

    @property
    def width(self) -> int:
        return self._width

    def taken(self) -> str:
        """What has been written since the last call, without the last line break."""
        shown = self.text.getvalue().removesuffix("\n")
        self.text.seek(0)
        self.text.truncate()
        return shown


def session_on(
    text: str = KERNEL,
    screen: Screen | None = None,
    options: str = "",
    cr: Mapping[int, int] | None = None,
    isa: str = "ipu",
) -> Session:
    """A session on a kernel in the file `k.s`, with values of the host."""
    Path("k.s").write_text(text)
    kernel = read_kernel(text.encode(), "k.s", isa)
    state = machine_for(isa).make_state({})
    state.load_program(kernel.words, kernel.lines)
    for number, value in (cr or {}).items():
        state.regfile.set_cr(number, value)
    given = read_options(["k.s", "--interactive", *options.split()])
    return Session(kernel, state, given, settings={}, screen=screen or FixedScreen())


def answer(session: Session, line: str) -> str:
    """What a line prints; an error stands after `!`."""
    assert isinstance(session.screen, FixedScreen)
    try:
        execute(session, line)
    except CommandError as error:
        return f"{session.screen.taken()}! {error}".strip()
    return session.screen.taken()


def play(script: Script) -> list[str]:
    """Return the lines of a script with what is shown now; `kernel NAME cr=...` may come first."""
    session: Session | None = None

    def shown(line: str) -> str:
        nonlocal session
        if line.startswith("kernel "):
            (_, name), options = arguments_of(line)
            cr = {int(number): value for number, value in options.get("cr", {}).items()}
            session = session_on(script.programs[name], cr=cr)
            return ""
        session = session or session_on()
        return answer(session, line)

    return script.played(shown)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        write_answers(FOLDER, sys.argv[1:], play)

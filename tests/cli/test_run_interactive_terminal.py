"""`ipu-run --interactive` in a real terminal: keys, completion, Ctrl-C while the program runs."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from tests.editors.terminal import Terminal

ROOT = Path(__file__).resolve().parents[2]
CODE = "import sys; from ipu_asm.cli.run.command import main; sys.exit(main())"
ENDLESS = "x: incr lr1 1; b x;;\n"
MOST_SECONDS = 15.0


def check_screen(terminal: Terminal, text: str) -> str:
    """What stands on the screen as soon as a text is there."""
    end = time.monotonic() + MOST_SECONDS
    while text not in terminal.text():
        assert time.monotonic() < end, terminal.text()
        time.sleep(0.01)
    return terminal.text()


def check_prompt(terminal: Terminal, text: str = "") -> None:
    """A text stands on the screen, and below it an empty prompt; keys before it may be lost."""
    check_screen(terminal, text)
    end = time.monotonic() + MOST_SECONDS
    while not terminal.text().rstrip().endswith("\n(ipu)"):
        assert time.monotonic() < end, terminal.text()
        time.sleep(0.01)


def test_a_session_with_keys(tmp_path: Path) -> None:
    (tmp_path / "k.s").write_text(ENDLESS)
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "PROMPT_TOOLKIT_NO_CPR": "1",
    }
    command = [sys.executable, "-c", CODE, "k.s", "--interactive", "--max-cycles", "10_000_000_000"]
    with Terminal(command, environment, tmp_path) as terminal:
        check_prompt(terminal)
        terminal.type("contin\t")
        check_screen(terminal, "(ipu) continue")
        terminal.type("\r")
        check_screen(terminal, "of at most 10,000,000,000 cycles")
        terminal.type("\x03")
        check_prompt(terminal, "paused\n")
        terminal.type("p lr1 == cycle\r")
        check_prompt(terminal, "lr1 == cycle = true")
        terminal.type("\x04")
        assert terminal.wait() == 0
        check_screen(terminal, "left in front of bundle 0 (`x`, line 1)")
    assert (tmp_path / "state" / "ipu-asm" / "debug_history").read_text().splitlines() == [
        "continue",
        "p lr1 == cycle",
    ]

"""The terminal that editors are tested in shows what a terminal shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.editors.patience import soon
from tests.editors.terminal import Screen, Terminal

DRAWN = (
    "\x1b[2J\x1b[1;1Hfirst\x1b[31m red\x1b[0m\x1b[3;2Hthird\x1b[1;3H\x1b[K\x1b[2Cx\x1b]0;title\x07"
)
SHOWN = "fi  x\n\n third"


def check_screen(*pieces: str) -> str:
    """What stands on a screen after these pieces were written to it."""
    screen = Screen()
    for piece in pieces:
        screen.write(piece)
    return screen.text().rstrip()


def test_text_stands_where_the_cursor_was_put() -> None:
    assert check_screen(DRAWN) == SHOWN


@pytest.mark.parametrize("cut", range(1, len(DRAWN)))
def test_a_sequence_may_come_in_two_pieces(cut: int) -> None:
    assert check_screen(DRAWN[:cut], DRAWN[cut:]) == SHOWN


def test_lines_and_tabs_of_plain_programs_stand_below_each_other() -> None:
    assert check_screen("one\r\ntwo\b\bx") == "one\ntxo"


def test_a_program_reads_what_is_typed(tmp_path: Path) -> None:
    with Terminal(
        ["sh", "-c", "read line; echo got $line"], {"PATH": "/usr/bin:/bin"}, tmp_path
    ) as t:
        t.type("hello\r")
        assert "got hello" in soon(t.text, lambda shown: "got hello" in shown)
        assert t.wait() == 0

"""A running Helix: keys go in as from a keyboard, the screen tells what it shows."""

from __future__ import annotations

from pathlib import Path

from tests.editors.install_cache import command
from tests.editors.patience import soon
from tests.editors.terminal import Terminal
from tests.editors.user import User

ESCAPE, RETURN = "\x1b", "\r"

_NOWHERE, _NOBODY = "No definition found", "No configured language server"


class Helix:
    """Helix with the configuration of a user, in a terminal, with a file open.

    The file begins with a comment, on which there is nothing to look up.
    """

    def __init__(self, user: User, path: Path) -> None:
        arguments = [str(command("helix")), str(path)]
        self.path = path
        self._terminal = Terminal(arguments, user.environment, user.work)
        self.check_shows("NOR")
        answer = soon(self._looked_up, lambda shown: _NOWHERE in shown)
        assert _NOWHERE in answer, answer

    def __enter__(self) -> Helix:
        return self

    def __exit__(self, *_: object) -> None:
        self._terminal.__exit__()

    def type(self, *keys: str) -> None:
        """Presses keys; does not wait for the effect."""
        self._terminal.type("".join(keys))

    def put_cursor(self, row: int, column: int) -> None:
        """Moves the cursor to a row and a column, both from 0, and waits until it is there."""
        right = f"{column}l" if column else ""
        self.type(f"{row + 1}gg", "gh", right)
        self.check_shows(f"{row + 1}:{column + 1}")

    def add_line(self, text: str) -> None:
        """Pastes a line at the end of the file, in insert mode; waits until it is shown.

        Typed faster than by hand, its characters would reach the server in another order: Helix
        25 sends every change as a task of its own.
        """
        self.type("geo")
        self.check_shows("INS")
        self.type(f"\x1b[200~{text}\x1b[201~")
        self.check_shows(text.rstrip(), f":{len(text) + 1}")

    def shown(self) -> str:
        """What stands on the screen."""
        return self._terminal.text()

    def check_shows(self, *expected: str) -> str:
        """Asserts that the screen comes to show all of this; the screen."""
        shown = soon(self.shown, lambda shown: all(text in shown for text in expected))
        assert [text for text in expected if text not in shown] == [], shown
        return shown

    def check_shows_no(self, *unwanted: str) -> None:
        """Asserts that the screen comes to show nothing of this."""
        shown = soon(self.shown, lambda shown: not any(text in shown for text in unwanted))
        assert [text for text in unwanted if text in shown] == [], shown

    def check_saves(self, expected: str) -> None:
        """Asserts that the file, saved, comes to have this text."""

        def saved() -> str:
            self.type(":w", RETURN)
            # While it is written, the old file has another name.
            return self.path.read_text("utf-8") if self.path.exists() else ""

        assert soon(saved, expected) == expected

    def quit(self) -> None:
        """Leaves as a user leaves, and waits until the process has ended."""
        self.type(":qa!", RETURN)
        self._terminal.wait()

    def _looked_up(self) -> str:
        """The screen, with what Helix answers who asks what is meant by a word of a comment."""
        self.type("gh")  # any key takes the last answer away
        self.check_shows_no(_NOBODY)
        self.type("gd")
        return soon(self.shown, lambda shown: _NOWHERE in shown or _NOBODY in shown)

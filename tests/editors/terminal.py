"""A program in a terminal: keys go in, and what stands on the screen can be read.

As much of a terminal as full-screen editors need that place the cursor to redraw: no scrolling, no
colours, every character one column wide.
"""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import threading
from pathlib import Path
from typing import Mapping, Sequence

ROWS, COLUMNS = 40, 140

_TOKEN = re.compile(
    r"\x1b\[(?P<private>[<-?]?)(?P<numbers>[\d;:]*)[ -/]*(?P<final>[@-~])"
    r"|\x1b\].*?(?:\x07|\x1b\\)|\x1bP.*?\x1b\\|\x1b[ -/]+.|\x1b[^\[\]P]"
    r"|(?P<control>[\x00-\x1a\x1c-\x1f])|(?P<text>[^\x00-\x1f]+)",
    re.DOTALL,
)
_ATTRIBUTES_QUERY, _ATTRIBUTES = ("", "c"), b"\x1b[?62c"


class Screen:
    """The characters on a terminal, after everything that was written to it."""

    def __init__(self) -> None:
        self._rest = ""
        self._row = self._column = 0
        self._cells = [[" "] * COLUMNS for _ in range(ROWS)]

    def text(self) -> str:
        """All rows, without the blanks after them."""
        return "\n".join("".join(row).rstrip() for row in self._cells)

    def write(self, text: str) -> bool:
        """Take what a program writes; whether it asks what sort of terminal this is."""
        asked = False
        text, end = self._rest + text, 0
        for match in _TOKEN.finditer(text):
            if match.start() != end:  # an escape sequence whose end has not come yet
                break
            end = match.end()
            if match["final"]:
                asked |= (match["private"], match["final"]) == _ATTRIBUTES_QUERY
                self._sequence(match["private"], match["numbers"], match["final"])
            elif match["control"]:
                self._control(match["control"])
            elif match["text"]:
                self._put(match["text"])
        self._rest = text[end:]
        return asked

    def _put(self, text: str) -> None:
        for character in text:
            if self._row < ROWS and self._column < COLUMNS:
                self._cells[self._row][self._column] = character
            self._column += 1

    def _control(self, character: str) -> None:
        if character == "\r":
            self._column = 0
        elif character == "\n":
            self._row = min(self._row + 1, ROWS - 1)
        elif character == "\b":
            self._column = max(self._column - 1, 0)

    def _sequence(self, private: str, numbers: str, final: str) -> None:
        if private:
            return
        first, second = ([int(n) for n in re.findall(r"\d+", numbers)] + [0, 0])[:2]
        if final == "H":
            self._row, self._column = max(first - 1, 0), max(second - 1, 0)
        elif final in "ABCD":
            steps = {"A": (-1, 0), "B": (1, 0), "C": (0, 1), "D": (0, -1)}[final]
            self._row = max(self._row + steps[0] * max(first, 1), 0)
            self._column = max(self._column + steps[1] * max(first, 1), 0)
        elif final == "J":
            self._erase(0 if first else self._row * COLUMNS + self._column, ROWS * COLUMNS)
        elif final == "K":
            self._erase(self._row * COLUMNS + self._column, (self._row + 1) * COLUMNS)

    def _erase(self, start: int, end: int) -> None:
        for place in range(start, end):
            self._cells[place // COLUMNS][place % COLUMNS] = " "


class Terminal:
    """A program that runs in a terminal of its own."""

    def __init__(
        self, arguments: Sequence[str], environment: Mapping[str, str], folder: Path
    ) -> None:
        self._screen = Screen()
        self._lock = threading.Lock()
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self._process = subprocess.Popen(
            arguments,
            env={**environment, "TERM": "xterm-256color"},
            cwd=folder,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            # The program's own terminal: it hangs up when these tests are gone, however they end.
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join(timeout=20)
        os.close(self._master)

    def type(self, keys: str) -> None:
        """Sends keys as a terminal does: `\\x1b` is Escape, `\\r` Return."""
        os.write(self._master, keys.encode())

    def text(self) -> str:
        """What stands on the screen."""
        with self._lock:
            return self._screen.text()

    def wait(self) -> int:
        """The exit status, once the program has ended."""
        return self._process.wait(timeout=20)

    def _read(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        while data := self._written():
            with self._lock:
                asked = self._screen.write(decoder.decode(data))
            if asked:
                os.write(self._master, _ATTRIBUTES)

    def _written(self) -> bytes:
        try:
            return os.read(self._master, 65536)
        except OSError:  # the program has closed its side
            return b""

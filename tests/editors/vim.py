"""A running Vim: keys go in as from a keyboard, its own expressions tell what it knows."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

from tests.editors.install_cache import command
from tests.editors.terminal import Terminal
from tests.editors.user import User

_PLUGIN = "set nocompatible | filetype plugin on | set runtimepath+={folder}"
_CONNECT = "let g:tests = ch_open('127.0.0.1:{port}', {{'mode': 'json', 'waittime': 9000}})"


class Vim:
    """Vim with ALE and the configuration of a user, in a terminal, connected to us."""

    def __init__(self, user: User) -> None:
        self._asked = 0
        self._answers = b""
        plugin = _PLUGIN.format(folder=command("vim-ale"))
        with socket.create_server(("127.0.0.1", 0)) as listener:
            listener.settimeout(20)
            connect = _CONNECT.format(port=listener.getsockname()[1])
            arguments = [str(command("vim")), "--cmd", plugin, "-c", connect]
            self._terminal = Terminal(arguments, user.environment, user.work)
            try:
                self._socket, _ = listener.accept()
            except TimeoutError:
                shown = self._terminal.text()
                self._terminal.__exit__()
                raise AssertionError(shown) from None
        self._socket.settimeout(20)

    def __enter__(self) -> Vim:
        return self

    def __exit__(self, *_: object) -> None:
        self._terminal.__exit__()
        self._socket.close()

    def value(self, expression: str) -> Any:
        """The value of an expression."""
        self._asked -= 1
        self._send(["expr", expression, self._asked])
        number, value = self._received()
        assert number == self._asked
        return value

    def run(self, line: str) -> None:
        """Runs a command, such as `ALEHover`."""
        self.value(f"execute({json.dumps(line)})")

    def type(self, keys: str) -> None:
        """Presses keys as a terminal sends them; does not wait for the effect."""
        self._terminal.type(keys)

    def open(self, path: Path) -> None:
        """Edits a file."""
        self.run(f"edit! {path}")

    def put_cursor(self, row: int, column: int) -> None:
        """Moves the cursor to a row and a column, both from 0."""
        self.value(f"cursor({row + 1}, {column + 1})")

    def cursor(self) -> tuple[int, int]:
        """Row and column, from 0, of the cursor."""
        row, column = self.value("getcurpos()[1:2]")
        return row - 1, column - 1

    def text(self) -> str:
        """What is in the current file, as it would be saved."""
        return "\n".join([*self.value("getline(1, '$')"), ""])

    def shown(self) -> str:
        """What stands on the screen."""
        return self._terminal.text()

    def findings(self) -> list[Any]:
        """ALE's findings in the current file: row and columns from 0, code and message."""
        found = "get(get(g:ale_buffer_info, bufnr(''), {}), 'loclist', [])"
        parts = "[v.lnum - 1, v.col - 1, v.end_col, v.type, v.code, v.text]"
        listed: list[Any] = self.value(f"map(copy({found}), {{_, v -> {parts}}})")
        return listed

    def quit(self) -> None:
        """Leaves as a user leaves, and waits until the process has ended."""
        self.type("\x1b:qall!\r")
        self._terminal.wait()

    def _send(self, message: list[Any]) -> None:
        self._socket.sendall(json.dumps(message).encode() + b"\n")

    def _received(self) -> Any:
        while b"\n" not in self._answers:
            data = self._socket.recv(65536)
            assert data, "Vim has ended"
            self._answers += data
        line, _, self._answers = self._answers.partition(b"\n")
        return json.loads(line)

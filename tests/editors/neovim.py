"""A running Neovim: keys go in as from a keyboard, Lua tells what it shows."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.editors.install import command
from tests.editors.patience import soon
from tests.editors.user import User

_EVALUATE = "vim.json.encode({ loadstring(_A[1])(unpack(_A[2])) or vim.NIL })"


class Neovim:
    """Neovim with the configuration of a user, without a screen, listening on a socket."""

    def __init__(self, user: User, *files: Path) -> None:
        self._program = str(command("nvim"))
        self._socket = str(user.home / "nvim.sock")
        self._environment = user.environment
        said_by = user.home / "editor.log"
        with said_by.open("wb") as said:
            self._process = subprocess.Popen(
                [self._program, "--headless", "--listen", self._socket, *map(str, files)],
                env=user.environment,
                cwd=user.work,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
            )
        started = soon(lambda: self._remote("--remote-expr", "1").stdout, "1")
        assert started == "1", said_by.read_text("utf-8")

    def __enter__(self) -> Neovim:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def lua(self, source: str, *arguments: Any) -> Any:
        """What a chunk of Lua returns; `...` are the arguments.

        An empty table comes as an empty dictionary, false as None.
        """
        sent = json.dumps([source, arguments]).replace("'", "''")
        done = self._remote("--remote-expr", f"luaeval('{_EVALUATE}', json_decode('{sent}'))")
        assert done.returncode == 0, f"{done.stderr}\n{source}"
        return json.loads(done.stdout)[0]

    def type(self, keys: str) -> None:
        """Presses keys, in Vim's notation, such as `ihello<Esc>`; does not wait for the effect."""
        done = self._remote("--remote-send", keys)
        assert done.returncode == 0, done.stderr

    def quit(self) -> None:
        """Leaves as a user leaves, and waits until the process has ended."""
        self.type("<Esc>:qall!<CR>")
        self._process.wait(timeout=20)

    def _remote(self, option: str, text: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self._program, "--clean", "--server", self._socket, option, text],
            env=self._environment,
            capture_output=True,
            encoding="utf-8",
            timeout=20,
        )

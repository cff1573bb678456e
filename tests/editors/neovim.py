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
_FLOATING = """
    for _, window in ipairs(vim.api.nvim_list_wins()) do
        if vim.api.nvim_win_get_config(window).relative ~= "" then
            local buffer = vim.api.nvim_win_get_buf(window)
            return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, true), "\\n")
        end
    end
    return ""
"""


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

    def open(self, path: Path) -> None:
        """Edits a file, from its first line, once the server looks after it."""
        self.type(f"<Esc>:edit {path}<CR>gg")
        attached = "return vim.api.nvim_buf_get_name(0) .. #vim.lsp.get_clients({ bufnr = 0 })"
        assert soon(lambda: self.lua(attached), f"{path}1") == f"{path}1"

    def put_cursor(self, row: int, column: int) -> None:
        """Moves the cursor. Both count from 0."""
        self.lua("vim.api.nvim_win_set_cursor(0, { ... })", row + 1, column)

    def cursor(self) -> tuple[int, int]:
        """Row and column, from 0, of the cursor."""
        row, column = self.lua("return vim.api.nvim_win_get_cursor(0)")
        return row - 1, column

    def text(self) -> str:
        """What is in the current file, as it would be saved."""
        lines = self.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, true)")
        return "\n".join([*lines, ""])

    def floating(self) -> str:
        """The text of the window that floats above the others; nothing if none does."""
        shown: str = self.lua(_FLOATING)
        return shown

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

"""Editors say that the language server is not installed, with the configurations of our pages."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.editors.emacs import Emacs
from tests.editors.install_cache import NotInstalledError, command
from tests.editors.kernels import LOOP
from tests.editors.neovim import Neovim
from tests.editors.patience import soon
from tests.editors.user import User
from tests.editors.vim import Vim

SAID = "ipu-lsp is not on the PATH"
WARNINGS = """
(if (get-buffer "*Warnings*") (with-current-buffer "*Warnings*" (buffer-string)) "")
"""


def user_of(folder: Path, editor: str, document: str) -> User:
    """Somebody who followed a page, but for its first sentence."""
    try:
        command(editor)
    except NotInstalledError as error:
        pytest.fail(str(error), pytrace=False)
    user = User(folder, document)
    user.uninstall()
    return user


def test_neovim_says_so_once(tmp_path: Path) -> None:
    user = user_of(tmp_path, "nvim", "neovim.md")
    with Neovim(user, user.kernel(LOOP), user.kernel(LOOP)) as neovim:
        said = soon(lambda: neovim.lua("return vim.fn.execute('messages')"), lambda it: SAID in it)
        assert said.count(SAID) == 1
        neovim.lua("vim.cmd('checkhealth vim.lsp')")
        health = "return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), ' ')"
        assert "'ipu-lsp' is not executable" in neovim.lua(health)


def test_emacs_says_so(tmp_path: Path) -> None:
    user = user_of(tmp_path, "emacs", "emacs.md")
    with Emacs(user) as emacs:
        emacs.visit(user.kernel(LOOP))
        assert SAID in soon(lambda: emacs.lisp(WARNINGS), lambda text: SAID in text)


def test_vim_says_so(tmp_path: Path) -> None:
    user = user_of(tmp_path, "vim", "vim.md")
    with Vim(user) as vim:
        vim.type(f":edit {user.kernel(LOOP)}\r")
        messages = soon(lambda: vim.value("execute('messages')"), lambda said: SAID in said)
        assert messages.count(SAID) == 1


def test_the_check_of_helix_says_so(tmp_path: Path) -> None:
    user = user_of(tmp_path, "helix", "helix.md")
    done = subprocess.run(
        [str(command("helix")), "--health", "ipu-asm"],
        env=user.environment, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert "'ipu-lsp' not found in $PATH" in done.stdout
    assert "'ipu-dap' not found in $PATH" in done.stdout

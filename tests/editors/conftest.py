"""Real editors, each with the configuration that its document under `docs/editors` gives."""

from __future__ import annotations

from typing import Iterator

import pytest

from tests.editors.emacs import Emacs
from tests.editors.install import NotInstalledError, command
from tests.editors.neovim import Neovim
from tests.editors.user import User


@pytest.fixture(scope="module")
def neovim_user(tmp_path_factory: pytest.TempPathFactory) -> User:
    """Somebody who followed `docs/editors/neovim.md`."""
    need("nvim")
    return User(tmp_path_factory.mktemp("neovim"), "neovim.md")


@pytest.fixture(scope="module")
def neovim(neovim_user: User) -> Iterator[Neovim]:
    """Their Neovim, which the tests of a file share; each opens a file of its own."""
    with Neovim(neovim_user) as neovim:
        yield neovim
    assert neovim_user.complaints() == ""


@pytest.fixture(scope="module")
def emacs_user(tmp_path_factory: pytest.TempPathFactory) -> User:
    """Somebody who followed `docs/editors/emacs.md`."""
    need("emacs")
    return User(tmp_path_factory.mktemp("emacs"), "emacs.md")


@pytest.fixture(scope="module")
def emacs(emacs_user: User) -> Iterator[Emacs]:
    """Their Emacs, which the tests of a file share; each opens a file of its own."""
    with Emacs(emacs_user) as emacs:
        yield emacs
    assert emacs_user.complaints() == ""


def need(program: str) -> None:
    """Fails a test whose editor is not there, with the command that installs it."""
    try:
        command(program)
    except NotInstalledError as error:
        pytest.fail(str(error), pytrace=False)

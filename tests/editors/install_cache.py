"""The folder outside the tree that editors are installed into, and what installers do there."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, Mapping


class NotInstalledError(Exception):
    """An editor is not there, or could not be had; says in one sentence what to do."""


_INSTALLED_WITH: Mapping[str, str] = {"nvim": "neovim", "emacsclient": "emacs"}


def command(name: str) -> Path:
    """The program `name` (`nvim`, `emacs`, `emacsclient`, `chromium`) of those installed here.

    Or the folder of `dape`, that of the Node modules with `debugadapter-testsupport`, or that of a
    Visual Studio Code. Raises `NotInstalledError` with the command that installs it.
    """
    path = cache() / "bin" / name
    if not path.exists():
        editor = _INSTALLED_WITH.get(name, name)
        raise NotInstalledError(
            f"{editor} is not installed for these tests: run"
            f" `python tests/editors/install.py {editor}`"
        )
    return path


def cache() -> Path:
    """The folder that everything is installed into."""
    told = os.environ.get("IPU_EDITOR_CACHE")
    return Path(told).absolute() if told else Path.home() / ".cache" / "ipu-editors"


def link(path: Path, target: Path) -> Path:
    """Makes a program or a folder known at a path, and returns that."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to(target)
    return path


@contextmanager
def whole(folder: Path) -> Iterator[Path]:
    """A new folder to install into, which gets its name once all of that has succeeded."""
    unfinished = folder.with_name(folder.name + ".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    yield unfinished
    shutil.rmtree(folder, ignore_errors=True)
    unfinished.rename(folder)


def run(
    arguments: list[str], folder: Path | None = None, variables: Mapping[str, str] | None = None
) -> str:
    """What a command prints, run in a folder and with more variables in its environment.

    Raises `NotInstalledError` with the end of what it said where it fails.
    """
    done = subprocess.run(
        arguments,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        cwd=folder,
        env={**os.environ, **(variables or {})},
    )
    if done.returncode:
        said = "\n".join((done.stdout + done.stderr).strip().splitlines()[-8:])
        raise NotInstalledError(f"`{shlex.join(arguments)}` failed:\n{said}")
    return done.stdout.strip()

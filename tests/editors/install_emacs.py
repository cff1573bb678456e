"""Installs Emacs and Dape, its debug client: packages of Debian, only unpacked."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path
from typing import Mapping

from tests.editors.install_cache import cache, command, link, run
from tests.editors.install_debian import codename, unpacked

EMACS = 30  # the oldest that will do
BEFORE_DAPE, FIRST_WITH_DAPE = ("bullseye", "bookworm"), "trixie"


def install_emacs() -> Path:
    """Emacs of the PATH, where that is new enough, else of Debian or a relative."""
    known = cache() / "bin" / "emacs"
    if known.exists():
        return known
    on_path = shutil.which("emacs"), shutil.which("emacsclient")
    if on_path[0] and on_path[1] and _major_version(on_path[0]) >= EMACS:
        link(known.with_name("emacsclient"), Path(on_path[1]))
        return link(known, Path(on_path[0]))
    release = codename()
    root = unpacked("emacs-nox", release, f"{release}-backports")
    [client] = root.glob("usr/bin/emacsclient*")
    link(known.with_name("emacsclient"), client)
    return _emacs_launcher(known, root)


def install_dape() -> Path:
    """The folder with Dape, compiled."""
    known = cache() / "bin" / "dape"
    if known.exists():
        return known
    release = codename()
    newest = FIRST_WITH_DAPE if release in BEFORE_DAPE else release
    root = unpacked("elpa-dape", newest, alone=True)
    [folder] = root.glob("usr/share/emacs/site-lisp/elpa*/dape-*")
    sources = map(str, folder.glob("dape.el"))
    run([str(command("emacs")), "--batch", "-Q", "-f", "batch-byte-compile", *sources])
    return link(known, folder)


def _major_version(emacs: str) -> int:
    answer = run([emacs, "--batch", "-Q", "--eval", "(princ emacs-major-version)"])
    return int(answer) if answer.isdigit() else 0


def _emacs_launcher(path: Path, root: Path) -> Path:
    """A script that starts the Emacs under `root`, which was built to live under `/`."""
    [program] = root.glob("usr/bin/emacs-nox")
    [dump] = root.glob("usr/libexec/emacs/*/*/*.pdmp")
    [lisp] = root.glob("usr/share/emacs/[0-9]*/lisp")
    environment: Mapping[str, str] = {
        "EMACSLOADPATH": ":".join(sorted(folder for folder, _, _ in os.walk(lisp))),
        "EMACSDATA": str(lisp.parent / "etc"),
        "EMACSDOC": str(lisp.parent / "etc"),
        "EMACSPATH": str(dump.parent),
        "LD_LIBRARY_PATH": ":".join(str(folder) for folder in root.glob("usr/lib/*-linux-*")),
    }
    settings = [f"export {name}={shlex.quote(value)}" for name, value in environment.items()]
    start = shlex.join(["exec", str(program), f"--dump-file={dump}"])
    path.write_text("\n".join(["#!/bin/sh", *settings, f'{start} "$@"', ""]), encoding="utf-8")
    path.chmod(0o755)
    return path

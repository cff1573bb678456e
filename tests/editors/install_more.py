"""Installs Helix, Kate, Vim and ALE, a plugin for Vim: packages of Debian, only unpacked."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

from tests.editors.install_cache import cache, link, run
from tests.editors.install_debian import codename, unpacked

BEFORE_HELIX, FIRST_WITH_HELIX = ("bullseye", "bookworm"), "trixie"

_RUNTIME = "usr/share/vim/vim[0-9]*"


def install_helix() -> Path:
    """Helix, with the C library that it was built for."""
    known = cache() / "bin" / "helix"
    if known.exists():
        return known
    system = [unpacked(package, _release(), alone=True) for package in ("libc6", "libgcc-s1")]
    [loader] = system[0].glob("usr/lib/*-linux-*/ld-linux-*.so*")
    folders = [str(found) for root in system for found in root.glob("usr/lib/*-linux-*")]
    home = unpacked("hx", _release(), alone=True) / "usr" / "lib" / "hx"
    start = [str(loader), "--library-path", ":".join(folders), str(home / "hx")]
    return _script(known, {"HELIX_RUNTIME": str(home / "runtime")}, start)


def install_vim() -> Path:
    """Vim of the PATH, where that one can talk to processes, else of Debian."""
    known = cache() / "bin" / "vim"
    if known.exists():
        return known
    on_path = shutil.which("vim")
    if on_path and "+job" in run([on_path, "--version"]):
        return link(known, Path(on_path))
    root = unpacked("vim-nox", codename())
    runtime, *_ = (*root.glob(_RUNTIME), *Path("/").glob(_RUNTIME))
    libraries = ":".join(str(folder) for folder in root.glob("usr/lib/*-linux-*"))
    environment = {"VIMRUNTIME": str(runtime), "LD_LIBRARY_PATH": libraries}
    return _script(known, environment, [str(root / "usr" / "bin" / "vim.nox")])


def install_ale() -> Path:
    """The folder with ALE."""
    known = cache() / "bin" / "vim-ale"
    if known.exists():
        return known
    root = unpacked("vim-ale", _release(), alone=True)
    return link(known, root / "usr" / "share" / "vim-ale")


def install_kate() -> Path:
    """Kate, which draws on no screen, with its plugins."""
    known = cache() / "bin" / "kate"
    if known.exists():
        return known
    usr = unpacked("kate", codename()) / "usr"
    [libraries] = usr.glob("lib/*-linux-*")
    *_, plugins = sorted(libraries.glob("qt[5-9]/plugins"))
    environment = {
        "LD_LIBRARY_PATH": f"{libraries}:{libraries}/pulseaudio",
        "QT_PLUGIN_PATH": str(plugins),
        "QT_QPA_PLATFORM": "offscreen",
        "XDG_DATA_DIRS": f"{usr / 'share'}:/usr/share",
    }
    return _script(known, environment, [str(usr / "bin" / "kate")])


def _release() -> str:
    """This machine's release, or the first one that has a Helix."""
    release = codename()
    return FIRST_WITH_HELIX if release in BEFORE_HELIX else release


def _script(path: Path, environment: dict[str, str], start: list[str]) -> Path:
    """A program that starts another one, which was built to live under `/`."""
    settings = [f"export {name}={shlex.quote(value)}" for name, value in environment.items()]
    lines = ["#!/bin/sh", *settings, f'exec {shlex.join(start)} "$@"', ""]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_text("\n".join(lines), encoding="utf-8")
    path.chmod(0o755)
    return path

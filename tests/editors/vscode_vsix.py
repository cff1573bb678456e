"""The extension as people get it, a packaged `.vsix`, and its tests for the extension host."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path
from typing import Iterator

from tests.editors.install_cache import run
from tests.editors.user import PROJECT

SOURCES = PROJECT / "vscode-extension"

_PACKED = (PROJECT / "ipu_asm", PROJECT / "ipu_lsp", PROJECT / "grammars", SOURCES)
_MADE = {"node_modules", "dist", "out", "wheels", "syntaxes", "__pycache__"}


def install_modules() -> None:
    """Fetches what the extension is built with, unless that is there as it is locked."""
    wanted, found = SOURCES / "package-lock.json", SOURCES / "node_modules" / ".package-lock.json"
    if not (found.exists() and found.stat().st_mtime >= wanted.stat().st_mtime):
        run(["npm", "ci", "--no-audit", "--no-fund"], SOURCES)


def packaged(*options: str, name: str = "ipu-asm") -> Path:
    """The package of the sources as they are now; one that was made of these serves again.

    Raises `NotInstalledError` with what was said where it cannot be made.
    """
    newest = max(path.stat().st_mtime for folder in _PACKED for path in _sources(folder))
    package = SOURCES / "dist" / f"{name}.vsix"
    if not (package.exists() and package.stat().st_mtime > newest):
        install_modules()
        run(["npm", "run", "package", "--", *options], SOURCES, {"PYTHON": sys.executable})
    return package


def packaged_for_the_web(playground: Path) -> Path:
    """The package for Visual Studio Code for the web, with the worker of a built playground."""
    package = SOURCES / "dist" / "ipu-asm-web.vsix"
    if package.exists() and package.stat().st_mtime < (playground / "worker.js").stat().st_mtime:
        package.unlink()
    return packaged("--web", name="ipu-asm-web")


def host_tests() -> Path:
    """The folder with the compiled tests for the extension host."""
    install_modules()
    run(["node", "esbuild.mjs", "--tests"], SOURCES)
    return SOURCES / "dist" / "test" / "host"


def unpacked(vsix: Path, folder: Path) -> Path:
    """The folder with the extension that a package holds, below a new one."""
    with zipfile.ZipFile(vsix) as archive:
        archive.extractall(folder)
    return folder / "extension"


def _sources(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.is_dir() and path.name not in _MADE:
            yield from _sources(path)
        elif path.is_file():
            yield path

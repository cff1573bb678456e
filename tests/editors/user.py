"""Somebody who did what a document of ours says, and then opens a kernel in an editor."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Iterator

PROJECT = Path(__file__).parents[2]

# A block of code under a sentence that ends in the name of the file it belongs in.
_FILE = re.compile(r"`~/([^`\s]+)`:\n\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)


class User:
    """A home folder with the files that a document tells to write, and our servers on the PATH."""

    def __init__(self, folder: Path, document: str) -> None:
        self.home = folder / "home"
        self.work = folder / "work"
        for path in (self.home, self.work, folder / "bin", folder / "state"):
            path.mkdir(mode=0o700)
        for name, text in files_of(PROJECT / "docs" / "editors" / document):
            path = self.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a", encoding="utf-8") as file:
                file.write(text)
        self._started = folder / "state" / "started"
        self._complaints = folder / "state" / "complaints"
        self._install_server(folder / "bin" / "ipu-lsp", "ipu_lsp")
        self._install_server(folder / "bin" / "ipu-dap", "ipu_lsp.debug_adapter")
        kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        self.environment = kept | {
            "HOME": str(self.home),
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
            "XDG_STATE_HOME": str(folder / "state"),
            "XDG_RUNTIME_DIR": str(folder / "state"),
            "LC_ALL": "C.UTF-8",
        }

    def kernel(self, text: str, name: str = "") -> Path:
        """A new file in the user's folder of work; without a name one that is called so."""
        number = sum(1 for _ in self.work.iterdir())
        path = self.work / (name or f"kernel{number}.s")
        path.write_text(text, encoding="utf-8")
        return path

    def uninstall(self) -> None:
        """Take our servers off the PATH, also those of the environment that the tests run in."""
        folders = self.environment["PATH"].split(os.pathsep)
        kept = [folder for folder in folders if not (Path(folder) / "ipu-lsp").exists()]
        self.environment["PATH"] = os.pathsep.join(kept)

    def running_servers(self) -> list[int]:
        """The process numbers of our servers that were started and still run."""
        if not self._started.exists():
            return []
        numbers = map(int, self._started.read_text(encoding="utf-8").split())
        return [number for number in numbers if _runs(number)]

    def complaints(self) -> str:
        """What our servers wrote to standard error."""
        return self._complaints.read_text("utf-8") if self._complaints.exists() else ""

    def _install_server(self, path: Path, module: str) -> None:
        path.write_text(
            f'#!/bin/sh\necho $$ >>"{self._started}"\n'
            f'export PYTHONPATH="{PROJECT}"\n'
            f'exec "{sys.executable}" -m {module} "$@" 2>>"{self._complaints}"\n',
            encoding="utf-8",
        )
        path.chmod(0o755)


def files_of(document: Path) -> Iterator[tuple[str, str]]:
    """The files that a document tells the reader to write: names under the home folder, texts."""
    found = _FILE.findall(document.read_text(encoding="utf-8"))
    assert found, f"{document} names no file to write"
    yield from found


def phrases_of(document: str, start: str) -> list[str]:
    """The pieces of code in a document's sentences that start so."""
    text = (PROJECT / "docs" / "editors" / document).read_text(encoding="utf-8")
    return [phrase for phrase in re.findall(r"`([^`\n]+)`", text) if phrase.startswith(start)]


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
        state = Path(f"/proc/{process}/stat").read_text("utf-8")
    except ProcessLookupError:
        return False
    except FileNotFoundError:  # no /proc here, or just gone
        return not Path("/proc").exists()
    # One that has ended stays in the table until its parent looks; it no longer runs.
    return ") Z " not in state

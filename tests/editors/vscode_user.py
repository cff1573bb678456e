"""Somebody who has installed our extension in an empty Visual Studio Code, and opens a kernel."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, Mapping

from tests.editors.user import PROJECT
from tests.editors.vscode_server import Server

PROGRAMS: Mapping[str, str] = {
    "ipu-lsp": "ipu_lsp",
    "ipu-dap": "ipu_lsp.debug_adapter",
    "ipu-as": "ipu_asm as",
    "ipu-run": "ipu_asm run",
    "ipu-lint": "ipu_asm lint",
    "python": "",
}


class VSCodeUser:
    """A profile with the extension, a folder of work, and our programs on the PATH."""

    def __init__(
        self, version: str, vsix: Path, folder: Path, settings: Mapping[str, Any] | None = None
    ) -> None:
        self.work = folder / "work"
        self.work.mkdir(parents=True)
        self._kernels = 0
        self._complaints = folder / "complaints"
        environment = {**os.environ, "PATH": f"{self._programs(folder)}:{os.environ['PATH']}"}
        self.server = Server(version, folder / "code", settings=settings, environment=environment)
        self.server.install(vsix)

    def kernel(self, text: str, name: str = "") -> Path:
        """A new file in the folder of work; without a name one that is called so."""
        self._kernels += 1
        path = self.work / (name or f"kernel{self._kernels}.s")
        path.write_text(text, encoding="utf-8")
        return path

    def complaints(self) -> str:
        """What our programs wrote to standard error."""
        return self._complaints.read_text("utf-8") if self._complaints.exists() else ""

    def _programs(self, folder: Path) -> Path:
        """A folder with our programs as they are in the sources."""
        programs = folder / "bin"
        programs.mkdir()
        for name, module in PROGRAMS.items():
            run = f"-m {module}" if module else ""
            # What tests of a user write there is for the extension.
            elsewhere = f'2>>"{self._complaints}"' if module else ""
            script = (
                f'#!/bin/sh\nexport PYTHONPATH="{PROJECT}"\n'
                f'exec "{sys.executable}" {run} "$@" {elsewhere}\n'
            )
            (programs / name).write_text(script, encoding="utf-8")
            (programs / name).chmod(0o755)
        return programs

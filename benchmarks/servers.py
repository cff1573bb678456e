"""The language servers that are compared, and a session of typing in one of them."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from benchmarks import floor_server, kernels
from benchmarks.lsp_client import LspClient


class Server(NamedTuple):
    """How to start a server and what to type.

    `probe` is a regular expression; the edit spoils the first character of its group.
    `looks` is False where a server publishes the same whatever the text is.
    """

    name: str
    command: list[str]
    language: str
    file: str
    probe: str
    text: Callable[[int, kernels.Style], str]
    looks: bool = True


class Session:
    """A document open in a running server, edited at one place near its middle."""

    def __init__(self, client: LspClient, server: Server, folder: Path, text: str) -> None:
        self._client, self._server = client, server
        self._uri = (folder / server.file).as_uri()
        self._probe = kernels.probe(text, server.probe)
        self._version = 1
        self._findings = client.open(self._uri, server.language, text).diagnostics

    def edit(self) -> float:
        """Type one character; seconds until the findings are here.

        The first edit spoils a word, the next repairs it. Raises RuntimeError if the findings did
        not change: then something else was measured.
        """
        self._version += 1
        written = "x" if self._version % 2 == 0 else self._probe.character
        line, column, _ = self._probe
        published = self._client.change(self._uri, self._version, line, column, written)
        if self._server.looks and published.diagnostics == self._findings:
            raise RuntimeError(f"{self._server.name}: the edit in line {line} changed no finding")
        self._findings = published.diagnostics
        return published.seconds

    def close(self) -> None:
        """Close the document."""
        self._client.notify("textDocument/didClose", {"textDocument": {"uri": self._uri}})


def installed() -> list[Server]:
    """The servers that can be started here: ours, ruff, and one that does nothing."""
    servers = []
    if importlib.util.find_spec("ipu_lsp.__main__"):
        servers.append(_assembly("ipu-lsp", [sys.executable, "-m", "ipu_lsp"]))
    if ruff := beside_python("ruff"):
        servers.append(_python("ruff", [ruff, "server"]))
    floor = _assembly("floor", [sys.executable, str(floor_server.__file__)])
    return [*servers, floor._replace(looks=False)]


def beside_python(program: str) -> str | None:
    """A program of the environment that runs us, else one on the search path."""
    folder = str(Path(sys.executable).parent)
    return shutil.which(program, path=folder) or shutil.which(program)


def _assembly(name: str, command: list[str]) -> Server:
    return Server(name, command, "ipu-asm", "kernel.ipu", r"\b(incr) lr", kernels.kernel)


def _python(name: str, command: list[str]) -> Server:
    return Server(name, command, "python", "kernel.py", r"= (total) \+", _python_text)


def _python_text(lines: int, _style: kernels.Style) -> str:
    return kernels.python_source(lines)

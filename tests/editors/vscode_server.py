"""A Visual Studio Code of somebody who has just got it: code-server with an empty profile."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any, Mapping
from urllib.parse import quote

from tests.editors.install import command
from tests.editors.patience import soon
from tests.editors.vscode_processes import MARK, end_marked

VERSIONS = ("vscode", "vscode-1.100")
"""The current one and the oldest one that the extension supports, by the names of the installer."""

SETTINGS: Mapping[str, Any] = {
    "telemetry.telemetryLevel": "off",
    "update.mode": "none",
    "extensions.autoUpdate": False,
    "extensions.autoCheckUpdates": False,
    "extensions.ignoreRecommendations": True,
    "chat.disableAIFeatures": True,
    "chat.commandCenter.enabled": False,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": False,
    "workbench.enableExperiments": False,
    "editor.minimap.enabled": False,
    "debug.internalConsoleOptions": "neverOpen",
    "editor.hover.delay": 100,
    "files.autoSave": "off",
    "git.enabled": False,
    "remote.autoForwardPorts": False,
}

_ADDRESS = re.compile(r"(?:listening on http://127\.0\.0\.1:|bound to 127\.0\.0\.1:)(\d+)")
_MAIN = "out/node/entry.js"
_MAIN_FOR_TESTS = "lib/vscode/out/server-main.js"
_QUIET = ("--disable-telemetry", "--disable-update-check", "--disable-getting-started-override")


class Server:
    """One code-server of its own, whose processes end with the `with` statement.

    The extensions get `environment`, which is that of the tests unless it is said, but a new home.
    Without `trusting` a person is asked whether they trust the folder that they open. One that is
    `for_tests` runs tests among its extensions.
    """

    def __init__(
        self,
        version: str,
        folder: Path,
        *,
        settings: Mapping[str, Any] | None = None,
        environment: Mapping[str, str] | None = None,
        trusting: bool = True,
        for_tests: bool = False,
    ) -> None:
        self.folder = folder
        self.version = version
        self._installed = command(version).resolve()
        self._environment = {**(environment or os.environ), **_private(folder)}
        self._for_tests = for_tests
        self._data = folder / "data"
        self._log = folder / "server.log"
        self._process: subprocess.Popen[bytes] | None = None
        self.port = 0
        trust = {"security.workspace.trust.enabled": not trusting}
        self.set({**SETTINGS, **trust, **(settings or {})})

    def __enter__(self) -> Server:
        if self._for_tests:
            self._start(_MAIN_FOR_TESTS, *self._options_for_tests())
        else:
            self._start(_MAIN, *self._options())
        return self

    def __exit__(self, *_: object) -> None:
        end_marked(self.folder)
        if self._process is not None:
            self._process.wait()

    def set(self, values: Mapping[str, Any]) -> None:
        """Writes the settings of the user, which take effect at once."""
        path = self._data / "User" / "settings.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values, indent=2), encoding="utf-8")

    def install(self, vsix: Path) -> None:
        """Installs a packaged extension, as `code --install-extension` does."""
        done = subprocess.run(
            [*self._program(_MAIN), *self._options(), "--install-extension", str(vsix)],
            env=self._environment,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "successfully installed" in done.stdout, done.stdout + done.stderr

    def address(
        self, opened: Path, development: Path | None = None, tests: Path | None = None
    ) -> str:
        """Where a browser finds it with a folder open.

        Also with an extension of this folder of sources, and with tests of this bundle.
        """
        remote = f"vscode-remote://127.0.0.1:{self.port}"
        paths = {"extensionDevelopmentPath": development, "extensionTestsPath": tests}
        told = [(name, f"{remote}{path}") for name, path in paths.items() if path]
        payload = f"&payload={quote(json.dumps(told))}" if told else ""
        return f"http://127.0.0.1:{self.port}/?folder={quote(str(opened))}{payload}"

    def log(self) -> str:
        """What it said so far."""
        return self._log.read_text("utf-8", "replace") if self._log.exists() else ""

    def logs(self) -> str:
        """What it and its extensions said so far, all of it; for the message of a test."""
        files = sorted((self._data / "logs").rglob("*.log"))
        texts = (f"--- {path.name}\n{path.read_text('utf-8', 'replace')}" for path in files)
        return "\n".join([self.log(), *texts])

    def _options(self) -> list[str]:
        return [
            *("--auth", "none", "--bind-addr", "127.0.0.1:0"),
            *("--user-data-dir", str(self._data)),
            *("--extensions-dir", str(self.folder / "extensions")),
            *("--config", str(self.folder / "config.yaml")),
            *_QUIET,
        ]

    def _options_for_tests(self) -> list[str]:
        return [
            *("--host=127.0.0.1", "--port=0", "--without-connection-token", "--disable-telemetry"),
            *("--accept-server-license-terms", "--enable-smoke-test-driver"),
            f"--user-data-dir={self._data}",
            f"--server-data-dir={self._data}",
            f"--extensions-dir={self.folder / 'extensions'}",
        ]

    def _program(self, script: str) -> list[str]:
        return [str(self._installed / "node"), str(self._installed / "code-server" / script)]

    def _start(self, script: str, *options: str) -> None:
        with self._log.open("wb") as said:
            self._process = subprocess.Popen(
                [*self._program(script), *options],
                env=self._environment,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )
        ended = self._process.poll
        soon(lambda: _ADDRESS.search(self.log()) or ended() is not None, bool)
        found = _ADDRESS.search(self.log())
        if found is None:
            self.__exit__()
            raise AssertionError(f"code-server did not start:\n{self.log()}")
        self.port = int(found[1])


def _private(folder: Path) -> dict[str, str]:
    """Variables by which nothing is read from or written to the home of who runs the tests."""
    home = folder / "home"
    home.mkdir(parents=True, exist_ok=True)
    kinds = ("CONFIG", "CACHE", "DATA", "STATE")
    folders = {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in kinds}
    # As if started in a terminal: else a login shell is asked for the environment.
    told = {"HOME": str(home), "LC_ALL": "C.UTF-8", MARK: str(folder), "VSCODE_CLI": "1"}
    return {"XDG_RUNTIME_DIR": str(home), **folders, **told}

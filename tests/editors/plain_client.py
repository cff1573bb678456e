"""A client that starts a language server as an editor's settings say, and does nothing else."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, Sequence

from tests.editors.user import User

Json = dict[str, Any]


class PlainClient:
    """A server, started with exactly this command by a user, with exactly these settings."""

    def __init__(self, user: User, command: Sequence[str], settings: Json) -> None:
        self._settings = settings
        self._id = 0
        self._published: dict[str, list[Json]] = {}
        self._process = subprocess.Popen(
            command,
            env=user.environment,
            cwd=user.work,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        capabilities = {"workspace": {"configuration": True}}
        root = user.work.as_uri()
        self.ask("initialize", {"processId": None, "rootUri": root, "capabilities": capabilities})
        self._say({"method": "initialized", "params": {}})
        while self._listen().get("method") != "workspace/configuration":
            pass

    def __enter__(self) -> PlainClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.ask("shutdown", None)
        self._say({"method": "exit"})
        assert self._process.wait(timeout=20) == 0

    def findings(self, path: Path, language: str) -> list[Json]:
        """The findings that come for a file which is opened in a language."""
        uri = path.as_uri()
        document = {"uri": uri, "languageId": language, "version": 1}
        text = path.read_text("utf-8")
        opened = {"textDocument": document | {"text": text}}
        self._say({"method": "textDocument/didOpen", "params": opened})
        while uri not in self._published:
            self._listen()
        return self._published[uri]

    def ask(self, method: str, params: Json | None) -> Any:
        """The answer to a request."""
        self._id += 1
        self._say({"id": self._id, "method": method, "params": params})
        while (message := self._listen()).get("id") != self._id or "method" in message:
            pass
        return message["result"]

    def _listen(self) -> Json:
        """The next message; what it asks for is answered, what it publishes is kept."""
        message = self._received()
        if message.get("method") == "textDocument/publishDiagnostics":
            params = message["params"]
            self._published[params["uri"]] = params["diagnostics"]
        elif message.get("method") == "workspace/configuration":
            wanted = [item.get("section") for item in message["params"]["items"]]
            result = [self._settings.get(section) for section in wanted]
            self._say({"id": message["id"], "result": result})
        elif "method" in message and "id" in message:
            self._say({"id": message["id"], "result": None})
        return message

    def _say(self, message: Json) -> None:
        assert self._process.stdin is not None
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
        self._process.stdin.flush()

    def _received(self) -> Json:
        assert self._process.stdout is not None
        length = 0
        while line := self._process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        assert length, "the server has ended"
        message: Json = json.loads(self._process.stdout.read(length))
        return message

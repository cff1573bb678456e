"""A small language client over standard input and output, for measuring only."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import pipe
from benchmarks.pipe import Pipe

Json = dict[str, Any]

CAPABILITIES: Json = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {
        "synchronization": {"didSave": True},
        "publishDiagnostics": {"versionSupport": True},
    },
}
"""What we say we can do: receive pushed findings. Without pull, a server has to push."""


class Published(NamedTuple):
    """Findings, and the seconds from our edit to the arrival of their last byte."""

    seconds: float
    diagnostics: list[Json]


@contextmanager
def started(command: Sequence[str], patience: float = pipe.PATIENCE_S) -> Iterator[LspClient]:
    """A client of a server that is started here and ended with the context.

    `patience` is how many seconds the server may take for any answer.
    """
    with pipe.started(command, patience) as process:
        yield LspClient(process)


class LspClient:
    """Talks to a running server."""

    def __init__(self, process: Pipe) -> None:
        self._pipe = process
        self._last_id = 0

    @property
    def pid(self) -> int:
        """The server's process."""
        return self._pipe.pid

    def initialize(self, root: Path) -> Json:
        """Introduce ourselves; the server's capabilities."""
        folder = {"uri": root.as_uri(), "name": root.name}
        params = {
            "processId": None,
            "rootUri": root.as_uri(),
            "workspaceFolders": [folder],
            "capabilities": CAPABILITIES,
        }
        result: Json = self.request("initialize", params)
        self.notify("initialized", {})
        capabilities: Json = result["capabilities"]
        return capabilities

    def open(self, uri: str, language: str, text: str) -> Published:
        """Open a document as version 1 and wait for its findings."""
        document = {"uri": uri, "languageId": language, "version": 1, "text": text}
        message = _notification("textDocument/didOpen", {"textDocument": document})
        return self._send_and_await(message, uri, 1)

    def change(self, uri: str, version: int, line: int, column: int, text: str) -> Published:
        """Replace one character (0-based line and column) and wait for the new findings."""
        start, end = {"line": line, "character": column}, {"line": line, "character": column + 1}
        params = {
            "textDocument": {"uri": uri, "version": version},
            "contentChanges": [{"range": {"start": start, "end": end}, "text": text}],
        }
        message = _notification("textDocument/didChange", params)
        return self._send_and_await(message, uri, version)

    def request(self, method: str, params: Json | None) -> Any:
        """Send a request and return its result. Raises RuntimeError if the answer is an error."""
        self._last_id += 1
        with self._pipe.deadline_set():
            self._pipe.send(_encoded({"id": self._last_id, "method": method, "params": params}))
            message = self._answer_to(self._last_id)
        if "error" in message:
            raise RuntimeError(f"{method}: {message['error']}")
        return message.get("result")

    def notify(self, method: str, params: Json) -> None:
        """Send a notification."""
        self._pipe.send(_notification(method, params))

    def _send_and_await(self, message: bytes, uri: str, version: int) -> Published:
        """The clock stops when all bytes are here: decoding them is our work, not the server's."""
        with self._pipe.deadline_set():
            start = time.perf_counter()
            self._pipe.send(message)
            while True:
                body = self._pipe.receive()
                seconds = time.perf_counter() - start
                params = _published(self._decoded(body))
                if params.get("uri") == uri and params.get("version") == version:
                    return Published(seconds, params["diagnostics"])

    def _answer_to(self, msg_id: int) -> Json:
        while True:
            message = self._decoded(self._pipe.receive())
            if message.get("id") == msg_id and "method" not in message:
                return message

    def _decoded(self, body: bytes) -> Json:
        """A message; if it is a request of the server, it is answered on the way."""
        message: Json = json.loads(body)
        if "id" in message and "method" in message:
            self._pipe.send(_encoded({"id": message["id"], "result": _agreement(message)}))
        return message


def _published(message: Json) -> Json:
    is_publication = message.get("method") == "textDocument/publishDiagnostics"
    params: Json = message["params"] if is_publication else {}
    return params


def _agreement(request: Json) -> list[None] | None:
    """What we answer to a server's request: go ahead, we have no settings."""
    if request["method"] == "workspace/configuration":
        return [None] * len(request["params"]["items"])
    return None


def _notification(method: str, params: Json) -> bytes:
    return _encoded({"method": method, "params": params})


def _encoded(message: Json) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}).encode()

"""A small language client over standard input and output, for measuring only.

Everything happens on the calling thread, so that a measured time contains no thread switch of
ours. One more thread only ends a server that does not answer in time.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

Json = dict[str, Any]

CAPABILITIES: Json = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {
        "synchronization": {"didSave": True},
        "publishDiagnostics": {"versionSupport": True},
    },
}
"""What we say we can do: receive pushed findings. Without pull, a server has to push."""


class ServerGone(Exception):
    """The server ended, or was ended because it did not answer in time."""


class Published(NamedTuple):
    """Findings, and the seconds from our edit to the arrival of their last byte."""

    seconds: float
    diagnostics: list[Json]


@contextmanager
def started(command: Sequence[str], patience: float = 60) -> Iterator[LspClient]:
    """A client of a server that is started here and ended with the context.

    `patience` is how many seconds the server may take for any answer.
    """
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(
            command, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
        ) as process,
    ):
        client = LspClient(process, errors, patience)
        try:
            yield client
        finally:
            client.close()


class LspClient:
    """Talks to a running server whose standard error goes to the file `errors`."""

    def __init__(
        self, process: subprocess.Popen[bytes], errors: IO[bytes], patience: float
    ) -> None:
        self._process, self._errors, self._patience = process, errors, patience
        self._received = bytearray()
        self._last_id = 0
        self._deadline = float("inf")
        self._closed = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    @property
    def pid(self) -> int:
        """The server's process."""
        return self._process.pid

    def close(self) -> None:
        """End the server without ado."""
        self._closed.set()
        self._process.kill()

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
        with self._deadline_set():
            self._write(_frame({"id": self._last_id, "method": method, "params": params}))
            message = self._answer_to(self._last_id)
        if "error" in message:
            raise RuntimeError(f"{method}: {message['error']}")
        return message.get("result")

    def notify(self, method: str, params: Json) -> None:
        """Send a notification."""
        self._write(_notification(method, params))

    def _send_and_await(self, message: bytes, uri: str, version: int) -> Published:
        """The clock stops when all bytes are here: decoding them is our work, not the server's."""
        with self._deadline_set():
            start = time.perf_counter()
            self._write(message)
            while True:
                body = self._body()
                seconds = time.perf_counter() - start
                params = _published(self._decoded(body))
                if params.get("uri") == uri and params.get("version") == version:
                    return Published(seconds, params["diagnostics"])

    def _answer_to(self, msg_id: int) -> Json:
        while True:
            message = self._decoded(self._body())
            if message.get("id") == msg_id and "method" not in message:
                return message

    def _write(self, data: bytes) -> None:
        assert self._process.stdin is not None
        view = memoryview(data)
        try:
            while view:
                view = view[self._process.stdin.write(view) :]
        except OSError as error:
            raise self._gone() from error

    def _body(self) -> bytes:
        """The next message, as bytes."""
        while (end := self._received.find(b"\r\n\r\n")) < 0:
            self._fill()
        size = _content_length(bytes(self._received[:end]))
        while len(self._received) < end + 4 + size:
            self._fill()
        body = bytes(self._received[end + 4 : end + 4 + size])
        del self._received[: end + 4 + size]
        return body

    def _fill(self) -> None:
        assert self._process.stdout is not None
        chunk = self._process.stdout.read(1 << 20)
        if not chunk:
            raise self._gone()
        self._received += chunk

    def _decoded(self, body: bytes) -> Json:
        """A message; if it is a request of the server, it is answered on the way."""
        message: Json = json.loads(body)
        if "id" in message and "method" in message:
            self._write(_frame({"id": message["id"], "result": _agreement(message)}))
        return message

    @contextmanager
    def _deadline_set(self) -> Iterator[None]:
        self._deadline = time.monotonic() + self._patience
        yield
        self._deadline = float("inf")

    def _watch(self) -> None:
        while not self._closed.wait(0.5):
            if time.monotonic() > self._deadline:
                self._process.kill()
                return

    def _gone(self) -> ServerGone:
        self._process.kill()
        status = self._process.wait()
        self._errors.seek(0)
        last = self._errors.read()[-2000:].decode(errors="replace")
        return ServerGone(f"{self._process.args!r} ended with status {status}: {last}")


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
    return _frame({"method": method, "params": params})


def _frame(message: Json) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def _content_length(header: bytes) -> int:
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    raise ValueError(f"no Content-Length in {header!r}")

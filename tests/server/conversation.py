"""A whole conversation with a server in this process: all messages first, then all answers."""

from __future__ import annotations

import json
import time
from typing import Any, Callable, Iterable, Iterator, NamedTuple

from ipu_lsp.server.server import LspServer
from ipu_lsp.transport import Channel, Json, frame

PATIENCE_S = 60
INITIALIZE: Json = {"id": 0, "method": "initialize", "params": {"capabilities": {}}}
EXIT: Json = {"method": "exit"}


class Conversation(NamedTuple):
    """What the server said, in its order, and the status with which it ended."""

    said: list[Json]
    status: int

    def answer(self, message_id: int | str) -> Json:
        """The one answer to a request."""
        (answer,) = (said for said in self.said if said.get("id") == message_id)
        return answer

    def error(self, message_id: int | str | None) -> int:
        """The code of the error that answers a request, or no request if the id is None."""
        found = [s for s in self.said if s.get("id") == message_id and "error" in s]
        assert len(found) == 1
        assert found[0]["error"]["message"]
        code: int = found[0]["error"]["code"]
        return code

    def told(self, method: str) -> list[Any]:
        """The parameters of all notifications, or requests of the server, of that name."""
        return [said.get("params") for said in self.said if said.get("method") == method]

    def published(self, uri: str) -> list[Json]:
        """All findings that were pushed about a document."""
        pushed = self.told("textDocument/publishDiagnostics")
        return [params for params in pushed if params["uri"] == uri]


def framed(message: Json) -> bytes:
    """A message as bytes on the wire."""
    return frame(json.dumps({"jsonrpc": "2.0", **message}).encode())


def converse(*messages: Json | bytes) -> Conversation:
    """Say all of this at once, and hang up."""
    said = [m if isinstance(m, bytes) else framed(m) for m in messages]
    return converse_in_chunks([b"".join(said)])


def greeted(*messages: Json | bytes, capabilities: Json | None = None) -> Conversation:
    """Introduce ourselves, say all of this at once, and hang up."""
    params = {"capabilities": capabilities or {}}
    initialize = {**INITIALIZE, "params": params}
    return converse(initialize, {"method": "initialized", "params": {}}, *messages)


def converse_in_chunks(chunks: Iterable[bytes]) -> Conversation:
    """The same with the bytes arriving in these pieces."""
    return dialogue(lambda _: iter(chunks))


def dialogue(script: Callable[[bytearray], Iterator[bytes]]) -> Conversation:
    """A conversation in which we may wait for what the server says: `script` sees its bytes."""
    received = bytearray()
    pieces = script(received)
    status = LspServer().serve(Channel(lambda: next(pieces, b""), received.extend))
    return Conversation(_messages(bytes(received)), status)


def await_bytes(received: bytearray, fragment: bytes, times: int = 1) -> None:
    """Wait until the server has said something, so many times."""
    deadline = time.monotonic() + PATIENCE_S
    while received.count(fragment) < times:
        assert time.monotonic() < deadline, f"{fragment!r} was not said {times} times"
        time.sleep(0.001)


def opened(uri: str, text: str, language: str = "ipu-asm", version: int = 1) -> Json:
    """The notification that a document is open."""
    document = {"uri": uri, "languageId": language, "version": version, "text": text}
    return {"method": "textDocument/didOpen", "params": {"textDocument": document}}


def changed(uri: str, version: int, *changes: Json) -> Json:
    """The notification that a document has changed."""
    document = {"uri": uri, "version": version}
    params = {"textDocument": document, "contentChanges": list(changes)}
    return {"method": "textDocument/didChange", "params": params}


def asked(message_id: int, method: str, uri: str, **more: Any) -> Json:
    """A request about a document."""
    params = {"textDocument": {"uri": uri}, **more}
    return {"id": message_id, "method": f"textDocument/{method}", "params": params}


def _messages(data: bytes) -> list[Json]:
    """Messages in exactly the frames that the protocol describes."""
    messages = []
    at = 0
    while at < len(data):
        end = data.index(b"\r\n\r\n", at)
        header, start = data[at:end], end + 4
        assert header.startswith(b"Content-Length: ")
        at = start + int(header.removeprefix(b"Content-Length: "))
        message = json.loads(data[start:at].decode("ascii"))
        assert message["jsonrpc"] == "2.0"
        messages.append(message)
    return messages

"""A debug client for tests. It waits for what it asks for, and checks every message it gets."""

from __future__ import annotations

import json
import re
import threading
import time
from pathlib import Path
from typing import Any, Callable, Final, Iterator, TypeVar

from ipu_lsp.transport import Json
from tests.debug_adapter.schema import check_message
from tests.debug_adapter.wires import PATIENCE_S, Wire

Found = TypeVar("Found")

THREAD: Final = 1
ABOUT_US: Final[Json] = {
    "clientID": "test",
    "adapterID": "ipu",
    "pathFormat": "path",
    "linesStartAt1": True,
    "columnsStartAt1": True,
    "supportsVariableType": True,
    "supportsVariablePaging": True,
    "supportsMemoryReferences": True,
    "supportsProgressReporting": True,
    "supportsInvalidatedEvent": True,
    "supportsMemoryEvent": True,
}
"""What the client says of itself in `initialize`, unless a test says otherwise."""

_HEADER = re.compile(rb"Content-Length: (\d+)\r\n\r\n")
_NOTHING: Final = object()


class Rejected(Exception):
    """A request that was not done; the text is what a user is told. `response` is all of it."""

    def __init__(self, response: Json) -> None:
        super().__init__(response["message"])
        self.response = response


class DapClient:
    """One conversation. `folder` takes the programs that are given as texts.

    Whatever waits for the adapter raises `AssertionError` if it sends something wrong, hangs up,
    or says nothing for too long.
    """

    def __init__(self, wire: Wire, folder: Path) -> None:
        self.wire = wire
        self.events: list[Json] = []
        self.strays: list[Json] = []
        self.capabilities: Json = {}
        self.program = folder / "kernel.s"
        self.status: int | None = None
        self._folder = folder
        self._changed = threading.Condition()
        self._sent = 0
        self._last_seq = 0
        self._unanswered: dict[int, Any] = {}
        self._responses: dict[int, Json] = {}
        self._taken: set[int] = set()
        self._failure: Exception | None = None
        self._is_rude = False
        self._is_over = False
        self._listener = threading.Thread(target=self._listen, name="client", daemon=True)
        self._listener.start()

    # Messages

    def request(self, command: str, **arguments: Any) -> Json:
        """The body of the response to a request that the protocol knows; raises `Rejected`."""
        given = {"arguments": arguments} if arguments else {}
        check_message({"seq": 1, "type": "request", "command": command, **given})
        return self.response(self.send(command, arguments or _NOTHING))

    def send(self, command: Any, arguments: Any = _NOTHING) -> int:
        """Sends a request of any shape, without waiting; its `seq`."""
        with self._changed:
            self._sent += 1
            seq = self._sent
            self._unanswered[seq] = command
        given = {} if arguments is _NOTHING else {"arguments": arguments}
        self.wire.write(framed({"seq": seq, "type": "request", "command": command, **given}))
        return seq

    def send_bytes(self, data: bytes) -> None:
        """Sends anything. From here on, responses that belong to no request are `strays`."""
        self._is_rude = True
        self.wire.write(data)

    def response(self, seq: int, timeout: float = PATIENCE_S) -> Json:
        """The body of the response to a request that was sent; raises `Rejected`."""
        response = self.until(
            lambda: self._responses.get(seq), f"response to request {seq}", timeout
        )
        if not response["success"]:
            raise Rejected(response)
        body: Json = response.get("body", {})
        return body

    def expect_event(self, name: str, timeout: float = PATIENCE_S) -> Json:
        """The body of the next event of that name; each event is returned once."""
        found = self.until(lambda: self._next_event(name), f"`{name}` event", timeout)
        body: Json = found.get("body", {})
        return body

    def events_named(self, name: str) -> list[Json]:
        """The bodies of all events of that name until now, whether returned or not."""
        return [event.get("body", {}) for event in list(self.events) if event["event"] == name]

    def until(
        self, probe: Callable[[], Found | None], what: str, timeout: float = PATIENCE_S
    ) -> Found:
        """What `probe` returns, once it is something; it is asked after each message."""
        deadline = time.monotonic() + timeout
        with self._changed:
            while self._failure is None:
                if (found := probe()) is not None:
                    return found
                if self._is_over or not self._changed.wait(deadline - time.monotonic()):
                    why = "the adapter hung up" if self._is_over else f"nothing for {timeout} s"
                    last = "\n".join(json.dumps(event) for event in self.events[-4:])
                    raise AssertionError(f"no {what}: {why}; the last events:\n{last}")
            raise self._failure

    def close(self) -> int:
        """Hangs up, and waits for the end; the adapter's exit status."""
        if self.status is None:
            self.wire.hang_up()
            self.status = self.wire.wait()
            self._listener.join(PATIENCE_S)
            if self._failure:
                raise self._failure
            assert "Traceback" not in self.wire.complaints(), self.wire.complaints()
        return self.status

    # A session

    def initialize(self, **about_us: Any) -> Json:
        """Introduces the client; what the adapter can do."""
        self.capabilities = self.request("initialize", **{**ABOUT_US, **about_us})
        return self.capabilities

    def launch(self, program: str | Path, **configuration: Any) -> None:
        """Loads a program, given as a text or as a file. It runs when `configured` is said."""
        if not self.capabilities:
            self.initialize()
        self.program = program if isinstance(program, Path) else self.written(program)
        self.request("launch", program=str(self.program), **configuration)
        self.expect_event("initialized")

    def configured(self) -> None:
        """Lets a launched program run."""
        self.request("configurationDone")

    def start(self, program: str | Path, *breakpoints: int | Json, **configuration: Any) -> None:
        """Launches, sets breakpoints on these lines, and lets it run."""
        self.launch(program, **configuration)
        if breakpoints:
            self.breakpoints(*breakpoints)
        self.configured()

    def written(self, text: str) -> Path:
        """A new file with a program."""
        number = sum(1 for _ in self._folder.glob("*.s"))
        path = self._folder / f"kernel{number or ''}.s"
        path.write_bytes(text.encode())
        return path

    @property
    def source(self) -> Json:
        """The program's file, as the protocol names it."""
        return {"name": self.program.name, "path": str(self.program)}

    def breakpoints(self, *places: int | Json) -> list[Json]:
        """Sets the breakpoints of the program: lines, or whole source breakpoints."""
        wanted = [{"line": place} if isinstance(place, int) else place for place in places]
        body = self.request("setBreakpoints", source=self.source, breakpoints=wanted)
        found: list[Json] = body["breakpoints"]
        assert len(found) == len(places)
        return found

    def stopped(self, timeout: float = PATIENCE_S) -> Json:
        """The next stop."""
        body = self.expect_event("stopped", timeout)
        assert (body["threadId"], body["allThreadsStopped"]) == (THREAD, True)
        return body

    def step(self, command: str = "next", **arguments: Any) -> Json:
        """Any request that makes it run, such as `stepBack` or `continue`, and the next stop."""
        self.request(command, threadId=THREAD, **arguments)
        return self.stopped()

    def ended(self, timeout: float = PATIENCE_S) -> int:
        """The exit code, once the program and the session have ended."""
        code: int = self.expect_event("exited", timeout)["exitCode"]
        self.expect_event("terminated", timeout)
        return code

    def frames(self, **arguments: Any) -> list[Json]:
        """The stack, innermost first."""
        found: list[Json] = self.request("stackTrace", threadId=THREAD, **arguments)["stackFrames"]
        return found

    def frame(self) -> Json:
        """The innermost frame."""
        return self.frames()[0]

    def scopes(self) -> dict[str, Json]:
        """The scopes of the innermost frame, by name."""
        found = self.request("scopes", frameId=self.frame()["id"])["scopes"]
        return {scope["name"]: scope for scope in found}

    def variables(self, of: str | int, **arguments: Any) -> dict[str, Json]:
        """The variables of a scope by its name, or of a `variablesReference`, by their names."""
        reference = of if isinstance(of, int) else self.scopes()[of]["variablesReference"]
        body = self.request("variables", variablesReference=reference, **arguments)
        found = {variable["name"]: variable for variable in body["variables"]}
        assert len(found) == len(body["variables"]), "two variables have one name"
        return found

    def evaluate(self, expression: str, context: str = "watch", **arguments: Any) -> str:
        """The text of a value in the innermost frame."""
        arguments = {"frameId": self.frame()["id"], **arguments}
        body = self.request("evaluate", expression=expression, context=context, **arguments)
        result: str = body["result"]
        return result

    # What the adapter sends, on a thread of its own

    def _listen(self) -> None:
        try:
            for message in messages(self.wire.read):
                check_message(message)
                with self._changed:
                    self._receive(message)
                    self._changed.notify_all()
        except Exception as error:
            with self._changed:
                self._failure = AssertionError(f"the adapter sent something wrong: {error}")
                self._changed.notify_all()
            while self.wire.read():  # or it would wait for us, instead of ending
                pass
        with self._changed:
            self._is_over = True
            self._changed.notify_all()

    def _receive(self, message: Json) -> None:
        assert message["seq"] > self._last_seq, f"`seq` grows: {message}"
        self._last_seq = message["seq"]
        if message["type"] == "event":
            self.events.append(message)
            return
        assert message["type"] == "response", f"no requests are expected: {message}"
        seq = message["request_seq"]
        if self._is_rude and seq not in self._unanswered:
            self.strays.append(message)
            return
        assert seq in self._unanswered, f"nobody asked, or it is answered already: {message}"
        command = self._unanswered.pop(seq)
        assert message["command"] == command or not isinstance(command, str), message
        self._responses[seq] = message

    def _next_event(self, name: str) -> Json | None:
        for event in self.events:
            if event["event"] == name and event["seq"] not in self._taken:
                self._taken.add(event["seq"])
                return event
        return None


def framed(message: Any) -> bytes:
    """A message as bytes on the wire."""
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def messages(read: Callable[[], bytes]) -> Iterator[Json]:
    """Messages in exactly the frames that the protocol describes."""
    received = bytearray()
    while chunk := read():
        received += chunk
        while b"\r\n\r\n" in received:
            header = _HEADER.match(received)
            assert header, f"a header is expected: {bytes(received[:100])!r}"
            stop = header.end() + int(header.group(1))
            if len(received) < stop:
                break
            yield json.loads(received[header.end() : stop].decode("utf-8"))
            del received[:stop]
    assert not received, f"half a message: {bytes(received[:100])!r}"

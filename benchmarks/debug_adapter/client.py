"""A small debug client over standard input and output, for measuring only."""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import pipe
from benchmarks.pipe import Pipe

Json = dict[str, Any]

ADAPTER = (sys.executable, "-m", "ipu_lsp.debug_adapter")
PATIENCE_S = 600.0

_ABOUT_US: Json = {
    "clientID": "benchmark",
    "adapterID": "ipu",
    "supportsVariableType": True,
    "supportsVariablePaging": True,
    "supportsMemoryReferences": True,
    "supportsInvalidatedEvent": True,
    "supportsMemoryEvent": True,
}
_THREAD = 1


class Debuggee(NamedTuple):
    """A program to debug: its file, and the rest of its launch configuration."""

    program: Path
    configuration: Json


class Refused(Exception):
    """A request that was not done, and why."""

    def __init__(self, command: str, reason: str) -> None:
        super().__init__(f"{command}: {reason}")
        self.reason = reason


@contextmanager
def started() -> Iterator[DapClient]:
    """A client of an adapter of its own, which ends with the context."""
    with pipe.started(ADAPTER, PATIENCE_S) as process:
        yield DapClient(process)


@contextmanager
def debugging(debuggee: Debuggee, **configuration: Any) -> Iterator[DapClient]:
    """A client that has launched a program, which stands at its beginning."""
    with started() as client:
        client.initialize()
        client.launch(debuggee, stopOnEntry=True, **configuration)
        client.stopped()
        yield client


class DapClient:
    """Talks to a running adapter. Whatever it refuses raises `Refused`."""

    def __init__(self, process: Pipe) -> None:
        self._pipe = process
        self._last_seq = 0
        self._answers: dict[int, Json] = {}
        self._events: deque[Json] = deque()
        self._source: Json = {}

    @property
    def pid(self) -> int:
        """The adapter's process."""
        return self._pipe.pid

    def initialize(self) -> None:
        """Introduce ourselves."""
        self.ask("initialize", **_ABOUT_US)

    def launch(self, debuggee: Debuggee, **configuration: Any) -> None:
        """Launch a program and let it run."""
        self._source = {"path": str(debuggee.program)}
        settings = {**debuggee.configuration, **configuration}
        self.ask("launch", program=str(debuggee.program), **settings)
        self.event("initialized")
        self.ask("configurationDone")

    def break_at(self, *breakpoints: Json) -> None:
        """Set the breakpoints of the program. Raises `RuntimeError` if one cannot be set."""
        found = self.ask("setBreakpoints", source=self._source, breakpoints=[*breakpoints])
        if not all(each["verified"] for each in found["breakpoints"]):
            raise RuntimeError(f"not all breakpoints were set: {found}")

    def watch(self, *expressions: str) -> None:
        """Set data breakpoints on what is written there."""
        found = [self.ask("dataBreakpointInfo", name=name)["dataId"] for name in expressions]
        breakpoints = [{"dataId": data_id, "accessType": "write"} for data_id in found]
        self.ask("setDataBreakpoints", breakpoints=breakpoints)

    def go_to(self, cycle: int) -> None:
        """Stand at a cycle."""
        self.evaluate(f"goto {cycle}", "repl")
        self.stopped()

    def move(self, command: str) -> Json:
        """Any request that lets the machine move, and the body of the next stop."""
        self.ask(command, threadId=_THREAD)
        return self.stopped()

    def stopped(self) -> Json:
        """The body of the next stop."""
        return self.event("stopped")

    def evaluate(self, expression: str, context: str = "watch") -> Json:
        """The value of an expression."""
        return self.ask("evaluate", expression=expression, context=context)

    def ask(self, command: str, **arguments: Any) -> Json:
        """Send a request and wait for its answer."""
        return self.answer(self.send(command, **arguments))

    def send(self, command: str, **arguments: Any) -> int:
        """Send a request; its number."""
        self._last_seq += 1
        message = {"seq": self._last_seq, "type": "request", "command": command}
        self._pipe.send(json.dumps({**message, "arguments": arguments}).encode())
        return self._last_seq

    def answer(self, seq: int) -> Json:
        """Wait for the answer to a request."""
        while seq not in self._answers:
            self._receive()
        message = self._answers.pop(seq)
        if not message["success"]:
            raise Refused(message["command"], message["message"])
        body: Json = message.get("body", {})
        return body

    def event(self, name: str) -> Json:
        """Wait for an event of that name; those before it are dropped."""
        while True:
            while self._events:
                event = self._events.popleft()
                if event["event"] == name:
                    body: Json = event.get("body", {})
                    return body
            self._receive()

    def _receive(self) -> None:
        with self._pipe.deadline_set():
            message: Json = json.loads(self._pipe.receive())
        if message["type"] == "event":
            self._events.append(message)
        else:
            self._answers[message["request_seq"]] = message

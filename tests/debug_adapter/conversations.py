"""Conversations with the adapter as text: what a client says, and below it what it hears.

The scripts `conversations/NAME.txt` have commands of `Conversation`; `python -m
tests.debug_adapter.conversations` writes their answers anew.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Callable, Final, Iterator

from ipu_lsp.debug_adapter.server import serve
from ipu_lsp.transport import Json
from tests.debug_adapter import kernel, programs
from tests.debug_adapter.client import THREAD, DapClient, Rejected
from tests.debug_adapter.wires import ThreadWire
from tests.scripts import Script, arguments_of, text_and_arguments, write_answers

FOLDER: Final = Path(__file__).parent / "conversations"
PROGRAMS: Final = {name: text for name, text in vars(programs).items() if name.isupper()}
_MOVES: Final = (
    "next", "stepIn", "stepOut", "stepBack", "continue", "reverseContinue", "goto", "pause",
)  # fmt: skip
_OF_VALUES: Final = ("type", "memoryReference", "indexedVariables")
_OF_EVERY_STOP: Final = ("threadId", "allThreadsStopped", "text")


def played(script: Script, folder: Path) -> list[str]:
    """The lines of a conversation with the answers that the adapter gives now."""
    client = DapClient(ThreadWire(serve), folder)
    try:
        conversation = Conversation(client, folder, {**PROGRAMS, **script.programs})
        return script.played(conversation.answer)
    finally:
        client.close()


class Conversation:
    """Commands are the methods `say_...`; other words are requests that move the machine."""

    def __init__(self, client: DapClient, folder: Path, programs: dict[str, str]) -> None:
        self._client = client
        self._folder = folder
        self._programs = programs

    def answer(self, line: str) -> str:
        return "\n".join(self._answers(line)).replace(str(self._folder), "FOLDER")

    def _answers(self, line: str) -> list[str]:
        word, _, rest = line.replace("FOLDER", str(self._folder)).partition(" ")
        rest = rest.replace("$source", _json(self._client.source))
        command: Callable[[str], Iterator[str]] | None = getattr(self, f"say_{word}", None)
        if word == "?":
            command = self.say_evaluate
        elif word == ":":
            command = self.say_repl
        elif word == ">":
            command = self.say_request
        try:
            if command is None:
                assert word in _MOVES, f"no command is called {word}"
                self._client.request(word, **{"threadId": THREAD, **arguments_of(rest)[1]})
                command = self.say_stopped
            return list(command(rest))
        except Rejected as error:
            shown = error.response.get("body", {}).get("error", {}).get("showUser")
            return [f"{'!!' if shown else '!'} {error}"]

    # The session

    def say_init(self, rest: str) -> Iterator[str]:
        self._client.initialize(**arguments_of(rest)[1])
        yield from ()

    def say_launch(self, rest: str) -> Iterator[str]:
        (name,), configuration = arguments_of(rest)
        self._client.launch(self._program(name), **configuration)
        yield from ()

    def _program(self, name: str) -> str | Path:
        """A program of the file or of `programs`; else a path."""
        return self._programs.get(name) or Path(name)

    def say_file(self, rest: str) -> Iterator[str]:
        """`file NAME PROGRAM|TEXT`: writes a file, of which TEXT is JSON."""
        name, _, text = rest.partition(" ")
        content = self._programs.get(text) or json.loads(text)
        (self._folder / name).write_bytes(content.encode())
        yield from ()

    def say_shown_file(self, rest: str) -> Iterator[str]:
        """`shown_file NAME`: its bytes, in hexadecimal digits."""
        path = self._folder / rest
        yield path.read_bytes().hex(" ") if path.exists() else "no such file"

    def say_raw(self, rest: str) -> Iterator[str]:
        """`raw NAME key=value...`: a request that the protocol may not know."""
        name, _, rest = rest.partition(" ")
        self._client.response(self._client.send(name, arguments_of(rest)[1]))
        yield from ()

    def say_configured(self, rest: str) -> Iterator[str]:
        self._client.configured()
        yield from ()

    def say_start(self, rest: str) -> Iterator[str]:
        """`start PROGRAM LINE... key=value...`; `KERNEL` alone stands in its loop."""
        (name, *lines), configuration = arguments_of(rest)
        breakpoints = [json.loads(line) for line in lines]
        if name == "KERNEL":
            kernel.started(self._client, self._folder, *breakpoints, **configuration)
            if not breakpoints:
                return
        else:
            self._client.start(self._program(name), *breakpoints, **configuration)
        yield from self.say_stopped("")

    def say_stopped(self, rest: str) -> Iterator[str]:
        """The next stop, or the end of the program: reason, description, bundle, line, cycle."""
        client = self._client
        event = client.until(
            lambda: client._next_event("stopped") or client._next_event("terminated"), "stop"
        )
        if event["event"] == "terminated":
            (code,) = client.events_named("exited")[-1:]
            yield f"exit code {code['exitCode']}"
            yield from client.events_named("output")[-1]["output"].splitlines()
            return
        body = event["body"]
        frame, more = client.frame(), {k: v for k, v in body.items() if k not in _OF_EVERY_STOP}
        place = f"at {frame['instructionPointerReference']}, line {frame['line']}"
        cycle = client.evaluate("cycle").split()[0]
        reason, text = more.pop("reason"), more.pop("description")
        hits = f", hit {more.pop('hitBreakpointIds')}" if "hitBreakpointIds" in more else ""
        assert not more, more
        yield f"{reason}: {text} [{place}, cycle {cycle}{hits}]"

    def say_request(self, rest: str) -> Iterator[str]:
        name, _, rest = rest.partition(" ")
        body = self._client.request(name, **arguments_of(rest)[1])
        for key, value in body.items():
            if isinstance(value, list) and value:
                yield f"{key}:"
                yield from (f"  {_json(each)}" for each in value)
            else:
                yield f"{key}: {_json(value)}"

    def say_event(self, rest: str) -> Iterator[str]:
        """The next event of a name."""
        yield _json(self._client.expect_event(rest))

    def say_events(self, rest: str) -> Iterator[str]:
        """All events of a name so far."""
        self._client.request("threads")
        yield from map(_json, self._client.events_named(rest))

    # Breakpoints

    def say_break(self, rest: str) -> Iterator[str]:
        """`break LINE|OBJECT...`: the breakpoints of the program."""
        places = [json.loads(text) for text in arguments_of(rest)[0]]
        yield from map(_breakpoint, self._client.breakpoints(*places))

    def say_filters(self, rest: str) -> Iterator[str]:
        """`filters NAME... name="condition"...`."""
        names, conditions = arguments_of(rest)
        options = [{"filterId": name, "condition": text} for name, text in conditions.items()]
        found = self._client.request(
            "setExceptionBreakpoints", filters=names, filterOptions=options
        )
        yield from map(_breakpoint, found["breakpoints"])

    def say_info(self, rest: str) -> Iterator[str]:
        """`info NAME key=value...`: what there is to watch under a name."""
        name, more = text_and_arguments(rest)
        found = self._client.request("dataBreakpointInfo", name=name, **more)
        accesses = " ".join(found.get("accessTypes", ()))
        yield f"{found['dataId']}: {found['description']} ({accesses})"

    def say_watch(self, rest: str) -> Iterator[str]:
        """`watch NAME; NAME key=value...`: watches these expressions and nothing else."""
        names, more = text_and_arguments(rest)
        ids = [
            self._client.request("dataBreakpointInfo", name=name)["dataId"]
            for name in filter(None, map(str.strip, names.split(";")))
        ]
        wanted = [{"dataId": each, **more} for each in ids]
        body = self._client.request("setDataBreakpoints", breakpoints=wanted)
        yield from map(_breakpoint, body["breakpoints"])

    # Values

    def say_evaluate(self, rest: str) -> Iterator[str]:
        """`? EXPRESSION`."""
        yield from self._evaluated(rest, "watch")

    def say_hover(self, rest: str) -> Iterator[str]:
        yield from self._evaluated(rest, "hover")

    def say_clip(self, rest: str) -> Iterator[str]:
        yield from self._evaluated(rest, "clipboard")

    def say_repl(self, rest: str) -> Iterator[str]:
        """`: COMMAND` of the console."""
        yield from self._evaluated(rest, "repl")

    def say_hex(self, rest: str) -> Iterator[str]:
        yield self._client.evaluate(rest, format={"hex": True})

    def _evaluated(self, rest: str, context: str) -> Iterator[str]:
        text, more = text_and_arguments(rest)
        yield from self._client.evaluate(text, context, **more).split("\n")

    def say_assign(self, rest: str) -> Iterator[str]:
        """`assign EXPRESSION := VALUE key=value...`: setExpression."""
        (expression, text), more = _sides(rest)
        yield _value(
            self._client.request("setExpression", expression=expression, value=text, **more)
        )

    def say_set(self, rest: str) -> Iterator[str]:
        """`set SCOPE / NAME / ... := VALUE key=value...`: setVariable."""
        (path, text), more = _sides(rest)
        parent, *names = map(str.strip, path.split(" / "))
        reference, variable = kernel.found(self._client, parent, *names)
        body = self._client.request(
            "setVariable", variablesReference=reference, name=names[-1], value=text, **more
        )
        shown = self._client.variables(reference, **more)[names[-1]]
        assert shown["value"] == body["value"]
        watched = self._client.evaluate(variable["evaluateName"], **more)
        assert watched.partition("  #")[0] == body["value"].partition("  #")[0]
        yield _value(body)

    def say_var(self, rest: str) -> Iterator[str]:
        """`var SCOPE / NAME / ...`: a variable."""
        scope, *names = map(str.strip, rest.split(" / "))
        yield _value(kernel.found(self._client, scope, *names)[1])

    def say_vars(self, rest: str) -> Iterator[str]:
        """`vars SCOPE / NAME / ...`: what a variable opens to."""
        path, more = text_and_arguments(rest)
        scope, *names = map(str.strip, path.split(" / "))
        reference = self._client.scopes()[scope]["variablesReference"]
        if names:
            reference = kernel.found(self._client, scope, *names)[1]["variablesReference"]
        for name, variable in self._client.variables(reference, **more).items():
            yield f"{name} = {variable['value']}"

    def say_stack(self, rest: str) -> Iterator[str]:
        body = self._client.request("stackTrace", threadId=THREAD, **arguments_of(rest)[1])
        for frame in body["stackFrames"]:
            source = frame.get("source", {}).get("name", "no source")
            yield f"{frame['name']}: {source} {frame['line']}:{frame['column']}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _value(body: Json) -> str:
    more = {
        key: body[key] for key in ("type", "memoryReference", "indexedVariables") if key in body
    }
    return f"{body['value']} {_json(more)}"


def _breakpoint(shown: Json) -> str:
    shown = dict(shown)
    shown.pop("source", None)
    text = shown.pop("message", "")
    number, verified = shown.pop("id"), shown.pop("verified")
    word = "set" if verified else "not set"
    return f"{number} {word}{': ' if text else ''}{text} {_json(shown)}"


def _sides(text: str) -> tuple[tuple[str, str], Json]:
    text, more = text_and_arguments(text)
    one, _, other = text.partition(":=")
    return (one.strip(), other.strip()), more


def _play(script: Script) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        return played(script, Path(folder))


if __name__ == "__main__":
    write_answers(FOLDER, sys.argv[1:], _play)

"""Conversations with the adapter as text: what a client says, and below it what it hears.

A file `conversations/NAME.txt` has programs (`-- NAME`, their lines, `--`) and conversations
(`== title`). A line is a command of `Conversation`; the indented lines below it are the answer.
`python -m tests.debug_adapter.conversations` writes the answers anew; read the difference before
you commit it.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any, Callable, Final, Iterator, NamedTuple

from ipu_lsp.debug_adapter.server import serve
from ipu_lsp.json_types import Json
from tests.debug_adapter import kernel, programs
from tests.debug_adapter.client import THREAD, DapClient, Rejected
from tests.debug_adapter.wires import ThreadWire

FOLDER: Final = Path(__file__).parent / "conversations"
PROGRAMS: Final = {name: text for name, text in vars(programs).items() if name.isupper()}
_ARGUMENT: Final = re.compile(r"(\w+)=(?=\S)")
_MOVES: Final = (
    "next", "stepIn", "stepOut", "stepBack", "continue", "reverseContinue", "goto", "pause",
)  # fmt: skip
_OF_VALUES: Final = ("type", "memoryReference", "indexedVariables")
_OF_EVERY_STOP: Final = ("threadId", "allThreadsStopped", "preserveFocusHint", "text")


class Script(NamedTuple):
    """One conversation of a file: what is said and answered, line by line."""

    title: str
    lines: list[str]
    programs: dict[str, str]

    @property
    def said(self) -> list[str]:
        return [line for line in self.lines if not line.startswith("  ")]


def scripts_of(path: Path) -> tuple[str, list[Script]]:
    """The head of a file, which stays as it is, and its conversations."""
    head, *rest = re.split(r"^== ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    own = dict(re.findall(r"^-- (\w+)\n(.*?)^--$", head, re.MULTILINE | re.DOTALL))
    scripts = []
    for part in rest:
        title, *lines = part.rstrip().split("\n")
        scripts.append(Script(title, [line for line in lines if line.strip()], own))
    return head, scripts


def played(script: Script, folder: Path) -> list[str]:
    """The lines of a conversation with the answers that the adapter gives now."""
    client = DapClient(ThreadWire(serve), folder)
    try:
        conversation = Conversation(client, folder, {**PROGRAMS, **script.programs})
        lines = []
        for line in script.said:
            answer = "\n".join(conversation.answer(line)).replace(str(folder), "FOLDER")
            lines += [line, *(f"  {each}" for each in answer.split("\n") if each.strip())]
        return lines
    finally:
        client.close()


class Conversation:
    """Commands are the methods `say_...`; other words are requests that move the machine."""

    def __init__(self, client: DapClient, folder: Path, programs: dict[str, str]) -> None:
        self._client = client
        self._folder = folder
        self._programs = programs

    def answer(self, line: str) -> list[str]:
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
                self._client.request(word, **{"threadId": THREAD, **_arguments(rest)[1]})
                command = self.say_stopped
            return list(command(rest))
        except Rejected as error:
            shown = error.response.get("body", {}).get("error", {}).get("showUser")
            return [f"{'!!' if shown else '!'} {error}"]

    # The session

    def say_init(self, rest: str) -> Iterator[str]:
        self._client.initialize(**_arguments(rest)[1])
        yield from ()

    def say_launch(self, rest: str) -> Iterator[str]:
        (name,), configuration = _arguments(rest)
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
        self._client.response(self._client.send(name, _arguments(rest)[1]))
        yield from ()

    def say_configured(self, rest: str) -> Iterator[str]:
        self._client.configured()
        yield from ()

    def say_start(self, rest: str) -> Iterator[str]:
        """`start PROGRAM LINE... key=value...`; `KERNEL` alone stands in its loop."""
        (name, *lines), configuration = _arguments(rest)
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
        focus = ", focus stays" if body.get("preserveFocusHint") else ""
        hits = f", hit {more.pop('hitBreakpointIds')}" if "hitBreakpointIds" in more else ""
        assert not more, more
        yield f"{reason}: {text} [{place}, cycle {cycle}{hits}{focus}]"

    def say_request(self, rest: str) -> Iterator[str]:
        name, _, rest = rest.partition(" ")
        body = self._client.request(name, **_arguments(rest)[1])
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
        places = [json.loads(text) for text in _arguments(rest)[0]]
        yield from map(_breakpoint, self._client.breakpoints(*places))

    def say_filters(self, rest: str) -> Iterator[str]:
        """`filters NAME... name="condition"...`."""
        names, conditions = _arguments(rest)
        options = [{"filterId": name, "condition": text} for name, text in conditions.items()]
        found = self._client.request(
            "setExceptionBreakpoints", filters=names, filterOptions=options
        )
        yield from map(_breakpoint, found["breakpoints"])

    def say_info(self, rest: str) -> Iterator[str]:
        """`info NAME key=value...`: what there is to watch under a name."""
        name, more = _name_and_arguments(rest)
        found = self._client.request("dataBreakpointInfo", name=name, **more)
        accesses = " ".join(found.get("accessTypes", ()))
        yield f"{found['dataId']}: {found['description']} ({accesses})"

    def say_watch(self, rest: str) -> Iterator[str]:
        """`watch NAME; NAME key=value...`: watches these expressions and nothing else."""
        names, more = _name_and_arguments(rest)
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
        text, more = _name_and_arguments(rest)
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
        path, more = _name_and_arguments(rest)
        scope, *names = map(str.strip, path.split(" / "))
        reference = self._client.scopes()[scope]["variablesReference"]
        if names:
            reference = kernel.found(self._client, scope, *names)[1]["variablesReference"]
        for name, variable in self._client.variables(reference, **more).items():
            yield f"{name} = {variable['value']}"

    def say_stack(self, rest: str) -> Iterator[str]:
        body = self._client.request("stackTrace", threadId=THREAD, **_arguments(rest)[1])
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


def _arguments(text: str) -> tuple[list[str], Json]:
    """Words, and JSON values by their names; a word may be a JSON object."""
    words, found, decoder = list[str](), dict[str, Any](), json.JSONDecoder()
    text = text.strip()
    while text:
        match = _ARGUMENT.match(text)
        if match is not None:
            found[match[1]], end = decoder.raw_decode(text, match.end())
        elif text[0] in '{["':
            value, end = decoder.raw_decode(text)
            words.append(_json(value))
        else:
            end = len(text.split(None, 1)[0])
            words.append(text[:end])
        text = text[end:].strip()
    return words, found


def _name_and_arguments(text: str) -> tuple[str, Json]:
    """A text with blanks, and the arguments behind two blanks."""
    name, _, rest = text.partition("  ")
    return name.strip(), _arguments(rest)[1]


def _sides(text: str) -> tuple[tuple[str, str], Json]:
    text, more = _name_and_arguments(text)
    one, _, other = text.partition(":=")
    return (one.strip(), other.strip()), more


def main(names: list[str]) -> None:
    for path in sorted(FOLDER.glob("*.txt")):
        if names and path.stem not in names:
            continue
        head, scripts = scripts_of(path)
        text = head.rstrip() + "\n"
        for script in scripts:
            with tempfile.TemporaryDirectory() as folder:
                text += f"\n== {script.title}\n"
                text += "\n".join(played(script, Path(folder))) + "\n"
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

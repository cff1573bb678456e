"""No request makes much work, and none reaches anything but the program and its machine."""

from __future__ import annotations

import logging
import sys
import time
from pathlib import Path
from typing import Any, Iterator

import pytest

from ipu_lsp.transport import Json
from tests.debug_adapter import wires
from tests.debug_adapter.client import THREAD, DapClient
from tests.debug_adapter.conftest import Connect
from tests.debug_adapter.programs import ENDLESS
from tests.debug_adapter.resilience import answer, check_alive, complaints, standing


@pytest.fixture(autouse=True)
def log() -> Iterator[list[logging.LogRecord]]:
    """The adapter's complaints. A test that makes some takes them out."""
    with complaints() as records:
        yield records


MUCH_WORK_S = 5.0
"""Processor time, of which an answer takes about a second at most."""
WORK: list[tuple[str, Json]] = [
    ("variables", {"count": 10**9}),
    ("variables", {"start": 10**9, "count": 10**9}),
    ("variables", {"start": -(10**9), "count": -5}),
    ("disassemble", {"memoryReference": "0x0", "instructionCount": 10**9}),
    ("disassemble", {"memoryReference": "0x0", "instructionCount": 4_000}),
    ("disassemble", {"memoryReference": "0x0", "instructionCount": 9, "offset": -(1 << 62)}),
    ("readMemory", {"memoryReference": "0x0", "count": 10**12}),
    ("readMemory", {"memoryReference": "0x0", "count": 10**12, "offset": -(10**12)}),
    ("readMemory", {"memoryReference": "xmem", "count": 1 << 21}),
    ("writeMemory", {"memoryReference": "0x0", "data": "A" * (1 << 22), "allowPartial": True}),
    ("stackTrace", {"threadId": 1, "startFrame": 10**15, "levels": 10**15}),
    ("modules", {"startModule": -(10**9), "moduleCount": 10**9}),
    ("breakpointLocations", {"line": -(10**9), "endLine": 10**9}),
    ("gotoTargets", {"line": 10**15, "column": 10**15}),
    ("completions", {"text": "lr" * 4_000, "column": 8_000}),
    ("completions", {"text": "(" * 8_000, "column": 8_001}),
    ("completions", {"text": "\n" * 8_000, "column": 1, "line": 7_000}),
    ("evaluate", {"expression": "(" * 4_000}),
    ("evaluate", {"expression": "-" * 4_000 + "1"}),
    ("evaluate", {"expression": "1" + "+1" * 2_000}),
    ("evaluate", {"expression": "2 ** 2 ** 2 ** 2 ** 2 ** 2 ** 2"}),
    ("evaluate", {"expression": "(1 << 1000000) * (1 << 1000000)"}),
    ("evaluate", {"expression": "9" * 4_000}),
    ("evaluate", {"expression": "xmem[0 .. +2097152]"}),
    ("evaluate", {"expression": "sum(xmem[0 .. +2097152])", "context": "hover"}),
    ("evaluate", {"expression": "+".join(["sum(acc * acc)"] * 40), "context": "repl"}),
    ("evaluate", {"expression": "xmem[0 .. +2097152]", "context": "clipboard"}),
    ("evaluate", {"expression": "goto 99999999999999999999", "context": "repl"}),
    ("evaluate", {"expression": "dis 0 100000000", "context": "repl"}),
    ("setExpression", {"expression": "xmem[0 .. +2097152]", "value": "1"}),
    ("setFunctionBreakpoints", {"breakpoints": [{"name": "forevr" * 1_000}] * 20}),
    ("setInstructionBreakpoints", {"breakpoints": [{"instructionReference": "0x1"}] * 4_000}),
    ("setDataBreakpoints", {"breakpoints": [{"dataId": "xmem:0x0:2097152"}] * 1_000}),
    ("setDataBreakpoints", {"breakpoints": [{"dataId": "lr1:0x0:" + "9" * 8_000}]}),
    ("setDataBreakpoints", {"breakpoints": [{"dataId": "lr1:" * 2_000}]}),
    ("setExceptionBreakpoints", {"filters": ["break", "x"] * 2_000}),
]  # fmt: skip


@pytest.mark.parametrize(("command", "arguments"), WORK)
def test_no_single_request_makes_much_work(
    client: DapClient, command: str, arguments: Json
) -> None:
    given_: Json = {"variablesReference": standing(client), "source": client.source, **arguments}
    began = time.process_time()
    answer(client, client.send(command, given_))
    check_alive(client)
    assert time.process_time() - began < MUCH_WORK_S


@pytest.mark.parametrize("field", ["condition", "hitCondition", "logMessage"])
@pytest.mark.parametrize(
    "text",
    ["(" * 4_000, " " * 1_000 + "x", "{" * 4_000, "{lr1}" * 800, "lr1 or " * 500 + "0", "a" * 4_000,
     "%" * 4_000, ">=" + "9" * 4_000],
)  # fmt: skip
def test_breakpoints_may_ask_anything(client: DapClient, field: str, text: str) -> None:
    client.launch(ENDLESS)
    shown = client.breakpoints(*[{"line": 2, field: text}] * 2)
    assert all(each["verified"] or len(each["message"]) < 300 for each in shown)
    client.configured()
    client.request("pause", threadId=THREAD)
    check_alive(client)


# The world outside

AUDITED = """\
import sys
import time
from ipu_lsp.debug_adapter import __main__ as main
harmless = ("object.", "sys._", "sys.exc", "builtins.id", "gc.", "time.", "array.")
def note(event, arguments):
    if not event.startswith(harmless):
        print("event", event, repr(arguments)[:200], file=sys.stderr)
sys.addaudithook(note)
sys.exit(main.main())
"""
"""The adapter, saying all that it asks the system for."""

SECRET = "set lr9 4711;;"


def curious(client: DapClient, secret: Path) -> list[tuple[str, Json]]:
    """Requests that would like to see more than the program."""
    texts = [
        "__import__('os').system('id')", "open('/etc/passwd').read()", f"open('{secret}')",
        "eval('1')", "lr1.__class__", "().__class__.__bases__[0]", "{lr1.__class__}", f"{secret}",
        "import os", "$HOME", "id", "!id", "goto open('/etc/passwd')", "who __builtins__",
        "help os", "exec(1)",
    ]  # fmt: skip
    paths = [
        str(secret), "/etc/passwd", "../../etc/passwd", secret.as_uri(), str(secret.parent),
        "/dev/stdin", "/proc/self/mem", f"{client.program}/../{secret.name}",
    ]  # fmt: skip
    sources: list[Json] = [
        *({"path": path} for path in paths),
        *({"path": str(secret), "sourceReference": number} for number in (1, 2)),
        {"sourceReference": 1},
        {"name": secret.name},
        {},
    ]
    lines = [{"line": 1, "logMessage": "{" + text + "}", "condition": text} for text in texts]
    return [
        *(("evaluate", {"expression": t, "context": c}) for t in texts for c in ("repl", "watch")),
        *(("setExpression", {"expression": "lr1", "value": text}) for text in texts),
        *(("completions", {"text": text, "column": len(text) + 1}) for text in texts),
        *(("dataBreakpointInfo", {"name": text}) for text in texts),
        *(("readMemory", {"memoryReference": text, "count": 9}) for text in texts),
        *(("disassemble", {"memoryReference": t, "instructionCount": 9}) for t in texts),
        *(
            (command, {"source": source, "line": 1, "sourceReference": 0, "breakpoints": lines})
            for source in sources
            for command in ("source", "setBreakpoints", "breakpointLocations", "gotoTargets")
        ),
        ("setBreakpoints", {"source": client.source, "breakpoints": lines}),
        ("setFunctionBreakpoints", {"breakpoints": [{"name": text} for text in texts]}),
        ("setExceptionBreakpoints", {"filters": texts}),
    ]


def test_no_request_but_launch_asks_the_system_for_anything(
    connect: Connect, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.s"
    secret.write_text(SECRET, encoding="utf-8")
    monkeypatch.setattr(wires, "ADAPTER", [sys.executable, "-c", AUDITED])
    client = connect("stdio")
    client.start(ENDLESS, stopOnEntry=True)
    client.stopped()
    answers: list[Any] = []
    for _ in range(2):  # once more, when everything that is needed has been imported
        heard = len(client.wire.complaints())
        answers = []
        for command, arguments in curious(client, secret):
            seq = client.send(command, arguments)
            answers.append(answer(client, seq) or client.response(seq))
        client.step("next")
        client.step("stepBack")
    said = client.wire.complaints()
    assert "event open" in said[:heard]
    assert said[heard:] == ""
    assert SECRET not in str(answers)
    assert "root:" not in str(answers)
    check_alive(client)

"""Nothing that a debugger shows renders Markdown, so no text for people has backticks."""

from __future__ import annotations

import json

from tests.debug_adapter.client import THREAD, DapClient, Rejected
from tests.debug_adapter.programs import AT_END, FAULTY, LOOP

QUESTIONS = (
    "who lr1", "when lr1 == 8", "goto 1", "goto x", "trip 99", "inrange", "dis", "help", "help who",
    "source", "lr99", "lr1 = ", "cr0", "when", "xmem[-1]",
)  # fmt: skip


def everything(client: DapClient, session: str) -> str:
    """Each answer, error and event of a session in which everything is asked, as a text."""
    said = [json.dumps(client.capabilities)]
    for question in QUESTIONS:
        for context in ("repl", "hover"):
            arguments = {"expression": question, "context": context}
            seq = client.send("evaluate", arguments)
            try:
                said.append(json.dumps(client.response(seq)))
            except Rejected as refused:
                said.append(json.dumps(refused.response))
    said += [json.dumps(client.frames()), json.dumps(client.variables("Machine"))]
    return "\n".join([session, *said, *map(json.dumps, client.events)])


def test_no_text_has_backticks(client: DapClient) -> None:
    client.start(FAULTY, **AT_END)
    fault = json.dumps([client.stopped(), client.request("exceptionInfo", threadId=THREAD)])
    assert "fault in bundle 2" in fault
    assert "`" not in everything(client, fault)


def test_reasons_of_breakpoints_have_none(client: DapClient) -> None:
    client.start(LOOP, {"line": 5, "condition": "lr99 > 1"}, {"line": 5, "logMessage": "{lr1}"})
    assert "`" not in everything(client, json.dumps(client.stopped()))


def test_log_messages_are_decimal_unless_asked(client: DapClient) -> None:
    client.start(LOOP, {"line": 5, "logMessage": "{lr3} {lr3,x} {xmem[0 .. +2]} {cycle}"})
    client.stopped()
    lines = [event["output"] for event in client.events_named("output")]
    logged = [line for line in lines if "0x" in line]
    assert logged
    assert logged[0].count("0x") == 1

"""The check that every message of the adapter goes through lets nothing wrong pass."""

from __future__ import annotations

from typing import Any

import pytest

from tests.debug_adapter.schema import check_message

STOPPED = {"seq": 7, "type": "event", "event": "stopped", "body": {"reason": "step"}}
NEXT = {"seq": 7, "type": "response", "request_seq": 3, "success": True, "command": "next"}
REFUSED = {**NEXT, "success": False, "message": "no", "body": {}}
ERROR = {"id": 1, "format": "{why}", "variables": {"why": "so"}, "showUser": True}
VARIABLE = {"name": "lr0", "value": "3", "variablesReference": 0}
MODULE = {"id": 1, "name": "program", "a column of our own": "7"}
LAUNCH = {"seq": 1, "type": "request", "command": "launch"}


def variables(**more: Any) -> Any:
    """A response with one variable."""
    return {**NEXT, "command": "variables", "body": {"variables": [{**VARIABLE, **more}]}}


def progress(percentage: Any) -> Any:
    """An event that has a fraction."""
    body = {"progressId": "1", "percentage": percentage}
    return {**STOPPED, "event": "progressUpdate", "body": body}


@pytest.mark.parametrize(
    "message",
    [
        STOPPED,
        {**STOPPED, "body": {"reason": "a reason of our own"}},
        {"seq": 1, "type": "event", "event": "initialized"},
        NEXT,
        {**NEXT, "body": {}},
        REFUSED,
        {**REFUSED, "body": {"error": ERROR}, "command": "teleport"},
        {**NEXT, "success": False, "message": "cancelled"},
        variables(type="uint32", presentationHint={"attributes": ["readOnly", "ours"]}),
        progress(12.5),
        {**NEXT, "command": "modules", "body": {"modules": [MODULE]}},
        {**LAUNCH, "arguments": {"program": "kernel.s", "noDebug": False}},
    ],
)
def test_messages_of_the_protocol_pass(message: Any) -> None:
    check_message(message)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ([], "a message is an object"),
        ({"seq": 1}, "the protocol has no"),
        ({**STOPPED, "event": "halted"}, "the protocol has no `HaltedEvent`"),
        ({**NEXT, "command": "teleport"}, "the protocol has no `TeleportResponse`"),
        ({**LAUNCH, "command": "teleport"}, "the protocol has no `TeleportRequest`"),
        (LAUNCH, "'arguments' is a required property"),
        ({**STOPPED, "body": {}}, "'reason' is a required property"),
        ({**STOPPED, "body": {"reason": "step", "thredId": 1}}, "'thredId' was unexpected"),
        ({**STOPPED, "bdy": {}}, "'bdy' was unexpected"),
        ({**STOPPED, "seq": 1.5}, "1.5 is not of type 'integer'"),
        ({**STOPPED, "seq": True}, "True is not of type 'integer'"),
        ({**NEXT, "success": 1}, "1 is not of type 'boolean'"),
        ({**NEXT, "body": {"granularity": "line"}}, "expected to be empty"),
        ({**NEXT, "success": False, "message": "no"}, "'body' is a required property"),
        ({**NEXT, "success": False, "body": {}}, "'message' is a required property"),
        ({**REFUSED, "message": ""}, "message: "),
        ({**REFUSED, "body": {"error": {"id": 1}}}, "'format' is a required property"),
        (variables(value=3), "body.variables[0].value: 3 is not of type 'string'"),
        (variables(variablesReference=1 << 31), "greater than the maximum"),
        (variables(variablesReference=-1), "less than the minimum"),
        (variables(presentationHint={"kinds": "data"}), "'kinds' was unexpected"),
        (progress("12"), "'12' is not of type 'number'"),
    ],
)
def test_what_is_wrong_with_a_message_is_said(message: Any, words: str) -> None:
    with pytest.raises(AssertionError) as caught:
        check_message(message)
    assert words in str(caught.value)

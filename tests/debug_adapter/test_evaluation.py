"""Expressions in watches, hovers, the clipboard and the console, and what the console does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ipu_asm.debugger.console import COMMANDS
from tests.debug_adapter.client import DapClient, Rejected
from tests.debug_adapter.kernel import RESULTS, started

HEX = {"hex": True}


@pytest.fixture
def standing(client: DapClient, tmp_path: Path) -> DapClient:
    return started(client, tmp_path)


def check_refused(
    client: DapClient, expression: str, expected: str, context: str = "watch"
) -> None:
    """An expression has no value, which is said in a sentence."""
    with pytest.raises(Rejected) as caught:
        client.evaluate(expression, context)
    assert str(caught.value) == expected
    assert not caught.value.response["body"]["error"]["showUser"]


# Values


def test_the_clipboard_gets_a_plain_and_complete_value(standing: DapClient) -> None:
    assert standing.evaluate("cr1", "clipboard") == str(RESULTS)
    assert standing.evaluate("cr1,x", "clipboard") == "0x00001000"
    assert standing.evaluate("cr1", "clipboard", format=HEX) == "0x00001000"
    assert standing.evaluate("lr1 - 20", "clipboard") == "-4"
    assert standing.evaluate("f32(aaq2)", "clipboard") == "0.0"
    squares = [i * i for i in range(128)]
    assert json.loads(standing.evaluate("acc", "clipboard")) == squares
    assert json.loads(standing.evaluate("xmem[0 .. +1024],u8", "clipboard"))[255] == 255
    assert standing.evaluate("acc[1..2] / 4", "clipboard", format=HEX) == "[0.25, 1.0]"
    for text in ("mask[0]", "mask", "acc,x", "r0,b", "aaq1,o"):
        copied = standing.evaluate(text, "clipboard")
        assert standing.evaluate(f"all({copied} == {text.partition(',')[0]})") == "true"


def test_vectors_open_in_every_context(standing: DapClient) -> None:
    for context in ("watch", "hover", "repl"):
        body = standing.request("evaluate", expression="acc", context=context, frameId=1)
        assert body["indexedVariables"] == 8
        rows = standing.variables(body["variablesReference"])
        assert list(rows)[::7] == ["[0..15]", "[112..127]"]
    body = standing.request("evaluate", expression="acc + 1", context="watch")
    row = standing.variables(body["variablesReference"], start=1, count=1)["[16..31]"]
    assert (row["value"][:14], row["evaluateName"]) == ("[257, 290, 325", "(acc + 1)[16..31]")
    assert standing.evaluate(row["evaluateName"]) == row["value"]


def test_results_stay_bounded(standing: DapClient) -> None:
    for text in ("xmem[0 .. +65536]", "xmem[0 .. +65536],x", "xmem[0 .. +8192] * 2", "2 ** 4000"):
        for context in ("watch", "hover", "repl"):
            assert len(standing.evaluate(text, context)) < 2_500
    assert len(standing.evaluate("xmem[0 .. +65536],b", "clipboard")) < 1 << 20
    check_refused(standing, "2 ** 2 ** 70", "a number has at most 4,096 bits, found a longer power")
    check_refused(
        standing,
        " + ".join(["xmem[0 .. +65536]"] * 9),
        "an expression looks at most at 400,000 elements, found more",
    )


# The console


def test_the_console_helps(standing: DapClient) -> None:
    text = standing.evaluate("help", "repl")
    assert all(f"\n{command.usage}" in f"\n{text}" for command in COMMANDS.values())
    assert standing.evaluate("help goto", "repl").startswith("goto CYCLE: stand at another cycle")
    assert standing.evaluate("  ", "repl") == ""
    check_refused(standing, "who", "expected who PLACE, found the end", "repl")


def test_a_question_that_takes_long_can_be_given_up(client: DapClient) -> None:
    client.start("forever: incr lr1 1; b forever;;\n", 1)
    client.stopped()
    client.evaluate("goto 100000", "repl")
    client.stopped()
    asked = client.send("evaluate", {"expression": "when lr1 ** 2 < 0", "context": "repl"})
    client.request("cancel", requestId=asked)
    with pytest.raises(Rejected, match=r"^cancelled$"):
        client.response(asked)
    assert client.evaluate("[cycle, lr1]", "clipboard") == "[100000, 100000]"

"""Expressions in watches, hovers, the clipboard and the console, and what the console does."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ipu_asm.debugger.console import COMMANDS
from tests.debug_adapter.client import DapClient, Rejected
from tests.debug_adapter.kernel import LOOP_LINE, RESULTS, started

HEX = {"hex": True}
VALUES = {
    "lr1": "16 (0x10) was 0  # row offset",
    "lr1,x": "0x00000010 was 0x00000000  # row offset",
    "lr1,u": "16 was 0  # row offset",
    "lr1,b": f"0b{16:032b} was 0b{0:032b}  # row offset",
    "row_offset": "16 (0x10) was 0  # row offset",
    "results": "4096 (0x1000)  # results",
    "acc[0..7]": "[0, 1, 4, 9, 16, 25, 36, 49], 7 changed",
    "acc[0..1],i8": "[0, 0, 0, 0, 1, 0, 0, 0], 1 changed",
    "acc[3],f32": "1.3e-44 (0x00000009) was 0.0",
    "xmem[cr0 + lr1 .. +4]": "[16, 17, 18, 19]",
    "xmem[cr3 .. +4],u8": "[48, 49, 50, 51]",
    "r_cyclic[129],u8": "0",
    "mask[0][4..6]": "[1, 1, 0], 2 changed",
    "loop": "1",
    "pc - loop": "0",
    "dtype": "0  # int8",
    "sum(acc[0..7]) > 100": "true",
    "nan_count(acc)": "0",
    "lr0 * 1.5": "1.5",
    "acc[1..3] * 2": "[2, 8, 18]",
    "cycle": "4 was 1",
}


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


def check_moved(client: DapClient, command: str, pc: int, reason: str = "goto") -> str:
    """A command of the console moves the machine, and the keyboard stays; what it answers."""
    body = client.request("evaluate", expression=command, context="repl", frameId=1)
    stopped = client.stopped()
    assert (stopped["reason"], stopped["preserveFocusHint"]) == (reason, True)
    assert client.frame()["instructionPointerReference"] == f"{pc:#x}"
    return str(body["result"])


# Values


def test_expressions_have_values(standing: DapClient) -> None:
    for context in ("hover", "variables", "repl"):
        assert {text: standing.evaluate(text, context) for text in VALUES} == VALUES


def test_watches_are_short(standing: DapClient) -> None:
    short = {text: re.sub("  # r.*", "", value) for text, value in VALUES.items()}
    assert {text: standing.evaluate(text) for text in VALUES} == short
    assert (short["lr1"], short["dtype"]) == ("16 (0x10) was 0", "0  # int8")


def test_without_a_frame_and_a_context_it_is_the_same(standing: DapClient) -> None:
    body = standing.request("evaluate", expression="lr0")
    assert (body["result"], body["type"], body["memoryReference"]) == ("1 was 0", "i32", "lr0")
    assert body["variablesReference"] == 0


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


def test_numbers_are_hexadecimal_on_request(standing: DapClient) -> None:
    assert standing.evaluate("cr1", format=HEX) == "0x00001000"
    assert standing.evaluate("acc[2..3]", format=HEX) == "[0x00000004, 0x00000009], 2 changed"
    assert standing.evaluate("acc[2..3]", "repl", format=HEX).startswith("[0x00000004")
    assert standing.evaluate("3 * 7", format=HEX) == "0x15"
    assert standing.evaluate("cr1", format={"hex": False}) == "4096 (0x1000)"
    assert standing.evaluate("cr1,u", format=HEX) == "4096"
    assert standing.evaluate("lr0 = 16", "repl", format=HEX) == "0x00000010 was 0x00000000"


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


MISTAKES = {
    "nobody": "no register, label or name is called nobody",
    "lr16": "no register is called lr16; there are lr0 to lr15",
    "acc[128]": "an index is 0 to 127, found 128",
    "xmem[-1]": "an address lies within the 0x200000 bytes of xmem, found 1 byte at -1",
    "1 +": "expected a value, found the end",
    "lr0 lr1": "expected an operator or the end, found lr1",
    "1 / 0": "the divisor must not be zero, found 1 divided by 0",
    "": "expected a value, found the end",
    "lr0 = 3": 'expected an operator or the end, found "="',
    "lr0,z": "a format is one of d, u, x, o, b, i8, u8, i16, u16, i32, u32, f32, e4m3, e5m2, fp8, "
    "found z",
    "xmem[0 .. +70000]": "a slice has at most 65,536 elements, found 70000",
    "(" * 100: "an expression nests at most 48 deep, found one more; split it",
    "9" * 300: "a number has at most 200 characters, found 300",
}


def test_a_mistake_is_said_in_a_sentence(standing: DapClient) -> None:
    for text, expected in MISTAKES.items():
        check_refused(standing, text, expected)


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


def test_an_instruction_of_the_next_bundle_sees_its_own_values(client: DapClient) -> None:
    """What the server names behind a line as `lr2@mult.ee` is evaluated by executing the bundle."""
    text = "set lr2 1;;\nloop: incr lr2 1; mult.ee r0 lr2 lr2 lr2; blt lr2 lr5 loop;;\nbkpt;;\n"
    client.start(text, 2, lr={"5": 4})
    client.stopped()
    seen = {"lr2@incr": "1 -> 2", "lr2@mult.ee": "2 (new)", "lr2@blt": "1 (old)", "LR5@BLT": "4"}
    for context in ("watch", "hover", "repl"):
        assert {text: client.evaluate(text, context) for text in seen} == seen
    assert (client.evaluate("lr2,d"), client.evaluate("cycle")) == ("1 was 0", "1 was 0")
    check_refused(client, "lr2@add", "the next bundle has no add, but: incr, mult.ee, blt")
    check_refused(client, "lr5@incr", "incr of the next bundle does not access lr5")
    check_refused(client, "r0@mult.ee", "expected a scalar register in front of @, found r0")
    client.step("next")
    assert client.evaluate("lr2@incr") == "2 -> 3"
    client.request("setExpression", expression="lr2", value="9")
    assert client.evaluate("lr2@incr") == "9 -> 10"


def test_instructions_in_capitals_with_dots_see_values_of_their_own(client: DapClient) -> None:
    text = "SET lr1 cr2;;\nINC lr1 3; MULT.RC.VE lr1 lr1 0 lr1 cr15; BEQ lr1 cr0 +0;;\nBKPT;;\n"
    client.start(text, 2, isa="ipu2", cr={"2": 4})
    client.stopped()
    seen = {"lr1@INC": "4 -> 7", "lr1@MULT.RC.VE": "7 (new)", "LR1@mult.rc.ve": "7 (new)"}
    seen |= {"lr1@BEQ": "4 (old)", "cr15@MULT.RC.VE": "128"}
    for context in ("watch", "hover", "repl"):
        assert {text: client.evaluate(text, context) for text in seen} == seen
    check_refused(client, "lr1@ADD", "the next bundle has no ADD, but: INC, MULT.RC.VE, BEQ")


def test_only_what_the_console_moves_leaves_the_keyboard_in_the_console(client: DapClient) -> None:
    """What is typed next would else be written into the source."""
    client.start("loop: ldr_mult_reg r0 lr1 cr0;; incr lr1 64; b loop;;\n", cr={"0": 0x1FFE00})
    assert client.stopped()["preserveFocusHint"] is False
    for command in ("inrange", "goto 1", "goto +1", "goto -1", "goto 3"):
        client.evaluate(command, "repl")
        assert client.stopped()["preserveFocusHint"] is True
    assert client.step("next")["preserveFocusHint"] is False
    assert client.step("stepBack")["preserveFocusHint"] is False


def test_what_a_fault_prevents_is_not_shown(client: DapClient) -> None:
    client.start("incr lr1 128; ldr_mult_reg r0 lr1 cr1;;\nbkpt;;\n", cr={"1": 0x1FFFC0})
    client.stopped()
    assert client.evaluate("lr1@incr") == "0"


# Giving values


def test_an_expression_takes_a_value(standing: DapClient) -> None:
    body = standing.request("setExpression", expression="acc[3]", value="-1", frameId=1)
    assert (body["value"], body["type"]) == ("-1 (0xffffffff) was 0", "i32")
    assert body["memoryReference"] == "r_acc+0xc"
    body = standing.request("setExpression", expression="r1[0 .. +3]", value="[1, 2, lr1]")
    assert (body["value"], body["indexedVariables"]) == ("[1, 2, 16], 3 changed", 3)
    assert standing.variables(body["variablesReference"])["[2]"]["value"] == "16 (0x10) was 0"
    body = standing.request("setExpression", expression="results", value="lr1", format=HEX)
    assert body["value"] == "0x00000010 was 0x00001000  # results"
    assert standing.expect_event("invalidated") == {"areas": ["variables"]}


def test_formats_of_a_watch_stay_when_it_is_edited(standing: DapClient) -> None:
    body = standing.request("setExpression", expression="lr1,x", value="0x00000010  # row offset")
    assert body["value"] == "0x00000010 was 0x00000000  # row offset"
    body = standing.request("setExpression", expression="aaq2,f32", value="-1.5")
    assert body["value"] == "-1.5 (0xbfc00000) was 0.0"
    body = standing.request("setExpression", expression="acc[0],u8,x", value="[1, 2, 3, 4]")
    assert body["value"] == "[0x01, 0x02, 0x03, 0x04], 4 changed"


SET_MISTAKES = {
    ("cycle", "3"): "a value goes into a register, an element, a slice or xmem, found cycle",
    ("lr0 + 1", "3"): "a value goes into a register, an element, a slice or xmem, "
    "found a computed value",
    ("lr0", "nobody"): "no register, label or name is called nobody",
    ("nobody", "3"): "no register, label or name is called nobody",
    ("r0[3]", "999"): "i8 takes -128 to 255, found 999",
    ("acc[0..3]", "[1, 2]"): "this place takes 4 values or a single one, found 2 values",
    ("lr0", ""): "expected a value, found the end",
}


def test_what_takes_no_such_value_is_told(standing: DapClient) -> None:
    for (expression, value), expected in SET_MISTAKES.items():
        with pytest.raises(Rejected) as caught:
            standing.request("setExpression", expression=expression, value=value)
        assert str(caught.value) == expected
    assert standing.events_named("invalidated") == []


# The console


def test_the_console_assigns(standing: DapClient) -> None:
    assert standing.evaluate("lr0 = lr1 + 4", "repl") == "20 (0x14) was 0"
    assert standing.expect_event("invalidated") == {"areas": ["variables"]}
    assert standing.evaluate("acc[0..1] = [5, -6]", "repl") == "[5, -6], 2 changed"
    assert standing.evaluate("pc = loop + 1", "repl") == "2 was 1  # loop+1, line 7"
    assert standing.frame()["line"] == LOOP_LINE + 1
    check_refused(standing, "lr0 = ", "expected a value, found the end", "repl")
    check_refused(
        standing, "lr0 = acc", "this place takes a single value, found 128 values", "repl"
    )


def test_an_assignment_tells_of_the_bytes_that_it_changed(standing: DapClient) -> None:
    standing.request("readMemory", memoryReference="0x0", count=16)
    # The index is another one once the value is there.
    standing.evaluate("xmem[xmem[7]] = 9", "repl")
    assert standing.expect_event("memory") == {"memoryReference": "0x0", "offset": 7, "count": 1}


def test_the_console_helps(standing: DapClient) -> None:
    text = standing.evaluate("help", "repl")
    assert all(f"\n{command.usage}" in f"\n{text}" for command in COMMANDS.values())
    assert standing.evaluate("help goto", "repl").startswith("goto CYCLE: stand at another cycle")
    assert standing.evaluate("  ", "repl") == ""
    check_refused(standing, "who", "expected who PLACE, found the end", "repl")


def test_the_console_answers_questions_to_the_past(standing: DapClient) -> None:
    assert standing.evaluate("who lr1", "repl").startswith(
        "lr1 was last written by incr lr1 16 in bundle 2 (loop+1, line 7) at cycle 2"
    )
    standing.evaluate("lr1 = 3", "repl")
    assert standing.evaluate("who lr1", "repl").startswith(
        "lr1 was last changed by hand at cycle 4"
    )
    assert "became true at cycle 2" in standing.evaluate("when lr0 > 0", "repl")
    assert standing.evaluate("cycle", "clipboard") == "4"


def test_the_console_goes_elsewhere_and_the_client_hears_of_it(standing: DapClient) -> None:
    answer = check_moved(standing, "goto 2", 2)
    assert answer == "cycle 2, in front of bundle 2 (loop+1, line 7)"
    assert standing.variables("Machine")["cycle"]["value"] == "2 was 4"
    gone = standing.expect_event("continued")  # else the page of a fault would stay
    assert gone == {"threadId": 1, "allThreadsContinued": True}
    check_moved(standing, "goto +2", 1)
    check_moved(standing, "goto -3", 1)
    assert standing.evaluate("cycle") == "1 was 4"
    check_moved(standing, "goto 1000", 4, "breakpoint")
    assert standing.variables("Machine")["stopped"]["value"].startswith("halted by bkpt")
    check_moved(standing, "goto 4", 1)
    check_refused(
        standing, "goto 99999999999",
        "goto goes at most 10,000,000 cycles beyond those executed, found more", "repl",
    )  # fmt: skip


def test_a_command_that_meets_a_fault_says_so(client: DapClient) -> None:
    client.start("set lr0 5;;\nnext: ldr_mult_reg r0 lr0 cr0;;\nbkpt;;\n", 1, cr={"0": 0x1FFFFF})
    client.stopped()
    body = client.request("evaluate", expression="goto 2", context="repl")
    stopped = client.stopped()
    assert stopped["reason"] == "exception"
    assert stopped["description"] in body["result"]
    assert client.request("exceptionInfo", threadId=1)["exceptionId"] == "fault"


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


def test_the_console_disassembles(standing: DapClient) -> None:
    (line,) = standing.evaluate("dis loop + 2, 1", "repl").splitlines()
    assert line == "      3  line 8  ldr_mult_mask_reg lr2 cr3; blt lr0 lr5 loop;;"
    assert "=>    1  line 6   loop: incr lr0 1;" in standing.evaluate("dis", "repl")


def test_a_label_that_is_called_like_a_command_is_a_label(client: DapClient) -> None:
    client.start("when: set lr0 5;;\ngoto: bkpt;;\n", 2)
    client.stopped()
    assert client.evaluate("goto", "repl") == client.evaluate("goto", "watch") == "1"
    assert client.evaluate("when + 7", "repl") == "7"
    assert client.evaluate("goto 0", "repl").startswith("cycle 0")

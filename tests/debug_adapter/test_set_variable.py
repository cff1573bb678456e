"""Giving variables other values: what they take, who is told, and that time travel keeps it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from ipu_lsp.json_types import Json
from tests.debug_adapter.client import DapClient, Rejected
from tests.debug_adapter.kernel import LOOP_LINE, MASK, MASKS, found, started, value_of

HEX = {"hex": True}


@pytest.fixture
def standing(client: DapClient, tmp_path: Path) -> DapClient:
    return started(client, tmp_path)


def check_set(client: DapClient, *path: str, value: str, expected: str, **more: Any) -> Json:
    """Sets a variable; the answer, a look into the scope and a watch show what was expected."""
    parent, variable = found(client, *path)
    body = client.request(
        "setVariable", variablesReference=parent, name=path[-1], value=value, **more
    )
    assert body["value"] == expected
    name, arguments = variable["evaluateName"], {"format": more.get("format", {})}
    assert client.evaluate(name, **arguments).partition("  #")[0] == expected.partition("  #")[0]
    assert client.variables(parent, **arguments)[path[-1]]["value"] == expected
    return body


def check_refused(client: DapClient, *path: str, value: str = "1", expected: str) -> None:
    """A variable takes no such value: this is said, and nothing has changed."""
    parent, variable = found(client, *path)
    with pytest.raises(Rejected) as caught:
        client.request("setVariable", variablesReference=parent, name=path[-1], value=value)
    assert str(caught.value) == expected
    assert caught.value.response["body"]["error"]["showUser"]
    assert client.variables(parent)[path[-1]]["value"] == variable["value"]


# Other values


def test_a_register_takes_any_expression(standing: DapClient) -> None:
    check_set(standing, "Loop registers", "lr0", value="lr1 * 2 + 1", expected="33 (0x21) was 0")
    check_set(standing, "Loop registers", "lr0", value="-1", expected="-1 (0xffffffff) was 0")
    check_set(standing, "Config registers", "cr4", value="loop", expected="1 was 0")
    check_set(standing, "AAQ", "aaq0", value="sum(acc[0..3])", expected="14 (0xe) was 0")
    check_set(
        standing, "Loop registers", "lr0", value="16", expected="0x00000010 was 0x00000000",
        format=HEX,
    )  # fmt: skip


def test_elements_slices_and_vectors_take_values(standing: DapClient) -> None:
    vectors = ("Vectors", "r1")
    check_set(standing, *vectors, "[0..15]", "[2]", value="-3", expected="-3 (0xfd) was 0")
    body = check_set(
        standing, *vectors, "[16..31]", value="7", expected=f"[{', '.join('7' * 16)}], 16 changed"
    )
    assert (body["indexedVariables"], body["memoryReference"]) == (16, "r1+0x10")
    assert len(standing.variables(body["variablesReference"])) == 16
    listed = f"[{', '.join(map(str, range(16)))}]"
    check_set(standing, *vectors, "[16..31]", value=listed, expected=f"{listed}, 15 changed")
    check_set(standing, *vectors, value="r0", expected=value_of(standing, "Vectors", "r0"))


def test_masks_and_their_bits_take_values(standing: DapClient) -> None:
    masks = ("Masks", "mask[2]")
    check_set(standing, *masks, value="5", expected=f"2 masked, 2 changed, 0..127: 101{'0' * 13}"
              + f" {'0' * 16}" * 7)  # fmt: skip
    check_set(standing, *masks, "[0..15]", "[1]", value="1", expected="1 was 0")
    assert standing.evaluate("mask[2],d") == "3 masked, 3 changed, as a number: 7"
    assert standing.evaluate("mask[1],d", "clipboard") == str(int.from_bytes(MASK[16:32], "little"))


def test_memory_takes_values(standing: DapClient) -> None:
    memory = ("Memory map", "masks.bin", f"[{MASKS:#x} .. +16]")
    check_set(standing, *memory, f"[{MASKS + 2:#x}]", value="0x7f", expected="127 (0x7f) was 50")
    check_set(standing, *memory, value="1", expected=f"[{', '.join('1' * 16)}], 16 changed")
    assert standing.evaluate(f"xmem[{MASKS} : i32]") == "16843009 (0x1010101) was 858927408"


def test_the_program_counter_and_the_element_type_take_values(standing: DapClient) -> None:
    check_set(standing, "Machine", "pc", value="loop + 2", expected="3 was 1  # loop+2, line 8")
    assert standing.frame()["line"] == LOOP_LINE + 2
    check_set(standing, "Machine", "dtype", value="fp8_e4m3", expected="1 was 0  # fp8_e4m3")
    assert found(standing, "Vectors", "r0")[1]["type"] == "128 x e4m3"
    assert found(standing, "Vectors", "r_acc")[1]["type"] == "128 x f32"
    standing.step()
    assert standing.frame()["instructionPointerReference"] == "0x1"


def test_a_value_can_be_put_back_as_it_is_shown(standing: DapClient) -> None:
    standing.evaluate("lr1 = -100", "repl")
    before = standing.evaluate("[lr1, aaq1]", "clipboard")
    for path in (
        ("Loop registers", "lr1"), ("AAQ", "aaq1"), ("Masks", "mask[0]"), ("Machine", "pc"),
        ("Vectors", "r_acc", "[0..15]"), ("Vectors", "r_acc", "[0..15]", "[3]"),
    ):  # fmt: skip
        value = value_of(standing, *path)
        check_set(standing, *path, value=value, expected=value)
    assert standing.evaluate("[lr1, aaq1]", "clipboard") == before
    (mask,) = re.findall("0..127: (.*)", value_of(standing, "Masks", "mask[0]"))
    assert mask.replace(" ", "") == "".join(f"{byte:08b}"[::-1] for byte in MASK[:16])


def test_a_float_that_is_shown_as_bits_takes_bits(standing: DapClient) -> None:
    standing.evaluate("dtype = fp8_e4m3", "repl")
    element = ("Vectors", "r_acc", "[0..15]", "[0]")
    check_set(standing, *element, value="0x40", expected="64.0 (0x42800000) was 0.0")
    check_set(
        standing, *element, value="0x40000000", expected="0x40000000 was 0x00000000", format=HEX
    )
    assert standing.evaluate("acc[0]", "clipboard") == "2.0"
    body = standing.request("setExpression", expression="r1[0..1],x", value="[0x38, 0x3c]")
    assert body["value"] == "[0x38, 0x3c], 2 changed"
    assert standing.evaluate("r1[0..2]", "clipboard") == "[1.0, 1.5, 0.0]"
    body = standing.request("setExpression", expression="r1[0],x", value="0.5 + 0x1")
    assert standing.evaluate("r1[0]", "clipboard") == "1.5"


def test_what_cannot_be_changed_says_so(standing: DapClient) -> None:
    for name in ("cycle", "stopped", "changed"):
        check_refused(standing, "Machine", name, expected=f"{name} cannot be changed")
    check_refused(standing, "Memory map", "xmem", expected="xmem cannot be changed")
    reference = standing.scopes()["Machine"]["variablesReference"]
    with pytest.raises(Rejected, match=r"^no variable here is called nobody$"):
        standing.request("setVariable", variablesReference=reference, name="nobody", value="1")
    body = standing.request("evaluate", expression="acc * 2", context="watch")
    number = body["variablesReference"]
    with pytest.raises(Rejected, match=r"^\[0\.\.15\] cannot be changed$"):
        standing.request("setVariable", variablesReference=number, name="[0..15]", value="1")


def test_a_value_that_does_not_fit_is_refused_with_a_sentence(standing: DapClient) -> None:
    lr0 = ("Loop registers", "lr0")
    row = ("Vectors", "r0", "[0..15]")
    for path, value, expected in (
        (lr0, "0x100000000", "i32 takes -2147483648 to 4294967295, found 4294967296"),
        (lr0, "1.5", "i32 takes a whole number, found 1.5"),
        (lr0, "acc", "this place takes a single value, found 128 values"),
        (lr0, "", "expected a value, found the end"),
        (lr0, "nobody", "no register, label or name is called nobody"),
        (lr0, "1,x", "a value to assign cannot have a format; remove it"),
        (row, "[1, 2]", "this place takes 16 values or a single one, found 2 values"),
        (row, "300", "i8 takes -128 to 255, found 300"),
        (("Masks", "mask[0]", "[0..15]", "[0]"), "2", "bit takes 0 to 1, found 2"),
        (("Machine", "pc"), "1024", "pc holds 0 to 1023, found 1024"),
    ):
        check_refused(standing, *path, value=value, expected=expected)


# Who is told


def test_clients_that_can_look_again_are_told_to(standing: DapClient) -> None:
    for reference in ("r0", "0x10", "r_acc"):
        standing.request("readMemory", memoryReference=reference, count=16)
    check_set(standing, "Loop registers", "lr0", value="3", expected="3 was 0")
    assert standing.expect_event("invalidated") == {"areas": ["variables"]}
    row = ("Memory map", "row.bin", "[0x10 .. +16]", "[0x12]")
    check_set(standing, *row, value="3", expected="3 was 18")
    assert standing.expect_event("memory") == {
        "memoryReference": "0x10", "offset": 2, "count": 1,
    }  # fmt: skip
    check_set(standing, "Machine", "pc", value="2", expected="2 was 1  # loop+1, line 7")
    standing.request("threads")
    assert standing.events_named("invalidated")[-1] == {"areas": ["variables", "stacks"]}
    assert len(standing.events_named("memory")) == 1


def test_clients_that_cannot_look_again_are_not_told(client: DapClient, tmp_path: Path) -> None:
    client.initialize(supportsInvalidatedEvent=False, supportsMemoryEvent=False)
    started(client, tmp_path)
    client.request("readMemory", memoryReference="lr0", count=4)
    check_set(client, "Loop registers", "lr0", value="3", expected="3 was 0")
    client.request("writeMemory", memoryReference="lr0", data="AAAAAA==")
    client.request("setExpression", expression="pc", value="2")
    client.evaluate("lr0 = 3", "repl")
    client.request("threads")
    assert client.events_named("invalidated") == client.events_named("memory") == []


def test_edits_are_done_again_by_whoever_goes_back_and_forth(standing: DapClient) -> None:
    check_set(
        standing, "Loop registers", "lr1", value="64", expected="64 (0x40) was 0  # row offset"
    )
    standing.request("setExpression", expression="xmem[0x40 .. +4]", value="[9, 8, 7, 6]")
    standing.request("writeMemory", memoryReference="aaq3", data="BQAAAA==")
    standing.evaluate("mask[7][5] = 1", "repl")
    names = "[lr1, xmem[0x40], r0[0], aaq3, mask[7][5]]"
    standing.step()
    after = standing.evaluate(names, "clipboard")
    assert after == "[64, 9, 9, 5, 1]"
    standing.step()
    standing.step()
    for _ in range(2):
        standing.step("stepBack")
    assert standing.evaluate(names, "clipboard") == after
    standing.evaluate("goto 2", "repl")
    standing.stopped()
    assert standing.evaluate("[lr1, xmem[0x40], aaq3]", "clipboard") == "[0, 64, 0]"
    standing.evaluate("goto 5", "repl")
    standing.stopped()
    assert standing.evaluate(names, "clipboard") == after

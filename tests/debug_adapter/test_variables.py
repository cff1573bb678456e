"""What scopes open to: texts, pages, hints, references to memory, and giving other values."""

from __future__ import annotations

import base64
import re
import struct
from pathlib import Path
from typing import Any, Iterator

import pytest

from ipu_asm.debugger.inspection.inspector import MAX_CHILDREN
from ipu_lsp.transport import Json
from tests.debug_adapter.client import DapClient
from tests.debug_adapter.kernel import MASK, found, started, value_of
from tests.debug_adapter.programs import LOOP

HEX = {"hex": True}
COUNTED = re.compile(r"\d+ (?:changed|masked|NaN|registers?|ranges?)|#.*")
CODES = {"i8": "b", "i32": "i"}
NUMBER = re.compile(r"(?<!\w)[0-9]\w*")
WITHOUT_EXPRESSION = {"xmem", "stopped", "changed"}


@pytest.fixture
def standing(client: DapClient, tmp_path: Path) -> DapClient:
    return started(client, tmp_path)


@pytest.fixture(params=["int8", "fp8_e4m3"])
def either(client: DapClient, tmp_path: Path, request: pytest.FixtureRequest) -> DapClient:
    return started(client, tmp_path, dtype=request.param)


def below(client: DapClient, reference: int, **arguments: Any) -> Iterator[Json]:
    """The first variables of a reference, and what the last of these opens to."""
    found = list(client.variables(reference, count=6, **arguments).values())
    yield from found
    for variable in found[-1:]:
        if variable["variablesReference"]:
            yield from below(client, variable["variablesReference"], **arguments)


def everything(client: DapClient, **arguments: Any) -> Iterator[Json]:
    """The variables of all scopes, and a part of what they open to."""
    for scope in client.scopes().values():
        for variable in client.variables(scope["variablesReference"], **arguments).values():
            yield variable
            if variable["variablesReference"]:
                yield from below(client, variable["variablesReference"], **arguments)


# Texts


def test_each_variable_has_an_expression_that_evaluates_to_the_same(either: DapClient) -> None:
    seen = 0
    for variable in everything(either):
        if variable["name"] in WITHOUT_EXPRESSION:
            continue
        expression = variable["evaluateName"]
        body = either.request("evaluate", expression=expression, context="watch")
        assert body["result"].partition("  #")[0] == variable["value"].partition("  #")[0]
        for key in ("type", "memoryReference", "indexedVariables", "variablesReference"):
            assert body.get(key) == variable.get(key), variable
        seen += 1
    assert seen > 150


def test_a_whole_number_is_a_signed_decimal_first(standing: DapClient) -> None:
    standing.evaluate("lr0 = -5", "repl")
    assert value_of(standing, "Loop registers", "lr0") == "-5 (0xfffffffb) was 0"
    assert value_of(standing, "Memory map", "row.bin", "[0xf0 .. +16]", "[0xff]") == "-1 (0xff)"
    assert standing.evaluate("lr0,u") == "4294967291 was 0"
    assert standing.evaluate("r_cyclic[127 .. +1],b") == "[0b01111111]"


def test_all_numbers_are_hexadecimal_on_request(either: DapClient) -> None:
    seen = 0
    for variable in everything(either, format=HEX):
        if variable["name"] not in ("stopped", "changed"):
            numbers = NUMBER.findall(COUNTED.sub("", variable["value"]))
            assert all(number.startswith("0x") for number in numbers), variable
            seen += bool(numbers)
    assert seen > 120
    assert value_of(either, "Config registers", "cr1").startswith("0x1000 ")


def test_the_notation_of_a_watch_is_that_of_all_below(standing: DapClient) -> None:
    watch = {"context": "watch", "frameId": 1}
    body = standing.request("evaluate", expression="acc,x", **watch)
    row = standing.variables(body["variablesReference"])["[0..15]"]
    assert row["value"].startswith("[0x00000000, 0x00000001, 0x00000004, ")
    element = standing.variables(row["variablesReference"])["[3]"]
    assert (element["value"], element["evaluateName"]) == (
        "0x00000009 was 0x00000000",
        "r_acc[3],x",
    )
    assert standing.evaluate(row["evaluateName"]) == row["value"]
    assert standing.evaluate(element["evaluateName"]) == element["value"]
    changed = standing.request(
        "setVariable", variablesReference=row["variablesReference"], name="[3]", value="255"
    )
    assert changed["value"] == "0x000000ff was 0x00000000"


def test_a_type_of_a_watch_is_that_of_all_below(standing: DapClient) -> None:
    body = standing.request("evaluate", expression="acc[0..1],u8", context="watch", frameId=1)
    assert (body["type"], body["indexedVariables"]) == ("8 x u8", 8)
    bytes_ = standing.variables(body["variablesReference"])
    assert bytes_["[4]"]["evaluateName"] == "r_acc[4 : u8]"
    assert bytes_["[4]"]["value"] == "1 was 0"


@pytest.mark.parametrize("has_types", [True, False])
def test_types_are_sent_to_clients_that_show_them(
    client: DapClient, tmp_path: Path, has_types: bool
) -> None:
    client.initialize(supportsVariableType=has_types)
    started(client, tmp_path)
    variables = [v for v in everything(client) if v["name"] not in ("stopped", "changed")]
    assert all(("type" in variable) is has_types for variable in variables)
    body = client.request("evaluate", expression="lr0", context="watch")
    assert ("type" in body) is has_types
    body = client.request("setExpression", expression="lr0", value="3")
    assert ("type" in body) is has_types


# Pages


def test_a_page_is_a_part_of_the_rows(standing: DapClient) -> None:
    vector = found(standing, "Vectors", "r_acc")[1]
    assert vector["indexedVariables"] == 8
    reference = vector["variablesReference"]
    whole = list(standing.variables(reference).values())
    for start, count, rows in (
        (0, 0, slice(8)), (2, 3, slice(2, 5)), (6, 9, slice(6, 8)), (8, 1, slice(0)),
        (5, 0, slice(5, 8)), (10**9, 10**9, slice(0)),
    ):  # fmt: skip
        page = standing.variables(reference, start=start, count=count, filter="indexed")
        assert list(page.values()) == whole[rows]


def test_rows_are_indexed_and_registers_are_named(standing: DapClient) -> None:
    scope = standing.scopes()["Vectors"]["variablesReference"]
    vector = standing.variables(scope)["r0"]["variablesReference"]
    assert len(standing.variables(scope, filter="named")) == 6
    assert len(standing.variables(scope, filter="named", start=4, count=5)) == 2
    assert standing.variables(scope, filter="indexed") == {}
    assert len(standing.variables(vector, filter="indexed")) == 8
    assert standing.variables(vector, filter="named") == {}


def test_a_client_without_pages_gets_a_bounded_part_of_all_memory(
    standing: DapClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert 1_000 < MAX_CHILDREN < 10_000
    monkeypatch.setattr("ipu_asm.debugger.inspection.inspector.MAX_CHILDREN", 96)
    memory = found(standing, "Memory map", "xmem")[1]
    assert memory["indexedVariables"] == 131_072
    rows = standing.variables(memory["variablesReference"])
    assert len(rows) == 97
    assert rows["…"]["value"] == "130,976 more; ask for a part of them"
    last = standing.variables(memory["variablesReference"], start=131_071, count=100)
    assert list(last) == ["[0x1ffff0 .. +16]"]


# Hints and memory


def test_a_variable_says_whether_it_can_be_changed(standing: DapClient) -> None:
    for variable in everything(standing):
        hint = variable["presentationHint"]
        is_made_up = variable["name"] in {"cycle", *WITHOUT_EXPRESSION}
        assert (hint["attributes"] == ["readOnly"]) is is_made_up, variable
        is_range = ".." in variable["name"] or "at 0x" in variable["value"]
        if variable["name"] in ("pc", "cycle", "stopped"):
            assert hint["kind"] == "property"
        else:
            virtual = is_range or variable["name"] == "changed"
            assert hint["kind"] == ("virtual" if virtual else "data"), variable


def test_a_memory_reference_leads_to_the_bytes_of_the_variable(standing: DapClient) -> None:
    seen = 0
    for variable in everything(standing):
        count, _, kind = variable.get("type", "").rpartition(" x ")
        if "memoryReference" not in variable or kind not in CODES or variable["name"] == "xmem":
            continue
        form = struct.Struct(f"<{count or 1}{CODES[kind]}")
        reference = variable["memoryReference"]
        body = standing.request("readMemory", memoryReference=reference, count=form.size)
        numbers = ", ".join(map(str, form.unpack(base64.b64decode(body["data"]))))
        body = standing.request(
            "evaluate", expression=variable["evaluateName"], context="clipboard"
        )
        assert body["result"] == (f"[{numbers}]" if count else numbers), variable
        seen += 1
    assert seen > 150


def test_masks_are_bits_and_their_reference_is_their_bytes(standing: DapClient) -> None:
    mask = found(standing, "Masks", "mask[1]")[1]
    bits = "".join(f"{byte:08b}"[::-1] for byte in MASK[16:32])
    assert mask["value"].endswith(" ".join(bits[i : i + 16] for i in range(0, 128, 16)))
    body = standing.request("readMemory", memoryReference=mask["memoryReference"], count=16)
    assert base64.b64decode(body["data"]) == MASK[16:32]
    row = standing.variables(mask["variablesReference"])["[0..15]"]
    assert standing.variables(row["variablesReference"])["[1]"]["value"] == f"{bits[1]}"


def test_nothing_changes_by_being_looked_at(standing: DapClient) -> None:
    assert list(everything(standing)) == list(everything(standing))


def test_after_a_halt_the_program_counter_and_the_last_bundle_have_names(client: DapClient) -> None:
    client.start(LOOP)
    client.stopped()
    assert client.frame()["name"] == "inner+3"
    counter = client.variables("Machine")["pc"]["value"]
    assert counter == "1024 (0x400)  # halted; last bundle 5"
    client.step("stepBack")
    assert client.variables("Machine")["pc"]["value"] == "5 was 1024  # inner+3, line 11"

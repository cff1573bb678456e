"""Stops at what is done to registers, elements, bits of masks and memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ipu_lsp.json_types import Json
from tests.debug_adapter.client import DapClient, Rejected
from tests.debug_adapter.kernel import MASKS, RESULTS, started

ALL = ["read", "write", "readWrite"]
LOAD = "ldr_mult_reg r0 lr1 cr0 in bundle 1"
STORE = "str_acc_reg lr1 cr1 in bundle 2"
MASK_LOAD = "ldr_mult_mask_reg lr2 cr3 in bundle 3"


@pytest.fixture
def standing(client: DapClient, tmp_path: Path) -> DapClient:
    started(client, tmp_path)
    client.breakpoints()
    return client


def info(client: DapClient, name: str, **more: Any) -> Json:
    """What there is to watch under a name."""
    found = client.request("dataBreakpointInfo", name=name, **more)
    assert found["description"]
    return found


def watch(client: DapClient, *names: str | Json, **more: Any) -> list[Json]:
    """Watches these expressions, or data by their ids, and nothing else."""
    wanted = [
        {"dataId": info(client, name)["dataId"], **more} if isinstance(name, str) else name
        for name in names
    ]
    body = client.request("setDataBreakpoints", breakpoints=wanted)
    found: list[Json] = body["breakpoints"]
    assert len(found) == len(names)
    return found


def check_stop(client: DapClient, expected: str, pc: int, command: str = "continue") -> Json:
    """The next stop is that of a data breakpoint, and says who did what."""
    stopped = client.step(command)
    assert (stopped["reason"], stopped["description"]) == ("data breakpoint", expected)
    assert client.frame()["instructionPointerReference"] == f"{pc:#x}"
    return stopped


def check_watched(
    client: DapClient, name: str, expected: str, pc: int, access: str = "write"
) -> None:
    """An expression is watched: what a stop says, and which breakpoint has made it."""
    (placed,) = watch(client, name, accessType=access)
    assert placed["verified"]
    assert check_stop(client, expected, pc)["hitBreakpointIds"] == [placed["id"]]


def check_unwatchable(client: DapClient, name: str, reason: str, **more: Any) -> None:
    """There is nothing to watch under a name, for a reason."""
    assert info(client, name, **more) == {"dataId": None, "description": reason}


# What can be watched


def test_an_expression_names_what_is_watched(standing: DapClient) -> None:
    for name, shown in {
        "lr1": "lr1", "row_offset": "lr1", "dtype": "cr15", "ACC": "r_acc", "acc[3]": "r_acc[3]",
        "acc[0..7]": "r_acc[0..7]", "mask[1]": "mask[1]", "mask[1][5]": "mask[1][5]",
        "mask[1][5..9]": "mask[1][5..9]", "xmem[cr1 + lr1 .. +16]": "xmem[0x1010 .. +16]",
        "xmem[8]": "xmem[0x8]", "aaq1,f32": "aaq1", "acc[3],u8": "r_acc[3]",
        "r0[1 : i16]": "r0[2..3]", "acc[1..3 : i16]": "r_acc[2..7 : u8]",
    }.items():  # fmt: skip
        found = info(standing, name, frameId=1)
        assert (found["description"], found["accessTypes"]) == (shown, ALL), name
        assert found["canPersist"]
    assert info(standing, "pc")["accessTypes"] == ["write"]


def test_a_variable_is_watched_by_its_name_or_by_its_expression(standing: DapClient) -> None:
    for scope, name, shown in (
        ("Loop registers", "lr3", "lr3"), ("Vectors", "r_acc", "r_acc"),
        ("Masks", "mask[3]", "mask[3]"), ("Memory map", "cr3", "xmem[0x3000 .. +128]"),
        ("Memory map", "xmem", "xmem[0x0 .. +2097152]"), ("Machine", "dtype", "cr15"),
    ):  # fmt: skip
        reference = standing.scopes()[scope]["variablesReference"]
        variable = standing.variables(reference)[name]
        by_name = info(standing, name, variablesReference=reference)
        assert by_name["description"] == shown
        if "evaluateName" in variable:
            text = variable["evaluateName"]
            assert info(standing, text, variablesReference=reference) == by_name
            assert info(standing, text) == by_name
    row = standing.variables(standing.variables("Vectors")["r_acc"]["variablesReference"])[
        "[16..31]"
    ]
    reference = row["variablesReference"]
    assert info(standing, "[17]", variablesReference=reference)["description"] == "r_acc[17]"
    assert info(standing, "r_acc[17]", variablesReference=reference)["description"] == "r_acc[17]"


def test_an_address_and_a_count_of_bytes_are_watched(standing: DapClient) -> None:
    def described(name: str, **more: Any) -> str:
        return str(info(standing, name, **more)["description"])

    assert described("0x1000", asAddress=True, bytes=4) == "xmem[0x1000 .. +4]"
    assert described("4096", asAddress=True) == "xmem[0x1000]"
    address = standing.request("readMemory", memoryReference="r_acc", count=4)["address"]
    assert described(address, asAddress=True, bytes=8) == "r_acc[0..1]"
    assert described("r_acc+0x4", asAddress=True, bytes=4) == "r_acc[1]"
    assert described("cr1", bytes=4) == "cr1"
    assert described("cr1", bytes=2) == "cr1[0x0..+2]"
    assert described("xmem[cr1]", bytes=32) == "xmem[0x1000 .. +32]"
    reference = standing.scopes()["Memory map"]["variablesReference"]
    assert described("row.bin", variablesReference=reference, bytes=2) == "xmem[0x0 .. +2]"


def test_what_cannot_be_watched_says_why(standing: DapClient) -> None:
    wanted = "a data breakpoint is on a register or on xmem, found {}".format
    counted = f"{wanted('cycle')}: cycle counts the bundles and is not stored in the machine"
    for name in ("lr1 + 1", "sum(acc)", "loop", "5"):
        check_unwatchable(standing, name, f"{wanted(name)}, which is computed")
    machine = standing.scopes()["Machine"]["variablesReference"]
    for name in ("stopped", "changed"):
        reason = f"{wanted(name)}, which is computed"
        check_unwatchable(standing, name, reason, variablesReference=machine)
    for more in ({}, {"variablesReference": machine}):
        check_unwatchable(standing, "cycle", counted, **more)
    check_unwatchable(standing, "nobody", "no register, label or name is called nobody")
    check_unwatchable(standing, "acc[128]", "an index is 0 to 127, found 128")
    check_unwatchable(
        standing, "r0", "r0 has 0x80 bytes, found a range of 129 from 0x0 on", bytes=129
    )
    for size in (0, -3):
        expected = f"xmem has 0x200000 bytes, found a range of {size} from 0x8 on"
        check_unwatchable(standing, "0x8", expected, asAddress=True, bytes=size)
    check_unwatchable(standing, "acc[1]", "an address is like 0x1000, found acc[1]", asAddress=True)
    with pytest.raises(Rejected, match="is a number that the adapter sent, found 4711"):
        info(standing, "lr1", variablesReference=4711)


def test_ids_that_nobody_gave_are_not_watched(standing: DapClient) -> None:
    ids = (
        "", "lr1", "lr1:0:9", "lr99:0x0:4", "xmem:-1:4", "lr1:0x0:4:1", "r_mask:0x0:1:0",
        "r_mask:0x0:1:0x100", "a:b:c", "::::", f"xmem:0x0:{'9' * 5000}",
    )  # fmt: skip
    for placed in watch(standing, *({"dataId": data_id} for data_id in ids)):
        assert (placed["verified"], placed["reason"]) == (False, "failed")
        assert placed["message"].startswith("dataId is one that dataBreakpointInfo returned")
    assert standing.step("continue")["reason"] == "breakpoint"


# Stops


def test_a_register_that_is_written_stops(standing: DapClient) -> None:
    check_watched(standing, "lr1", "lr1 changed from 16 to 32 by incr lr1 16 in bundle 2", 3)
    check_stop(standing, "lr1 changed from 32 to 48 by incr lr1 16 in bundle 2", 3)


def test_a_register_that_is_read_stops(standing: DapClient) -> None:
    check_watched(standing, "lr1", f"lr1 was read by {LOAD}", 2, "read")
    check_stop(standing, "lr1 was read by incr lr1 16 in bundle 2", 3)
    check_watched(standing, "lr5", "lr5 was read by blt lr0 lr5 1 in bundle 3", 1, "read")


def test_a_register_that_is_read_or_written_stops(standing: DapClient) -> None:
    check_watched(standing, "lr1", f"lr1 was read by {LOAD}", 2, "readWrite")
    check_stop(standing, "lr1 changed from 16 to 32 by incr lr1 16 in bundle 2", 3)


def test_elements_and_slices_stop_where_they_change(standing: DapClient) -> None:
    check_watched(standing, "acc[3]", "r_acc[3] changed from 9 to 66 by acc in bundle 1", 2)
    standing.step("stepBack")
    check_watched(
        standing, "acc[2..3]",
        "2 elements of r_acc[2..3] changed, r_acc[2] from 4 to 40, by acc in bundle 1", 2,
    )  # fmt: skip
    standing.step("stepBack")
    check_watched(standing, "acc[3..4]", "r_acc[3] changed from 9 to 66 by acc in bundle 1", 2)
    standing.step("stepBack")
    check_watched(standing, "r0[3]", f"r0[3] changed from 3 to 19 by {LOAD}", 2)


def test_all_of_a_vector_is_told_in_short(standing: DapClient) -> None:
    check_watched(
        standing, "acc",
        "63 elements of r_acc changed, r_acc[1] from 1 to 18, by acc in bundle 1", 2,
    )  # fmt: skip


def test_memory_that_is_stored_to_stops(standing: DapClient) -> None:
    first = f"xmem[{RESULTS + 32:#x}]"
    some = f"xmem[{RESULTS + 32:#x} .. +8]"
    expected = f"2 elements of {some} changed, {first} from 16 to 0, by {STORE}"
    check_watched(standing, some, expected, 3)
    standing.step("stepBack")
    check_watched(standing, first, f"{first} changed from 16 to 0 by {STORE}", 3)


def test_memory_that_is_loaded_stops(standing: DapClient) -> None:
    check_watched(standing, "xmem[cr3 + 5]", f"xmem[{MASKS + 5:#x}] was read by {MASK_LOAD}", 1,
                  "read")  # fmt: skip
    found = info(standing, f"{MASKS:#x}", asAddress=True, bytes=2)
    watch(standing, {"dataId": found["dataId"], "accessType": "read"})
    check_stop(standing, f"xmem[{MASKS:#x} .. +2] was read by {MASK_LOAD}", 1)


def test_only_the_bits_that_are_watched_count(standing: DapClient) -> None:
    standing.evaluate("goto 3", "repl")
    standing.stopped()
    check_watched(standing, "mask[0][5]", f"mask[0][5] changed from 0 to 1 by {MASK_LOAD}", 1)
    standing.step("stepBack")
    check_watched(standing, "mask[0][3..6]", f"2 bits of mask[0][3..6] changed by {MASK_LOAD}", 1)
    standing.step("stepBack")
    check_watched(standing, "mask[0]", f"64 bits of mask[0] changed by {MASK_LOAD}", 1)
    standing.step("stepBack")
    # Its neighbours in the byte change.
    (placed,) = watch(standing, "mask[0][7]")
    assert placed["verified"]
    assert standing.step("continue")["reason"] == "breakpoint"


def test_floats_are_told_as_floats(client: DapClient) -> None:
    kernel = "acc.first;;\nset lr1 1;;\nmult.ve.cr lr0 lr0 lr0 cr0; acc.first;;\nbkpt;;\n"
    client.start(kernel, 2, dtype="fp8_e4m3", cr={"0": 0x3C})
    client.stopped()
    client.evaluate("r_cyclic = 2.5", "repl")
    check_watched(
        client, "acc[7]",
        "r_acc[7] changed from 0.0 to 3.75 by acc.first in bundle 2", 3,
    )  # fmt: skip


def test_a_jump_changes_the_program_counter(standing: DapClient) -> None:
    check_watched(standing, "pc", "pc changed from 4 to 1 in bundle 3", 1)


def test_all_of_memory_can_be_watched(standing: DapClient) -> None:
    reference = standing.scopes()["Memory map"]["variablesReference"]
    found = info(standing, "xmem", variablesReference=reference)
    watch(standing, {"dataId": found["dataId"]})
    expected = "252 elements of xmem[0x0 .. +2097152] changed, xmem[0x1020] from 16 to 0"
    check_stop(standing, f"{expected}, by {STORE}", 3)


def test_several_that_are_hit_are_all_told(standing: DapClient) -> None:
    placed = watch(standing, "lr1", f"xmem[{RESULTS + 32}]", "aaq0")
    stopped = standing.step("continue")
    assert set(stopped["hitBreakpointIds"]) == {each["id"] for each in placed[:2]}
    assert "lr1 changed from 16 to 32" in stopped["description"]
    assert f"xmem[{RESULTS + 32:#x}] changed from 16 to 0" in stopped["description"]


def test_what_no_bundle_does_is_said_at_once(standing: DapClient) -> None:
    placed = watch(standing, "cr0", "aaq2", "lr1")
    assert [each["verified"] for each in placed] == [True, True, True]
    assert [each.get("message") for each in placed] == [
        "no bundle of the program writes cr0", "no bundle of the program writes aaq2", None,
    ]  # fmt: skip


# Conditions


def test_a_condition_decides(standing: DapClient) -> None:
    (placed,) = watch(standing, "lr1", condition="lr1 > 40 && cycle > 5")
    assert placed["verified"]
    check_stop(standing, "lr1 changed from 32 to 48 by incr lr1 16 in bundle 2", 3)
    assert standing.evaluate("cycle", "clipboard") == "9"


@pytest.mark.parametrize(
    ("hits", "values"), [("2", [32]), (">=3", [48, 64]), ("%2", [32, 64]), ("9", [])]
)
def test_hits_are_counted_from_the_beginning(
    standing: DapClient, hits: str, values: list[int]
) -> None:
    watch(standing, "lr1", hitCondition=hits)
    for value in values:
        assert standing.step("continue")["reason"] == "data breakpoint"
        assert standing.evaluate("lr1", "clipboard") == str(value)
    assert standing.step("continue")["reason"] == "breakpoint"


def test_a_condition_that_says_nothing_fails(standing: DapClient) -> None:
    for more, words in (
        ({"condition": "lr1 >"}, "expected a value, found the end"),
        ({"condition": "nobody"}, "no register, label or name is called nobody"),
        ({"hitCondition": "often"}, "a hit condition is like 5, >=5 or %10, found often"),
        ({"accessType": "write", "condition": "acc"}, "128 values"),
    ):
        (placed,) = watch(standing, "lr1", **more)
        assert not placed["verified"]
        assert words in placed["message"]


# Backwards, and when they count


def test_backwards_to_the_last_write_of_a_register(standing: DapClient) -> None:
    watch(standing, "lr1")
    assert standing.step("continue")["reason"] == "data breakpoint"
    assert standing.step("continue")["reason"] == "data breakpoint"
    watch(standing)
    assert standing.step("continue")["reason"] == "breakpoint"
    watch(standing, "lr1", "aaq0")
    for old, new in ((48, 64), (32, 48), (16, 32), (0, 16)):
        expected = f"lr1 changed from {old} to {new} by incr lr1 16 in bundle 2"
        check_stop(standing, expected, 3, "reverseContinue")
        assert standing.evaluate("lr1", "clipboard") == str(new)
    assert standing.step("reverseContinue")["reason"] == "entry"
    check_stop(standing, "lr1 changed from 0 to 16 by incr lr1 16 in bundle 2", 3)


def test_a_request_replaces_the_one_before(standing: DapClient) -> None:
    watch(standing, "lr1")
    watch(standing, "lr0")
    check_stop(standing, "lr0 changed from 1 to 2 by incr lr0 1 in bundle 1", 2)
    watch(standing)
    assert standing.step("continue")["reason"] == "breakpoint"


def test_ids_of_an_earlier_session_are_watched_from_the_beginning(
    client: DapClient, tmp_path: Path
) -> None:
    client.initialize()
    (early,) = watch(client, {"dataId": "lr1:0x0:4", "accessType": "write"})
    assert (early["verified"], early["reason"]) == (False, "pending")
    started(client, tmp_path, 10)
    (changed,) = client.events_named("breakpoint")
    assert changed["breakpoint"]["id"] == early["id"]
    assert changed["breakpoint"]["verified"]
    stopped = client.stopped()
    assert stopped["description"] == "lr1 changed from 0 to 16 by incr lr1 16 in bundle 2"


def test_too_many_are_refused(standing: DapClient) -> None:
    many = [{"dataId": "lr1:0x0:4"}] * 20_001
    sent = standing.send("setDataBreakpoints", {"breakpoints": many})
    with pytest.raises(Rejected, match=r"at most [0-9,]+ items, found 20,001"):
        standing.response(sent)

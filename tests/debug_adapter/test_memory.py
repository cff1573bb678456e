"""Reading and writing bytes of xmem and of registers."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ipu_asm.debugger.expressions import quoted
from ipu_asm.debugger.regions import MEMORY, Region
from ipu_lsp.debug_adapter.client import (
    DISTANCE,
    REGISTERS_AT,
    code_address,
    read_reference,
    reference_of,
)
from ipu_lsp.debug_adapter.requests.memory import MAX_VIEWED_REFERENCES
from ipu_lsp.json_types import Json
from ipu_lsp.plain_text import plain
from tests.debug_adapter.client import DapClient, Rejected
from tests.debug_adapter.kernel import MASK, MASKS, ROW, started
from tests.debugger.ipu_regions import REGIONS, SIZES

XMEM_SIZE = 2 << 20
NO_REFERENCE = "a memory reference is an address of xmem like 0x1000 or a register"


@pytest.fixture
def standing(client: DapClient, tmp_path: Path) -> DapClient:
    return started(client, tmp_path)


def read(client: DapClient, reference: str, count: int, offset: int = 0) -> Json:
    """What `readMemory` answers, with the data as bytes."""
    body = client.request("readMemory", memoryReference=reference, count=count, offset=offset)
    return {**body, "data": base64.b64decode(body["data"])} if "data" in body else body


def write(client: DapClient, reference: str, data: bytes, **more: Any) -> Json:
    """What `writeMemory` answers."""
    text = base64.b64encode(data).decode()
    return client.request("writeMemory", memoryReference=reference, data=text, **more)


# Reading


def test_memory_is_read_at_an_address_and_an_offset(standing: DapClient) -> None:
    assert read(standing, "0x0", 256) == {"address": "0x0", "data": ROW}
    assert read(standing, "0x10", 4, 3) == {"address": "0x13", "data": ROW[19:23]}
    assert read(standing, "0x0000000000003001", 3, -1) == {"address": "0x3000", "data": MASK[:3]}
    assert read(standing, str(MASKS), 2) == {"address": "0x3000", "data": MASK[:2]}
    assert read(standing, "010", 1) == {"address": "0xa", "data": ROW[10:11]}


def test_registers_are_read_by_their_names(standing: DapClient) -> None:
    assert read(standing, "lr1", 4)["data"] == (16).to_bytes(4, "little")
    assert read(standing, "r0", 128)["data"] == ROW[:128]
    assert read(standing, "r_acc+0xc", 8)["data"] == bytes([9, 0, 0, 0, 16, 0, 0, 0])
    assert read(standing, "R_MASK", 16, 16)["data"] == MASK[16:32]
    assert read(standing, "pc", 4)["data"] == bytes([1, 0, 0, 0])


def test_the_address_that_is_told_is_a_reference_again(standing: DapClient) -> None:
    for reference, offset in (("r_acc", 12), ("lr1", 0), ("r_mask+0x10", -8), ("0x3000", 5)):
        there = read(standing, reference, 4, offset)
        assert read(standing, there["address"], 4) == there
    r0, r_acc = (int(read(standing, name, 1)["address"], 16) for name in ("r0", "r_acc"))
    assert XMEM_SIZE < r0 < r_acc < 1 << 32
    write(standing, f"{r_acc + 8:#010x}", b"\7")
    assert standing.evaluate("acc[2]", "clipboard") == "7"
    assert standing.evaluate("xmem[0 .. +16]", "clipboard") == str(list(range(16)))


def test_what_lies_behind_the_end_is_unreadable(standing: DapClient) -> None:
    for reference in ("0x1ffffe", "r1+0x7e", "aaq2+0x2"):
        assert read(standing, reference, 2)["data"] == bytes(2)
        body = read(standing, reference, 5)
        assert (body["data"], body["unreadableBytes"]) == (bytes(2), 3)
        body = read(standing, reference, 5, 2)
        assert (body["data"], body["unreadableBytes"]) == (b"", 5)
        body = read(standing, reference, 5, 100)
        assert ("data" in body, body["unreadableBytes"]) == (False, 5)


def test_what_lies_in_front_of_the_start_is_to_be_skipped(standing: DapClient) -> None:
    assert read(standing, "0x2", 16, -6) == {"address": "-4", "unreadableBytes": 4}
    assert read(standing, "0x2", 3, -6) == {"address": "-4", "unreadableBytes": 3}
    assert read(standing, "0x2", 3, -2) == {"address": "0x0", "data": ROW[:3]}
    assert read(standing, "-4", 3, 4) == {"address": "0x0", "data": ROW[:3]}
    assert read(standing, "r0", 16, -6)["unreadableBytes"] == 6


def test_a_count_may_be_nothing_or_too_much(standing: DapClient) -> None:
    assert read(standing, "0x10", 0) == {"address": "0x10", "data": b""}
    assert read(standing, "lr1", 0) == {"address": read(standing, "lr1", 1)["address"], "data": b""}
    body = read(standing, "0x0", 1 << 40)
    assert len(body["data"]) == XMEM_SIZE
    assert body["unreadableBytes"] == (1 << 40) - XMEM_SIZE
    assert read(standing, "0x10", -5)["data"] == b""


def test_what_is_no_reference_is_refused(standing: DapClient) -> None:
    for reference in (
        "", "nobody", "lr16", "0x", "r_acc+", "r_acc+x", "r0[3]", "0x1" + "0" * 40, "1e3", "lr1 ",
        "r_acc+-4+4", "two\nlines",
    ):  # fmt: skip
        for command, more in (("readMemory", {"count": 4}), ("writeMemory", {"data": "AAAA"})):
            with pytest.raises(Rejected) as caught:
                standing.request(command, memoryReference=reference, **more)
            assert str(caught.value) == plain(f"{NO_REFERENCE}, found {quoted(reference)}")


# Writing


def test_bytes_are_written_and_read_back(standing: DapClient) -> None:
    assert write(standing, "0x1000", b"abc", offset=2)["bytesWritten"] == 3
    assert read(standing, "0x1000", 6)["data"] == b"\0\0abc\0"
    assert write(standing, "r_acc+0x8", b"\1\2")["bytesWritten"] == 2
    assert standing.evaluate("acc[2]", "clipboard") == "513"
    assert write(standing, "lr0+0x3", b"\x80")["bytesWritten"] == 1
    assert standing.evaluate("lr0", "clipboard") == str(-(1 << 31) + 1)
    assert write(standing, "0x0", b"")["bytesWritten"] == 0


def test_who_shows_memory_is_told_of_what_is_written(standing: DapClient) -> None:
    read(standing, "0x1000", 16)
    write(standing, "xmem", b"abc", offset=0x1008)
    assert standing.expect_event("invalidated") == {"areas": ["variables"]}
    assert standing.expect_event("memory") == {
        "memoryReference": "0x1000", "offset": 8, "count": 3,
    }  # fmt: skip


def test_only_the_references_that_were_looked_at_last_are_told(
    standing: DapClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MAX_VIEWED_REFERENCES >= 100
    monkeypatch.setattr("ipu_lsp.debug_adapter.requests.memory.MAX_VIEWED_REFERENCES", 3)
    for address in (0, 1, 2, 3, 1, 4):
        read(standing, f"{address:#x}", 1)
    write(standing, "0x0", b"abc")
    standing.request("threads")
    told = [body["memoryReference"] for body in standing.events_named("memory")]
    assert told == ["0x3", "0x1", "0x4"]


def test_what_does_not_fit_is_written_in_part_or_not_at_all(standing: DapClient) -> None:
    with pytest.raises(Rejected, match=r"^xmem has 0x200000 bytes, found 4 for 0x1ffffe on$"):
        write(standing, "0x1ffffe", b"abcd")
    assert read(standing, "0x1ffffe", 2)["data"] == bytes(2)
    body = write(standing, "0x1ffffe", b"abcd", allowPartial=True)
    assert body == {"bytesWritten": 2, "offset": 0}
    assert read(standing, "0x1ffffe", 2)["data"] == b"ab"
    assert write(standing, "lr0", bytes(5), offset=3, allowPartial=True)["bytesWritten"] == 1
    for offset in (-1, XMEM_SIZE, 1 << 60):
        body = write(standing, "0x0", b"abcd", offset=offset, allowPartial=True)
        assert body == {"bytesWritten": 0, "offset": offset}
        with pytest.raises(Rejected, match=r"has 0x200000 bytes, found 4 for -?0x"):
            write(standing, "0x0", b"abcd", offset=offset)


def test_data_that_is_not_base64_is_refused(standing: DapClient) -> None:
    for data in ("A", "AAA", "AA=A", "AAA*", "AA AA", "héé=", "=", "-_-_"):
        with pytest.raises(Rejected) as caught:
            standing.request("writeMemory", memoryReference="0x0", data=data, allowPartial=True)
        assert str(caught.value) == plain(f"data is base64, found `{data}`")
    assert read(standing, "0x0", 4)["data"] == ROW[:4]


def test_an_edit_of_the_element_type_is_seen_at_once(standing: DapClient) -> None:
    write(standing, "cr15", b"\2")
    assert standing.evaluate("dtype") == "2 was 0  # fp8_e5m2"


# References


@settings(max_examples=50)
@given(st.sampled_from(sorted(SIZES)), st.integers(0, 0x1FF))
def test_a_reference_is_read_as_it_was_told(name: str, start: int) -> None:
    start %= SIZES[name]
    expected = read_reference(reference_of(Region(name, start, 1)), REGIONS)
    assert expected is not None
    assert (expected.part, expected.start, expected.size) == (name, start, SIZES[name])
    assert read_reference(expected.address, REGIONS) == expected
    address = int(expected.address, 16)
    assert address == start if name == MEMORY else address >= REGISTERS_AT


@settings(max_examples=100)
@given(st.text("0123456789abcxXr_lm+- \n٣", max_size=24))
def test_whatever_a_client_says_is_a_reference_or_none(text: str) -> None:
    reference = read_reference(text, REGIONS)
    assert reference is None or reference.part in SIZES
    address = code_address(text)
    assert address is None or str(int(text, 16 if "x" in text.lower() else 10)) == str(address)


def test_registers_lie_apart() -> None:
    sizes = [size for name, size in SIZES.items() if name != MEMORY]
    assert max(sizes) <= DISTANCE
    assert REGISTERS_AT + DISTANCE * len(sizes) < 1 << 32

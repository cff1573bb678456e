"""Reading and writing bytes of xmem and of registers."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.debugger.regions import MEMORY, Region
from ipu_lsp.debug_adapter.client import (
    DISTANCE,
    REGISTERS_AT,
    code_address,
    read_reference,
    reference_of,
)
from ipu_lsp.debug_adapter.requests.memory import MAX_VIEWED_REFERENCES
from ipu_lsp.transport import Json
from tests.debug_adapter.client import DapClient
from tests.debug_adapter.kernel import started
from tests.debugger.ipu_regions import REGIONS, SIZES

XMEM_SIZE = 2 << 20


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


def test_the_address_that_is_told_is_a_reference_again(standing: DapClient) -> None:
    for reference, offset in (("r_acc", 12), ("lr1", 0), ("r_mask+0x10", -8), ("0x3000", 5)):
        there = read(standing, reference, 4, offset)
        assert read(standing, there["address"], 4) == there
    r0, r_acc = (int(read(standing, name, 1)["address"], 16) for name in ("r0", "r_acc"))
    assert XMEM_SIZE < r0 < r_acc < 1 << 32
    write(standing, f"{r_acc + 8:#010x}", b"\7")
    assert standing.evaluate("acc[2]", "clipboard") == "7"
    assert standing.evaluate("xmem[0 .. +16]", "clipboard") == str(list(range(16)))


def test_a_count_may_be_nothing_or_too_much(standing: DapClient) -> None:
    assert read(standing, "0x10", 0) == {"address": "0x10", "data": b""}
    assert read(standing, "lr1", 0) == {"address": read(standing, "lr1", 1)["address"], "data": b""}
    body = read(standing, "0x0", 1 << 40)
    assert len(body["data"]) == XMEM_SIZE
    assert body["unreadableBytes"] == (1 << 40) - XMEM_SIZE
    assert read(standing, "0x10", -5)["data"] == b""


# Writing


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


# References


@given(st.sampled_from(sorted(SIZES)), st.integers(0, 0x1FF))
def test_a_reference_is_read_as_it_was_told(name: str, start: int) -> None:
    start %= SIZES[name]
    expected = read_reference(reference_of(Region(name, start, 1)), REGIONS)
    assert expected is not None
    assert (expected.part, expected.start, expected.size) == (name, start, SIZES[name])
    assert read_reference(expected.address, REGIONS) == expected
    address = int(expected.address, 16)
    assert address == start if name == MEMORY else address >= REGISTERS_AT


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


def test_the_expression_of_a_region_is_a_vector_and_its_reference_can_be_read(
    client: DapClient, tmp_path: Path
) -> None:
    standing = started(client, tmp_path)
    for region in standing.request("ipu/memoryMap")["regions"]:
        vector = standing.request("ipu/vector", name=region["expression"])
        assert vector["location"]["start"] == region["start"]
        size = region["end"] - region["start"]
        reference = region["memoryReference"]
        data = standing.request("readMemory", memoryReference=reference, count=size)
        assert "unreadableBytes" not in data

"""Program memory as assembly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ipu_asm import assemble
from ipu_lsp.transport import Json
from tests.debug_adapter.client import DapClient
from tests.debug_adapter.kernel import KERNEL, started

TEXTS = [
    "set lr5 4; ldr_cyclic_mult_reg lr2 cr0 lr2;;",
    "incr lr0 1; ldr_mult_reg r0 lr1 cr0; mult.ee r0 lr2 lr2 lr2; acc;;",
    "incr lr1 16; str_acc_reg lr1 cr1; agg sum value cr0 aaq1;;",
    "ldr_mult_mask_reg lr2 cr3; blt lr0 lr5 loop;;",
    "bkpt;;",
]


@pytest.fixture
def standing(client: DapClient, tmp_path: Path) -> DapClient:
    return started(client, tmp_path)


def rows(client: DapClient, reference: str, count: int, **more: Any) -> list[Json]:
    """The rows of a disassembly, exactly as many as were asked for."""
    body = client.request(
        "disassemble",
        memoryReference=reference,
        instructionCount=count,
        resolveSymbols=True,
        **more,
    )
    found: list[Json] = body["instructions"]
    assert len(found) == count
    return found


def address(row: Json) -> int:
    """The address of a row, as clients read it."""
    text: str = row["address"]
    return int(text, 16) if text.startswith("0x") else int(text)


def check_addresses(found: list[Json], first: int) -> None:
    """Rows follow each other; those that are no bundles are marked."""
    assert [address(row) for row in found] == list(range(first, first + len(found)))
    for row in found:
        is_bundle = 0 <= address(row) < len(TEXTS)
        assert (row.get("presentationHint") == "invalid") is not is_bundle
        assert ("location" in row, "instructionBytes" in row) == (is_bundle, is_bundle)
        assert row["instruction"] == TEXTS[address(row)] if is_bundle else row["instruction"]


def test_as_many_rows_as_asked_for_come_from_anywhere(standing: DapClient) -> None:
    for reference, offset, instructions, first in (
        ("0x2", 0, 0, 2), ("2", 0, 0, 2), ("0x2", 1, -2, 1), ("0x1", 0, -4, -3), ("-3", 0, 0, -3),
        ("0x3fe", 0, 0, 1022), ("0x3", 1_000_000, 0, 1_000_003), ("0x00000004", -2, 0, 2),
        ("0x0", 0, -1_000_000, -1_000_000),
    ):  # fmt: skip
        for count in (0, 1, 6):
            found = rows(standing, reference, count, offset=offset, instructionOffset=instructions)
            check_addresses(found, first)


def test_a_view_around_the_program_counter_finds_it_again(standing: DapClient) -> None:
    pointer = standing.frame()["instructionPointerReference"]
    found = rows(standing, pointer, 100, instructionOffset=-50)
    check_addresses(found, -49)
    assert [row["address"] for row in found].count(pointer) == 1
    # A client that scrolls goes on from what it was told.
    assert rows(standing, found[0]["address"], 50, instructionOffset=-50)[-1]["address"] == "-50"


def test_all_of_program_memory_can_be_asked_for(standing: DapClient) -> None:
    found = rows(standing, "0x0", 1_030)
    check_addresses(found, 0)
    assert found[1_023]["instruction"].startswith("(nothing was loaded here")
    assert found[1_024]["instruction"] == "(no bundle)"


def test_a_program_that_runs_can_be_disassembled(client: DapClient) -> None:
    client.start("forever: b forever;;\n")
    assert rows(client, "0x0", 1)[0]["instruction"] == "b forever;;"
    client.request("pause", threadId=1)
    client.stopped()


def test_an_image_is_shown_with_the_lines_of_its_listing(client: DapClient, tmp_path: Path) -> None:
    image = tmp_path / "kernel.bin"
    image.write_bytes(b"".join(word.to_bytes(24, "little") for word in assemble(KERNEL)))
    client.launch(image, stopOnEntry=True)
    client.configured()
    client.stopped()
    found = rows(client, "0x0", 6)
    assert found[4]["instruction"] == "bkpt;;"
    assert "blt lr0 lr5" in found[3]["instruction"]
    text = client.request("source", sourceReference=found[0]["location"]["sourceReference"])
    lines = text["content"].splitlines()
    assert "bkpt" in lines[found[4]["line"] - 1]

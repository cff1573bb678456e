"""`ipu/memoryMap`: what a picture of memory is drawn from."""

from __future__ import annotations

from pathlib import Path

from tests.debug_adapter.client import DapClient
from tests.debug_adapter.kernel import MASKS, RESULTS, started


def test_regions_have_their_accesses_data_and_base_registers(
    client: DapClient, tmp_path: Path
) -> None:
    body = started(client, tmp_path).request("ipu/memoryMap", cells=2)
    assert (body["cycle"], body["since"], body["isPlanned"]) == (4, 0, True)
    rows, results, masks = body["regions"]
    assert (rows["name"], rows["data"], rows["bases"]) == ("row.bin", ["loaded"], ["cr0"])
    # Read: 128 bytes at 0 twice; later at 16 and so on.
    assert (rows["reads"], rows["writes"], rows["planned"]) == (2, 0, "read")
    assert rows["cells"] == [[2, 0, 1], [0, 0, 1]]
    assert (results["name"], results["start"], results["bases"]) == ("at cr1", RESULTS, ["cr1"])
    assert (results["writes"], results["planned"]) == (5, "written")
    assert (masks["name"], masks["memoryReference"]) == ("masks.bin", f"{MASKS:#x}")
    assert (body["lastWrite"]["start"], body["lastWrite"]["cycle"]) == (RESULTS + 16, 2)
    assert (body["lastRead"]["start"], body["lastRead"]["line"]) == (MASKS, 8)


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


def test_the_console_shows_the_map_as_a_table(client: DapClient, tmp_path: Path) -> None:
    standing = started(client, tmp_path)
    text = standing.request("ipu/memoryMap", cells=32)["text"]
    shown = standing.evaluate("memory map", context="repl")
    assert shown.splitlines()[:5] == text.splitlines()[:5]
    assert "last write: 512 bytes at 0x1010 by str_acc_reg lr1 cr1" in shown
    assert any(
        line.startswith("row.bin") and line.endswith("cr0, loaded") for line in shown.splitlines()
    )

"""Through the protocol, too, programs stop where recorded users of breaks have stopped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.debug_adapter.client import DapClient
from tests.debug_adapter.conftest import Connect
from tests.vectors import Record, records

RECORDS = records("break")
COMMANDS = {"continue": "continue", "step": "next"}
SAMPLE = 4
"""A record that stops both at `break` and at `break.ifeq`, in a loop."""


def check_stops(client: DapClient, folder: Path, record: Record, mode: str) -> None:
    """`mode` is `continue` (stop at breaks only) or `step` (every bundle from the first break)."""
    client.start(record["asm"], **configuration(record, folder))
    stops = []
    stopped = client.stopped()
    while not is_at_halt(stopped):
        stops.append(seen(client))
        stopped = client.step(COMMANDS[mode])
    assert stops == record[mode]["stops"], record["id"]
    final, last = record[mode]["final"], seen(client)
    assert (last["pc"], last["cycle"]) == (final["pc"], final["cycles"])
    assert last["lr"] == record["continue"]["final"]["lr"]
    client.request("continue", threadId=1)
    assert client.ended() == 0
    assert f"{final['cycles']:,} cycle" in client.events_named("output")[-1]["output"]


def configuration(record: Record, folder: Path) -> dict[str, Any]:
    """The launch configuration that makes the machine of a record, files included."""
    load = []
    for number, piece in enumerate(record["init"].get("xmem", ())):
        (folder / f"piece{number}.bin").write_bytes(bytes.fromhex(piece["hex"]))
        load.append({"file": f"piece{number}.bin", "address": piece["addr"]})
    return {
        "cr": record["init"].get("cr", {}),
        "lr": record["init"].get("lr", {}),
        "load": load,
        "cwd": str(folder),
    }


def is_at_halt(stopped: dict[str, Any]) -> bool:
    return str(stopped["description"]).startswith("halted")


def seen(client: DapClient) -> Record:
    """What one evaluation tells of the machine."""
    names = ["pc", "cycle", *(f"u32(lr{number})" for number in range(16))]
    pc, cycle, *words = json.loads(client.evaluate(f"[{', '.join(names)}]", "clipboard"))
    return {"pc": pc, "cycle": cycle, "lr": words}


@pytest.mark.parametrize("mode", COMMANDS)
@pytest.mark.parametrize("number", range(len(RECORDS)))
def test_a_program_stops_where_the_recorded_user_stopped(
    client: DapClient, tmp_path: Path, number: int, mode: str
) -> None:
    check_stops(client, tmp_path, RECORDS[number], mode)


@pytest.mark.parametrize(("wire", "mode"), [("stdio", "continue"), ("tcp", "step")])
def test_it_stops_there_in_a_process_of_its_own_too(
    connect: Connect, tmp_path: Path, wire: str, mode: str
) -> None:
    check_stops(connect(wire), tmp_path, RECORDS[SAMPLE], mode)


def test_each_register_can_be_asked_for_at_a_stop(client: DapClient, tmp_path: Path) -> None:
    record = RECORDS[SAMPLE]
    client.start(record["asm"], **configuration(record, tmp_path))
    client.stopped()
    (stop, *_) = record["continue"]["stops"]
    assert client.evaluate("pc").split()[0] == str(stop["pc"])
    assert client.evaluate("cycle").split()[0] == str(stop["cycle"])
    for number, word in enumerate(stop["lr"]):
        signed = word - (word >> 31 << 32)
        assert client.evaluate(f"lr{number}").split()[0] == str(signed)
        assert client.evaluate(f"lr{number},u").split()[0] == str(word)

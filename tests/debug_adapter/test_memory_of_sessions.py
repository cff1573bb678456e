"""A session keeps one machine: a restart frees the one before, and the end frees the last."""

from __future__ import annotations

import gc
from typing import Iterator
from weakref import ref

import pytest

from ipu_asm.targets.ipu.machine.state import IpuState
from tests.debug_adapter.client import DapClient
from tests.debug_adapter.conftest import Connect
from tests.debug_adapter.programs import LOOP

Machines = list[ref[IpuState]]


@pytest.fixture
def machines(monkeypatch: pytest.MonkeyPatch) -> Iterator[Machines]:
    """The states of all machines that sessions make; the garbage collector frees none of them."""
    found: Machines = []

    class Watched(IpuState):
        def __init__(self) -> None:
            super().__init__()
            found.append(ref(self))

    monkeypatch.setattr("ipu_asm.targets.ipu.machine.model.IpuState", Watched)
    gc.disable()
    yield found
    gc.enable()


def look_at_everything(client: DapClient) -> None:
    for name in client.scopes():
        client.variables(name)
    assert client.evaluate("lr0 + 1")
    client.breakpoints({"line": 10, "condition": "lr0 >= 0", "hitCondition": "1"})
    client.request("setExceptionBreakpoints", filters=["nan", "overflow", "fault"])


def alive(machines: Machines) -> int:
    return sum(machine() is not None for machine in machines)


def test_a_restart_frees_the_machine_before_and_the_end_the_last(
    connect: Connect, machines: Machines
) -> None:
    client = connect()
    client.start(LOOP, stopOnEntry=True)
    client.stopped()
    for number in range(1, 4):
        look_at_everything(client)
        client.step()
        client.step("stepBack")
        client.request("restart")
        client.stopped()
        assert (len(machines), alive(machines)) == (number + 1, 1)
    client.close()
    assert alive(machines) == 0

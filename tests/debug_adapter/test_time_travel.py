"""Wherever a client goes in time, the machine is as if it had just run there."""

from __future__ import annotations

import base64
import json
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from ipu_asm.assembler.encode import assemble
from ipu_asm.debugger.regions import Region, read_region, write_region
from ipu_asm.emulator import Ipu, IpuState
from ipu_lsp.transport import Json
from tests.debug_adapter.client import THREAD, DapClient
from tests.debug_adapter.conftest import Connect
from tests.debugger.ipu_regions import whole_region
from tests.debugger.sessions import LOOP

WORDS = assemble(LOOP)
SCALARS = ["pc", "cycle", *(f"u32({kind}{index})" for kind in ("lr", "cr") for index in range(16))]
PARTS = {
    "0x0": Region("xmem", 0, 1 << 15),
    "r0": whole_region("r0"),
    "r_acc": whole_region("r_acc"),
}
"""Where the program reads and writes, by the memory reference."""
STORES_FROM = 1 << 14
BREAKPOINTS: list[Json] = [{"line": 5, "hitCondition": "%5"}, {"line": 9, "condition": "lr1 == 7"}]


class Act(NamedTuple):
    """A move, which is a command, or an edit, which is a region and what it is filled with."""

    command: str = ""
    region: Region | None = None
    data: bytes = b""


class Travel:
    """A client on its way, and the edits that it has made: the cycle, the region and the data."""

    def __init__(self, client: DapClient) -> None:
        self.client = client
        self.edits: list[tuple[int, Region, bytes]] = []
        client.start(LOOP, *BREAKPOINTS, stopOnEntry=True, cr={"0": STORES_FROM, "1": 64})
        self.stop = client.stopped()
        self.cycle = 0

    def go(self, act: Act) -> None:
        """Does it; where the machine has halted, every way goes back."""
        if act.region is None:
            is_at_end = str(self.stop["description"]).startswith("halted")
            forwards = act.command in ("next", "continue", "stepOut")
            self.stop = self.client.step("stepBack" if is_at_end and forwards else act.command)
            return
        self.edits = [edit for edit in self.edits if edit[0] <= self.cycle]
        self.edits.append((self.cycle, act.region, act.data))
        self.edit(act.region, act.data)

    def edit(self, where: Region, data: bytes) -> None:
        """Changes the machine, each part of it by the request that is there for it."""
        client, number = self.client, int.from_bytes(data, "little")
        if where.name == "pc":
            client.request("goto", threadId=THREAD, targetId=number)
            self.stop = client.stopped()
        elif where.name == "xmem":
            text = base64.b64encode(data).decode("ascii")
            client.request("writeMemory", memoryReference=f"{where.start:#x}", data=text)
        else:
            reference = client.scopes()["Loop registers"]["variablesReference"]
            client.request(
                "setVariable", variablesReference=reference, name=where.name, value=str(number)
            )

    def seen(self) -> Json:
        """The machine as the client sees it."""
        client, text = self.client, f"[{', '.join(SCALARS)}]"
        scalars = client.request("evaluate", expression=text, context="clipboard")["result"]
        parts = {
            name: client.request("readMemory", memoryReference=name, count=part.size)["data"]
            for name, part in PARTS.items()
        }
        return {"scalars": json.loads(scalars), **parts}

    def fresh(self, cycle: int) -> Json:
        """A machine that has just run up to a cycle, with the edits on the way."""
        state = IpuState()
        state.load_program(WORDS)
        state.regfile.set_cr(0, STORES_FROM)
        state.regfile.set_cr(1, 64)
        ipu = Ipu(state)
        for when, where, data in self.edits:
            if when <= cycle:
                ipu.run(when - ipu.cycles)
                write_region(state, where, data)
        ipu.run(cycle - ipu.cycles)
        registers = state.regfile
        words = [get(index) for get in (registers.get_lr, registers.get_cr) for index in range(16)]
        parts = {
            name: base64.b64encode(read_region(state, part)).decode("ascii")
            for name, part in PARTS.items()
        }
        return {"scalars": [state.program_counter, cycle, *words], **parts}


def check_travel(client: DapClient, acts: list[Act]) -> None:
    """After each act the machine is that of a fresh run, with those edits that still count."""
    travel = Travel(client)
    for act in acts:
        travel.go(act)
        seen = travel.seen()
        travel.cycle = seen["scalars"][1]
        assert seen == travel.fresh(travel.cycle), act
    assert client.close() == 0


def words(name: str, numbers: st.SearchStrategy[int]) -> st.SearchStrategy[Act]:
    return numbers.map(lambda number: Act("", whole_region(name), number.to_bytes(4, "little")))


edits = st.one_of(
    words("lr1", st.integers(0, 9)),
    words("lr4", st.integers(0, 200)),
    words("lr5", st.integers(0, 8_000)),
    words("pc", st.integers(0, 7)),
    st.builds(
        lambda start, data: Act("", Region("xmem", start, len(data)), data),
        st.integers(0, STORES_FROM),
        st.binary(min_size=1, max_size=64),
    ),
)
commands = ["next", "stepBack", "continue", "continue", "reverseContinue", "stepOut"]
moves = st.sampled_from(commands).map(Act)


@settings(max_examples=6)
@given(st.lists(st.one_of(moves, moves, moves, edits), max_size=12))
def test_the_state_is_that_of_a_fresh_run_with_the_same_edits(
    connect: Connect, acts: list[Act]
) -> None:
    check_travel(connect(), acts)


def test_an_edit_is_undone_on_the_way_back_and_done_again_on_the_way_on(client: DapClient) -> None:
    back, on = Act("stepBack"), Act("next")
    lr4 = Act("", whole_region("lr4"), (77).to_bytes(4, "little"))
    elsewhere = Act("", whole_region("pc"), (6).to_bytes(4, "little"))
    memory = Act("", Region("xmem", 80, 3), b"\1\2\3")
    around = [back, back, on, on, on]
    check_travel(client, [Act("continue"), lr4, *around, memory, elsewhere, *around, *around])

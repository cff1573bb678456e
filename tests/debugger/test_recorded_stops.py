"""The debugger stops where recorded users of breaks have stopped."""

from __future__ import annotations

import pytest

from ipu_asm.debugger.debugger import Debugger, DebugOptions
from ipu_asm.debugger.stop import Reason, Stop
from ipu_asm.isa import load_isa
from ipu_asm.program import read_program
from tests.emulator.machines import Record, read_records, scalars, state_of

RECORDS = read_records("break")
ENDS = (Reason.BKPT, Reason.HALTED)


def check_stops(record: Record, mode: str) -> None:
    """`mode` is `continue` (stop at breaks only) or `step` (every bundle from the first break)."""
    program = read_program(load_isa("ipu"), record["asm"])
    debugger = Debugger(program, state_of(record), DebugOptions())
    stops = []
    stop = debugger.start()
    while stop.reason not in ENDS:
        stops.append(_seen(debugger, stop))
        stop = debugger.step() if mode == "step" else debugger.continue_()
    assert stops == record[mode]["stops"], record["id"]
    final = {"pc": debugger.state.program_counter, "cycles": stop.cycle}
    expected = record[mode]["final"]
    assert final == {name: expected[name] for name in final}, record["id"]
    assert debugger.continue_().reason is Reason.ENDED


def _seen(debugger: Debugger, stop: Stop) -> Record:
    return {"pc": stop.pc, "cycle": stop.cycle, "lr": scalars(debugger.state, "lr")}


@pytest.mark.parametrize("mode", ["continue", "step"])
@pytest.mark.parametrize("number", range(len(RECORDS)))
def test_the_debugger_stops_where_the_recorded_user_stopped(number: int, mode: str) -> None:
    check_stops(RECORDS[number], mode)

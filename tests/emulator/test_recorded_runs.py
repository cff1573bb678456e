"""Every recorded run, fault and break stop."""

from __future__ import annotations

import pytest

from ipu_asm.emulator import (
    DebugAction,
    ExecutionFault,
    Ipu,
    IpuState,
    run_until_complete,
    run_with_debug,
)
from tests.emulator.machines import MAX_CYCLES, differences, scalars, state_of
from tests.vectors import Record, records


def check_run(record: Record) -> None:
    """A run to the end takes the recorded cycles and leaves the recorded state."""
    state = state_of(record)
    xmem = bytes(state.xmem.content)
    cycles = run_until_complete(state, MAX_CYCLES)
    assert cycles == record["final"]["cycles"], record["id"]
    assert differences(state, xmem, record["final"]) == [], record["id"]


def check_fault(record: Record) -> None:
    """A run faults at the recorded bundle, and the state is the one from before that bundle."""
    state = state_of(record)
    xmem = bytes(state.xmem.content)
    with pytest.raises(ExecutionFault) as raised:
        run_until_complete(state, MAX_CYCLES)
    fault = raised.value.fault
    expected = record["fault"]["pc"], record["fault"]["cycles_before"]
    assert (fault.pc, fault.cycle) == expected, record["id"]
    assert differences(state, xmem, record["before"]) == [], record["id"]


def check_stops(record: Record, mode: str) -> None:
    """`mode` is `continue` (stop at breaks only) or `step` (before every bundle from one on)."""
    state = state_of(record)
    stops: list[Record] = []

    def note(state: IpuState, cycle: int) -> DebugAction:
        stop = {"pc": state.program_counter, "cycle": cycle, "lr": scalars(state, "lr")}
        stops.append(stop)
        return DebugAction.STEP if mode == "step" else DebugAction.CONTINUE

    cycles = run_with_debug(state, note, MAX_CYCLES)
    assert stops == record[mode]["stops"], record["id"]
    final = {"pc": state.program_counter, "cycles": cycles, "lr": scalars(state, "lr")}
    expected = record[mode]["final"]
    assert {name: final[name] for name in expected} == expected, record["id"]


def test_runs_end_in_the_recorded_state() -> None:
    for record in records("exec"):
        check_run(record)


def test_faults_leave_the_state_from_before_the_bundle() -> None:
    for record in records("faults"):
        check_fault(record)


@pytest.mark.parametrize("mode", ["continue", "step"])
def test_breaks_stop_where_they_should(mode: str) -> None:
    for record in records("break"):
        check_stops(record, mode)


def test_bundle_by_bundle_a_run_is_the_same() -> None:
    for record in records("exec")[::10]:
        state = state_of(record)
        xmem = bytes(state.xmem.content)
        ipu = Ipu(state)
        while ipu.execute_vliw_cycle():
            pass
        assert ipu.cycles == record["final"]["cycles"], record["id"]
        assert differences(state, xmem, record["final"]) == [], record["id"]

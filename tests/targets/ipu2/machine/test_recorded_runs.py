"""The machine against every recorded run, fault and break stop."""

from __future__ import annotations

from typing import Any, Final

import pytest

from ipu_asm.emulator import DebugAction, ExecutionFault, machine_for
from ipu_asm.targets.ipu2.machine.ipu2 import Ipu2
from ipu_asm.targets.ipu2.machine.model import Statistics, statistics
from tests.ipu2_runs import differences
from tests.targets.ipu2.machine.machines import contents_of, scalars, state_of
from tests.vectors import Record, records

MAX_CYCLES: Final = 100_000


def check_run(record: Record) -> None:
    """A run to the end leaves the recorded state, and has done what is recorded."""
    machine = Ipu2(state_of(record))
    executed: list[int] = []
    machine.run(MAX_CYCLES, trace=executed.append)
    assert differences(contents_of(machine), record, record["final"]) == [], record["id"]
    found = statistics(machine.state.inst_mem, executed)
    assert found == Statistics(**record["final"]["stats"]), record["id"]


def check_fault(record: Record) -> None:
    """A run faults at the recorded bundle, and the state is the one from before that bundle."""
    machine = Ipu2(state_of(record))
    with pytest.raises(ExecutionFault) as raised:
        machine.run(MAX_CYCLES)
    fault = raised.value.fault
    del raised  # its traceback refers to this frame, and so to 8 MiB of memory
    assert {"pc": fault.pc, "cycles_before": fault.cycle}.items() <= record["fault"].items()
    assert differences(contents_of(machine), record, record["before"]) == [], record["id"]


def check_stops(record: Record, mode: str) -> None:
    """`mode` is `continue` (stop at breaks only) or `step` (before every bundle from one on)."""
    model, state = machine_for("ipu2"), state_of(record)
    stops: list[Record] = []
    action = DebugAction.STEP if mode == "step" else DebugAction.CONTINUE

    def stop(state: Any, cycle: int) -> DebugAction:
        stops.append({"pc": state.program_counter, "cycle": cycle, "lr": scalars(state, "lr")})
        return action

    cycles = model.run_with_debug(state, stop, MAX_CYCLES)
    assert stops == record[mode]["stops"], record["id"]
    final = {"pc": state.program_counter, "cycles": cycles, "lr": scalars(state, "lr")}
    assert final == record[mode]["final"], record["id"]


def test_runs_end_in_the_recorded_state() -> None:
    assert len(records("ipu2_exec")) == 466
    for record in records("ipu2_exec"):
        check_run(record)


def test_faults_leave_the_state_from_before_the_bundle() -> None:
    assert len(records("ipu2_faults")) == 114
    for record in records("ipu2_faults"):
        check_fault(record)


@pytest.mark.parametrize("mode", ["continue", "step"])
def test_breaks_stop_where_they_should(mode: str) -> None:
    assert len(records("ipu2_break")) == 26
    for record in records("ipu2_break"):
        check_stops(record, mode)


def test_a_run_of_the_model_ends_as_one_of_the_machine_does() -> None:
    model = machine_for("ipu2")
    for record in records("ipu2_exec")[:20]:
        state = state_of(record)
        cycles = model.run_until_complete(state, MAX_CYCLES)
        assert (state.program_counter, cycles) == (
            record["final"]["pc"],
            record["final"]["cycles"],
        )

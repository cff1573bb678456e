"""Every recorded run, fault and break stop, of the machines of both IPUs."""

from __future__ import annotations

from typing import Any, Callable, Final, NamedTuple

import pytest

from ipu_asm.emulator import DebugAction, ExecutionFault, Ipu, machine_for
from ipu_asm.emulator.machine import VARIABLE, Engine
from ipu_asm.targets.ipu2.machine.ipu2 import Ipu2
from ipu_asm.targets.ipu2.machine.model import Statistics, statistics
from tests import ipu2_runs
from tests.emulator import machines
from tests.emulator.machines import MAX_CYCLES, scalars
from tests.targets.ipu2.machine import machines as machines2
from tests.vectors import Record, records


class Run(NamedTuple):
    """The state in which a recorded run begins, and what of it differs from an expected one."""

    state: Any
    differences: Callable[[Record], list[str]]


def run_of(record: Record) -> Run:
    """A recorded run of the IPU."""
    state = machines.state_of(record)
    xmem = bytes(state.xmem.content)
    return Run(state, lambda expected: machines.differences(state, xmem, expected))


def run_of_ipu2(record: Record) -> Run:
    """A recorded run of IPU 2; cycles are compared apart from the state."""
    machine = Ipu2(machines2.state_of(record))

    def differences(expected: Record) -> list[str]:
        contents = machines2.contents_of(machine)._replace(cycles=expected.get("cycles", 0))
        return ipu2_runs.differences(contents, record, expected)

    return Run(machine.state, differences)


BEGIN: Final = {"ipu": run_of, "ipu2": run_of_ipu2}
COUNTS: Final = {
    ("ipu", "exec"): 343, ("ipu", "faults"): 192, ("ipu", "break"): 28,
    ("ipu2", "exec"): 466, ("ipu2", "faults"): 114, ("ipu2", "break"): 26,
}  # fmt: skip


@pytest.fixture(params=[Engine.NUMPY, Engine.CORE], ids=lambda engine: engine.value)
def _engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, request.param.value)


def recorded(isa: str, kind: str) -> tuple[Record, ...]:
    """The recorded runs of a kind, of which there are as many as there should be."""
    found = records(kind if isa == "ipu" else f"{isa}_{kind}")
    assert len(found) == COUNTS[isa, kind]
    return found


def check_run(isa: str, record: Record) -> None:
    """A run to the end takes the recorded cycles and leaves the recorded state."""
    run = BEGIN[isa](record)
    cycles = machine_for(isa).run_until_complete(run.state, MAX_CYCLES)
    assert cycles == record["final"]["cycles"], record["id"]
    assert run.differences(record["final"]) == [], record["id"]


def check_fault(isa: str, record: Record) -> None:
    """A run faults at the recorded bundle, and the state is the one from before that bundle."""
    run = BEGIN[isa](record)
    with pytest.raises(ExecutionFault) as raised:
        machine_for(isa).run_until_complete(run.state, MAX_CYCLES)
    fault = raised.value.fault
    del raised  # its traceback refers to this frame, and so to 8 MiB of memory
    expected = record["fault"]["pc"], record["fault"]["cycles_before"]
    assert (fault.pc, fault.cycle) == expected, record["id"]
    assert run.differences(record["before"]) == [], record["id"]


def check_stops(isa: str, record: Record, mode: str) -> None:
    """`mode` is `continue` (stop at breaks only) or `step` (before every bundle from one on)."""
    state = BEGIN[isa](record).state
    stops: list[Record] = []

    def note(state: Any, cycle: int) -> DebugAction:
        stops.append({"pc": state.program_counter, "cycle": cycle, "lr": scalars(state, "lr")})
        return DebugAction.STEP if mode == "step" else DebugAction.CONTINUE

    cycles = machine_for(isa).run_with_debug(state, note, MAX_CYCLES)
    assert stops == record[mode]["stops"], record["id"]
    final = {"pc": state.program_counter, "cycles": cycles, "lr": scalars(state, "lr")}
    expected = record[mode]["final"]
    assert {name: final[name] for name in expected} == expected, record["id"]


@pytest.mark.usefixtures("_engine")
@pytest.mark.parametrize("isa", BEGIN)
def test_runs_end_in_the_recorded_state(isa: str) -> None:
    for record in recorded(isa, "exec"):
        check_run(isa, record)


@pytest.mark.usefixtures("_engine")
@pytest.mark.parametrize("isa", BEGIN)
def test_faults_leave_the_state_from_before_the_bundle(isa: str) -> None:
    for record in recorded(isa, "faults"):
        check_fault(isa, record)


@pytest.mark.usefixtures("_engine")
@pytest.mark.parametrize("isa", BEGIN)
@pytest.mark.parametrize("mode", ["continue", "step"])
def test_breaks_stop_where_they_should(isa: str, mode: str) -> None:
    for record in recorded(isa, "break"):
        check_stops(isa, record, mode)


def test_bundle_by_bundle_a_run_is_the_same() -> None:
    for record in recorded("ipu", "exec")[::10]:
        run = run_of(record)
        ipu = Ipu(run.state)
        while ipu.execute_vliw_cycle():
            pass
        assert ipu.cycles == record["final"]["cycles"], record["id"]
        assert run.differences(record["final"]) == [], record["id"]


def test_runs_of_ipu2_have_the_recorded_statistics() -> None:
    for record in recorded("ipu2", "exec"):
        machine = Ipu2(machines2.state_of(record))
        executed: list[int] = []
        machine.run(MAX_CYCLES, trace=executed.append)
        found = statistics(machine.state.inst_mem, executed)
        assert found == Statistics(**record["final"]["stats"]), record["id"]

"""Packed recorded programs end in the recorded states: registers, memory, and how they end."""

from __future__ import annotations

from collections import Counter

import pytest

from ipu_asm.assembler.encode import encode
from ipu_asm.emulator import Ipu
from ipu_asm.flow.control_run.execution import control_run
from ipu_asm.flow.control_run.run import HALTED, RAN_OFF
from ipu_asm.flow.packing.pack import PackingError, PackingPlan, plan_packing
from ipu_asm.flow.packing.proof import prove_control, prove_values
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.targets.ipu.machine.state import SCALAR_NAMES, IpuState
from tests.emulator.machines import MAX_CYCLES, differences, state_of
from tests.vectors import Record, records

IPU = load_isa("ipu")
DTYPES = {"INT8": 0, "FP8_E4M3": 1, "FP8_E5M2": 2}


def replayed(plan: PackingPlan, record: Record) -> IpuState:
    """The state in which a packed program ends that begins in a recorded one."""
    state = state_of(record)
    state.set_cr_dtype(DTYPES[record["dtype"]])
    state.load_program(encode(plan.packed))
    Ipu(state).run(MAX_CYCLES)
    return state


def check_packed(plan: PackingPlan, record: Record) -> None:
    """The proof holds for the recorded registers, and the recorded state is reached."""
    start = state_of(record)
    start.set_cr_dtype(DTYPES[record["dtype"]])
    scalars = zip(SCALAR_NAMES, map(int, start.regfile.scalars))
    presets = {name: value for name, value in scalars if name.startswith(("lr", "cr"))}
    old, new = control_run(plan.program, presets), control_run(plan.packed, presets)
    assert old.end.reason in (HALTED, RAN_OFF)
    prove_control(old, new)
    end = replayed(plan, record)
    different = differences(end, bytes(start.xmem.content), record["final"])
    assert different == [], (record["id"], different)
    assert end.is_halted


@pytest.mark.parametrize(
    ("part", "shorter", "as_short", "by_register"), [(0, 111, 16, 45), (1, 109, 21, 41)]
)
def test_all_packed_recorded_programs_end_in_the_recorded_state(
    part: int, shorter: int, as_short: int, by_register: int
) -> None:
    counts: Counter[str] = Counter()
    for record in records("exec")[part::2]:
        try:
            plan = plan_packing(read_program(IPU, record["asm"]))
        except PackingError as error:
            counts[str(error)] += 1
            continue
        prove_values(plan)
        check_packed(plan, record)
        counts["shorter" if plan.saved_bundles else "as short as it was"] += 1
    assert counts == {
        "shorter": shorter,
        "as short as it was": as_short,
        "a branch takes its target from a register": by_register,
    }

"""Packed programs of `ipu2` end in the recorded states of the unpacked ones."""

from __future__ import annotations

from typing import Final

import pytest

from ipu_asm.assembler.encode import encode
from ipu_asm.flow.packing.pack import PackingError, plan_packing
from ipu_asm.flow.packing.proof import prove_values
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.targets.ipu2.machine.ipu2 import Ipu2
from tests.flow.ipu2_control import presets_of
from tests.ipu2_runs import differences
from tests.targets.ipu2.machine.machines import contents_of, state_of
from tests.vectors import Record, records

MAX_CYCLES: Final = 20_000


def check_packed(record: Record) -> int:
    """The number of bundles that packing saves; the end of a run is the same."""
    program = read_program(load_isa("ipu2"), record["asm"])
    program.presets = presets_of(record)
    try:
        plan = plan_packing(program)
    except PackingError:
        return 0
    if not plan.saved_bundles:
        return 0
    assert plan.packed.findings == [], record["id"]
    prove_values(plan)
    state = state_of(record)
    state.load_program(encode(plan.packed))
    machine = Ipu2(state)
    machine.run(MAX_CYCLES)
    different = set(differences(contents_of(machine), record, record["final"]))
    assert different <= {"pc", "cycles"}, record["id"]
    return plan.saved_bundles


@pytest.mark.parametrize("first", range(0, 466, 117))
def test_a_packed_program_ends_in_the_same_state(first: int) -> None:
    saved = [check_packed(record) for record in records("ipu2_exec")[first : first + 117]]
    assert sum(saved) > 10

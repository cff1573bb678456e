"""Several iterations of a loop at a time end as one by one."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.emulator.execution_counts import Recording
from ipu_asm.emulator.machine import Engine
from tests.emulator.core.engines import machine_on
from tests.emulator.core.row_loops import check_same
from tests.emulator.machines import ipu_with

LOOP = """
    set lr2 -1; set lr3 300;;
x:  incr lr1 128; incr lr2 1; ldr_cyclic_mult_reg lr1 cr1 lr6; mult.ve r0 lr6 lr6 lr6 lr2; acc;
    bne lr2 lr3 x;;
    bkpt;;
"""


@pytest.mark.parametrize("isa", ["ipu", "ipu2"])
@given(st.randoms(use_true_random=True))
def test_random_loops_that_add_rows_give_the_same(isa: str, rng: Random) -> None:
    check_same(rng, isa)


def test_iterations_are_counted_and_traced_one_by_one() -> None:
    for tail_limit in (0, 100):
        recording = Recording(tail_limit)
        ipu = machine_on(Engine.CORE, ipu_with(LOOP).state)
        assert recording.run(ipu, 200) == 200
        assert recording.transitions == {(0, 1): 1, (1, 1): 198}
        assert (tail_limit == 0) or list(recording.tail) == [1] * 100
        recording.run(ipu, 10_000)
        assert recording.transitions == {(0, 1): 1, (1, 1): 301, (1, 2): 1}
        assert ipu.state.regfile.get_lr(1) == 302 * 128

"""The map of memory: names, counts up to a cycle, last accesses, what the run has yet to do."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.debugger.debugger import Debugger
from ipu_asm.debugger.memory_usage import READ, WRITTEN, MemoryUsage, joined, memory_usage
from ipu_asm.debugger.regions import Region
from ipu_asm.debugger.runner import HostData
from ipu_asm.emulator import IpuState
from tests.debugger.sessions import debugger_on

KERNEL = """\
# Memory
#   0x00000     512 bytes   rows
#   0x1000      N * 512 bytes   sums
# REGION table = 0x4000..0x4100 read
    set lr0 -128;;
row:
    ldr_cyclic_mult_reg lr0 cr0 lr6; incr lr0 128; incr lr1 1; bne lr1 lr4 row;;
    str_acc_reg lr6 cr1;;
    ldr_mult_reg r0 lr6 cr2;;
    bkpt;;
"""


def debugger_for(**options: Any) -> Debugger:
    return debugger_on(KERNEL, prepare=_registers, **options)


def _registers(state: IpuState) -> None:
    state.regfile.set_lr(4, 2)
    state.regfile.set_cr(1, 0x1000)
    state.regfile.set_cr(2, 0x8000)


def check_usage(debugger: Debugger) -> MemoryUsage:
    """The memory that a run uses; asking leaves the machine as it was."""
    before, cycle = debugger.state.save(), debugger.cycle
    usage = memory_usage(debugger)
    assert debugger.state.save().differences(before) == []
    assert debugger.cycle == usage.cycle == cycle
    return usage


def counts(usage: MemoryUsage) -> dict[str, tuple[int, int, int]]:
    return {each.name: (each.reads, each.writes, each.planned) for each in usage.regions}


def test_regions_have_the_names_of_the_program_and_show_what_the_run_will_do() -> None:
    usage = check_usage(debugger_for())
    assert [(each.name, each.bytes) for each in usage.regions] == [
        ("rows", range(512)),
        ("sums", range(0x1000, 0x1200)),
        ("table", range(0x4000, 0x4100)),
        ("at cr2", range(0x8000, 0x8080)),
    ]
    assert counts(usage) == {
        "rows": (0, 0, READ), "sums": (0, 0, WRITTEN), "table": (0, 0, 0), "at cr2": (0, 0, READ),
    }  # fmt: skip
    assert [cell.planned for cell in usage.regions[0].cells] == [READ, READ, READ, 0]
    assert (usage.last_read, usage.last_write) == (None, None)


@pytest.mark.parametrize("spacing", [2, 4_096])
def test_accesses_are_counted_up_to_the_cycle_forwards_and_backwards(spacing: int) -> None:
    debugger = debugger_for(spacing=spacing)
    seen = []
    for cycle in (6, 3, 4, 5, 1, 6):
        debugger.go_to(cycle)
        usage = check_usage(debugger)
        rows, sums, _, other = usage.regions
        assert rows.reads == min(3, cycle - 1)
        assert (sums.writes, other.reads) == (4 if cycle > 4 else 0, int(cycle > 5))
        seen.append((cycle, counts(usage)))
    assert seen[0] == seen[-1]


def test_the_last_accesses_say_where_and_by_which_instruction() -> None:
    debugger = debugger_for()
    debugger.go_to(3)
    usage = check_usage(debugger)
    assert usage.last_read is not None
    assert usage.last_read.touched == ("ldr_cyclic_mult_reg lr0 cr0 lr6", 128, 128, False)
    assert (usage.last_read.pc, usage.last_read.cycle, usage.last_write) == (1, 2, None)
    debugger.go_to(6)
    usage = check_usage(debugger)
    assert usage.last_write is not None
    assert (usage.last_write.touched[1:], usage.last_write.cycle) == ((0x1000, 512, True), 4)


def test_after_an_edit_the_new_run_is_counted_and_nothing_is_planned() -> None:
    debugger = debugger_for()
    debugger.go_to(6)
    check_usage(debugger)
    debugger.go_to(4)
    debugger.edit(Region("cr1", 0, 4), (0x2000).to_bytes(4, "little"))
    debugger.go_to(5)
    usage = check_usage(debugger)
    assert not usage.is_planned
    # The part without a size begins where the head comment says, and nobody uses it now.
    assert counts(usage)["sums"] == (0, 0, 0)
    assert counts(usage)["at cr1"] == (0, 4, 0)
    debugger.restart()
    assert counts(check_usage(debugger))["sums"] == (0, 0, WRITTEN)


def test_data_of_the_host_are_named_with_the_part_that_they_fill() -> None:
    data = (HostData("x.npy", 0, 512, "loaded"), HostData("y.npy", 0x1000, 512, "expected"))
    usage = check_usage(debugger_for(data=(*data, HostData("z.bin", 0x9000, 64, "loaded"))))
    named = {each.name: (each.data, len(each.bytes)) for each in usage.regions}
    assert named["rows"] == (("x.npy loaded",), 512)
    assert named["sums"] == (("y.npy expected",), 512)
    assert named["z.bin"] == (("loaded",), 64)


def test_large_regions_have_cells_of_a_power_of_two() -> None:
    debugger = debugger_for(data=(HostData("all", 0, 1 << 20, "loaded"),))
    large = memory_usage(debugger, 16).regions[-1]
    assert (large.cell_size, len(large.cells)) == (1 << 16, 16)


@given(st.lists(st.tuples(st.integers(0, 400), st.integers(1, 30)), max_size=40))
def test_few_ranges_stand_for_many_and_cover_them(pairs: list[tuple[int, int]]) -> None:
    ranges = [range(start, start + size) for start, size in pairs]
    few = joined(ranges, 5)
    assert len(few) <= 5
    assert all(a.stop < b.start for a, b in pairwise(few))
    assert all(any(each.start >= a.start and each.stop <= a.stop for a in few) for each in ranges)

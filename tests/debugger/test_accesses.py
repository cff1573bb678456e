"""Which bundles touch a part of the machine, and what the last one has done."""

from __future__ import annotations

import pytest

from ipu_asm.debugger.regions import Region, read_region, write_region
from ipu_asm.emulator import IpuState
from tests.debugger.ipu_regions import SIZES, region, whole_region
from tests.debugger.sessions import debugger_on

ALL = """\
set lr1 128; ldr_cyclic_mult_reg lr0 cr0 lr1;;
set lr1 128; mult.ee r0 lr2 lr2 lr2; acc;;
xmem.store_aaq_result lr1 cr0;;
add lr3 lr1 lr1; incr lr4 0;;
bkpt;;
"""


def check_touches(cycle: int, where: Region) -> list[str]:
    """What the bundle that ends at a cycle has done to a region, and that it was foreseen."""
    debugger = debugger_on(ALL)
    debugger.go_to(cycle)
    accesses, pc = debugger.runner.accesses, debugger.machine.snapshot.pc
    read, written = accesses.has_read(where), accesses.has_written(where)
    changed = accesses.last_change(where)
    assert read is None or pc in accesses.bundles(where.name, reads=True, writes=False)
    assert written is None or pc in accesses.bundles(where.name, reads=False, writes=True)
    assert changed is None or written is not None
    kinds = {"read": read, "written": written, "changed": changed}
    return [kind for kind, found in kinds.items() if found is not None]


@pytest.mark.parametrize(
    ("cycle", "where", "touches"),
    [
        (1, whole_region("lr1"), ["read", "written", "changed"]),
        (2, whole_region("lr1"), ["written"]),
        (1, region("xmem", 127, 1), ["read"]),
        (1, region("xmem", 128, 1), []),
        (1, whole_region("cr0"), ["read"]),
        (2, whole_region("r0"), ["read"]),
        (2, whole_region("mult_res"), ["read", "written"]),
        (2, whole_region("r_acc"), ["read"]),
        (3, region("xmem", 128, 4), ["written"]),
        (3, region("xmem", 100, 28), []),
        (3, whole_region("aaq_result"), ["read"]),
        (4, whole_region("lr3"), ["written", "changed"]),
        (4, whole_region("lr4"), []),
    ],
)
def test_reads_writes_and_changes_are_told_apart(
    cycle: int, where: Region, touches: list[str]
) -> None:
    assert check_touches(cycle, where) == touches


@pytest.mark.parametrize("name", SIZES)
def test_what_is_written_to_a_region_is_read_from_it(name: str) -> None:
    state = IpuState()
    write_region(state, region(name, 1, 2), b"\x34\x12")
    assert read_region(state, region(name, 0, 4)) == b"\x00\x34\x12\x00"


@pytest.mark.parametrize(
    "where",
    [("lr16", 0, 4), ("lr1", 2, 3), ("xmem", -1, 4), ("xmem", (1 << 21) - 1, 2), ("r0", 0, 0)],
)
def test_a_region_that_is_not_there_is_refused(where: tuple[str, int, int]) -> None:
    with pytest.raises(ValueError, match="found"):
        region(*where)

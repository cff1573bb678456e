"""What the last step changed is seen, and nothing else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.emulator import IpuState
from tests.debugger.inspection.machines import Bench, lines


def test_many_changed_ranges_are_cut_short_and_say_so() -> None:
    bench = Bench()
    bench.leave()
    for number in range(300):
        bench.put(f"xmem[{number * 4096}]", "1")
    found = lines(bench.items("Machine/changed"))
    assert bench.line("Machine/changed") == "300 ranges of xmem"
    assert len(found) == 257
    assert found[-1] == "… = 44 more ranges of xmem"
    assert bench.items("Machine")[-1].named == 257


@given(st.dictionaries(st.integers(0, 5_000), st.integers(1, 255), max_size=12), st.integers(0, 40))
def test_changed_bytes_of_memory_are_counted_exactly(bytes_: dict[int, int], start: int) -> None:
    bench = Bench("bkpt;;")
    bench.leave()
    for address, byte in bytes_.items():
        bench.state.xmem.write_address(address, bytes([byte]))
    within = {address for address in bytes_ if start <= address < start + 2_000}
    value = bench.inspector.item_of(f"xmem[{start} .. +2000 : u8]").value
    assert value.startswith(f"at {start:#x}, u8, ")
    assert (f", {len(within)} changed" in value) == bool(within)
    words = {(address - start) // 4 for address in within}
    value = bench.inspector.item_of(f"xmem[{start} .. +500 : i32]").value
    assert (f", {len(words)} changed" in value) == bool(words)
    item = bench.items("Machine")[-1]
    changed = bench.inspector.children(item.group) if item.group is not None else []
    ranges = [found.location for found in changed if found.location is not None]
    listed = {
        at for location in ranges for at in range(location.start, location.start + location.size)
    }
    assert set(bytes_) <= listed
    assert {location.start for location in ranges} <= set(bytes_)


def test_looking_at_everything_changes_nothing() -> None:
    bench = Bench()
    bench.step(4)
    xmem = bench.state.xmem
    recording, before = list(xmem.written), bench.state.save()
    assert all(item.name for item in bench.everything())
    bench.inspector.item_of("sum(r0) + acc[3]")
    assert bench.state.save() == before
    assert xmem.written == recording
    assert isinstance(bench.state, IpuState)

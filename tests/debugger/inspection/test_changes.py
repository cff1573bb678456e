"""What the last step changed is seen, and nothing else."""

from __future__ import annotations

from textwrap import dedent

from hypothesis import given, settings
from hypothesis import strategies as st

from ipu_asm.emulator import IpuState
from tests.debugger.inspection.machines import Bench, lines


def check_changed(bench: Bench, summary: str, expected: str = "") -> None:
    """The line of all that changed, and what it opens to."""
    item = bench.items("Machine")[-1]
    assert (item.name, item.value) == ("changed", summary)
    found = lines(bench.inspector.children(item.group)) if item.group is not None else []
    assert found == dedent(expected).strip().splitlines()
    assert item.named == len(found)


def test_at_the_first_stop_nothing_is_known_to_have_changed() -> None:
    bench = Bench()
    bench.put("lr0", "5")
    check_changed(bench, "no stop before this one")
    assert bench.line("Loop registers/lr0") == "5"


def test_a_step_that_changes_nothing_says_so() -> None:
    bench = Bench()
    bench.leave()
    check_changed(bench, "nothing")


def test_all_that_changed_stands_together() -> None:
    bench = Bench()
    bench.put("xmem[0x1001]", "50")
    bench.put("acc", "1")
    bench.step(3)
    bench.leave()
    bench.debugger.step()
    bench.put("xmem[0x40000]", "-1")
    bench.put("mask[3][5..6]", "1")
    bench.debugger.step()
    bench.arrive()
    zeros = " ".join(["0" * 16] * 7)
    check_changed(
        bench,
        "4 registers, 2 ranges of xmem",
        f"""
        lr1 = 1 was 0  # the counter, up to eight
        lr5 = 128 (0x80) was 0
        r0 = i8, min 0, max 50, 1 changed: 50, 0, 0, 0, 0, 0, 0, 0, …  # the row
        mask[3] = 2 masked, 2 changed, 0..127: 0000011000000000 {zeros}
        xmem[0x0 .. +509] = at 0x0, i8, min 0, max 1, 128 changed: 1, 0, 0, 0, 1, 0, 0, 0, …
        xmem[0x40000 .. +1] = [-1], 1 changed
        """,
    )


def test_a_changed_number_tells_what_it_was() -> None:
    bench = Bench()
    bench.put("lr4", "-20")
    bench.put("r0[16..17]", "[3, 9]")
    bench.leave()
    bench.put("lr4", "12")
    bench.put("r0[16]", "5")
    assert bench.line("Loop registers/lr4") == "12 (0xc) was -20"
    assert bench.line("Vectors/r0/[16..31]/[16]") == "5 was 3"
    assert bench.line("Vectors/r0/[16..31]/[17]") == "9"
    assert bench.line("Vectors/r0/[16..31]").endswith(", 0], 1 changed")
    assert bench.line("Vectors/r0/[0..15]").endswith(", 0]")
    assert bench.inspector.item_of("r0[16] ").value == "5 was 3"
    assert bench.inspector.item_of("r0[16..17]").value == "[5, 9], 1 changed"


def test_a_changed_bit_and_a_changed_float_tell_what_they_were() -> None:
    bench = Bench(dtype=1)
    bench.put("acc[0]", "0.25")
    bench.leave()
    bench.put("mask[0][7]", "1")
    bench.put("acc[0]", "0.5")
    assert bench.line("Masks/mask[0]/[0..15]/[7]") == "1 was 0"
    assert bench.line("Masks/mask[0]/[0..15]").endswith("], 1 changed")
    assert bench.line("Vectors/r_acc/[0..15]/[0]") == "0.5 (0x3f000000) was 0.25"
    assert bench.inspector.item_of("mask").value == "1, 0, 0, 0, 0, 0, 0, 0 masked, 1 changed"


def test_a_nan_that_became_another_has_changed() -> None:
    bench = Bench(dtype=1)
    bench.put("i32(acc)[0]", "0x7fc00000")
    bench.leave()
    bench.arrive()
    assert bench.line("Vectors/r_acc/[0..15]/[0]") == "nan (0x7fc00000)"
    bench.put("i32(acc)[0]", "0x7fc00001")
    assert bench.line("Vectors/r_acc/[0..15]/[0]") == "nan (0x7fc00001) was nan"


def test_memory_that_was_written_with_the_same_content_has_not_changed() -> None:
    bench = Bench()
    bench.leave()
    bench.put("xmem[0 .. +1000]", "0")
    check_changed(bench, "nothing")
    assert bench.line("Memory map/cr0") == "at 0x0, i8, all 0"


def test_ranges_of_memory_end_with_their_last_changed_byte() -> None:
    bench = Bench()
    bench.leave()
    bench.put("xmem[0x10a]", "1")
    bench.put("xmem[0x17f .. +2]", "2")
    bench.put("xmem[0x281]", "3")
    check_changed(
        bench,
        "2 ranges of xmem",
        """
        xmem[0x10a .. +119] = at 0x10a, i8, min 0, max 2, 3 changed: 1, 0, 0, 0, 0, 0, 0, 0, …
        xmem[0x281 .. +1] = [3], 1 changed
        """,
    )


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


def test_a_long_changed_range_comes_in_parts_that_expressions_can_read() -> None:
    bench = Bench()
    bench.leave()
    bench.put("xmem[0x1000 .. +65536]", "1")
    bench.put("xmem[0x11000 .. +100]", "1")
    items = bench.items("Machine/changed")
    assert [item.name for item in items] == ["xmem[0x1000 .. +65536]", "xmem[0x11000 .. +100]"]
    assert items[0].value == "at 0x1000, i8, all 1, 65536 changed"
    assert bench.inspector.item_of(items[0].expression).value == items[0].value


def test_going_back_shows_what_it_changed_as_well() -> None:
    bench = Bench()
    bench.step(2)
    bench.leave()
    bench.debugger.step_back()
    bench.arrive()
    assert bench.line("Machine/cycle") == "1 was 2"
    assert bench.line("Loop registers/lr3") == "0 was 128  # row size"


@settings(max_examples=30)
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

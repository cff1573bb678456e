"""The parts of xmem that have a line of their own."""

from __future__ import annotations

from ipu_asm.debugger.inspection import MemoryRange
from ipu_asm.debugger.inspection.inspector import MAX_CHILDREN
from tests.debugger.inspection.machines import KERNEL, Bench, lines


def check_map(bench: Bench, *expected: str) -> None:
    """The names and types of the parts, and where each begins."""
    found = [
        f"{item.name}: {item.type}, {item.value.partition(',')[0]}"
        for item in bench.items("Memory map")
    ]
    assert tuple(found) == expected


ALL = "xmem: 2097152 x i8, at 0x0"


def test_base_registers_reach_up_to_the_next_part() -> None:
    check_map(Bench(), "cr0: 4096 x i8, at 0x0", "cr1: 65536 x i8, at 0x1000", ALL)


def test_only_registers_that_are_bases_in_the_program_are_parts() -> None:
    check_map(Bench("add lr0 lr0 cr3; ldr_mult_reg r0 lr0 cr2;;"), "cr2: 65536 x i8, at 0x0", ALL)
    check_map(Bench("add lr0 lr0 cr3;;"), ALL)


def test_files_come_first_and_bound_what_base_registers_point_at() -> None:
    bench = Bench(KERNEL, 0, MemoryRange("out.bin", 0x2000, 300), MemoryRange("in.bin", 0xF80, 256))
    check_map(
        bench,
        "out.bin: 300 x i8, at 0x2000",
        "in.bin: 256 x i8, at 0xf80",
        "cr0: 3968 x i8, at 0x0",
        "cr1: 128 x i8, at 0x1000",
        ALL,
    )
    bench.state.regfile.set_cr(1, 0x2000)
    bench.state.regfile.set_cr(0, 0x2000)
    assert [item.type for item in bench.items("Memory map")][2:4] == ["300 x i8"] * 2


def test_a_base_register_that_points_past_memory_says_so() -> None:
    bench = Bench()
    bench.state.regfile.set_cr(0, 0xFFFF_FFFF)
    bench.state.regfile.set_cr(1, 0x1F_FFF0)
    check_map(bench, "cr0: , 4294967295 (0xffffffff) lies outside xmem",
              "cr1: 16 x i8, [0", ALL)  # fmt: skip
    assert bench.line("Memory map/cr1").endswith("]  # INPUT_BASE (inputs, 128 bytes a row)")


def test_parts_are_cut_where_memory_ends_and_names_are_told_apart() -> None:
    ranges = [
        MemoryRange("a", 0x1F_FFF8, 100), MemoryRange("a", 0x100, 20), MemoryRange("a", 0x100, 20),
        MemoryRange("cr1", 0, 0x1000), MemoryRange("empty", 5, 0), MemoryRange("past", 1 << 21, 9),
    ]  # fmt: skip
    names = [item.name for item in Bench(KERNEL, 0, *ranges).items("Memory map")]
    assert names == ["a", "a at 0x100", "a (2)", "cr1 at 0x0", "cr0", "cr1", "xmem"]


def test_a_part_opens_to_rows_of_the_current_element_type_by_address() -> None:
    bench = Bench(KERNEL, 1, MemoryRange("in.bin", 0x1008, 20))
    bench.put("xmem[0x1009]", "0.5")
    assert lines(bench.items("Memory map/in.bin"))[1] == "[0x1018 .. +4] = [0.0, 0.0, 0.0, 0.0]"
    assert bench.line("Memory map/in.bin/[0x1008 .. +16]").startswith("[0.0, 0.5, 0.0, ")
    assert bench.line("Memory map/in.bin/[0x1008 .. +16]/[0x1009]") == "0.5 (0x30)"
    assert bench.line("Memory map/in.bin").startswith("at 0x1008, e4m3, min 0.0, max 0.5, no NaN: ")


def test_the_memory_opens_in_pages_and_in_too_many_rows_says_that_there_are_more() -> None:
    bench = Bench()
    group = bench.group("Memory map/xmem")
    last = bench.inspector.children(group, 131_071, 1)
    assert [item.name for item in last] == ["[0x1ffff0 .. +16]"]
    assert bench.inspector.children(group, 131_072, 5) == []
    all_ = bench.inspector.children(group)
    assert len(all_) == MAX_CHILDREN + 1
    assert lines(all_)[-1] == "… = 126,976 more; ask for a part of them"
    assert bench.inspector.child(group, "[0x1ffff0 .. +16]") == last[0]


def test_what_is_too_long_for_an_expression_has_none_but_its_rows_do() -> None:
    bench = Bench()
    xmem = bench.items("Memory map")[-1]
    assert xmem.expression == ""
    assert xmem.location is not None
    rows = bench.group("Memory map/xmem")
    row = bench.inspector.child(rows, "[0x20 .. +16]")
    assert row is not None
    assert row.expression == "xmem[0x20 .. +16]"
    assert bench.inspector.child(rows, "[0x21 .. +16]") is None

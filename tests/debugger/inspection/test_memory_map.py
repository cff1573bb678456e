"""The parts of xmem that have a line of their own."""

from __future__ import annotations

from ipu_asm.debugger.inspection.inspector import MAX_CHILDREN
from tests.debugger.inspection.machines import Bench, lines


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

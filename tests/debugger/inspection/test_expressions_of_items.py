"""Every item's expression evaluates to what the item shows, and takes values for it."""

from __future__ import annotations

import re
from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ipu_asm.debugger.expressions import Value, assign, read
from ipu_asm.debugger.inspection import Group, GroupKind, Item, MemoryRange, parse_displayed_value
from ipu_asm.debugger.regions import read_region, write_region
from ipu_asm.targets.ipu.machine.state import BLOCK_SIZE, DTYPE
from tests.debugger.inspection.machines import KERNEL, Bench
from tests.debugger.ipu_regions import region_of

RANGES = (MemoryRange("in.bin", 0xFF8, 100), MemoryRange("word.bin", 0x3001, 3))
WATCHES = (
    "r0", "acc,f32", "r_cyclic[3..60]", "r0,u8", "acc[1..9],i16", "r1[3..22],i32", "r1[1..2],u16",
    "mask", "mask[3]", "mask[3][5..100]", "xmem[0x1003 .. +40 : f32]", "xmem[cr1 .. +16]", "pc",
    "mem_bypass,e5m2", "acc,u8", "mask[1],u8", "f32(aaq1)", "u32(lr3)", "row_size", "r0[5],u8",
    "aaq_result,e4m3", "i32(r1)[3..5]", "xmem[0x1001],u8", "dtype", "acc[7],i8",
)  # fmt: skip
COUNTED = re.compile(r"[0-9]+ (?:changed|masked|NaN|registers?|ranges?)|#.*")
NUMBER = re.compile(r"(?<!\w)[0-9]\w*(?:\.\w+)?")
FEW = settings(suppress_health_check=list(HealthCheck))


@st.composite
def benches(draw: st.DrawFn) -> Bench:
    """Machines with something in them, some of it changed."""
    bench = Bench(KERNEL, draw(st.sampled_from([0, 1, 2, 77])), *RANGES)
    random = Random(draw(st.integers(0, 1 << 32)))
    bench.state.regfile.block[:] = random.randbytes(BLOCK_SIZE)
    for index in set(range(len(bench.state.regfile.scalars))) - {DTYPE, 17}:
        bench.state.regfile.scalars[index] = random.getrandbits(draw(st.sampled_from([3, 21, 32])))
    bench.state.xmem.write_address(0xF00, random.randbytes(0x300))
    bench.leave()
    for _ in range(draw(st.integers(0, 5))):
        start = random.randrange(BLOCK_SIZE)
        bench.state.regfile.block[start] ^= 0x55
        bench.state.xmem.write_address(0xF00 + start % 0x300, random.randbytes(3))
        bench.state.regfile.scalars[start % 16] ^= 1
    bench.arrive()
    return bench


@st.composite
def items(draw: st.DrawFn, bench: Bench, notation: str | None = None) -> Item:
    """Anything that a user can reach by opening things, from a scope or a watch."""
    starts: list[Group | str] = [scope.group for scope in bench.inspector.scopes()]
    start = draw(st.sampled_from([*starts, *WATCHES]))
    if isinstance(start, str):
        item = bench.inspector.item_of(start, notation)
    else:
        item = draw(st.sampled_from(bench.inspector.children(start, notation=notation)))
    while item.group is not None and draw(st.booleans()):
        at = draw(st.integers(0, item.named + item.indexed - 1))
        (item,) = bench.inspector.children(item.group, at, 1, notation)
    return item


def check_expression(bench: Bench, item: Item, notation: str | None = None) -> None:
    """Evaluated, it is the same, but for its name and the author's note on what points there."""
    found = bench.inspector.item_of(item.expression, notation)
    assert found.value.partition("  #")[0] == item.value.partition("  #")[0]
    assert (found.location, found.type, found.group) == (item.location, item.type, item.group)
    assert (found.named, found.indexed) == (item.named, item.indexed)
    assert found.is_writable == item.is_writable


def check_assignment(bench: Bench, item: Item, value: str) -> Value:
    """What is there after an assignment; nothing else has changed."""
    assert item.location is not None
    before, where = bench.state.save(), region_of(item.location)
    content = read_region(bench.state, where)
    assign(bench.context, item.expression, value)
    written = read(bench.context, item.location)
    after = bench.state.save()
    write_region(bench.state, where, content)
    assert bench.state.save() == before
    bench.state.restore(after)
    return written


@FEW
@given(st.data(), st.sampled_from([None, "x", "u", "b"]))
def test_an_expression_evaluates_to_what_its_item_shows(
    data: st.DataObject, notation: str | None
) -> None:
    bench = data.draw(benches())
    item = data.draw(items(bench, notation))
    if item.expression:
        check_expression(bench, item, notation)
    else:
        assert item.name in ("stopped", "changed", "xmem", "cr0", "cr1")
        assert not item.is_writable


@FEW
@given(st.data())
def test_an_item_that_can_be_changed_takes_a_value_and_nothing_else_changes(
    data: st.DataObject,
) -> None:
    bench = data.draw(benches())
    item = data.draw(items(bench))
    if item.is_writable and item.expression:
        assert set(check_assignment(bench, item, "1").numbers) == {1}
    else:
        assert item.name in ("cycle", "stopped", "changed", "xmem", "cr0", "cr1")


@FEW
@given(st.data(), st.sampled_from([None, "x"]))
def test_a_value_as_it_is_shown_can_be_put_back(data: st.DataObject, notation: str | None) -> None:
    bench = data.draw(benches())
    item = data.draw(items(bench, notation))
    is_whole = (
        item.group is None or item.group.kind is GroupKind.ELEMENTS or " masked, " in item.value
    )
    if not item.is_writable or not is_whole or item.location is None:
        return
    if notation is not None and item.location.kind.is_float:
        # Bits are those of floats only where they are read as such.
        return
    before = read(bench.context, item.location)
    if "nan" not in item.value and "mask" not in item.type:
        written = check_assignment(bench, item, parse_displayed_value(item.value))
        assert written == before


@FEW
@given(st.data())
def test_all_numbers_are_hexadecimal_on_request(data: st.DataObject) -> None:
    bench = data.draw(benches())
    item = data.draw(items(bench, "x"))
    numbers = NUMBER.findall(COUNTED.sub("", item.value))
    assert all(number.startswith("0x") for number in numbers), item.value
    assert numbers or item.name in ("stopped", "changed")


@FEW
@given(st.data(), st.integers(-3, 40), st.integers(-2, 40))
def test_a_page_is_a_part_of_the_whole(data: st.DataObject, start: int, count: int) -> None:
    bench = data.draw(benches())
    item = data.draw(items(bench))
    if item.group is None or item.indexed > 4_096:
        return
    whole = bench.inspector.children(item.group)
    assert len(whole) == item.named + item.indexed
    first = max(start, 0)
    stop = first + count if count > 0 else None
    assert bench.inspector.children(item.group, start, count) == whole[first:stop]


@FEW
@given(st.data())
def test_items_are_found_by_their_names_again(data: st.DataObject) -> None:
    bench = data.draw(benches())
    item = data.draw(items(bench))
    if item.group is None or item.indexed > 4_096:
        return
    whole = bench.inspector.children(item.group)
    names = [child.name for child in whole]
    assert len(set(names)) == len(names)
    child = data.draw(st.sampled_from(whole))
    assert bench.inspector.child(item.group, child.name) == child
    for name in ("", "[", "[-1]", "[99999]", "[0x]", "nobody", child.name + " "):
        assert bench.inspector.child(item.group, name) is None

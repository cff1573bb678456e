"""Places as regions, and assignments as edits of a debugger."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.debugger.debugger import Debugger
from ipu_asm.debugger.expressions import (
    ExpressionError,
    LiveContext,
    assign,
    assign_with,
    edit_of,
    evaluate,
    text_of,
)
from ipu_asm.debugger.regions import Region, read_region
from ipu_asm.emulator import IpuState
from tests.debugger.ipu_regions import region_of, whole_region
from tests.debugger.sessions import LOOP, debugger_on


def check_region(expression: str, expected: Region, dtype: int = 0) -> None:
    """The region of a location; what lies there is what the expression reads."""
    state = IpuState()
    state.set_cr_dtype(dtype)
    location = evaluate(LiveContext(state), expression).location
    assert location is not None
    assert region_of(location) == expected
    assert len(read_region(state, expected)) == expected.size


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("lr5", whole_region("lr5")),
        ("f32(AAQ1)", whole_region("aaq1")),
        ("dtype", whole_region("cr15")),
        ("pc", whole_region("pc")),
        ("r0", whole_region("r0")),
        ("r1[5]", Region("r1", 5, 1)),
        ("mem_bypass[1..2]", Region("mem_bypass", 1, 2)),
        ("cyclic[500 .. +12]", Region("r_cyclic", 500, 12)),
        ("acc", whole_region("r_acc")),
        ("acc[7]", Region("r_acc", 28, 4)),
        ("acc[30 : u8]", Region("r_acc", 30, 1)),
        ("mult_res[126..127]", Region("mult_res", 504, 8)),
        ("aaq_result[127]", Region("aaq_result", 127, 1)),
        ("mask", whole_region("r_mask")),
        ("mask[2]", Region("r_mask", 32, 16)),
        ("mask[2][9]", Region("r_mask", 33, 1)),
        ("mask[7][126..127]", Region("r_mask", 127, 1)),
        ("mask[0][7..8]", Region("r_mask", 0, 2)),
        ("xmem[0x100 .. +4 : i32]", Region("xmem", 0x100, 16)),
        ("xmem[0x1fffff]", Region("xmem", 0x1FFFFF, 1)),
    ],
)
def test_every_place_has_a_region(expression: str, expected: Region) -> None:
    check_region(expression, expected)


def test_the_cycle_has_none() -> None:
    location = evaluate(LiveContext(IpuState()), "cycle").location
    assert location is not None
    with pytest.raises(ValueError, match="`cycle` counts the bundles and is not stored"):
        region_of(location)


@pytest.mark.parametrize(
    ("place", "value", "where", "data"),
    [
        ("lr5", "-2", whole_region("lr5"), "feffffff"),
        ("pc", "3", whole_region("pc"), "03000000"),
        ("acc[1..2]", "[1, 2]", Region("r_acc", 4, 8), "0100000002000000"),
        ("mask[1][4..8]", "1", Region("r_mask", 16, 2), "f001"),
        ("xmem[5 .. +3]", "-1", Region("xmem", 5, 3), "ffffff"),
    ],
)
def test_an_assignment_is_an_edit(place: str, value: str, where: Region, data: str) -> None:
    context = LiveContext(IpuState())
    target = evaluate(context, place).location
    assert target is not None
    assert edit_of(context, target, evaluate(context, value).value) == (where, bytes.fromhex(data))


@pytest.mark.parametrize(
    ("kind", "pattern"),
    [("f32", "010080ff"), ("f32", "0100807f"), ("e4m3", "ff"), ("e5m2", "fd"), ("e5m2", "7e")],
)
def test_a_copy_keeps_the_bits_of_a_nan(kind: str, pattern: str) -> None:
    state = IpuState()
    state.xmem.write_address(0x100, bytes.fromhex(pattern))
    context = LiveContext(state)
    assign(context, f"xmem[0 : {kind}]", f"xmem[0x100 : {kind}]")
    assign(context, f"r0[0..7 : {kind}]", f"xmem[0 : {kind}]")
    assert state.xmem.read_address(0, 4).hex() == pattern.ljust(8, "0")
    assert state.regfile.get_register_bytes("r")[:8].hex() == pattern * (16 // len(pattern))


def context_of(debugger: Debugger) -> LiveContext:
    return LiveContext(debugger.state, debugger.cycle, debugger.program.label_addresses)


def test_time_travel_repeats_what_was_assigned() -> None:
    debugger = debugger_on(LOOP, spacing=64)
    debugger.go_to(100)
    for place, value in [("lr4", "77"), ("acc[3..5]", "[7, 8, 9]"), ("mask[2][5]", "1")]:
        assign_with(debugger.edit, context_of(debugger), place, value)
    there = debugger.state.save()
    debugger.go_to(10)
    assert evaluate(context_of(debugger), "acc[4]").text() == "0"
    debugger.go_to(400)
    debugger.go_to(100)
    assert debugger.state.save() == there
    assert evaluate(context_of(debugger), "mask[2][5] == 1 and sum(acc) == 24").text() == "true"


@pytest.mark.parametrize(("place", "value"), [("lr5", "1 << 40"), ("cycle", "1"), ("lr5", "looop")])
def test_what_does_not_fit_is_no_edit(place: str, value: str) -> None:
    debugger = debugger_on(LOOP)
    debugger.go_to(50)
    debugger.go_to(20)
    with pytest.raises(ExpressionError):
        assign_with(debugger.edit, context_of(debugger), place, value)
    assert debugger.history.edits == {}
    assert debugger.history.end == 50


PLACES = st.sampled_from(
    ["lr4", "cr0", "aaq2", "pc", "r0", "r1[3]", "acc[0..7]", "mask[1]", "mask[3][5 .. +20]",
     "cyclic[124..127 : i32]", "mult_res[9]", "xmem[4094 .. +4]", "xmem[0 : i32]"]
)  # fmt: skip


@given(st.lists(st.tuples(PLACES, st.integers(0, 1)), max_size=6))
def test_both_ways_to_assign_leave_the_same_machine(assignments: list[tuple[str, int]]) -> None:
    debugger = debugger_on("set lr1 3;; set lr2 4;; bkpt;;")
    other = IpuState()
    other.load_program(debugger.state.inst_mem)
    for place, number in assignments:
        value = assign_with(debugger.edit, context_of(debugger), place, str(number))
        assert text_of(assign(LiveContext(other), place, str(number))) == text_of(value)
    assert debugger.state.save() == other.save()

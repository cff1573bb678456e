"""Expressions as items: what a watch, a hover and the console show."""

from __future__ import annotations

import pytest

from ipu_asm.debugger.expressions import ExpressionError
from tests.debugger.inspection.machines import Bench, lines


def check_item(bench: Bench, text: str, value: str, type_: str, *children: str) -> None:
    """The value and type of an expression, and the first lines of what it opens to."""
    item = bench.inspector.item_of(text)
    assert (item.name, item.value, item.type) == (text.strip(), value, type_)
    found = lines(bench.inspector.children(item.group)) if item.group is not None else []
    assert found[: len(children)] == list(children)
    assert item.indexed == len(found)
    assert item.is_writable == (item.location is not None and text != "cycle")


@pytest.fixture
def bench() -> Bench:
    bench = Bench()
    bench.put("lr5", "12")
    bench.put("r0[0..3]", "[1, -2, 3, 100]")
    bench.put("acc", "0x3f000000")
    return bench


def test_registers_read_as_in_their_scopes(bench: Bench) -> None:
    check_item(bench, "lr5", "12 (0xc)", "i32")
    check_item(bench, " LR3 ", "0  # row size", "i32")
    check_item(bench, "row_size", "0  # row size", "i32")
    check_item(bench, "pc", "0  # line 7", "u32")
    check_item(bench, "cycle", "0", "u32")
    check_item(bench, "dtype", "0  # int8; element type", "i32")
    for name in ("r0", "r_acc", "mult_res", "mem_bypass"):
        item = bench.inspector.item_of(name)
        assert item in bench.items("Vectors")


def test_a_type_behind_an_expression_carries_through_to_the_elements(bench: Bench) -> None:
    check_item(
        bench,
        "acc,f32",
        "f32, all 0.5",
        "128 x f32",
        f"[0..15] = [{', '.join(['0.5'] * 16)}]",
    )
    item = bench.inspector.item_of("acc,f32")
    row = bench.inspector.children(item.group)[1] if item.group else item
    assert (row.name, row.expression) == ("[16..31]", "r_acc[16..31 : f32]")
    element = bench.inspector.children(row.group)[0] if row.group else item
    assert (element.name, element.expression) == ("[16]", "r_acc[16 : f32]")
    assert element.value == "0.5 (0x3f000000)"
    check_item(bench, "r0[0..3],u8", "[1, 254, 3, 100]", "4 x u8", "[0] = 1", "[1] = 254 (0xfe)")
    check_item(bench, "r0[0..3],i32", "[1677983233]", "1 x i32", "[0] = 1677983233 (0x6403fe01)")
    check_item(bench, "f32(lr5)", "1.7e-44 (0x0000000c)", "f32")


def test_a_notation_behind_an_expression_carries_through_and_outweighs_the_request(
    bench: Bench,
) -> None:
    check_item(bench, "lr5,x", "0x0000000c", "i32")
    check_item(
        bench, "r0[0..3],x", "[0x01, 0xfe, 0x03, 0x64]", "4 x i8", "[0] = 0x01", "[1] = 0xfe"
    )
    check_item(bench, "r0[1],u", "254", "i8")
    item = bench.inspector.item_of("r0 , b", "x")
    assert item.value.startswith("i8, min 0b11111110, max 0b01100100: 0b00000001, ")
    row = bench.inspector.children(item.group, 0, 1, "x")[0] if item.group else item
    assert row.value.startswith("[0b00000001, 0b11111110, ")
    element = bench.inspector.children(row.group, 1, 1, "x")[0] if row.group else row
    assert element.value == "0b11111110"


def test_a_request_for_hexadecimal_lasts_no_longer_than_the_request(bench: Bench) -> None:
    item = bench.inspector.item_of("r0", "x")
    assert item.value.startswith("i8, min 0xfe, ")
    assert item.group is not None
    assert bench.inspector.children(item.group)[0].value.startswith("[1, -2, ")
    assert bench.inspector.children(item.group, notation="x")[0].value.startswith("[0x01, 0xfe, ")


def test_slices_keep_the_indices_of_their_register(bench: Bench) -> None:
    check_item(bench, "r0[1..2]", "[-2, 3]", "2 x i8", "[1] = -2 (0xfe)", "[2] = 3")
    item = bench.inspector.item_of("r0[8..40]")
    found = bench.inspector.children(item.group) if item.group else []
    assert [row.name for row in found] == ["[8..23]", "[24..39]", "[40..40]"]
    assert found[2].expression == "r0[40..40]"


def test_elements_across_those_of_the_register_are_cut_out_first(bench: Bench) -> None:
    item = bench.inspector.item_of("r0[1..8],i16")
    found = bench.inspector.children(item.group) if item.group else []
    assert found[0].expression == "i16(r0[1..8 : u8])[0]"
    assert found[0].value == "1022 (0x3fe)"
    assert bench.inspector.item_of(found[0].expression).value == found[0].value


def test_masks_open_to_their_bits_and_all_of_them_to_masks(bench: Bench) -> None:
    bench.put("mask[1][3]", "1")
    check_item(
        bench,
        "mask",
        "0, 1, 0, 0, 0, 0, 0, 0 masked",
        "8 x mask",
        f"[0] = {bench.line('Masks/mask[0]')}",
    )
    item = bench.inspector.item_of("mask[1]")
    assert item in bench.items("Masks")
    check_item(bench, "mask[1][0..4]", "[0, 0, 0, 1, 0]", "5 x bit", "[0] = 0")
    check_item(
        bench,
        "mask[1],x",
        f"1 masked, as a number: 0x{8:032x}",
        "128 bits, element 0 first",
        f"[0..15] = [0x0, 0x0, 0x0, 0x1, {', '.join(['0x0'] * 12)}]",
    )


def test_memory_opens_by_address_wherever_its_expression_finds_it(bench: Bench) -> None:
    check_item(
        bench,
        "xmem[cr1 + lr5 .. +20 : i32]",
        "at 0x100c, i32, all 0",
        "20 x i32",
        f"[0x100c .. +16] = [{', '.join('0' * 16)}]",
        "[0x104c .. +4] = [0, 0, 0, 0]",
    )
    item = bench.inspector.item_of("xmem[cr1 + lr5 .. +2 : i32]")
    found = bench.inspector.children(item.group) if item.group else []
    assert [child.expression for child in found] == ["xmem[0x100c : i32]", "xmem[0x1010 : i32]"]


def test_computed_values_are_shown_as_well(bench: Bench) -> None:
    check_item(bench, "lr5 * 2 > 20", "true", "bool")
    check_item(bench, "inner", "3", "int")
    check_item(bench, "sum(r0) / 4", "25.5", "float")
    check_item(
        bench, "[1, 2, 300]", "[1, 2, 300]", "3 x int", "[0] = 1", "[1] = 2", "[2] = 300 (0x12c)"
    )
    check_item(
        bench,
        "r0 * 2",
        "[2, -4, 6, 200, 0, 0, 0, 0, … 128 values]",
        "128 x int",
        f"[0..15] = [2, -4, 6, 200, {', '.join('0' * 12)}]",
    )
    item = bench.inspector.item_of("r0 * 2, u8, x")
    assert item.expression == "u8(r0 * 2)"
    row = bench.inspector.children(item.group)[0] if item.group else item
    assert row.value.startswith("[0x02, 0xfc, 0x06, 0xc8, ")
    element = bench.inspector.children(row.group)[3] if row.group else item
    assert (element.value, element.expression) == ("0xc8", "(u8(r0 * 2))[3]")
    assert bench.inspector.item_of("r0 / 2", "x").value.startswith("[0.5, -1.0, ")


def test_computed_values_that_are_no_more_are_refused(bench: Bench) -> None:
    bench.put("lr6", "1")
    item = bench.inspector.item_of("r0 // lr6")
    bench.put("lr6", "0")
    assert item.group is not None
    with pytest.raises(ExpressionError, match="zero"):
        bench.inspector.children(item.group)


@pytest.mark.parametrize("text", ["", "lr77", "r0,z", "r0[128]", "lr0 = 5", "xmem", "[1"])
def test_what_is_no_expression_is_refused(bench: Bench, text: str) -> None:
    with pytest.raises(ExpressionError):
        bench.inspector.item_of(text)

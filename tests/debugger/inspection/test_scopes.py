"""What stands under each heading, as a person reads it."""

from __future__ import annotations

import pytest

from ipu_asm.debugger.inspection import MemoryRange
from tests.debugger.inspection.machines import KERNEL, Bench, lines


def check_lines(bench: Bench, path: str, expected: str, notation: str | None = None) -> None:
    """What a line or heading opens to; `...` stands for any more lines."""
    found = lines(bench.items(path, notation))
    wanted = [line.strip() for line in expected.strip().splitlines()]
    if wanted[-1] == "...":
        wanted.pop()
        found = found[: len(wanted)]
    assert found == wanted


def test_the_headings_are_always_the_same_and_know_how_much_stands_below() -> None:
    bench = Bench()
    scopes = bench.inspector.scopes()
    assert [(scope.name, scope.named, scope.hint) for scope in scopes] == [
        ("Loop registers", 16, "registers"),
        ("Config registers", 16, ""),
        ("AAQ", 5, ""),
        ("Vectors", 6, ""),
        ("Masks", 8, ""),
        ("Memory map", 3, ""),
        ("Machine", 5, ""),
    ]
    for scope in scopes:
        assert len(bench.inspector.children(scope.group)) == scope.named
        assert not scope.indexed
        assert not scope.is_expensive


def test_registers_are_signed_with_the_authors_notes_behind() -> None:
    bench = Bench()
    bench.put("lr1", "12")
    bench.put("lr2", "-1")
    check_lines(
        bench,
        "Loop registers",
        """
        lr0 = 0
        lr1 = 12 (0xc)  # the counter, up to eight
        lr2 = -1 (0xffffffff)
        lr3 = 0  # row size
        lr4 = 0
        ...""",
    )


def test_the_element_type_has_its_name_behind_its_number() -> None:
    bench = Bench(dtype=2)
    assert (
        bench.line("Config registers/cr1")
        == "4096 (0x1000)  # INPUT_BASE (inputs, 128 bytes a row)"
    )
    assert bench.line("Config registers/cr15") == "2  # fp8_e5m2; element type"
    assert bench.line("Machine/dtype") == "2  # fp8_e5m2; element type"


def test_aaq_registers_stand_with_their_result() -> None:
    bench = Bench()
    bench.put("aaq2", "-7")
    bench.put("aaq_result[1]", "9")
    check_lines(
        bench,
        "AAQ",
        """
        aaq0 = 0
        aaq1 = 0
        aaq2 = -7 (0xfffffff9)
        aaq3 = 0
        aaq_result = i8, min 0, max 9: 0, 9, 0, 0, 0, 0, 0, 0, …
        """,
    )


def test_a_vector_in_a_line_tells_its_type_its_extent_and_its_first_elements() -> None:
    bench = Bench()
    bench.put("r0[0..3]", "[1, -2, 3, 100]")
    bench.put("r1", "7")
    bench.put("acc[127]", "-100000")
    check_lines(
        bench,
        "Vectors",
        """
        r0 = i8, min -2, max 100: 1, -2, 3, 100, 0, 0, 0, 0, …  # the row
        r1 = i8, all 7
        mem_bypass = i8, all 0
        r_cyclic = i8, all 0
        mult_res = i32, all 0
        r_acc = i32, min -100000, max 0: 0, 0, 0, 0, 0, 0, 0, 0, …
        """,
    )
    assert [item.type for item in bench.items("Vectors")] == [
        "128 x i8", "128 x i8", "128 x i8", "512 x i8", "128 x i32", "128 x i32",
    ]  # fmt: skip


def test_floats_tell_how_many_of_them_are_nan() -> None:
    bench = Bench(dtype=1)
    bench.put("r0[0..3]", "[1, -2, nan, nan]")
    bench.put("r1[5]", "0.1")
    bench.put("mem_bypass", "nan")
    bench.put("acc[1]", "0.1")
    bench.put("acc[2]", "nan")
    check_lines(
        bench,
        "Vectors",
        """
        r0 = e4m3, min -2.0, max 1.0, 2 NaN: 1.0, -2.0, nan, nan, 0.0, 0.0, 0.0, 0.0, …  # the row
        r1 = e4m3, min 0.0, max 0.1015625, no NaN: 0.0, 0.0, 0.0, 0.0, 0.0, 0.1015625, 0.0, 0.0, …
        mem_bypass = e4m3, all nan
        r_cyclic = e4m3, all 0.0
        mult_res = f32, all 0.0
        r_acc = f32, min 0.0, max 0.1, 1 NaN: 0.0, 0.1, nan, 0.0, 0.0, 0.0, 0.0, 0.0, …
        """,
    )


def test_a_vector_opens_to_rows_of_sixteen_and_a_row_to_its_elements() -> None:
    bench = Bench()
    bench.put("r0[16..18]", "[5, -6, 70]")
    check_lines(
        bench,
        "Vectors/r0",
        """
        [0..15] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        [16..31] = [5, -6, 70, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        [32..47] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        ...""",
    )
    check_lines(
        bench,
        "Vectors/r0/[16..31]",
        """
        [16] = 5
        [17] = -6 (0xfa)
        [18] = 70 (0x46)
        [19] = 0
        ...""",
    )
    assert len(bench.items("Vectors/r_cyclic")) == 32
    assert lines(bench.items("Vectors/r_cyclic"))[-1].startswith("[496..511] = [0, ")


def test_floats_of_a_row_show_their_bits_when_they_stand_alone() -> None:
    bench = Bench(dtype=1)
    bench.put("acc[0..1]", "[0.5, nan]")
    assert bench.line("Vectors/r_acc/[0..15]").startswith("[0.5, nan, 0.0, ")
    check_lines(
        bench,
        "Vectors/r_acc/[0..15]",
        """
        [0] = 0.5 (0x3f000000)
        [1] = nan (0x7fc00000)
        [2] = 0.0 (0x00000000)
        ...""",
    )


def test_a_mask_shows_its_bits_with_that_of_element_0_at_the_left() -> None:
    bench = Bench()
    bench.put("mask[2][0..2]", "1")
    bench.put("mask[2][127]", "1")
    zeros = " ".join(["0" * 16] * 6)
    assert bench.line("Masks/mask[2]") == (
        f"4 masked, 0..127: 1110000000000000 {zeros} 0000000000000001"
    )
    assert bench.line("Masks/mask[0]") == f"0 masked, 0..127: {zeros} {'0' * 16} {'0' * 16}"
    assert {item.type for item in bench.items("Masks")} == {"128 bits, element 0 first"}
    check_lines(
        bench,
        "Masks/mask[2]",
        """
        [0..15] = [1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        [16..31] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        ...""",
    )
    check_lines(bench, "Masks/mask[2]/[112..127]", "[112] = 0\n...")
    assert bench.line("Masks/mask[2]/[112..127]/[127]") == "1"


def test_the_machine_tells_where_it_is_and_why() -> None:
    bench = Bench()
    bench.step(3)
    check_lines(
        bench,
        "Machine",
        """
        pc = 3 was 2  # inner, line 11
        cycle = 3 was 2
        dtype = 0  # int8; element type
        stopped = after a step
        changed = 1 register
        """,
    )
    bench.debugger.go_to(5)
    bench.arrive("went there")
    assert bench.line("Machine/pc") == "5 was 2  # inner+2, line 14"
    bench.put("pc", "1")
    assert bench.line("Machine/pc") == "1 was 2  # line 8"


def test_a_machine_that_halted_or_left_its_program_says_so() -> None:
    bench = Bench("bkpt;;")
    bench.put("pc", "40")
    assert bench.line("Machine/pc") == "40 (0x28)  # no bundle was loaded here"
    bench.put("pc", "0")
    bench.step()
    assert bench.line("Machine/pc") == "1024 (0x400) was 0  # halted"


@pytest.mark.parametrize("dtype", [3, 255, 0xFFFF_FFFF])
def test_a_number_that_is_no_element_type_fails_nothing_and_says_what_is_shown(dtype: int) -> None:
    bench = Bench(dtype=dtype)
    bench.put("r0[0]", "-1")
    bench.step(4)
    assert all(item.name for item in bench.everything())
    note = "  # no element type; bytes are shown as i8, words as i32; element type"
    assert bench.line("Machine/dtype").endswith(note)
    assert bench.line("Vectors/r_acc") == "i32, all 0"
    assert bench.inspector.item_of("r0").type == "128 x i8"


def test_every_number_is_hexadecimal_on_request() -> None:
    bench = Bench(KERNEL, 0, MemoryRange("in.bin", 0x1000, 20))
    bench.put("lr2", "-1")
    bench.put("r0[1]", "-1")
    bench.step(3)
    assert bench.line("Loop registers/lr2", "x") == "0x00000008"
    assert bench.line("Loop registers/lr4", "x") == "0x00000001 was 0x00000000"
    assert bench.line("Vectors/r0", "x").startswith("i8, min 0xff, max 0x00: 0x00, 0xff, 0x00, ")
    assert bench.line("Vectors/r0/[0..15]", "x").startswith("[0x00, 0xff, 0x00, ")
    assert bench.line("Vectors/r0/[0..15]/[1]", "x") == "0xff"
    assert bench.line("Vectors/r_acc/[0..15]/[1]", "x") == "0x00000000"
    assert bench.line("Masks/mask[0]", "x") == f"0 masked, as a number: 0x{'0' * 32}"
    assert bench.line("Masks/mask[0]/[0..15]/[3]", "x") == "0x0"
    assert bench.line("Machine/pc", "x") == "0x00000003 was 0x00000002  # inner, line 11"
    assert bench.line("Machine/cycle", "x") == "0x00000003 was 0x00000002"
    assert bench.line("Memory map/in.bin/[0x1010 .. +4]", "x") == "[0x00, 0x00, 0x00, 0x00]"
    bench.state.set_cr_dtype(1)
    bench.put("acc[1]", "0.5")
    assert bench.line("Vectors/r0", "x").startswith("e4m3, min 0x00, max 0x00, 1 NaN: 0x00, 0xff")
    assert bench.line("Vectors/r_acc/[0..15]", "x").startswith("[0x00000000, 0x3f000000, ")

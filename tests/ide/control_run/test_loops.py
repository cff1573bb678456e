"""Trips and cycles of loops: above labels, after branches, in hovers and in the outline."""

from __future__ import annotations

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.ide import CYCLES, LOOPS, TRIPS
from ipu_asm.ide.hints import code_lenses, inlay_hints
from ipu_asm.ide.listing import slot_grid
from ipu_asm.ide.outline import symbols
from ipu_asm.ide.run_inputs import run_totals
from ipu_asm.text import Span
from tests.ide.control_run.kernels import KERNEL, WAITING, page


def check_lenses(text: str, *expected: str) -> None:
    assert [lens.text for lens in code_lenses(analyze(text), (LOOPS,))] == list(expected)


def check_hints(text: str, family: str, *expected: tuple[str, str]) -> list[str]:
    """The hints of a family, each with the end of the text before it; returns the tooltips."""
    found = inlay_hints(analyze(text), Span(0, len(text)), (family,))
    shown = [(text[hint.offset - len(before) : hint.offset], hint.text.strip())
             for hint, (before, _) in zip(found, expected, strict=True)]  # fmt: skip
    assert shown == list(expected)
    return [hint.tooltip for hint in found]


def test_a_lens_tells_trips_cycles_and_what_bounds_the_loop() -> None:
    check_lenses(
        KERNEL,
        "10 trips = 1,300 cycles of 1,303; 14 of 21 slots used (67 %)",
        "10 x 128 trips x 1 bundle = 1,280 cycles of 1,303; bound by xmem, mult, acc, lr, cond; "
        "6 of 7 slots used (86 %)",
    )


def test_a_slot_that_takes_fewer_bundles_than_the_loop_bounds_it_in_fewer() -> None:
    text = "l: incr lr0 1;;\nincr lr2 1; set lr1 9;;\nacc;;\nblt lr0 lr1 l;;\nbkpt;;\n"
    check_lenses(
        text,
        "9 trips x 4 bundles = 36 cycles of 37; bound by lr (2 of 4 bundles); "
        "5 of 28 slots used (18 %)",
    )


def test_a_loop_that_is_entered_with_other_values_has_a_range_of_trips() -> None:
    text = "o: incr lr1 2; set lr0 0;;\nl: incr lr0 1;;\nblt lr0 lr1 l;;\nblt lr1 lr2 o;;\nbkpt;;\n"
    check_lenses(
        text.replace("o: incr", "set lr2 5;;\no: incr"),
        "3 trips = 30 cycles of 32; 5 of 28 slots used (18 %)",
        "3 x 2 to 6 trips = 24 cycles of 32; bound by cond, lr (1 of 2 bundles); "
        "2 of 14 slots used (14 %)",
    )


def test_unknown_registers_of_the_host_are_named() -> None:
    lens = "max(1, cr4) trips; 2 bundles an iteration, 3 of 14 slots used (21 %)"
    check_lenses(WAITING, f"{lens}; bound by xmem, cond, lr (1 of 2 bundles)")
    assert "Loop: max(1, cr4) trips" in page(WAITING, "l:")
    check_hints(WAITING, TRIPS, ("lr2 l;;", "max(1, cr4) trips"))
    check_hints(WAITING, CYCLES, ("cr4;;", "1 cycle"), ("bkpt;;", "1 cycle"))


def test_a_loop_without_an_end_says_so() -> None:
    check_hints("l: acc;;\nbeq lr0 lr0 l;;\n", TRIPS, ("lr0 l;;", "never ends"))


def test_a_branch_that_compares_the_old_value_says_so() -> None:
    tooltips = check_hints(
        KERNEL,
        TRIPS,
        ("element;;", "10 x 128 trips (old value)"),
        ("lr5 row;;", "10 trips (old value)"),
    )
    assert tooltips[1] == (
        "taken 9 of 10 times; it compares the value from before the change in this bundle"
    )


def test_a_branch_that_closes_no_loop_tells_how_often_it_is_taken() -> None:
    text = "l: incr lr0 1;;\nblt lr0 lr2 +2;;\nacc;;\nblt lr0 lr3 l;;\nbkpt;;\n"
    text = f"set lr2 3; set lr3 10;;\n{text}"
    check_hints(text, TRIPS, ("+2;;", "taken 2 of 10"), ("lr3 l;;", "10 trips"))


def test_cycles_are_shown_where_they_change() -> None:
    check_hints(
        KERNEL,
        CYCLES,
        ("-256;;", "1 cycle"),
        ("reset_acc;;", "10 cycles"),
        ("element;;", "1,280 cycles"),
        ("row;;", "10 cycles"),
        ("bkpt;;", "1 cycle"),
    )
    check_hints("b +2;;\nacc;;\nbkpt;;\n", CYCLES, ("+2;;", "1 cycle"), ("acc;;", "never runs"),
                ("bkpt;;", "1 cycle"))  # fmt: skip


def test_a_label_tells_trips_cycles_and_share() -> None:
    assert "\n\nLoop: 10 x 128 trips, 1,280 cycles of 1,303 (98 %)\n\n" in page(KERNEL, "element:")
    shown = "Loop: 10 trips, 1,300 cycles of 1,303 (99 %), 20 without the loops inside"
    assert shown in page(KERNEL, "row:")
    assert shown in page(KERNEL, "row;;")


def test_the_outline_has_the_trips_of_loops() -> None:
    _, row, *_ = symbols(analyze(KERNEL))
    assert row.detail == "loop, bundles 2 to 4, 10 trips"
    details = [child.detail for child in row.children if child.kind == "loop"]
    assert details == ["loop, bundle 3, 10 x 128 trips"]


def test_the_outline_of_a_template_has_the_trips_of_its_expansion() -> None:
    text = "{% set n = 4 %}\nset lr1 {{ n }};;\nl: incr lr0 1; blt lr0 lr1 l;;\nbkpt;;\n"
    details = [symbol.detail for symbol in symbols(analyze(text)) if symbol.kind == "loop"]
    assert details == ["loop, bundle 1, 5 trips"]


def test_rows_of_the_slot_grid_have_their_executions() -> None:
    rows = slot_grid(analyze(KERNEL)).rows
    assert [row.executions for row in rows] == [1, 1, 10, 1280, 10, 1]
    assert [row.executions for row in slot_grid(analyze(WAITING)).rows] == [1, None, None, 1]


def test_of_several_configurations_the_first_is_told() -> None:
    text = "# CR cr4 = 3 | 5\nadd lr2 lr3 cr4;;\nl: incr lr1 1;;\nblt lr1 lr2 l;;\nbkpt;;\n"
    assert "Loop: 3 trips, 6 cycles of 8 (75 %) with cr4 = 3\n" in page(text, "l:")
    assert run_totals(analyze(text)).text == "8 cycles with cr4 = 3, 4 of 1,024 bundles"
    one = text.replace(" | 5", "")
    assert "Loop: 3 trips, 6 cycles of 8 (75 %)\n" in page(one, "l:")


def test_trips_that_are_not_known_still_tell_the_compared_value() -> None:
    text = "add lr2 lr3 cr4;;\nl: incr lr1 1; bne lr1 lr2 l;;\nbkpt;;\n"
    hints = inlay_hints(analyze(text), Span(0, len(text)), (TRIPS,))
    assert [hint.text.strip() for hint in hints] == ["cr4 + 1 trips (old value)"]


def test_a_set_without_a_limit_of_bundles_names_none() -> None:
    totals = run_totals(analyze("    add $m0, $m1, 1\n    sync 0\n", "colossus"))
    assert totals.text.endswith("2 bundles")
    assert " of " not in totals.text

"""Loops that count constants, as editors show them."""

from __future__ import annotations

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.ide import CYCLES, LOOPS, TRIPS
from ipu_asm.ide.blocks import LOOP, DocumentSymbol
from ipu_asm.ide.hints import code_lenses, inlay_hints
from ipu_asm.ide.listing import slot_grid
from ipu_asm.ide.loop_counts import loop_paragraph
from ipu_asm.ide.outline import symbols
from ipu_asm.ide.run_inputs import run_totals
from ipu_asm.isa import load_isa
from ipu_asm.text import Span

NESTED = """f:
    setzi $m0, 9
.Lo:
    { rpt 10, 1 ; fnop }
1:
    { nop ; fnop }
    { nop ; fnop }
    brnzdec $m0, .Lo
    exitz $mzero
"""
HARDWARE = """f:
    movxm ls, #.LS
    movxm le, #.LE
    movxm p1, #.Lo
.Lo:
    movx lc, #16
    mova r1, #3
    nop
    nop
    nop
    nop
.LS:
    nop
.LE:
    nop
    jnzd r1, r2, p1
    nop
    nop
    nop
    nop
    nop
    ret lr
    nop
    nop
    nop
    nop
    nop
"""


def analysis_of(isa: str, text: str) -> Analysis:
    return Analyzer(load_isa(isa)).analyze(text)


def hints(isa: str, text: str, family: str) -> list[str]:
    found = inlay_hints(analysis_of(isa, text), Span(0, len(text)), [family])
    return [f"{text[: hint.offset].splitlines()[-1].strip()}{hint.text}" for hint in found]


def lenses(isa: str, text: str) -> list[str]:
    found = code_lenses(analysis_of(isa, text), [LOOPS])
    return [f"{text[slice(*lens.span)]} {lens.text.split(';')[0]}" for lens in found]


def loops_in(found: list[DocumentSymbol]) -> list[str]:
    names: list[str] = []
    for each in found:
        names += [f"{each.name} {each.detail}"] if each.kind == LOOP else []
        names += loops_in(list(each.children))
    return names


def test_a_lens_has_trips_and_cycles_of_each_loop() -> None:
    assert lenses("colossus", NESTED) == [
        ".Lo 10 trips = 220 cycles of 222",
        "1 10 x 10 trips x 2 bundles = 200 cycles of 222",
    ]


def test_a_loop_that_may_be_skipped_has_the_cycles_of_an_entry() -> None:
    text = NESTED.replace(".Lo:", "    brz $m5, .Lend\n.Lo:").replace(
        "    exitz", ".Lend:\n    exitz"
    )
    assert lenses("colossus", text) == [
        ".Lo 10 trips = 220 cycles an entry",
        "1 10 trips x 2 bundles = 20 cycles an entry",
    ]
    assert loop_paragraph(analysis_of("colossus", text).program, 3) == (
        "Loop: 10 trips, 20 cycles an entry"
    )


def test_a_hover_has_the_share_of_all_cycles() -> None:
    program = analysis_of("colossus", NESTED).program
    assert loop_paragraph(program, 1) == (
        "Loop: 10 trips, 220 cycles of 222 (99 %), 20 without the loops inside"
    )


def test_hints_have_trips_behind_what_repeats() -> None:
    assert hints("colossus", NESTED, TRIPS) == [
        "{ rpt 10, 1 ; fnop } 10 x 10 trips",
        "brnzdec $m0, .Lo 10 trips",
    ]
    assert hints("xdna1", HARDWARE, TRIPS) == ["movxm ls, #.LS 16 trips"]


def test_hints_have_executions_where_all_branches_are_decided() -> None:
    assert hints("colossus", NESTED, CYCLES) == [
        "setzi $m0, 9 1 cycle",
        "{ rpt 10, 1 ; fnop } 10 cycles",
        "{ nop ; fnop } 100 cycles",
        "brnzdec $m0, .Lo 10 cycles",
        "exitz $mzero 1 cycle",
    ]
    assert hints("xdna1", HARDWARE, CYCLES) == []


def test_the_outline_has_repeated_bundles_as_loops() -> None:
    found = loops_in(symbols(analysis_of("colossus", NESTED)))
    assert [each.split(", ")[-1] for each in found] == ["10 trips", "10 x 10 trips"]


def test_the_grid_has_executions_and_the_status_has_cycles() -> None:
    analysis = analysis_of("colossus", NESTED)
    assert [row.executions for row in slot_grid(analysis).rows] == [1, 10, 100, 100, 10, 1]
    assert run_totals(analysis).cycles == 222
    assert run_totals(analysis_of("xdna1", HARDWARE)).cycles is None


def test_numbers_follow_an_edit() -> None:
    analyzer = Analyzer(load_isa("colossus"))
    found = []
    for count in ("9", "4", "$m5", "9"):
        text = NESTED.replace("$m0, 9", f"$m0, {count}")
        found.append(run_totals(analyzer.analyze(text)).cycles)
    assert found == [222, 112, None, 222]

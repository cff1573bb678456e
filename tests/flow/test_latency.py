"""When results land: what comes too early for them, and what is lost that way."""

from __future__ import annotations

from itertools import product

import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.isa import load_isa

ANALYZERS = {name: Analyzer(load_isa(name)) for name in ("xdna1", "xdna2")}
RETURN = ["ret lr", *["nop"] * 5]
# What writes a register, in how many bundles a reader of it must follow, and what reads it.
XDNA1 = [
    ("lda r0, [p0, #0]", 7, "add r1, r0, #1"),
    ("lda r0, [p0], #4", 7, "st r0, [p1, #0]"),
    ("lda r5, [p0, dj0]", 7, "mul r6, r5, r5"),
    ("vlda wl0, [p0, #0]", 7, "vst wl0, [p1, #0]"),
    ("vldb wh3, [p0], #32", 7, "vst wh3, [p1], #32"),
    ("vlda wl2, [p0], m0", 7, "vshuffle x4, x2, x6, r0"),
    ("vldb wl2, [p0, #0]", 7, "vmac.f bmh1, bmh2, x2, x0, r0"),
    ("vlda amhh0, [p0, #0]", 7, "vst amhh0, [p1, #0]"),
    ("vmac.f bmh0, bmh0, x0, x2, r0", 6, "vst amhh0, [p1, #0]"),
    ("vmac.f bml1, bml1, x0, x2, r0", 6, "vst amll1, [p1, #0]"),
    ("mul r0, r1, r2", 2, "add r3, r0, #1"),
    ("mul r0, r1, r2", 2, "st r0, [p1, #0]"),
]
XDNA2 = [
    ("lda r0, [p0, #0]", 7, "add r1, r0, #1"),
    ("lda r0, [p0], #4", 7, "st r0, [p1, #0]"),
    ("vldb x2, [p1, #0]", 7, "vshuffle x7, x2, x4, r0"),
    ("vlda x4, [p0], #64", 7, "vst x4, [p1], #64"),
    ("vlda bmll0, [p2, #0]", 7, "vst bmll0, [p1, #0]"),
    ("vmul.f dm1, y3, y0, r0", 6, "vst bmll1, [p1, #0]"),
    ("vmac.f dm0, dm0, ex0, ex2, r0", 6, "vst bmhh0, [p1, #0]"),
    ("mul r0, r1, r2", 2, "add r3, r0, #1"),
]
CASES = [("xdna1", *case) for case in XDNA1] + [("xdna2", *case) for case in XDNA2]


def check_lost(isa: str, lines: list[str], *readers: str) -> None:
    """Just these operands read too early for a result that nothing sees."""
    text = "\n".join(lines) + "\n"
    findings = ANALYZERS[isa].analyze(text).diagnostics
    found = [finding for finding in findings if finding.name != "needless-nop"]
    assert [finding.message for finding in found if finding.name != "lost-result"] == []
    assert tuple(text[finding.span.start : finding.span.end] for finding in found) == readers


@pytest.mark.parametrize(("isa", "writer", "needed", "reader"), CASES)
def test_a_reader_that_comes_late_enough_is_fine(
    isa: str, writer: str, needed: int, reader: str
) -> None:
    for more in range(3):
        check_lost(isa, [writer, *["nop"] * (needed - 1 + more), reader, *RETURN])


@pytest.mark.parametrize(("isa", "writer", "needed", "reader"), CASES)
def test_with_a_nop_less_the_result_is_lost(
    isa: str, writer: str, needed: int, reader: str
) -> None:
    text = "\n".join([writer, *["nop"] * (needed - 2), reader, *RETURN])
    found = ANALYZERS[isa].analyze(text).diagnostics
    assert [finding.name for finding in found] == ["lost-result"]
    assert found[0].related[0].span.start < found[0].span.start


@pytest.mark.parametrize(("isa", "writer", "needed", "reader"), CASES)
def test_what_is_read_again_later_is_not_lost(
    isa: str, writer: str, needed: int, reader: str
) -> None:
    for gap in range(needed - 1):
        lines = [writer, *["nop"] * gap, reader, *["nop"] * (needed - gap), reader, *RETURN]
        check_lost(isa, lines)


@pytest.mark.parametrize(("isa", "writer", "needed", "reader"), CASES)
def test_what_the_next_round_of_a_loop_reads_is_not_lost(
    isa: str, writer: str, needed: int, reader: str
) -> None:
    body = [f"loop: {writer}", reader, "jnz r9, #loop", *["nop"] * 5]
    check_lost(isa, [*body, *RETURN])
    around = [f"loop: {reader}", "jnz r9, #loop", *["nop"] * 4, writer]
    check_lost(isa, [*around, *RETURN])


def test_a_hardware_loop_is_a_way_back() -> None:
    for last in ("last", ".L_LEnd0"):
        lines = [
            "movxm ls, #first",
            f"movxm le, #{last}",
            "mova lc, #8",
            *["nop"] * 6,
            "first: vst wl0, [p1], #32",
            *["nop"] * 7,
            f"{last}: vlda wl0, [p0], #32",
            *RETURN,
        ]
        check_lost("xdna1", lines)
        check_lost("xdna1", [line.replace("le, ", "p7, ") for line in lines])


def test_who_takes_another_result_in_time_has_lost_nothing() -> None:
    """As where a loop has been unrolled by hand, and what it fetches ahead is one too many."""
    put, fetch = "vmov x0, x4", "vlda wl0, [p0], #32"
    check_lost("xdna1", [put, *["nop"] * 3, fetch, "vst wl0, [p1], #32", *RETURN])
    stores = ["vst wl0, [p1], #32", "nop", "vst wl0, [p1], #32"]
    check_lost("xdna1", [put, *["nop"] * 3, fetch, *stores, *RETURN])
    late = [put, *["nop"] * 3, "vst wl0, [p1], #32", fetch, "vst wl0, [p1], #32"]
    check_lost("xdna1", [*late, *RETURN], "wl0")


def test_a_loop_may_end_where_the_text_ends() -> None:
    lines = ["movxm ls, #first", "movxm le, #last", "first: vst wl0, [p1], #32", "last:"]
    check_lost("xdna1", lines)


def test_a_result_on_its_way_at_a_call_or_an_unknown_jump_is_not_lost() -> None:
    for leaving in ("jl #elsewhere", "j #elsewhere", "j p3"):
        lines = ["vlda wl0, [p0, #0]", "vst wl0, [p1, #0]", leaving, *["nop"] * 5]
        check_lost("xdna1", [*lines, *RETURN])
    check_lost("xdna1", ["vlda wl0, [p0, #0]", "vst wl0, [p1, #0]", *RETURN], "wl0")


def test_a_result_that_lands_behind_another_one_is_what_a_reader_sees() -> None:
    lines = ["lda r4, [p0, #0]", "add r1, r4, #1", "mova r4, #0", *["nop"] * 8]
    check_lost("xdna1", [*lines, "add r1, r4, #1", *RETURN])


def test_a_result_that_another_one_overwrites_is_seen_by_nobody() -> None:
    lines = ["lda r4, [p0, #0]", "add r1, r4, #1", *["nop"] * 6, "mova r4, #0"]
    check_lost("xdna1", [*lines, "add r1, r4, #1", *RETURN], "r4")


@pytest.mark.parametrize(("isa", "gap"), [*product(ANALYZERS, range(6))])
def test_a_part_of_a_register_is_read_apart_from_the_other(isa: str, gap: int) -> None:
    whole, half = ("x0", "wl0") if isa == "xdna1" else ("x0", "wh0")
    lines = [f"vldb {half}, [p0, #0]", *["nop"] * gap, f"vmov {whole.replace('0', '2')}, {whole}"]
    if isa == "xdna1":
        lines[-1] = f"vshuffle x2, {whole}, x4, r0"
    check_lost(isa, [*lines, *RETURN], whole)


EARLY = ["lda r8, [p0, #0]", "add r1, r8, #1", *["nop"] * 6, "add r2, r8, #1"]


def test_a_read_of_a_register_in_which_nothing_can_be_is_too_early_whatever_follows() -> None:
    for register in ("r8", "r15", "m0", "dj7", "dc3"):
        read = f"mov r1, {register}"
        lines = [f"lda {register}, [p0, #0]", read, *["nop"] * 6, read, *RETURN]
        check_lost("xdna1", lines, register)
    check_lost(
        "xdna2", ["lda r28, [p0, #0]", "mov r1, r28", *["nop"] * 6, "mov r2, r28", *RETURN], "r28"
    )
    text = "\n".join([*EARLY, *RETURN, ""])
    finding, *hints = ANALYZERS["xdna1"].analyze(text).diagnostics
    assert {hint.name for hint in hints} <= {"needless-nop"}
    assert finding.message == (
        "what `lda` puts into `r8` can be read here 7 bundles after it, found a read after 1 of "
        "what nothing has written: 6 more bundles are needed between them"
    )


@pytest.mark.parametrize("register", ["r0", "r16", "r31", "p5", "p6", "wl0", "wh11", "amhh8"])
def test_a_register_may_hold_an_argument_or_what_the_caller_keeps(register: str) -> None:
    load, store = ("vlda", "vst") if register[0] in "wa" else ("lda", "st")
    read = f"{store} {register}, [p1, #0]"
    check_lost("xdna1", [f"{load} {register}, [p0, #0]", read, *["nop"] * 6, read, *RETURN])


def test_what_is_in_a_register_may_come_from_anywhere_in_the_function() -> None:
    check_lost("xdna1", ["mova r8, #1", *EARLY, *RETURN])
    check_lost("xdna1", ["jl #elsewhere", *["nop"] * 5, *EARLY, *RETURN])
    check_lost("xdna1", ["jnz r0, #.Lend", *["nop"] * 5, *EARLY, ".Lend: mova r8, #1", *RETURN])
    check_lost("xdna1", ["loop: " + EARLY[0], *EARLY[1:], "jnz r9, #loop", *["nop"] * 5, *RETURN])
    check_lost("xdna1", EARLY)

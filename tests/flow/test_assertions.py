"""Assertions in comments are proven, refuted, or left to a run."""

from __future__ import annotations

import time

import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.flow.assertions.checks import check_assertions
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.source.expansion import SourceSettings

IPU = load_isa("ipu")
KERNEL = """# CYCLES == 134
    set lr1 3; set lr3 1;;
outer:  # LOOP 2
    set lr0 0;;
inner:  # CYCLES 2
    # ASSERT lr0 in 0..31
    incr lr0 1; ldr_mult_reg r0 lr5 cr1;;
    incr lr5 128; bne lr0 lr4 inner;;
    # ASSERT-AFTER lr2 in [1, 2], lr5 == lr2 * 128 * lr4
    incr lr2 1; bne lr2 lr3 outer;;
    bkpt;;
"""


def messages(text: str, presets: dict[str, int] | None = None) -> list[str]:
    """What does not hold."""
    settings = SourceSettings(presets=presets or {})
    program = Analyzer(IPU).analyze(text, settings=settings).effective_program
    assert program.findings == []
    return [each.message for each in check_assertions(program).findings]


def test_all_assertions_of_a_nested_loop_are_proven() -> None:
    assert messages(KERNEL, {"lr4": 32}) == []


def test_an_edit_of_the_counts_refutes_each_of_them() -> None:
    assert messages(KERNEL, {"lr4": 33}) == [
        "the program takes 134 cycles, found 138",
        "`lr0 in 0..31` must hold before each execution, found lr0 = 32",
    ]


@pytest.mark.parametrize(
    ("relation", "is_true"),
    [("== 4", True), ("= 4", True), ("4", True), ("<= 4", True), (">= 4", True), ("< 5", True),
     ("> 3", True), ("3", False), ("<= 3", False), (">= 5", False), ("< 4", False), ("> 4", False),
     ("cr5", True), ("cr5 - 1", False)],
)  # fmt: skip
def test_trips_are_compared_with_the_relation(relation: str, is_true: bool) -> None:
    text = f"set lr1 3;;\nl: # LOOP {relation}\nincr lr0 1; bne lr0 lr1 l;;\nbkpt;;\n"
    assert (messages(text, {"cr5": 4}) == []) is is_true


def test_trips_and_cycles_of_a_run_that_ends_in_a_fault_are_left_open() -> None:
    text = """# CYCLES 67
        set lr1 32;;
    l:  # LOOP 32
        incr lr0 1; incr lr2 32; ldr_mult_reg r0 lr2 cr1;;
        bne lr0 lr1 l;;
        bkpt;;"""
    assert messages(text, {"cr1": 0}) == ["the program takes 67 cycles, found 66"]
    assert messages(text, {"cr1": 0x1FFE00}) == []


@pytest.mark.parametrize(("trips", "cycles", "is_true"), [(12_000, 24_003, True), (1, 2, False)])
def test_counts_of_a_loop_that_cannot_be_summarised_are_decided(
    trips: int, cycles: int, is_true: bool
) -> None:
    text = f"""# CYCLES {cycles}
    set lr1 1; set lr2 1;;
    set lr5 12000;;
l:  # LOOP {trips}
    incr lr0 1; add lr1 lr1 lr2;;
    add lr2 lr2 lr1; blt lr0 lr5 l;;
    bkpt;;
"""
    expected = ["the program takes 2 cycles, found 24,003",
                "an entry of the loop has 1 trips, found 12,000"]  # fmt: skip
    assert messages(text) == ([] if is_true else expected)


@pytest.mark.parametrize("trips", [1_000_000, 999_999])
def test_a_loop_of_a_million_trips_is_decided(trips: int) -> None:
    text = f"""# CYCLES {trips + 2}
    set lr0 1; add lr5 lr6 cr5;;
l:  # LOOP {trips}
    incr lr0 1; bne lr0 lr5 l;;
    bkpt;;
"""
    found = messages(text, {"cr5": 1_000_000})
    assert found == ([] if trips == 1_000_000 else [
        "the program takes 1,000,001 cycles, found 1,000,002",
        "an entry of the loop has 999,999 trips, found 1,000,000",
    ])  # fmt: skip


def test_what_depends_on_a_register_of_the_host_is_silent_until_it_is_given() -> None:
    text = "# ASSERT lr0 == cr5\nadd lr1 lr0 cr5;; # ASSERT-AFTER lr1 > 100\nbkpt;;\n"
    assert messages(text) == []
    assert messages(text, {"cr5": 7}) == [
        "`lr0 == cr5` must hold before each execution, found lr0 = 0, cr5 = 7",
        "`lr1 > 100` must hold after each execution, found lr1 = 7",
    ]


def test_an_assertion_about_a_bundle_that_never_runs_is_silent() -> None:
    assert messages("b +2;;\nset lr0 1;; # ASSERT lr0 == 9\nbkpt;;\n") == []


def test_an_assertion_in_a_template_is_expanded() -> None:
    text = "{% for n in range(3) %}\n# ASSERT lr0 == {{ n }}\nincr lr0 2;;\n{% endfor %}\nbkpt;;\n"
    assert messages(text) == [
        "`lr0 == 1` must hold before each execution, found lr0 = 2",
        "`lr0 == 2` must hold before each execution, found lr0 = 4",
    ]


@pytest.mark.parametrize(
    ("region", "found"),
    [
        ("in = cr1 + 0..0x1000", []),
        ("in = cr1 + 0..0x1000 read", []),
        ("in = 0x400..0x1400 read", []),
        ("in = cr1 + 0..cr6 * 128", []),
        ("in = cr1 + 0..0xf80", [
            "memory through `cr1` is accessed within `in` only, found a read at cr1 + 0xf80..0x1000"
        ]),
        ("in = cr1 + 128..0x1000", [
            "memory through `cr1` is accessed within `in` only, found a read at cr1 + 0x0..0x80"
        ]),
        ("in = cr1 + 0..0x1000 write", [
            "`in` is for writes, found a read at cr1 + 0x0..0x1000"
        ]),
        ("in = cr1 + 0..0x200000", [
            "a region lies within memory, which ends at 0x200000, found `in` at 0x400..0x200400"
        ]),
    ],
)  # fmt: skip
def test_accesses_stay_in_the_region_of_their_base(region: str, found: list[str]) -> None:
    text = (
        f"# REGION {region}\nset lr1 31;;\n"
        "l: ldr_mult_reg r0 lr5 cr1; incr lr0 1;;\nincr lr5 128; bne lr0 lr1 l;;\nbkpt;;\n"
    )
    text = text.replace("set lr1 31", "set lr1 32")
    assert messages(text, {"cr1": 0x400, "cr6": 32}) == found


def test_two_regions_do_not_overlap() -> None:
    text = "# REGION a = cr1 + 0..256\n# REGION b = cr2 + 0..256\nbkpt;;\n"
    assert messages(text) == []
    assert messages(text, {"cr1": 0, "cr2": 256}) == []
    assert messages(text, {"cr1": 0, "cr2": 128}) == [
        "regions do not overlap, found 128 bytes of `b` in `a`, 0x80..0x100"
    ]


def test_thousands_of_regions_are_compared_in_order() -> None:
    regions = [f"# REGION r{n} = cr{n % 3} + {n * 16}..{n * 16 + 16}\n" for n in range(3_000)]
    twice = "# REGION last = cr1 + 16..32\n"
    presets = {"cr0": 0, "cr1": 0}
    started = time.process_time()
    assert messages(f"{''.join(regions)}{twice}bkpt;;\n", presets) == [
        "regions do not overlap, found 16 bytes of `last` in `r1`, 0x10..0x20"
    ]
    assert 0 < len(messages(f"{twice * 3_000}bkpt;;\n", presets)) < 100
    assert time.process_time() - started < 10


def test_an_assertion_with_a_mistake_is_no_broken_one() -> None:
    program = read_program(IPU, "# ASSERT lr0 ==\n# REGION a = 4\nset lr0 1;;\nbkpt;;\n")
    assert check_assertions(program).findings == []


def verdicts(text: str, presets: dict[str, int] | None = None) -> tuple[list[str], list[str]]:
    """The texts of what is undecided, and of what never runs."""
    settings = SourceSettings(presets=presets or {})
    program = Analyzer(IPU).analyze(text, settings=settings).program
    report = check_assertions(program)
    shown = [sorted(text[a:b] for a, b in spans) for spans in report[1:]]
    return shown[0], shown[1]


def test_what_is_not_known_is_told_apart_from_what_holds() -> None:
    text = """# CYCLES 4
        # ASSERT lr0 == 0, lr1 == cr5, sum(acc) == 0
        b skip;;
        incr lr0 1;;  # ASSERT-AFTER lr0 == 1
    skip: bkpt;;
    """
    assert verdicts(text) == (["lr1 == cr5", "sum(acc) == 0"], ["lr0 == 1"])
    assert verdicts(text, {"cr5": 0}) == (["sum(acc) == 0"], ["lr0 == 1"])


def test_the_trips_of_a_loop_that_depends_on_the_host_are_not_known() -> None:
    text = "l: # LOOP 4\nincr lr0 1; add lr2 lr0 cr5;;\nbne lr0 lr2 l;;\nbkpt;;\n"
    assert verdicts(text) == (["4"], [])


TEMPLATE = """{# CYCLES 5 #}
{% for n in range(3) %}
    {# ASSERT lr0 == 2, lr1 == 0 #}
    incr lr0 1;;  {# ASSERT-AFTER lr0 != 3 #}
{% endfor %}
bkpt;;
"""


def test_comments_of_a_template_are_assertions_in_each_iteration() -> None:
    assert messages(TEMPLATE) == [
        "the program takes 5 cycles, found 4",
        "`lr0 == 2` must hold before each execution, found lr0 = 0",
        "`lr0 == 2` must hold before each execution, found lr0 = 1",
        "`lr0 != 3` must hold after each execution, found lr0 = 3",
    ]


def test_a_false_assertion_in_a_comment_of_a_template_is_told_at_its_bundle() -> None:
    analysis = Analyzer(IPU).analyze(TEMPLATE)
    found = [TEMPLATE[f.span.start :][:4] for f in analysis.diagnostics if f.code == "E501"]
    assert set(found) == {"incr"}


def test_an_edit_of_a_comment_of_a_template_is_seen() -> None:
    analyzer = Analyzer(IPU)
    before = analyzer.analyze(TEMPLATE)
    text = TEMPLATE.replace("CYCLES 5", "CYCLES 4").replace("lr0 == 2", "lr0 < 3")
    text = text.replace("lr0 != 3", "lr0 < 4")
    assert analyzer.analyze(text, before=before).diagnostics == ()

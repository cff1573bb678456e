"""What is said about a text, at once and after edits, and what the analyzer remembers."""

from __future__ import annotations

import gc
import tracemalloc
from array import array

import pytest

import ipu_asm
from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer, analyze
from ipu_asm.assembler.encode import errors_of
from ipu_asm.diagnostics import Severity
from ipu_asm.isa import UnknownIsaError, load_isa
from ipu_asm.source.expansion import SourceSettings
from tests.programs import example_kernels

KERNEL = example_kernels()["fully_connected.s"]


def check_findings(text: str, *codes: str, before: Analysis | None = None) -> Analysis:
    """The codes of a text's findings in the order in which they are told."""
    analyzer = Analyzer(load_isa("ipu"))
    analysis = analyzer.analyze(text, "a.s", before)
    assert [finding.code for finding in analysis.diagnostics] == list(codes)
    assert analyzer.analyze(text, "a.s").diagnostics == analysis.diagnostics
    assert analysis.text == text
    assert analysis.source.path == "a.s"
    return analysis


def test_findings_stand_in_the_order_of_the_text() -> None:
    check_findings("b y;; acc;; x: foo;; b +0; bar;;", "E301", "H104", "E101", "E101")


def test_errors_and_other_findings_stand_together() -> None:
    analysis = check_findings("acc;; x: foo;; bkpt;;", "H104", "E101")
    severities = [finding.severity for finding in analysis.diagnostics]
    assert severities == [Severity.HINT, Severity.ERROR]


def test_the_errors_are_those_of_the_assembler() -> None:
    for text in (KERNEL, KERNEL.replace("lr1", "lr16"), "foo;; b x;; acc; acc;;", "x:", "@"):
        analysis = Analyzer(load_isa("ipu")).analyze(text)
        errors = [d for d in analysis.diagnostics if d.severity is Severity.ERROR]
        assert sorted(errors) == sorted(errors_of(analysis.program))


def test_an_analysis_after_an_edit_is_that_of_the_new_text() -> None:
    before = check_findings("acc;; x: acc;; b x;; foo;;", "E101")
    after = check_findings("acc;; x: acc;; b y;; foo;;", "H104", "E301", "E101", before=before)
    assert after.source.lines.starts == [0]
    check_findings("x: acc;; b x;;", before=after)
    check_findings("", before=after)
    assert before.text == "acc;; x: acc;; b x;; foo;;"
    assert [finding.code for finding in before.diagnostics] == ["E101"]


def test_a_long_text_has_its_offsets_in_arrays_until_it_is_edited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ipu_asm.text._LONG", 0)
    before = check_findings(f"{KERNEL}foo;;\n", "E101")
    assert isinstance(before.program.starts, array)
    after = check_findings(f"{KERNEL}acc;;\nfoo;;\n", "E101", before=before)
    fresh = check_findings(after.text, "E101")
    assert after.program.starts == list(fresh.program.starts)
    assert list(after.program.addresses) == list(fresh.program.addresses)
    assert after.source.lines.starts == list(fresh.source.lines.starts)


def test_bundles_of_a_long_text_are_shared_and_forgotten_behind_it() -> None:
    analyzer = Analyzer(load_isa("ipu"), most_remembered=4)
    rows = [f"set lr1 {number};;" for number in range(100)]
    bundles = analyzer.analyze("".join(rows * 2)).program.bundles
    assert bundles[:100] == bundles[100:200]
    analyzer.analyze("acc;;")
    assert analyzer.analyze(rows[0]).program.bundles[0] is not bundles[0]


def test_an_analysis_may_follow_one_of_quite_another_text() -> None:
    before = Analyzer(load_isa("ipu")).analyze(KERNEL)
    check_findings("foo;;", "E101", before=before)


def test_an_analysis_may_follow_one_in_another_instruction_set() -> None:
    before = analyze("acc;;\nbkpt;;\n", "edgenpu")
    check_findings("acc;;\nbkpt;;\nfoo;;\n", "E101", before=before)


def test_equal_bundles_are_read_once() -> None:
    analyzer = Analyzer(load_isa("ipu"))
    first, _, third = analyzer.analyze("incr lr0 1;;incr lr1 1;;incr lr0 1;;").program.bundles
    assert first is third
    assert analyzer.analyze("acc;;incr lr0 1;;").program.bundles[1] is first


def test_equal_bundles_have_findings_in_their_own_places() -> None:
    analysis = check_findings("foo;;foo;;\nfoo;;", "E101", "E101", "E101")
    assert [finding.span.start for finding in analysis.diagnostics] == [0, 5, 11]
    commas = check_findings("incr lr0, 1;;incr lr0, 1;;", "E001", "E001")
    fixes = [finding.fix for finding in commas.diagnostics]
    assert [fix.edits[0].span.start for fix in fixes if fix] == [8, 21]
    doubled = check_findings("acc; acc;; acc; acc;;", "E201", "E201")
    related = [place.span.start for finding in doubled.diagnostics for place in finding.related]
    assert related == [0, 11]


def test_every_edit_of_a_file_without_end_marks_does_not_leave_a_copy_of_it() -> None:
    analyzer = Analyzer(load_isa("ipu"))
    text = "addi a0, a0, 1\nlw t0, 4(sp)\n" * 200
    analysis = analyzer.analyze(text)
    for number in range(3):
        analysis = analyzer.analyze(f"{text}x{number}", before=analysis)
    gc.collect()
    tracemalloc.start()
    try:
        for number in range(10):
            analysis = analyzer.analyze(f"{text}y{number}", before=analysis)
        gc.collect()
        grown, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # One analysis of it takes half a megabyte, and the last is still alive.
    assert grown < 2_000_000


def test_edits_after_many_others_leave_nothing_behind() -> None:
    analyzer = Analyzer(load_isa("ipu"), most_remembered=10)
    lines = ["incr lr1 1;;\n"] * 8
    analysis = analyzer.analyze("".join(lines))

    def edited(numbers: range) -> int:
        nonlocal analysis
        for number in numbers:
            lines[number % 8] = f"incr lr1 1; # {number}\nacc;;\n"
            analysis = analyzer.analyze("".join(lines), before=analysis)
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        before = edited(range(40))
        assert (edited(range(40, 540)) - before) / 500 < 50
    finally:
        tracemalloc.stop()


def test_garbage_is_collected_afterwards_if_it_was_before() -> None:
    assert gc.isenabled()
    check_findings("foo;;", "E101")
    assert gc.isenabled()
    gc.disable()
    try:
        check_findings("foo;;", "E101")
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_an_instruction_set_is_chosen_by_name_or_given() -> None:
    assert analyze("acc;;").isa is load_isa("ipu")
    assert analyze("acc;;", load_isa("ipu")).isa is load_isa("ipu")
    assert analyze("SYNC\n", "edgenpu").isa.name == "edgenpu"
    assert analyze("foo;;", path="k.s").source.path == "k.s"
    with pytest.raises(UnknownIsaError, match="z80"):
        analyze("acc;;", "z80")


def test_the_package_offers_analysing() -> None:
    assert ipu_asm.analyze is analyze
    assert ipu_asm.Analysis is Analysis
    with pytest.raises(AttributeError):
        ipu_asm.analyse  # noqa: B018  # type: ignore[attr-defined]


@pytest.mark.parametrize("isa", ["edgenpu", "xdna1", "xdna2", "colossus"])
def test_only_sets_with_templates_expand_them(isa: str) -> None:
    text = "{{ 3 }}\n{% set a = 1 %}\n{# note #}\n"
    analyzer = Analyzer(load_isa(isa))
    analysis = analyzer.analyze(text, "a.s", settings=SourceSettings({"z": 1}, ({"z": 2},)))
    assert analysis.expanded == ()
    assert analysis.program.text == text
    assert analysis.diagnostics == analyzer.analyze(text, "a.s").diagnostics

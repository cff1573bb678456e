"""Bundles in their places: addresses, labels and references, read whole or after an edit."""

from __future__ import annotations

import random
import time
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program, Reference
from ipu_asm.text import Span
from tests.programs import example_kernels

PIECES = (
    "acc;;", "incr lr0 1", "b x;;", "x:", "y: ", "x", ":", ";", ";;", "\n", "\r\n", "\r", " ",
    "#", "# ;;\n", "//", "/", "+1", "@", "\ufeff", "b +2", "-1",
)  # fmt: skip


def check_program(text: str, before: Program | None = None) -> Program:
    """The program of a text, which is the same whether or not one knows an earlier state of it."""
    program = read_program(load_isa("ipu"), text)
    mark = text.startswith("\ufeff")
    starts = program.starts
    assert starts[0] == mark
    assert starts[-1] == len(text)
    assert len(starts) == len(program.bundles) + 1 == len(program.addresses)
    cuts = list(pairwise(starts))
    assert "".join(text[a:b] for a, b in cuts) == text[mark:]
    assert [bundle.syntax.text for bundle in program.bundles] == [text[a:b] for a, b in cuts]
    again = read_program(load_isa("ipu"), text, before=before)
    assert facts_of(again) == facts_of(program)
    return again


def facts_of(program: Program) -> dict[str, Any]:
    """All that a program says, in values that can be compared."""
    return {
        "starts": program.starts,
        "addresses": program.addresses,
        "labels": program.labels,
        "label spans": {label: program.label_span(label) for label in program.labels},
        "references": program.references,
        "reference spans": [program.reference_span(ref) for ref in program.references],
        "findings": program.findings,
        "words": [bundle.word for bundle in program.bundles],
        "texts": [bundle.syntax.text for bundle in program.bundles],
    }


def uses(program: Program) -> list[tuple[str, int | None]]:
    """The label operands with their targets."""
    return [(reference.text, reference.target) for reference in program.references]


def test_bundles_stand_at_consecutive_addresses() -> None:
    program = check_program("acc;;\nacc;;\n# c\nacc;;\n")
    assert program.size == 3
    assert program.addresses == [0, 1, 2, 3, 3]
    assert program.bundle_at_address == [0, 1, 2]


def test_what_is_only_blank_or_wrong_takes_no_address() -> None:
    program = check_program("acc;; ;; x: ;; acc;; b +0;;")
    assert program.bundle_at_address == [0, 3, 4]
    assert uses(program) == [("+0", 2)]
    assert [program.number_at(address) for address in range(3)] == [0, 3, 4]


def test_a_byte_order_mark_belongs_to_no_bundle() -> None:
    program = check_program("\ufeffx: acc;;")
    assert program.starts == [1, 9]
    assert program.label_span("x") == Span(1, 2)


def test_a_bundle_is_found_by_an_offset_in_it() -> None:
    program = check_program("acc;; acc;;\nacc")
    assert [program.bundle_at(offset) for offset in (0, 4, 5, 10, 11, 15, 99)] == [
        0, 0, 1, 1, 2, 2, 2,
    ]  # fmt: skip
    assert check_program("").bundle_at(0) == 0


def test_labels_are_the_addresses_of_their_bundles() -> None:
    program = check_program("acc;; a: acc;; b: b a;; beq lr0 lr1 b;;")
    assert program.label_addresses == {"a": 1, "b": 2}
    assert uses(program) == [("a", 1), ("b", 2)]


def test_references_know_their_places() -> None:
    text = "a: acc;;\n b  a;; acc;; bne lr0 lr1\n+1;;"
    program = check_program(text)
    spans = [program.reference_span(reference) for reference in program.references]
    assert [text[start:end] for start, end in spans] == ["a", "+1"]
    assert [len(program.references_of(number)) for number in range(4)] == [0, 1, 0, 1]
    assert program.references_of(3)[0].target == 4


@pytest.mark.parametrize("isa", ["ipu", "edgenpu", "xdna1", "colossus"])
def test_a_binary_file_is_one_finding_found_at_once(isa: str) -> None:
    data = random.Random(1).randbytes(3_000_000).decode("utf-8", "surrogateescape")
    started = time.process_time()
    analysis = analyze(data, isa)
    assert time.process_time() - started < 1
    (finding,) = analysis.diagnostics
    assert finding.message == "a source is text, found U+0000"
    assert data[slice(*finding.span)] == "\0"
    assert "".join(each.syntax.text for each in analysis.program.bundles) == data


def test_an_edit_between_a_text_and_a_binary_file_leaves_nothing_behind() -> None:
    text = "acc.first;;\nb x;;\n"
    binary = "\0\1\2" * 30 + text
    before = check_program(text)
    check_program(text, check_program(binary, before))


def test_a_duplicate_label_points_at_the_first_definition_which_counts() -> None:
    program = check_program("acc;; a: acc;; a: acc;; b a;;")
    (finding,) = program.findings
    assert (finding.name, finding.span) == ("duplicate-label", Span(15, 16))
    assert [related.span for related in finding.related] == [Span(6, 7)]
    assert uses(program) == [("a", 1)]


def test_a_positive_distance_stays_one_even_where_a_label_is_called_so() -> None:
    program = check_program("+1: b +1;; acc;;")
    assert uses(program) == [("+1", 1)]
    assert [finding.name for finding in program.findings] == ["syntax-error"]


def test_an_undefined_label_has_no_target_and_perhaps_a_near_name() -> None:
    program = check_program("loop: acc;; b lop;; b nowhere;;")
    near, other = program.findings
    assert uses(program) == [("lop", None), ("nowhere", None)]
    assert near.fix is not None
    assert near.fix.edits[0].new_text == "loop"
    assert "did you mean `loop`?" in near.message
    assert other.fix is None


def test_a_file_full_of_undefined_labels_gets_a_few_near_names() -> None:
    program = check_program("loop: acc;;" + "b lop;;" * 100)
    fixes = [finding.fix for finding in program.findings]
    assert len(fixes) == 100
    assert 0 < sum(fix is not None for fix in fixes) < 100


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("acc;; acc;;", "acc;; aaq;; acc;;"),
        ("acc;; acc;;", "acc; ; acc;;"),
        ("acc; ; acc;;", "acc;; acc;;"),
        ("acc;\n; acc;;", "acc;; acc;;"),
        ("acc;; b x;; x: acc;;", "# acc;; b x;; x: acc;;"),
        ("# acc;; b x;;\nx: acc;;", "acc;; b x;;\nx: acc;;"),
        ("acc /;; aaq;;\nacc;;", "acc //;; aaq;;\nacc;;"),
        ("acc //;; aaq;;\nacc;;", "acc /;; aaq;;\nacc;;"),
        ("acc;;# c\nacc;;", "acc;;# c acc;;"),
        ("acc;;\r\n", "acc;;\r"),
        ("acc;;", "\ufeffacc;;"),
        ("\ufeffacc;;", "acc;;"),
        ("\ufeffacc;;", "\ufeff\ufeffacc;;"),
        ("\ufeff", ""),
        ("acc", "acc;"),
        ("acc;", "acc;;"),
        ("acc;;", "acc;;;"),
        ("acc;;;", "acc;;;;"),
        ("acc;;;;", "acc;;;"),
        ("acc;;", ""),
        ("", "acc;;"),
        ("a: acc;; b a;;", "b: acc;; b a;;"),
        ("a: acc;;" * 3, "a: acc;;" * 2),
        ("acc;;" * 5, "acc;;" * 4),
    ],
)
def test_a_program_after_an_edit_is_the_program_of_the_new_text(old: str, new: str) -> None:
    check_program(new, before=check_program(old))


@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), max_size=5))
def test_a_program_after_any_edits_is_the_program_of_the_last_text(texts: list[str]) -> None:
    program = None
    for text in texts:
        program = check_program(text, before=program)


@given(
    st.lists(st.sampled_from(PIECES), max_size=16),
    st.lists(
        st.tuples(st.integers(0, 16), st.integers(0, 3), st.sampled_from(("", *PIECES))), max_size=6
    ),
)
def test_a_program_after_small_edits_is_the_program_of_the_text(
    pieces: list[str], edits: list[tuple[int, int, str]]
) -> None:
    program = check_program("".join(pieces))
    for place, removed, inserted in edits:
        pieces[place : place + removed] = [inserted]
        program = check_program("".join(pieces), before=program)


def test_an_edit_reads_only_the_bundles_it_touches() -> None:
    text = example_kernels()["fully_connected.s"] * 20
    before = read_program(load_isa("ipu"), text)
    read: list[str] = []

    def reading(piece: str) -> Any:
        read.append(piece)
        return read_program(load_isa("ipu"), piece).bundles[0]

    place = text.index("incr", len(text) // 2)
    changed = text[:place] + "x" + text[place:]
    after = read_program(load_isa("ipu"), changed, reading, before)
    assert len(read) == 1
    assert "xincr" in read[0]
    assert len(after.bundles) == len(before.bundles)


def test_a_reference_is_a_value() -> None:
    (first,) = check_program("x: b x;;").references
    (second,) = check_program("x: b x;;").references
    assert first == second == Reference(0, first.use, "x", 0)

"""Formatting while one types: what is completed is tidied, and the cursor is left in peace."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.analysis.analyzer import Analyzer, analyze
from ipu_asm.ide import ON_TYPE
from ipu_asm.ide.blocks import BUNDLE
from ipu_asm.ide.completion import INSTRUCTION
from ipu_asm.ide.formatting.formatting import KEEP
from ipu_asm.ide.formatting.lines import STYLES
from ipu_asm.ide.formatting.on_type import formatting_on_type
from ipu_asm.isa import load_isa
from ipu_asm.text import apply_edits
from tests.ide.cursor import CURSOR
from tests.ide.test_everywhere import EXAMPLES, TEXTS, damaged
from tests.ide.test_formatting import HOUSE, SILENCING, facts

ANALYZERS = {name: Analyzer(load_isa(name)) for name in ("ipu", "edgenpu")}


def check_typing(
    text: str, offset: int, typed: str, style: str = KEEP, isa: str = "ipu"
) -> tuple[str, int]:
    """The text and the cursor after the edits: nothing but blanks has moved around the cursor."""
    analysis = ANALYZERS[isa].analyze(text)
    edits = formatting_on_type(analysis, offset, typed, style)
    for edit in edits:
        assert edit.span.end <= offset or not text[offset : edit.span.end].strip(" \t")
    after = apply_edits(text, edits)
    ahead = apply_edits(text[:offset], [e for e in edits if e.span.end <= offset])
    moved = len(after) - len(text[max([offset, *(e.span.end for e in edits)]) :])
    assert squeezed(ahead) == squeezed(text[:offset])
    assert text.endswith(after[moved:])
    return after, moved


def squeezed(text: str) -> str:
    """A text without blanks, and without separators in front of end marks."""
    return re.sub(";+", ";", "".join(text.split()))


def typed(before: str, style: str = KEEP, isa: str = "ipu") -> str:
    """A text after the character in front of the cursor has been typed, with the cursor."""
    ahead, behind = before.split(CURSOR)
    last = ahead.rstrip(" \t")[-1]
    house = HOUSE[isa] + "\n"
    text, offset = check_typing(house + ahead + behind, len(house + ahead), last, style, isa)
    return (text[:offset] + CURSOR + text[offset:]).removeprefix(house)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("  acc ;;$0", "    acc;;$0"),
        ("acc;;\n  acc;  incr lr0 1 ;;$0 aaq", "acc;;\n    acc; incr lr0 1;;$0 aaq"),
        ("acc ;; # a\nacc ;\n aaq;;$0", "acc ;; # a\n    acc;\n    aaq;;$0"),
        ("x:acc;;$0", "x: acc;;$0"),
        ("zzz  ?? ;;$0", "zzz  ?? ;;$0"),
        # In a comment.
        ("acc # a;;$0", "acc # a;;$0"),
        ("acc # a;$0", "acc # a;$0"),
    ],
)
def test_an_end_mark_tidies_its_bundle(before: str, after: str) -> None:
    assert typed(before) == after


def test_an_end_mark_lays_the_bundle_out_as_the_style_has_it() -> None:
    text = "acc;\n incr lr0 1;;$0\n  aaq ;;"
    assert typed(text, BUNDLE) == "    acc; incr lr0 1;;$0\n  aaq ;;"
    text = "x: acc; aaq;;$0\n"
    assert typed(text, INSTRUCTION) == "x:\n    acc;\n    aaq;;$0\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("incr  lr0   1 ;$0", "    incr lr0 1;$0"),
        ("acc;\n incr lr0 1;$0\n", "acc;\n    incr lr0 1;$0\n"),
        # Not the first of its line, not whole, or not an instruction.
        ("acc;  incr  lr0   1 ;$0", "acc;  incr  lr0   1 ;$0"),
        ("x:  acc ;$0", "x:  acc ;$0"),
        ("incr ? lr0 1 ;$0", "incr ? lr0 1 ;$0"),
        ("bne lr0\n lr1  x;$0", "bne lr0\n lr1  x;$0"),
        (" ;$0", " ;$0"),
        (";$0", ";$0"),
    ],
)
def test_a_separator_tidies_its_instruction(before: str, after: str) -> None:
    assert typed(before) == after


def test_with_an_instruction_a_line_a_separator_aligns_operands() -> None:
    assert typed("incr lr0 1 ;$0", INSTRUCTION) == "    incr                  lr0 1;$0"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    acc;;\n$0", "    acc;;\n    $0"),
        ("    acc;;\r\n$0", "    acc;;\r\n    $0"),
        ("x:\n\t$0\n", "x:\n    $0\n"),
        ("x:\n    $0", "x:\n    $0"),
        # A line that goes on with what was after the cursor.
        ("acc;;\n$0aaq;;", "acc;;\n$0aaq;;"),
        ("acc; # one\n$0 two", "acc; # one\n$0 two"),
        # Below a comment and below a blank line.
        ("# header\n$0", "# header\n$0"),
        ("  # remark\n$0", "  # remark\n  $0"),
        ("acc;;\n\n$0", "acc;;\n\n$0"),
        ("\n$0", "\n$0"),
        # The line that has been ended.
        ("incr lr0 1;\n$0", "    incr                  lr0 1;\n    $0"),
        ("acc; incr lr0 1;\n$0", "acc; incr lr0 1;\n    $0"),
    ],
)
def test_a_new_line_is_indented(before: str, after: str) -> None:
    assert typed(before) == after


def test_with_a_bundle_a_line_a_new_line_aligns_nothing() -> None:
    assert typed("incr lr0 1;\n$0", BUNDLE) == "incr lr0 1;\n    $0"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("NOP   2\n$0", "    NOP    2\n    $0"),
        ("x:  NOP 2 ; why\n$0", f"{'x:  NOP    2':<52}; why\n    $0"),
        ("NOP [\n$0", "NOP [\n    $0"),
        ("  NOP 2 ;$0", "  NOP 2 ;$0"),
        ("; remark\n$0", "; remark\n$0"),
    ],
)
def test_another_instruction_set_has_its_own_ends(before: str, after: str) -> None:
    assert typed(before, isa="edgenpu") == after


def test_other_characters_tidy_nothing() -> None:
    assert formatting_on_type(analyze(" acc ;;"), 7, "x") == []


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("text", TEXTS, ids=[path.stem for path in EXAMPLES])
def test_an_example_that_is_typed_has_its_words_and_comments(text: str, style: str) -> None:
    written, cursor = "", 0
    for character in text:
        written = written[:cursor] + character + written[cursor:]
        cursor += 1
        if character in ON_TYPE:
            written, cursor = check_typing(written, cursor, character, style)
    assert facts(written, "ipu") == facts(text, "ipu")


@pytest.mark.parametrize("isa", ["ipu", "edgenpu"])
@given(text=damaged(), style=st.sampled_from(STYLES))
def test_damaged_programs_keep_their_meaning(text: str, style: str, isa: str) -> None:
    for offset, character in enumerate(text, 1):
        if character in ON_TYPE:
            after, _ = check_typing(text, offset, character, style, isa)
            assert facts(after, isa) == facts(text, isa)


@given(text=st.lists(SILENCING, max_size=30).map("".join), style=st.sampled_from(STYLES))
def test_what_is_silenced_stays_so(text: str, style: str) -> None:
    for offset, character in enumerate(text, 1):
        if character in ON_TYPE:
            after, _ = check_typing(text, offset, character, style)
            assert facts(after, "ipu") == facts(text, "ipu")


@pytest.mark.parametrize("offset", [-1, 0, 99])
def test_offsets_outside_the_text_are_no_trouble(offset: int) -> None:
    for typed_there in ON_TYPE:
        for isa in ("ipu", "edgenpu"):
            assert formatting_on_type(analyze("", isa), offset, typed_there) == []

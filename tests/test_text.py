"""Spans, line indexes, and the edits between two texts."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.text import (
    Change,
    LineIndex,
    Position,
    SourceFile,
    Span,
    TextEdit,
    apply_edits,
    change_between,
)

# Line breaks of ours, line breaks of other people's, and what is none.
LETTERS = "\r\n\r\n\r\nab \f\v\x1c\x85\u2028\ufeff\U0001f600\ud800"
TEXTS = st.text(st.sampled_from(LETTERS), max_size=30)


def check_lines(text: str, *lines: str) -> None:
    """The index cuts the text into these lines, and finds its way back from every offset."""
    index = LineIndex.of(text)
    spans = [index.line_span(line) for line in range(len(index.starts))]
    assert [text[start:end] for start, end in spans] == list(lines)
    for offset in range(len(text) + 1):
        line, column = index.position(offset)
        assert spans[line].start + column == offset
        assert index.offset(line, column) == offset


def check_change(old: str, new: str) -> Change:
    """The change leads from the old text to the new one and leaves alone what it can."""
    change = change_between(old, new)
    start, old_end, new_end = change
    assert 0 <= start <= min(old_end, new_end)
    assert old[:start] == new[:start]
    assert old[old_end:] == new[new_end:]
    if old_end > start and new_end > start:
        assert old[start] != new[start]
        assert old[old_end - 1] != new[new_end - 1]
    assert change.turns(old, new)
    return change


def test_every_line_break_of_ours_ends_a_line() -> None:
    check_lines("a\nb\r\nc\rd", "a\n", "b\r\n", "c\r", "d")


def test_a_line_break_at_the_end_starts_a_last_empty_line() -> None:
    check_lines("a\n", "a\n", "")
    check_lines("\r\r\n\n", "\r", "\r\n", "\n", "")


def test_an_empty_text_has_one_empty_line() -> None:
    check_lines("", "")


@pytest.mark.parametrize("character", ["\f", "\v", "\x1c", "\x85", "\u2028", "\u2029"])
def test_what_only_others_call_a_line_break_ends_no_line(character: str) -> None:
    check_lines(f"a{character}b", f"a{character}b")


@given(TEXTS)
def test_any_text_is_cut_at_our_line_breaks(text: str) -> None:
    check_lines(text, *re.split(r"(?<=\n)|(?<=\r)(?!\n)", text))


def test_positions_outside_the_text_are_held_inside() -> None:
    index = LineIndex.of("ab\ncd")
    assert index.position(-3) == Position(0, 0)
    assert index.position(99) == Position(1, 2)
    assert index.offset(-1, 5) == 0
    assert index.offset(0, -5) == 0
    assert index.offset(7, 0) == 5
    assert index.offset(1, 99) == 5


@given(TEXTS, TEXTS)
def test_an_index_brought_up_to_date_equals_a_fresh_one(old: str, new: str) -> None:
    index = LineIndex.of(old).after(new, change_between(old, new))
    assert index.starts == LineIndex.of(new).starts
    assert index.length == len(new)


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_an_index_is_brought_up_to_date_by_changes_wider_than_need_be(
    head: str, before: str, after: str, tail: str
) -> None:
    change = Change(len(head), len(head + before), len(head + after))
    index = LineIndex.of(head + before + tail).after(head + after + tail, change)
    assert index.starts == LineIndex.of(head + after + tail).starts


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a\r\nb", "a\rx\nb"),  # cut in two
        ("a\rx\nb", "a\r\nb"),  # grown together
        ("a\rb", "a\r\nb"),
        ("a\nb", "a\r\nb"),
        ("a\r\nb", "a\nb"),
        ("a\r\nb", "a\rb"),
        ("\r\n", "\r"),
        ("\n", "\r\n\n"),
        ("\r\r\n", "\r\n"),
    ],
)
def test_a_line_break_of_two_characters_may_come_and_go(old: str, new: str) -> None:
    index = LineIndex.of(old).after(new, change_between(old, new))
    assert index.starts == LineIndex.of(new).starts


@given(TEXTS, TEXTS)
def test_two_texts_differ_in_one_stretch(old: str, new: str) -> None:
    check_change(old, new)


@given(TEXTS, TEXTS, TEXTS)
def test_what_stands_around_an_insertion_is_not_part_of_the_change(
    head: str, inserted: str, tail: str
) -> None:
    change = check_change(head + tail, head + inserted + tail)
    assert change.old_end == change.start
    assert change.new_end - change.start == len(inserted)


def test_equal_texts_differ_in_an_empty_stretch_at_the_end() -> None:
    assert check_change("abc", "abc") == Change(3, 3, 3)
    assert check_change("", "") == Change(0, 0, 0)


def test_a_repeated_letter_is_inserted_behind_its_like() -> None:
    assert check_change("aa", "aaa") == Change(2, 2, 3)
    assert check_change("aaa", "aa") == Change(2, 3, 2)


def test_edits_are_made_at_their_places_in_the_old_text() -> None:
    edits = [TextEdit(Span(4, 5), "X"), TextEdit(Span(0, 1), ""), TextEdit(Span(2, 2), "++")]
    assert apply_edits("abcdef", edits) == "b++cdXf"


def test_of_edits_that_overlap_the_first_is_made() -> None:
    edits = [TextEdit(Span(1, 3), "x"), TextEdit(Span(2, 4), "y"), TextEdit(Span(3, 4), "z")]
    assert apply_edits("abcd", edits) == "axz"


def test_insertions_at_one_place_keep_their_order() -> None:
    edits = [TextEdit(Span(1, 1), "z"), TextEdit(Span(1, 1), "y"), TextEdit(Span(1, 2), "x")]
    assert apply_edits("abc", edits) == "azyxc"


@given(TEXTS, st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), TEXTS), max_size=5))
def test_edits_made_at_once_equal_edits_made_from_the_last_to_the_first(
    text: str, places: list[tuple[int, int, str]]
) -> None:
    edits: list[TextEdit] = []
    for start, end, new_text in sorted(places):
        free_from = edits[-1].span.end if edits else 0
        if free_from <= start <= end <= len(text):
            edits.append(TextEdit(Span(start, end), new_text))
    expected = text
    for (start, end), new_text in reversed(edits):
        expected = expected[:start] + new_text + expected[end:]
    assert apply_edits(text, edits) == expected


def test_a_source_file_knows_its_lines_without_their_breaks() -> None:
    source = SourceFile("acc;;\r\n\nb +1;;", "a.s")
    assert [source.line_text(line) for line in range(3)] == ["acc;;", "", "b +1;;"]


def test_a_span_is_moved_and_touched_at_both_ends() -> None:
    span = Span(2, 4).shifted(3)
    assert span == Span(5, 7)
    assert [offset for offset in range(10) if span.touches(offset)] == [5, 6, 7]
    assert TextEdit(Span(0, 1), "x").shifted(2) == TextEdit(Span(2, 3), "x")


@given(TEXTS, TEXTS, TEXTS, st.data())
def test_two_changes_are_one_that_does_the_same(
    old: str, middle: str, new: str, data: st.DataObject
) -> None:
    changes = []
    for before, after in ((old, middle), (middle, new)):
        exact = change_between(before, after)
        start = data.draw(st.integers(0, exact.start))
        wider = data.draw(st.integers(0, len(before) - exact.old_end))
        changes.append(Change(start, exact.old_end + wider, exact.new_end + wider))
    assert changes[0].then(changes[1]).turns(old, new)


@given(TEXTS, TEXTS, st.integers(-2, 31), st.integers(-2, 31), st.integers(-2, 31))
def test_a_change_turns_one_text_into_another_or_says_that_it_does_not(
    old: str, new: str, start: int, old_end: int, new_end: int
) -> None:
    is_a_stretch = 0 <= start <= old_end <= len(old) and start <= new_end <= len(new)
    edited = old[:start] + new[start:new_end] + old[old_end:]
    assert Change(start, old_end, new_end).turns(old, new) == (is_a_stretch and edited == new)

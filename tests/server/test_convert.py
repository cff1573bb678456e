"""Offsets and positions: each is found again from the other, in every encoding."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types as t

from ipu_asm.text import Span, TextEdit
from ipu_lsp.server.convert import Coordinates, Encoding, units
from tests.server.texts import hard_texts

HARD = "a\u00e9\U0001f600b\r\nc\f\u2028d\r\n\re\ud800\n"


def check_position(text: str, encoding: str, offset: int, line: int, column: int) -> None:
    """An offset is at that position and the position leads back to it."""
    coordinates = Coordinates(text, Encoding(encoding))
    position = t.Position(line, column)
    assert coordinates.position(offset) == {"line": line, "character": column}
    assert coordinates.offset(position) == offset
    assert coordinates.span(t.Range(position, position)) == Span(offset, offset)


@pytest.mark.parametrize(
    ("encoding", "columns"),
    [("utf-8", [0, 1, 3, 7, 8]), ("utf-16", [0, 1, 2, 4, 5]), ("utf-32", [0, 1, 2, 3, 4])],
)
def test_columns_count_the_units_of_the_encoding(encoding: str, columns: list[int]) -> None:
    for offset, column in enumerate(columns):
        check_position(HARD, encoding, offset, 0, column)


@pytest.mark.parametrize("encoding", list(Encoding))
def test_only_line_feeds_and_carriage_returns_end_lines(encoding: Encoding) -> None:
    check_position(HARD, encoding, HARD.index("c"), 1, 0)
    check_position(HARD, encoding, HARD.index("d"), 1, 2 + units("\u2028", encoding))
    check_position(HARD, encoding, HARD.index("e"), 3, 0)
    check_position(HARD, encoding, len(HARD), 4, 0)


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 4), ("utf-16", 2), ("utf-32", 2)])
def test_half_a_surrogate_pair_is_a_character(encoding: str, column: int) -> None:
    check_position("e\ud800x", encoding, 2, 0, column)


@pytest.mark.parametrize(
    ("line", "column", "offset"),
    [(0, 99, 4), (1, 99, 10), (2, 1, 12), (9, 0, 16), (-1, 5, 0), (0, -5, 0), (3, 1 << 40, 15)],
)
def test_places_outside_are_held_inside_the_line_and_the_text(
    line: int, column: int, offset: int
) -> None:
    place = t.Position(0, 0)
    object.__setattr__(place, "line", line)
    object.__setattr__(place, "character", column)
    assert Coordinates(HARD, Encoding.UTF_16).offset(place) == offset


@pytest.mark.parametrize(
    ("encoding", "column"), [("utf-8", 2), ("utf-8", 4), ("utf-8", 5), ("utf-8", 6), ("utf-16", 3)]
)
def test_a_place_inside_a_character_is_its_start(encoding: str, column: int) -> None:
    offset = Coordinates(HARD, Encoding(encoding)).offset(t.Position(0, column))
    assert offset == (1 if column == 2 else 2)


def test_a_range_may_be_written_backwards() -> None:
    backwards = t.Range(t.Position(1, 1), t.Position(0, 1))
    assert Coordinates("ab\ncd", Encoding.UTF_8).span(backwards) == Span(1, 4)


def test_an_edit_is_a_range_with_a_text() -> None:
    written = Coordinates("\U0001f600x", Encoding.UTF_16).edit(TextEdit(Span(1, 2), "y"))
    start, end = {"line": 0, "character": 2}, {"line": 0, "character": 3}
    assert written == {"range": {"start": start, "end": end}, "newText": "y"}


@given(hard_texts(), st.sampled_from(Encoding), st.data())
def test_every_offset_leads_to_a_position_and_back(
    text: str, encoding: Encoding, data: st.DataObject
) -> None:
    offset = data.draw(st.integers(0, len(text)))
    if text[offset - 1 : offset + 1] == "\r\n":
        offset += 1
    position = Coordinates(text, encoding).position(offset)
    check_position(text, encoding, offset, position["line"], position["character"])


@given(hard_texts(), st.sampled_from(Encoding), st.data())
def test_a_range_as_text_is_the_range(text: str, encoding: Encoding, data: st.DataObject) -> None:
    start, end = sorted(data.draw(st.integers(0, len(text))) for _ in range(2))
    coordinates = Coordinates(text, encoding)
    written = json.loads(coordinates.encoded_range(Span(start, end)))
    assert written == coordinates.range(Span(start, end))
    assert written["start"] == coordinates.position(start)


@given(hard_texts(), st.sampled_from(Encoding), st.integers(0, 40), st.integers(0, 40))
def test_every_position_leads_to_an_offset_that_is_not_behind_it(
    text: str, encoding: Encoding, line: int, column: int
) -> None:
    coordinates = Coordinates(text, encoding)
    found = coordinates.position(coordinates.offset(t.Position(line, column)))
    assert (found["line"], found["character"]) <= (line, column)

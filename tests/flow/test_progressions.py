"""Progressions are sets of numbers: joining keeps the numbers, ranges have exactly their bytes."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.flow.control_run.summary import addresses_text
from ipu_asm.flow.control_run.trace import (
    Progression,
    byte_ranges,
    extent,
    joined,
    merged,
    number_count,
    numbers,
    shared,
)
from ipu_asm.flow.control_run.values import plus, unknown

dimensions = st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 4)), max_size=3)
progressions = st.builds(
    lambda start, each: Progression(start, tuple(each)), st.integers(-20, 60), dimensions
)
small = st.builds(
    lambda start, each: Progression(start, tuple(each)),
    st.integers(0, 6),
    st.lists(st.tuples(st.integers(1, 2), st.integers(1, 3)), max_size=2),
)


@given(st.lists(st.one_of(small, progressions), max_size=8))
def test_joining_keeps_all_numbers(given_: Sequence[Progression]) -> None:
    before = Counter(number for each in given_ for number in numbers(each))
    assert Counter(number for each in joined(given_) for number in numbers(each)) == before


@given(progressions)
def test_the_extent_is_from_the_lowest_to_the_highest_number(each: Progression) -> None:
    found = list(numbers(each))
    assert extent(each) == (min(found), max(found))
    assert number_count(each) == len(found)


@given(st.lists(progressions, max_size=4), st.integers(1, 9), st.sampled_from((0, 16)))
def test_ranges_have_exactly_the_bytes(
    given_: Sequence[Progression], size: int, modulus: int
) -> None:
    ranges = byte_ranges(given_, size, modulus)
    assert ranges is not None
    expected = {
        (number + place) % modulus if modulus else number + place
        for each in given_
        for number in numbers(each)
        for place in range(size)
    }
    assert [byte for each in ranges for byte in each] == sorted(expected)
    assert all(a.stop < b.start for a, b in pairwise(ranges))


def test_numbers_that_follow_each_other_are_one_progression() -> None:
    each = [Progression(128 * n) for n in range(100)]
    assert joined(each) == [Progression(0, ((128, 100),))]


def test_a_first_and_a_last_iteration_join_those_between() -> None:
    parts = [Progression(0), Progression(128, ((128, 98),)), Progression(99 * 128)]
    assert joined(parts) == [Progression(0, ((128, 100),))]


def test_rows_of_a_matrix_are_one_progression() -> None:
    rows = [
        part
        for row in range(5)
        for part in (Progression(row * 512, ((4, 15),)), Progression(row * 512 + 60))
    ]
    assert joined(rows) == [Progression(0, ((4, 16), (512, 5)))]


def test_what_depends_on_an_unknown_value_has_no_range() -> None:
    unknown_start = Progression(plus(unknown("cr4"), 5))
    assert extent(unknown_start) is None
    assert byte_ranges([unknown_start], 128) is None


@pytest.mark.parametrize(
    ("offset", "text"),
    [
        (Progression(0), "cr1"),
        (Progression(5), "cr1 + 5"),
        (Progression(0, ((128, 128),)), "cr1 + 0x80 x k, k = 0..127"),
        (Progression(0, ((1, 4), (0, 9))), "cr1 + k, k = 0..3"),
        (Progression(256, ((-128, 3),)), "cr1 + 0x100 - 0x80 x k, k = 0..2"),
        (Progression(0, ((1, 4), (16, 8))), "cr1 + j + 0x10 x k, j = 0..3, k = 0..7"),
        (Progression(unknown("cr4"), ((2, None),)), "cr1 + cr4 + 2 x k, k = 0.."),
    ],
)
def test_addresses_are_said_in_words(offset: Progression, text: str) -> None:
    assert addresses_text(["cr1"], [offset]) == text


def test_many_progressions_are_cut() -> None:
    each = [Progression(number**2) for number in range(6)]
    assert addresses_text([], each) == "0; 1; 4; 3 more"


ranges = st.lists(
    st.builds(lambda start, size: range(start, start + size), st.integers(0, 40), st.integers(1, 9))
)


def bytes_of(several: Sequence[range]) -> set[int]:
    return {byte for each in several for byte in each}


@given(ranges, ranges)
def test_union_and_intersection_of_ranges_have_exactly_their_bytes(
    first: list[range], second: list[range]
) -> None:
    one, other = merged(first), merged(second)
    assert bytes_of(merged([*first, *second])) == bytes_of(first) | bytes_of(second)
    both = shared(one, other)
    assert bytes_of(both) == bytes_of(first) & bytes_of(second)
    assert all(a.stop < b.start for a, b in pairwise(one))
    assert all(a.stop <= b.start for a, b in pairwise(both))

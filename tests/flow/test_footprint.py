"""Sets of bytes that accesses touch: exact, and quick however often an access is executed."""

from __future__ import annotations

from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.flow.control_run.footprint import bytes_of, extent_of, offsets_of, ranges_of
from ipu_asm.flow.control_run.trace import Progression
from ipu_asm.flow.control_run.values import unknown

SIZE = 1 << 21
DIMENSIONS = st.lists(st.tuples(st.integers(-40, 40), st.integers(1, 6)), max_size=3)
PROGRESSIONS = st.builds(
    lambda start, dimensions: Progression(start, tuple(dimensions)),
    st.integers(0, 600),
    DIMENSIONS,
)


def values_of(progression: Progression) -> set[int]:
    """All values of a progression, one by one."""
    start, dimensions = progression
    assert isinstance(start, int)
    values = set()
    for numbers in product(*(range(count or 0) for _, count in dimensions)):
        value = start
        for (stride, _), number in zip(dimensions, numbers):
            assert isinstance(stride, int)
            value += stride * number
        values.add(value)
    return values


@given(st.lists(PROGRESSIONS, max_size=6))
def test_a_set_has_exactly_the_values_of_its_progressions(progressions: list[Progression]) -> None:
    wanted = set().union(*map(values_of, progressions))
    found = offsets_of(progressions, SIZE)
    if any(value < 0 for value in wanted):
        assert found is None
    else:
        assert found == sum(1 << value for value in wanted)


@given(st.sets(st.integers(0, 300)), st.integers(1, 40))
def test_bytes_are_those_of_an_access_at_each_offset(offsets: set[int], size: int) -> None:
    wanted = {offset + byte for offset in offsets for byte in range(size)}
    assert bytes_of(sum(1 << o for o in offsets), size) == sum(1 << byte for byte in wanted)


@given(st.sets(st.integers(0, 300), min_size=1))
def test_ranges_are_those_of_consecutive_bits(values: set[int]) -> None:
    bits = sum(1 << value for value in values)
    ranges = list(ranges_of(bits))
    assert {value for start, end in ranges for value in range(start, end)} == values
    assert all(end < start for (_, end), (start, _) in pairwise(ranges))
    assert extent_of(bits) == (min(values), max(values) + 1)


def test_an_empty_set_has_no_ranges() -> None:
    assert offsets_of([], SIZE) == 0
    assert list(ranges_of(0)) == []


@pytest.mark.parametrize(
    "progression",
    [
        Progression(unknown("cr4")),
        Progression(0, ((unknown("cr4"), 3),)),
        Progression(0, ((128, None),)),
        Progression(0, ((1 << 20, 3),)),
        Progression(0, ((-1, 2),)),
    ],
)
def test_what_is_unknown_or_outside_has_no_set(progression: Progression) -> None:
    assert offsets_of([Progression(0), progression], SIZE) is None


def test_a_billion_executions_are_few_steps() -> None:
    found = offsets_of([Progression(0, ((0, 100_000), (128, 1_000), (16, 10)))], SIZE)
    assert found is not None
    assert found.bit_count() == 8 * 1_000 + 2

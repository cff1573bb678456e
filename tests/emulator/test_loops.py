"""Loops that a run went through, with their counts, found without a look at the program."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.emulator.profile import Loop, find_loops


def check_loops(way: list[int], *expected: tuple[int, set[int], int, int]) -> list[Loop]:
    """A way through a program has exactly these loops: header, body, entries, iterations."""
    loops = find_loops(way[0], Counter(pairwise(way)))
    found = [(loop.header, set(loop.body), loop.entries, loop.iterations) for loop in loops]
    assert found == list(expected)
    return loops


def test_a_straight_way_has_no_loop() -> None:
    check_loops([0])
    check_loops([0, 1, 2, 7, 8])


def test_a_bundle_that_branches_to_itself_is_a_loop() -> None:
    check_loops([0, 1, 1, 1, 2], (1, {1}, 1, 3))
    check_loops([0, 0], (0, {0}, 1, 2))


def test_every_entry_of_an_inner_loop_counts() -> None:
    inner = [2, 3, 2, 3, 2, 3]
    way = [0, *([1, *inner, 4] * 5), 5]
    check_loops(way, (1, {1, 2, 3, 4}, 1, 5), (2, {2, 3}, 5, 15))


def test_a_loop_that_ends_at_its_header_counts_the_look_at_the_end() -> None:
    check_loops([0, 1, 2, 1, 2, 1, 3], (1, {1, 2}, 1, 3))


def test_a_loop_whose_test_stands_behind_its_body_begins_with_the_test() -> None:
    # b test; body: 1, 2; test: 3
    check_loops([0, 3, 1, 2, 3, 1, 2, 3, 4], (3, {1, 2, 3}, 1, 3))


def test_two_branches_back_to_one_header_are_one_loop() -> None:
    check_loops([0, 1, 2, 1, 2, 3, 1, 2, 3, 4], (1, {1, 2, 3}, 1, 3))


def test_bundles_left_for_good_are_no_part_of_a_loop() -> None:
    check_loops([0, 1, 2, 1, 5, 6], (1, {1, 2}, 1, 2))


def test_a_jump_backwards_alone_is_no_loop() -> None:
    check_loops([0, 5, 2, 3, 8])


def test_a_loop_that_is_entered_in_its_middle_has_the_target_of_its_branch_as_header() -> None:
    # Once it is entered at 2 and once, later, at 3: neither dominates the other.
    check_loops([0, 2, 3, 2, 3, 5, 0, 3, 2, 3, 6], (0, {0, 2, 3, 5}, 1, 2), (2, {2, 3}, 1, 3))


def test_loops_side_by_side_come_in_the_order_of_their_addresses() -> None:
    check_loops([0, 4, 4, 1, 1, 1, 9], (1, {1}, 1, 3), (4, {4}, 1, 2))


@given(seed=st.integers(0, 1 << 32), size=st.integers(1, 12), length=st.integers(1, 200))
def test_the_counts_of_any_loop_agree_with_the_way(seed: int, size: int, length: int) -> None:
    rng = Random(seed)
    targets = {pc: [(pc + 1) % size, rng.randrange(size)] for pc in range(size)}
    way = [0]
    while len(way) < length:
        way.append(rng.choice(targets[way[-1]]))
    steps, visits = Counter(pairwise(way)), Counter(way)
    for loop in find_loops(0, steps):
        entered = sum(n for (a, b), n in steps.items() if b == loop.header and a not in loop.body)
        assert loop.entries == entered + (loop.header == 0)
        assert loop.iterations == visits[loop.header] > loop.entries
        assert loop.header in loop.body <= set(visits)
        assert any(b == loop.header and a in loop.body for a, b in steps)

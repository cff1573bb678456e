"""The memory that the past takes has a bound, and it stays dense where one is."""

from __future__ import annotations

from itertools import pairwise

import pytest

from ipu_asm.debugger.history import RETURN_KEYFRAME_DISTANCE
from tests.debugger.sessions import debugger_on

STORING = """\
set lr2 512;; set lr3 32767;; incr lr3 32767;;
again: add lr1 lr1 lr2; incr lr6 1; str_acc_reg lr1 cr0;;
blt lr1 lr3 again;;
set lr1 0; b again;;
"""
"""Writes over the first 64 KiB again and again: all keyframes have pages of their own."""

CYCLES = 20_000


def check_bound(limit: int) -> list[int]:
    """The gaps between the keyframes of a run, near ones first; none takes more than the limit."""
    debugger = debugger_on(STORING, memory_limit=limit, spacing=100)
    for cycle in range(0, CYCLES, 250):
        debugger.go_to(cycle)
        keyframes = debugger.history.keyframes
        assert keyframes.size <= limit
        pages = {
            id(page): len(page)
            for when in keyframes.cycles[1:]
            for group in keyframes[when].memory
            for page in group
        }
        assert sum(pages.values()) <= limit + 2 * 4_096
    ends = [*debugger.history.keyframes.cycles, debugger.cycle]
    return [late - early for early, late in pairwise(ends)][::-1]


def test_enough_memory_keeps_every_keyframe() -> None:
    assert set(check_bound(1 << 30)[1:]) == {100}


@pytest.mark.parametrize("limit", [1 << 20, 1 << 22])
def test_little_memory_keeps_near_keyframes_dense_and_far_ones_thin(limit: int) -> None:
    gaps = check_bound(limit)
    assert max(gaps[1:4]) <= 1_000
    assert max(gaps) > 1_000
    assert len(gaps) > 4


def test_without_any_memory_the_beginning_is_enough() -> None:
    assert check_bound(0) == [CYCLES - 250]


def test_after_a_way_back_a_keyframe_is_near() -> None:
    debugger = debugger_on(STORING)
    debugger.go_to(10_000)
    debugger.go_to(8_000)
    assert debugger.history.keyframes.before(7_999) == 8_000 - RETURN_KEYFRAME_DISTANCE

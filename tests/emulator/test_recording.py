"""A recording knows the way that a run took, and does not disturb it."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from ipu_asm.emulator import ExecutionFault, Ipu
from ipu_asm.emulator.execution_counts import Recording
from ipu_asm.emulator.machine import StopTest
from tests.emulator.machines import ipu_with

LOOPS = """
    set lr5 3;;
outer: set lr0 0; incr lr1 1;;
inner: incr lr0 1; bne lr0 lr5 inner;;
    bne lr1 lr5 outer;;
    bkpt;;
"""
WAY = [0, *[1, 2, 2, 2, 2, 3] * 3, 4]


def check_recording(
    text: str, way: list[int], piece: int, stop: StopTest | None = None
) -> tuple[Recording, Ipu]:
    """A run in pieces goes this way, and to where it goes without a recording."""
    ipu, twin = ipu_with(text), ipu_with(text)
    recording = Recording(tail_limit=1000)
    while recording.run(ipu, piece, stop):
        pass
    assert recording.first == way[0]
    assert recording.transitions == Counter(pairwise(way))
    assert recording.visits == Counter(way)
    assert list(recording.tail) == way
    twin.run(len(way))
    assert ipu.state.save() == twin.state.save()
    assert ipu.cycles == len(way)
    return recording, ipu


@pytest.mark.parametrize("piece", [1, 2, 7, 1000])
def test_the_way_is_the_same_in_pieces_of_any_size(piece: int) -> None:
    check_recording(LOOPS, WAY, piece)


def test_a_bundle_in_front_of_which_the_run_stops_does_not_count() -> None:
    check_recording("acc;; acc;; acc;; bkpt;;", [0, 1, 2, 3], 2)
    stopped = ipu_with("acc;; acc;; acc;; bkpt;;")
    assert Recording().run(stopped, 10, lambda pc: pc == 2) == 2
    recording = Recording()
    stopped.state.program_counter = 0
    assert recording.run(stopped, 10, lambda pc: pc == 2) == 2
    assert recording.visits == {0: 1, 1: 1}


def test_a_bundle_that_faults_does_not_count() -> None:
    ipu = ipu_with("acc;; set lr1 5; ldr_cyclic_mult_reg lr0 cr0 lr1;;")
    recording = Recording()
    with pytest.raises(ExecutionFault):
        recording.run(ipu, 10)
    assert recording.visits == {0: 1}
    faulting = ipu_with("set lr1 5; ldr_cyclic_mult_reg lr0 cr0 lr1;;")
    recording = Recording()
    with pytest.raises(ExecutionFault):
        recording.run(faulting, 10)
    assert (recording.first, recording.visits) == (None, {})


def test_a_halted_machine_adds_nothing() -> None:
    recording, ipu = check_recording("set lr0 -1;; br lr0;;", [0, 1], 10)
    assert recording.run(ipu, 10) == 0
    assert recording.visits == {0: 1, 1: 1}


def test_only_the_last_bundles_are_kept_one_by_one() -> None:
    for limit in (1, 3, 10):
        recording = Recording(limit)
        ipu = ipu_with(LOOPS)
        while recording.run(ipu, 4):
            assert len(recording.tail) <= limit
        assert list(recording.tail) == WAY[-limit:]
        assert recording.visits == Counter(WAY)
    assert list(Recording().tail) == []

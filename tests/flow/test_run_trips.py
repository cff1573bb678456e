"""The trip that each cycle of a run is in, against a machine that executes the run."""

from __future__ import annotations

from collections import Counter

import pytest

from ipu_asm.emulator.run_length import RunLength
from ipu_asm.flow.loops import enclosing_loops
from tests.debugger.sessions import LOOP, debugger_on

UNEVEN = """\
set lr5 1; set lr6 6;;
outer: set lr1 0; incr lr5 1;;
inner: incr lr1 1;;
    add lr7 lr7 lr1; blt lr1 lr5 inner;;
    blt lr5 lr6 outer;;
set lr1 0;;
last: incr lr1 1; blt lr1 lr6 last;;
bkpt;;
"""
"""`inner` has another number of trips in each trip of `outer`."""


@pytest.mark.parametrize("text", [LOOP.replace("break.ifeq lr1 5; ", ""), UNEVEN])
def test_trips_are_those_that_a_machine_makes(text: str) -> None:
    debugger = debugger_on(text)
    state, program = debugger.state, debugger.program
    length = RunLength(program, state).trips
    assert length is not None
    trips: Counter[int] = Counter()
    while not state.is_halted and debugger.cycle < 700:
        pc = state.program_counter
        around = [loop.start for loop in enclosing_loops(program, pc)]
        trips = Counter({head: trips[head] for head in around})
        trips[pc] += pc in around
        found = length.at(debugger.cycle)
        assert [each.loop.head for each in reversed(found)] == around
        assert all(each.number == trips[each.loop.head] for each in found)
        for each in found:
            assert each.number <= each.trips
            if each.loop.head == pc:
                assert length.start_of(each, each.number) == debugger.cycle
        debugger.step()
    assert not length.at(1 << 40)

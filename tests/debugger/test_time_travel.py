"""Wherever one goes in time, the machine is as if it had just run there."""

from __future__ import annotations

import random
from typing import Callable, Mapping, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.debugger.breakpoints import (
    DEFAULT_TRAPS,
    Breakpoint,
    Condition,
    DataBreakpoint,
    Trap,
    parse_hit_condition,
)
from ipu_asm.debugger.debugger import Debugger
from ipu_asm.debugger.regions import Region, write_region
from ipu_asm.emulator import Ipu, IpuState
from ipu_asm.emulator.stops import StopReason
from tests.debugger.ipu_regions import region, whole_region
from tests.debugger.sessions import LOOP, NO_TRAPS, debugger_on

LAST = 3_331


class Act(NamedTuple):
    """Something that a user does: the name of a debugger's method, and what it is given."""

    name: str
    arguments: tuple[object, ...] = ()


def check_session(
    acts: list[Act],
    spacing: int,
    memory_limit: int,
    traps: Mapping[Trap, Condition | None] = DEFAULT_TRAPS,
    pause: Callable[[], bool] = lambda: False,
) -> None:
    """After each act the state is that of a fresh machine, with those edits that still count."""
    debugger = debugger_on(LOOP, spacing=spacing, memory_limit=memory_limit, pause=pause)
    debugger.breakpoints.set_at_bundles([Breakpoint(2, hit_condition=parse_hit_condition("%5"))])
    debugger.breakpoints.set_at_data([DataBreakpoint(region("xmem", 0x1000, 4))])
    debugger.breakpoints.traps = traps
    beginning = debugger.state.save()
    edits: list[tuple[int, Region, bytes]] = []
    for act in acts:
        if act.name == "edit":
            where, data = act.arguments
            assert isinstance(where, Region)
            assert isinstance(data, bytes)
            edits = [edit for edit in edits if edit[0] <= debugger.cycle]
            edits.append((debugger.cycle, where, data))
        if act.name == "restart":
            edits.clear()
        stop = getattr(debugger, act.name)(*act.arguments)
        assert stop is None or (stop.cycle == debugger.cycle and stop.description)
        assert debugger.state.save() == _fresh(debugger, beginning, edits).save(), act
        assert debugger.history.keyframes.size <= memory_limit


def _fresh(
    debugger: Debugger, beginning: object, edits: list[tuple[int, Region, bytes]]
) -> IpuState:
    state = IpuState()
    state.load_program(debugger.state.inst_mem)
    state.restore(beginning)  # type: ignore[arg-type]
    ipu = Ipu(state)
    for cycle, where, data in edits:
        if cycle <= debugger.cycle:
            ipu.run(cycle - ipu.cycles)
            write_region(state, where, data)
    ipu.run(debugger.cycle - ipu.cycles)
    return state


def words(name: str, numbers: st.SearchStrategy[int]) -> st.SearchStrategy[Act]:
    return numbers.map(lambda n: Act("edit", (whole_region(name), n.to_bytes(4, "little"))))


edits = st.one_of(
    words("lr1", st.integers(0, 9)),
    words("lr4", st.integers(0, 200)),
    words("pc", st.integers(0, 8)),
    words("cr15", st.integers(0, 2)),
    st.builds(
        lambda start, data: Act("edit", (region("xmem", start, len(data)), data)),
        st.integers(0, 20_000),
        st.binary(min_size=1, max_size=300),
    ),
    st.builds(
        lambda start, data: Act("edit", (region("r_acc", start, len(data)), data)),
        st.integers(0, 500),
        st.binary(min_size=1, max_size=12),
    ),
)
moves = st.sampled_from(
    [
        "step",
        "step_back",
        "continue_",
        "reverse_continue",
        "step_out",
        "step",
        "step_back",
        "step_line",
        "step_back_line",
    ]
).map(Act)
jumps = st.integers(0, 4_000).map(lambda cycle: Act("go_to", (cycle,)))
acts = st.lists(st.one_of(moves, moves, jumps, edits, st.just(Act("restart"))), max_size=25)


@given(
    acts,
    st.sampled_from([3, 64, 1_000]),
    st.sampled_from([0, 100_000, 1 << 24]),
    st.sets(st.sampled_from(Trap)),
    st.sampled_from([0.0, 0.0, 0.3]),
)
def test_the_state_is_that_of_a_fresh_run_with_the_same_edits(
    acts: list[Act], spacing: int, memory_limit: int, traps: set[Trap], share: float
) -> None:
    chance = random.Random(spacing)

    def pause() -> bool:
        return chance.random() < share

    check_session(acts, spacing, memory_limit, dict.fromkeys(traps), pause)


def test_a_long_way_back_and_forth_passes_many_keyframes() -> None:
    there_and_back = [Act("go_to", (cycle,)) for cycle in (LAST, 0, 3_000, 2_999, 1_500, 1_501)]
    check_session(there_and_back, 50, 1 << 20)


def test_going_forward_again_follows_the_edits_until_a_new_one() -> None:
    nine, two = (number.to_bytes(4, "little") for number in (9, 2))
    edit, other = Act("edit", (whole_region("lr4"), nine)), Act("edit", (whole_region("lr4"), two))
    around = [Act("go_to", (10,)), Act("go_to", (200,))]
    check_session(
        [Act("go_to", (100,)), edit, *around, Act("go_to", (50,)), other, *around], 16, 1 << 24
    )


def test_edits_go_on_behind_a_halt_that_they_undo() -> None:
    at_end = [Act("go_to", (10_000,)), Act("edit", (whole_region("pc"), bytes(4)))]
    check_session([*at_end, Act("go_to", (10,)), Act("go_to", (4_000,))], 100, 1 << 24)


def test_the_program_of_these_tests_ends_where_they_say() -> None:
    debugger = debugger_on(LOOP, traps=NO_TRAPS)
    assert (debugger.continue_().reason, debugger.cycle) == (StopReason.BKPT, LAST)

"""Ctrl-C ends every run, and leaves a state from between two bundles."""

from __future__ import annotations

from itertools import count
from typing import Any, Callable

import pytest

from ipu_asm.emulator import DebugAction, Ipu, IpuState, run_until_complete, run_with_debug
from ipu_asm.emulator.execution_counts import Recording
from ipu_asm.isa import load_isa
from ipu_asm.testbench import Bench
from tests.emulator.machines import BUSY, busy_ipu, ipu_with
from tests.interrupting import LOSING, press, usual_handler

MANY = 100
"""Bundles of a run that an interrupt ends much earlier, so that no test runs for ever."""

__all__ = ["usual_handler"]
pytestmark = [
    pytest.mark.usefixtures("usual_handler"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
with_losing = pytest.mark.parametrize("lose", LOSING)


def act_at(ipu: Ipu, place: int, act: Callable[[], None], is_before: bool = True) -> None:
    """Let something happen right before or after a machine's n-th instruction."""
    executed = count()

    def acting(execute: Callable[..., Any]) -> Callable[..., Any]:
        def method(**operands: Any) -> None:
            is_there = next(executed) == place
            if is_there and is_before:
                act()
            execute(**operands)
            if is_there and not is_before:
                act()

        return method

    for spec in load_isa("ipu").instructions.values():
        setattr(ipu, spec.execute_fn, acting(getattr(ipu, spec.execute_fn)))


def check_ends(ipu: Ipu, run: Callable[[], object], cycles: int) -> None:
    """A run of the busy machine ends with a KeyboardInterrupt after so many whole bundles."""
    with pytest.raises(KeyboardInterrupt):
        run()
    twin = busy_ipu()
    twin.run(cycles)
    assert (ipu.cycles, ipu.state.save()) == (cycles, twin.state.save())


def step(state: IpuState, cycle: int) -> DebugAction:
    return DebugAction.STEP


@pytest.mark.parametrize("is_before", [True, False])
@pytest.mark.parametrize("place", range(3, 26))
def test_an_interrupt_leaves_a_state_between_two_bundles(place: int, is_before: bool) -> None:
    """The first bundle executes 3 instructions, the next ones 6 and 5 by turns."""
    ipu = busy_ipu()
    act_at(ipu, place, press, is_before)
    starts = [0, 3, 9, 14, 20, 25, 31]
    cycles = max(number for number, start in enumerate(starts) if start <= place)
    check_ends(ipu, lambda: ipu.run(MANY), cycles)


@with_losing
@pytest.mark.parametrize("place", [3, 5, 13])
def test_an_interrupt_that_is_lost_ends_the_run_after_its_bundle(
    place: int, lose: Callable[[], None]
) -> None:
    ipu = busy_ipu()
    act_at(ipu, place, lose)
    check_ends(ipu, lambda: ipu.run(MANY), {3: 2, 5: 2, 13: 3}[place])


@with_losing
def test_so_does_one_that_is_lost_in_the_last_bundle(lose: Callable[[], None]) -> None:
    ipu = busy_ipu()
    act_at(ipu, 13, lose)
    check_ends(ipu, lambda: ipu.run(3), 3)


@with_losing
@pytest.mark.parametrize(
    "run",
    [
        lambda ipu: run_until_complete(ipu.state, MANY, machine=ipu),
        lambda ipu: Recording().run(ipu, MANY),
        lambda ipu: run_with_debug(ipu.state, step, MANY, machine=ipu),
    ],
)
def test_every_way_to_run_ends(run: Callable[[Ipu], object], lose: Callable[[], None]) -> None:
    ipu = busy_ipu()
    act_at(ipu, 13, lose)
    check_ends(ipu, lambda: run(ipu), 3)


@with_losing
def test_steps_end_too(lose: Callable[[], None]) -> None:
    ipu = ipu_with("break;; x: incr lr0 1; b x;;")
    act_at(ipu, 8, lose)
    with pytest.raises(KeyboardInterrupt):
        run_with_debug(ipu.state, step, MANY, machine=ipu)
    assert (ipu.cycles, ipu.state.regfile.get_lr(0)) == (5, 4)


@with_losing
def test_a_test_that_asks_where_to_stop_may_lose_it_too(lose: Callable[[], None]) -> None:
    ipu = busy_ipu()

    def stop(address: int) -> bool:
        if ipu.state.regfile.get_lr(3) == 1:
            lose()
        return False

    check_ends(ipu, lambda: ipu.run(MANY, stop), 3)


@with_losing
def test_a_kernel_test_ends(lose: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    executed = count()
    add = Ipu.execute_acc

    def lose_at_five(self: Ipu) -> None:
        if next(executed) == 5:
            lose()
        add(self)

    monkeypatch.setattr(Ipu, "execute_acc", lose_at_five)
    bench = Bench()
    bench.load_text(BUSY)
    with pytest.raises(KeyboardInterrupt):
        bench.run()
    assert next(executed) == 6
    assert str(bench).startswith("<kernel>: interrupted\n")

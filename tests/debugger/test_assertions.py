"""Assertions in comments stop a debugger where they do not hold, and log comments log."""

from __future__ import annotations

import pytest

from ipu_asm.debugger.breakpoints import Stop, Trap
from ipu_asm.emulator.stops import StopReason
from tests.debugger.sessions import debugger_on

ASSERTIONS = {Trap.ASSERTION: None}
LOOP = """\
    set lr1 4;;
loop:
    # ASSERT {}
    incr lr0 1; bne lr0 lr1 loop;;  # ASSERT-AFTER {}
    # LOG lr0 sum(acc)
    bkpt;;
"""


def stops(before: str = "lr0 >= 0", after: str = "lr0 > 0") -> list[Stop]:
    """The stops of the loop, which going back finds as well."""
    debugger = debugger_on(LOOP.format(before, after), ASSERTIONS)
    found = [debugger.start()]
    while found[-1].reason is StopReason.ASSERTION:
        found.append(debugger.continue_())
    back = [debugger.reverse_continue() for _ in found]
    assert back[::-1][1:] == found[:-1]
    return found[:-1]


def test_assertions_that_hold_stop_nothing() -> None:
    assert stops() == []


@pytest.mark.parametrize(
    ("before", "message", "cycles"),
    [
        ("lr0 in 0..2, lr1 == 4", "`lr0 in 0..2` must hold before", [4, 5]),
        ("lr0 != 3", "`lr0 != 3` must hold before bundle 1 (`loop`, line 4), found lr0 = 3", [4]),
        ("lr0 == lr1 - 4", "found lr0 = 1, lr1 = 4", [2, 3, 4, 5]),
        ("sum(acc) == lr0", "found sum(acc) = 0, lr0 = 1", [2, 3, 4, 5]),
        ("r0 == 0", "a single value is needed, found 128 values; use `all(...)`", [1, 2, 3, 4, 5]),
        ("lr99 == 0", "no register is called `lr99`; there are lr0 to lr15", [1, 2, 3, 4, 5]),
    ],
)
def test_a_condition_stops_before_its_bundle(before: str, message: str, cycles: list[int]) -> None:
    found = stops(before)
    assert [stop.cycle for stop in found] == cycles
    assert message in found[0].description
    assert {stop.pc for stop in found} == {1}


def test_a_condition_stops_after_its_bundle_with_the_new_values() -> None:
    found = stops(after="lr0 < 5")
    assert [(stop.cycle, stop.pc) for stop in found] == [(6, 2)]
    assert "`lr0 < 5` must hold after bundle 1 (`loop`, line 4), found lr0 = 5" in (
        found[0].description
    )


def test_the_trap_can_be_off_or_have_a_condition() -> None:
    text = LOOP.format("lr0 < 2", "true")
    off = debugger_on(text, {})
    assert off.start().reason is StopReason.BKPT
    late = debugger_on(text, {Trap.ASSERTION: lambda state: state.regfile.get_lr(0) == 4})
    assert late.start().cycle == 5


def test_a_log_comment_logs_each_arrival_once() -> None:
    said: list[str] = []
    debugger = debugger_on(LOOP.format("true", "true"), {}, log=said.append)
    debugger.start()
    debugger.reverse_continue()
    assert said == ["lr0 = 5, sum(acc) = 0"]


def test_a_note_of_a_register_is_its_name_in_assertions() -> None:
    text = "# lr0 = row\nset lr1 1;;\n# ASSERT row == lr1\nbkpt;;\n"
    stop = debugger_on(text, ASSERTIONS).start()
    assert "found row = 0, lr1 = 1" in stop.description

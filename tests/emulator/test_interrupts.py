"""Ctrl-C while a loop looks for it, and where Python drops the exception."""

from __future__ import annotations

import signal
import threading
from types import SimpleNamespace
from typing import Any, Callable

import pytest

from ipu_asm.emulator.interrupts import Interrupts
from tests.interrupting import LOSING, press, press_in_a_finalizer, usual_handler

__all__ = ["usual_handler"]
pytestmark = [
    pytest.mark.usefixtures("usual_handler"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def check_block(*presses: Callable[[], None], is_quiet: bool = False) -> bool:
    """Whether a block notes the Ctrl-C of some presses; afterwards the handler is as before."""
    before = signal.getsignal(signal.SIGINT)
    try:
        with Interrupts(is_quiet) as interrupts:
            for one in presses:
                one()
            return interrupts.is_pending
    finally:
        assert signal.getsignal(signal.SIGINT) is before


def interrupts_now() -> Interrupts:
    """The block that handles Ctrl-C."""
    handler = signal.getsignal(signal.SIGINT)
    assert isinstance(handler, Interrupts)
    return handler


def check_ends(*presses: Callable[[], None], is_quiet: bool = False) -> None:
    """The presses end a block with a KeyboardInterrupt."""
    with pytest.raises(KeyboardInterrupt):
        check_block(*presses, is_quiet=is_quiet)


def test_ctrl_c_ends_a_block_as_it_ends_everything() -> None:
    reached = []
    check_ends(press, lambda: reached.append(1))
    assert (check_block(), reached) == (False, [])


@pytest.mark.parametrize("lose", LOSING)
def test_one_that_was_lost_is_noted_and_ends_the_block(lose: Callable[[], None]) -> None:
    lose()  # without a block it is gone for good
    seen = []
    check_ends(lose, lambda: seen.append(interrupts_now().is_pending))
    assert seen == [True]


@pytest.mark.parametrize("lose", LOSING)
def test_one_that_was_lost_outweighs_another_error(lose: Callable[[], None]) -> None:
    def fail() -> None:
        raise ValueError

    check_ends(lose, fail)


@pytest.mark.parametrize("lose", LOSING)
def test_a_block_within_a_block_knows_what_was_lost_before(lose: Callable[[], None]) -> None:
    seen = []

    def look() -> None:
        seen.append(interrupts_now().is_pending)

    check_ends(lose, look, lambda: check_ends(look))
    assert seen == [True, True]


def test_a_block_within_a_block_leaves_the_outer_one_in_charge() -> None:
    assert not check_block(lambda: check_ends(press))


def test_a_quiet_block_notes_the_first_and_ends_with_the_second() -> None:
    assert not check_block(is_quiet=True)
    assert check_block(press, is_quiet=True)
    assert check_block(press_in_a_finalizer, is_quiet=True)
    check_ends(press, press, is_quiet=True)


def test_within_a_quiet_block_nothing_else_raises() -> None:
    with Interrupts(is_quiet=True) as quiet:
        with Interrupts() as inner:
            press()
        assert (quiet.is_pending, inner.is_pending) == (True, False)


@pytest.mark.parametrize("is_quiet", [False, True])
def test_one_that_is_ignored_stays_ignored(is_quiet: bool) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    assert not check_block(press, press, is_quiet=is_quiet)


def test_a_handler_of_others_stays_in_charge() -> None:
    seen = []
    signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    assert not check_block(press)
    assert seen == [signal.SIGINT]


def test_another_thread_leaves_it_to_the_main_one() -> None:
    seen: list[bool] = []
    thread = threading.Thread(target=lambda: seen.append(check_block()))
    thread.start()
    thread.join()
    assert seen == [False]


def leaving(block: Interrupts) -> Any:
    """A frame in which a block is left."""
    return SimpleNamespace(f_code=Interrupts.__exit__.__code__, f_locals={"self": block})


def test_one_that_comes_as_the_block_is_left_ends_it_with_the_handler_restored() -> None:
    seen = []
    check_ends(
        lambda: interrupts_now()(signal.SIGINT, leaving(interrupts_now())),
        lambda: seen.append(interrupts_now().is_pending),
    )
    assert seen == [True]


def note_inner_block(blocks: list[Interrupts]) -> None:
    check_block(lambda: blocks.append(interrupts_now()))


def test_one_that_comes_when_an_inner_block_has_been_left_is_raised_at_once() -> None:
    seen: list[Interrupts] = []
    check_ends(
        lambda: note_inner_block(seen),
        lambda: interrupts_now()(signal.SIGINT, leaving(seen[0])),
        lambda: pytest.fail("no interrupt was raised"),
    )

"""Ctrl-C while a loop looks for it."""

from __future__ import annotations

import signal
import threading
from typing import Iterator

import pytest

from ipu_asm.cli.interrupts import Interrupts


@pytest.fixture(autouse=True)
def _with_the_usual_handler() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def check_interrupts(presses: int) -> bool:
    """Whether a Ctrl-C was noted; afterwards everything is as before."""
    before = signal.getsignal(signal.SIGINT)
    try:
        with Interrupts() as interrupts:
            for _ in range(presses):
                signal.raise_signal(signal.SIGINT)
            return interrupts.came
    finally:
        assert signal.getsignal(signal.SIGINT) is before


def test_the_first_is_noted_and_the_second_ends_the_program() -> None:
    assert not check_interrupts(0)
    assert check_interrupts(1)
    with pytest.raises(KeyboardInterrupt):
        check_interrupts(2)


def test_one_that_is_ignored_stays_ignored() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    assert not check_interrupts(2)


def test_another_thread_leaves_it_to_the_main_one() -> None:
    seen: list[bool] = []
    thread = threading.Thread(target=lambda: seen.append(check_interrupts(0)))
    thread.start()
    thread.join()
    assert seen == [False]

"""Pressing Ctrl-C, also where Python loses it."""

from __future__ import annotations

import gc
import signal
import weakref
from typing import Iterator

import pytest


@pytest.fixture
def usual_handler() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt, however the tests were started."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def press() -> None:
    """A user presses Ctrl-C."""
    signal.raise_signal(signal.SIGINT)


def press_in_a_collection() -> None:
    """Ctrl-C arrives while a callback of the garbage collector runs, which loses it."""

    def callback(phase: str, info: object) -> None:
        gc.callbacks.remove(callback)
        press()

    gc.callbacks.append(callback)
    gc.collect(0)


def press_in_a_finalizer() -> None:
    """Ctrl-C arrives while an object is finalized, which loses it."""

    class Finalized:
        def __del__(self) -> None:
            press()

    Finalized()


def press_as_a_reference_dies() -> None:
    """Ctrl-C arrives in the callback of a weak reference, which loses it."""

    class Referenced: ...

    thing = Referenced()
    reference = weakref.ref(thing, lambda _: press())
    del thing
    assert reference() is None


LOSING = [press_in_a_collection, press_in_a_finalizer, press_as_a_reference_dies]
"""Where Python prints the KeyboardInterrupt and drops it."""

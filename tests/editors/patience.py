"""Waiting for an editor: it answers when it is ready, and says nothing before."""

from __future__ import annotations

import time
from typing import Callable, TypeVar

Answer = TypeVar("Answer")

_LONGEST = 60.0  # seconds, of a machine that does other things as well


def soon(
    probe: Callable[[], Answer],
    expected: Callable[[Answer], bool] | Answer,
    within: float = _LONGEST,
) -> Answer:
    """What `probe` answers once that is as expected; its last answer, if that never happens.

    The caller asserts on the answer: then a failure shows what was there instead.
    """
    deadline = time.monotonic() + within
    while True:
        answer = probe()
        right = expected(answer) if callable(expected) else answer == expected
        if right or time.monotonic() > deadline:
            return answer
        time.sleep(0.01)

"""Measuring on a noisy machine: interleaved rounds, medians, and a unit to compare with."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence

REFERENCE_UNIT_S = 0.038
"""Seconds that `unit_of_work` took on the machine for which absolute targets were stated."""

Action = Callable[[], float]
"""Does one round of something and returns how many seconds that took."""


def interleave(rounds: int, actions: Mapping[str, Action]) -> dict[str, list[float]]:
    """Seconds of every round of every action.

    All actions take their turn in each round, so a slow minute of the machine hits all of them.
    Each round starts with another one: who runs first is not always the same.
    """
    names = list(actions)
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for number in range(rounds):
        start = number % max(1, len(names))
        for name in names[start:] + names[:start]:
            seconds[name].append(actions[name]())
    return seconds


def timed(work: Callable[[], object]) -> float:
    """Seconds that one call of `work` takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def unit_of_work() -> float:
    """Seconds of a fixed amount of plain Python work: cut up text, fill dictionaries and lists."""
    return timed(_count_words)


def normalised(seconds: float, unit: float) -> float:
    """Seconds the same work would take where `unit_of_work` takes `REFERENCE_UNIT_S`."""
    return seconds / unit * REFERENCE_UNIT_S


def median(values: Sequence[float]) -> float:
    """The median; not a number where nothing was measured."""
    return statistics.median(values) if values else math.nan


def ratio(seconds: Mapping[str, Sequence[float]], what: str, against: str) -> float:
    """The median of the ratios that the rounds gave."""
    return median([a / b for a, b in zip(seconds[what], seconds[against], strict=True)])


def percentile(values: Sequence[float], part: float) -> float:
    """The smallest value that at least `part` (0 to 1) of the values do not exceed."""
    if not values:
        return math.nan
    return sorted(values)[max(0, math.ceil(part * len(values)) - 1)]


def _count_words() -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for row in range(20_000):
        line = f"incr lr{row % 16} {row}; set lr{row % 7} 5;; # row {row % 100}"
        for column, word in enumerate(line.replace(";", " ; ").split()):
            places.setdefault(word, []).append(row * 100 + column)
    return places

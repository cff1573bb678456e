"""Analysing and assembling long texts in this process, cold, without any protocol."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial

from benchmarks import kernels, timing
from benchmarks.report import Target, milliseconds, number, print_table
from benchmarks.timing import Action
from ipu_asm import assemble, load_isa
from ipu_asm.analysis.analyzer import Analyzer

BUNDLES = 5_000
REPETITIVE_LINES = 10_000
PROGRAM_BUNDLES = 1_000

ANALYSIS_S = 1.0
"""Seconds in which 5,000 distinct bundles have to be analysed."""

ASSEMBLY_RATE = 23_000
"""Bundles a second to assemble: ten times what the first implementation managed."""

Text = Callable[[int], str]
"""A text for each number: another one in every round, so that nothing can be remembered."""


def run(quick: bool = False) -> list[Target]:
    """Measure, print, and return the targets as shares of what they allow.

    The targets are absolute; they are scaled by how fast plain Python runs here and now.
    """
    actions: dict[str, Action] = {
        "unit": timing.unit_of_work,
        "distinct": _Round(lambda seed: kernels.distinct_bundles(BUNDLES, seed), _analyse),
        "repetitive": _Round(lambda _: kernels.repetitive(REPETITIVE_LINES), _analyse),
        "assembly": _Round(lambda seed: kernels.distinct_bundles(PROGRAM_BUNDLES, seed), assemble),
    }
    timing.interleave(1, actions)  # the first time pays for loading the instruction set
    seconds = timing.interleave(3 if quick else 9, actions)
    medians = {name: timing.median(values) for name, values in seconds.items()}
    _print(medians)
    return _targets(medians)


class _Round:
    """Makes a new text in every round and measures only the work done with it."""

    def __init__(self, text: Text, work: Callable[[str], object]) -> None:
        self._text, self._work = text, work
        self._seeds = itertools.count()

    def __call__(self) -> float:
        return timing.timed(partial(self._work, self._text(next(self._seeds))))


def _analyse(text: str) -> object:
    return Analyzer(load_isa("ipu")).analyze(text)


def _print(medians: dict[str, float]) -> None:
    amounts = {
        "distinct": (f"analyse {BUNDLES:,} distinct bundles", BUNDLES),
        "repetitive": (f"analyse {REPETITIVE_LINES:,} repetitive lines", REPETITIVE_LINES),
        "assembly": (f"assemble {PROGRAM_BUNDLES:,} distinct bundles", PROGRAM_BUNDLES),
    }
    unit = medians["unit"]
    rows = [("unit of plain Python work", milliseconds(unit), "-", "1.00", "-")]
    for name, (title, bundles) in amounts.items():
        seconds = medians[name]
        scaled = milliseconds(timing.normalised(seconds, unit))
        rate = number(bundles / seconds, 0)
        rows.append((title, milliseconds(seconds), rate, number(seconds / unit), scaled))
    print_table(
        "throughput in one process, median",
        ("work", "ms", "bundles/s", "units", "ms on reference"),
        rows,
    )


def _targets(medians: dict[str, float]) -> list[Target]:
    analysis = timing.normalised(medians["distinct"], medians["unit"])
    assembly = timing.normalised(medians["assembly"], medians["unit"])
    return [
        Target(f"analysis of {BUNDLES:,} bundles, scaled s", analysis, ANALYSIS_S),
        Target(
            f"assembly, share of the time that {ASSEMBLY_RATE:,} bundles/s allow",
            assembly / (PROGRAM_BUNDLES / ASSEMBLY_RATE),
            1.0,
        ),
    ]

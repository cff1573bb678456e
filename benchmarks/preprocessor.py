"""From an edit to findings in a file with macros, against its expansion as a plain file."""

from __future__ import annotations

import statistics
from typing import Callable

from benchmarks import timing
from benchmarks.report import Target, milliseconds, number, print_table
from ipu_asm import load_isa
from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.source.expansion import DEFAULT_SETTINGS, SourceSettings
from ipu_asm.text import SourceFile

SIZES = (250, 1_000)
"""Lines of the document."""
SLOWEST = 2.0
"""How many times as long as the expansion as a plain file an edit may take."""
WARM_UP = 4
_NAMES = 12


class Header:
    """One header, for every path."""

    def __init__(self, text: str) -> None:
        self._file = SourceFile(text, "/project/names.h")

    def read(self, path: str) -> SourceFile | None:
        """Return the header."""
        return self._file if path == self._file.path else None

    def stamp(self, path: str) -> object:
        """Return a constant: the header does not change."""
        return 1 if path == self._file.path else None


def run(quick: bool = False) -> list[Target]:
    """Measure all sizes, print the medians and return the ratios to the plain file."""
    rounds = 10 if quick else 40
    settings = SourceSettings(root="/project", reader=Header(_header()))
    rows, targets = [], []
    for lines in SIZES:
        text = _text(lines)
        whole = Analyzer(load_isa("colossus")).analyze(text, "/project/a.S", settings=settings)
        plain = whole.expanded[0].expansion.text
        actions = {"macros": _typist(text, settings), "plain": _typist(plain, DEFAULT_SETTINGS)}
        timing.interleave(WARM_UP, actions)
        seconds = timing.interleave(rounds, actions)
        macros, alone = (statistics.median(seconds[name]) for name in ("macros", "plain"))
        rows.append(
            (f"{lines:,}", milliseconds(macros), milliseconds(alone), number(macros / alone))
        )
        what = f"edit of {lines:,} lines with macros / of their expansion"
        targets.append(Target(what, macros / alone, SLOWEST))
    header = ("lines", "with macros", "plain", "ratio")
    print_table("an edit to findings with the preprocessor, median ms", header, rows)
    return targets


def _typist(text: str, settings: SourceSettings) -> Callable[[], float]:
    """Return an action that adds a line in the middle, or takes it away, and analyses the text."""
    analyzer = Analyzer(load_isa("colossus"))
    at = text.rindex("\n", 0, len(text) // 2) + 1
    texts = [text, text[:at] + "  nop\n" + text[at:]]
    state: list[Analysis] = [analyzer.analyze(text, "/project/a.S", settings=settings)]

    def edit() -> float:
        before = state[0]
        new = texts[before.text == text]

        def analyse() -> None:
            state[0] = analyzer.analyze(new, "/project/a.S", before, settings=settings)

        return timing.timed(analyse)

    return edit


def _header() -> str:
    names = "".join(f"#define REG_{n} m{n % 10}\n" for n in range(_NAMES))
    return f"#ifndef NAMES_H\n#define NAMES_H\n{names}#define NEXT(r) add $r, $r, 1\n#endif\n"


def _text(lines: int) -> str:
    body = (
        f"  NEXT(REG_{n % _NAMES})\n" if n % 5 == 0 else f"  add $REG_{n % _NAMES}, $m1, {n}\n"
        for n in range(lines)
    )
    return f'#include "names.h"\n.worker\n{"".join(body)}  exitz $mzero\n'

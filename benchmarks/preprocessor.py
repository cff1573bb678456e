"""From an edit to findings in a file with macros, against its expansion as a plain file."""

from __future__ import annotations

import statistics
from typing import Callable, Sequence

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
        """Return 1 for the header, which never changes, and None for other paths."""
        return 1 if path == self._file.path else None


EDITS = {
    "a line added": ("  nop // here\n", "  nop // here\n  nop\n"),
    "a name": ("$REG_3, 3 // here", "$REG_33, 3 // here"),
    "in a macro's body": ("  xor \\reg, $REG_2", "  xor \\reg, $REG_4"),
}
"""What is written in the document before and after each edit."""


def run(quick: bool = False) -> list[Target]:
    """Measure all sizes, print the medians and return the ratios to the plain file."""
    rounds = 10 if quick else 40
    settings = SourceSettings(root="/project", reader=Header(_header()))
    rows, targets = [], []
    for lines in SIZES:
        text = _text(lines)
        for name, (old, new) in EDITS.items():
            texts = [text, text.replace(old, new)]
            plain = [_expansion(each, settings) for each in texts]
            actions = {
                "macros": _typist(texts, settings),
                "plain": _typist(plain, DEFAULT_SETTINGS),
            }
            timing.interleave(WARM_UP, actions)
            seconds = timing.interleave(rounds, actions)
            macros, alone = (statistics.median(seconds[each]) for each in ("macros", "plain"))
            ratio = macros / alone
            times = milliseconds(macros), milliseconds(alone), number(ratio)
            rows.append((f"{lines:,}", name, *times))
            what = f"edit ({name}) of {lines:,} lines with macros / of their expansion"
            targets.append(Target(what, ratio, SLOWEST))
    header = ("lines", "edit", "with macros", "plain", "ratio")
    print_table("an edit to findings with the preprocessor, median ms", header, rows)
    return targets


def _expansion(text: str, settings: SourceSettings) -> str:
    analysis = Analyzer(load_isa("colossus")).analyze(text, "/project/a.S", settings=settings)
    return analysis.expanded[0].expansion.text


def _typist(texts: Sequence[str], settings: SourceSettings) -> Callable[[], float]:
    """Return an action that makes the one text the other one, and analyses it."""
    analyzer = Analyzer(load_isa("colossus"))
    state: list[Analysis] = [analyzer.analyze(texts[0], "/project/a.S", settings=settings)]

    def edit() -> float:
        before = state[0]
        new = texts[before.text == texts[0]]

        def analyse() -> None:
            state[0] = analyzer.analyze(new, "/project/a.S", before, settings=settings)

        return timing.timed(analyse)

    return edit


def _header() -> str:
    names = "".join(f"#define REG_{n} m{n % 10}\n" for n in range(_NAMES))
    return f"#ifndef NAMES_H\n#define NAMES_H\n{names}#define NEXT(r) add $r, $r, 1\n#endif\n"


def _text(lines: int) -> str:
    """Return a kernel with names of the header; every tenth line calls a macro."""
    body = [
        f"  NEXT(REG_{n % _NAMES})\n" if n % 5 == 0 else f"  add $REG_{n % _NAMES}, $m1, {n}\n"
        for n in range(lines)
    ]
    body[::10] = [f"  mix $m{n % 10}\n" for n in range(len(body[::10]))]
    body.insert(lines // 2, "  add $m1, $REG_3, 3 // here\n  nop // here\n")
    macro = ".macro mix reg\n  add \\reg, \\reg, 1\n  xor \\reg, $REG_2, \\reg\n.endm\n"
    return f'#include "names.h"\n{macro}.worker\n{"".join(body)}  exitz $mzero\n'

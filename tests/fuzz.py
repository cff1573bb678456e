"""Analyse any number of hostile texts: ``python -m tests.fuzz [--texts 100000] [--seed 0]``.

Each text is analysed at once and, as the next state of the text before it, by what changed; both
must be sound and say the same. Ends with status 1 if one does not, or if an analysis takes longer
than a second for each 10,000 lines (a line being 100 characters at the most).
"""

from __future__ import annotations

import argparse
import sys
import time
from random import Random
from typing import Iterator, NamedTuple

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.isa import load_isa
from ipu_asm.text import LineIndex
from tests.hostile import SPLINTERS, mutated, noise, seeds
from tests.invariants import assert_same, assert_sound
from tests.programs import example_kernels

SETS = ("ipu", "ipu2", "edgenpu", "xdna1", "xdna2", "colossus")
SECONDS = 1.0
LINES = 10_000
LONGEST_LINE = 100

# What a giant is made of: this again and again, or this with a number that counts.
REPEATED = (
    "a", "9", " ", "//", "a:", "a: b: ", "a:a b:", "a a:;", "@a", "@;", "@a;", "a@a:", "/ ", "a\r",
    "\r \n", "acc;", "incr lr0 1;", "b lr0 ;", "lr0 ", "foo;;", "acc;;\r\n", "x: acc;;\n", "# ;;\n",
    "set lr0, 1;;\n", "AB[0], ", "A|", "A B ", "#ipu:ignore", "# ipu: ignore[a] ", "#ipu:ignore[",
)  # fmt: skip
COUNTED = {
    "labels": "l{0}: b l{0};;\n",
    "unused labels": "l{0}: acc;;\n",
    "undefined labels": "b l{0};;\n",
    "undefined labels with near names": "l{0}: b m{0};;\n",
    "unknown mnemonics": "foo{0};;\n",
    "unknown mnemonics in a bundle": "foo{0};\n",
    "unknown mnemonics with near names": "acc.firs{0};;\n",
    "numbers": "set lr0 1{0};;\n",
    "suppressions": "foo;; # ipu: ignore[E101]\n",
    "suppressions in a stack": "# ipu: ignore[E101]\n",
    "suppressions of nothing": "acc;; # ipu: ignore[a{0}]\n",
    "suppressions of the file": "# ipu: ignore-file[E{0}]\n",
}


class Outcome(NamedTuple):
    """One text that was analysed: how long it took, and the limit that it had."""

    seconds: float
    limit: float
    what: str
    text: str

    @property
    def share(self) -> float:
        """How much of the limit it took."""
        return self.seconds / self.limit


def check_text(text: str, isa: str, before: Analysis | None = None) -> tuple[Analysis, float]:
    """The analysis of a text, sound and the same with `before`, and the longer time it took."""
    start = time.process_time()
    analysis = Analyzer(load_isa(isa)).analyze(text)
    seconds = time.process_time() - start
    assert_sound(analysis)
    if before is not None:
        start = time.process_time()
        after = Analyzer(load_isa(isa)).analyze(text, before=before)
        seconds = max(seconds, time.process_time() - start)
        assert_same(after, analysis)
        assert_sound(after)
        analysis = after
    return analysis, seconds


def texts(random: Random, count: int) -> Iterator[tuple[str, str, bool]]:
    """Texts with their instruction set; the last says whether it is an edit of the one before."""
    sets = {isa: seeds(isa) for isa in SETS}
    while count > 0:
        isa = random.choice(("ipu", "ipu", *SETS))
        text = random.choice(sets[isa]) if random.random() < 0.8 else noise(random)
        for number in range(random.randint(1, 6)):
            text = mutated(random, text, sets[isa])
            yield text, isa, number > 0
            count -= 1


def run(count: int, seed: int) -> Iterator[Outcome]:
    """Analyse that many texts; an `AssertionError` of one names the text."""
    analysis = None
    for text, isa, is_edit in texts(Random(seed), count):
        try:
            analysis, seconds = check_text(text, isa, analysis if is_edit else None)
        except Exception as error:
            raise AssertionError(f"{isa}: {text!r}") from error
        yield Outcome(seconds, limit_of(text), isa, text)


def type_in(text: str, every: int = 1, step: int = 1) -> Iterator[Outcome]:
    """Analyse the beginnings of a text, `step` characters apart, each from the one before.

    About each `every`-th character ends a text whose own analysis must be the same.
    """
    analyzer = Analyzer(load_isa("ipu"))
    analysis = analyzer.analyze("")
    for number, end in enumerate((*range(step, len(text), step), len(text))):
        start = time.process_time()
        analysis = analyzer.analyze(text[:end], before=analysis)
        seconds = time.process_time() - start
        if number % max(every // step, 1) == 0 or end == len(text):
            check_text(text[:end], "ipu", analysis)
            assert_same(analysis, Analyzer(load_isa("ipu")).analyze(text[:end]))
        yield Outcome(seconds, limit_of(text[:end]), "typing", text[:end])


def giants(size: int) -> Iterator[tuple[str, str]]:
    """Texts of about that many characters: everything over and over again."""
    for piece in (*SPLINTERS, *REPEATED):
        yield piece, piece * (size // len(piece))
    for name, line in COUNTED.items():
        yield name, "".join(line.format(n) for n in range(size // len(line)))
    yield "one number", "set lr0 " + "9" * size
    yield "one suppression", "# ipu: ignore[" + "E101," * (size // 5) + "]\nfoo;;\n"
    yield "one suppression of nothing", "# ipu: ignore[" + "a1," * (size // 3) + "]\nacc;;\n"
    yield "one label", "x" * (size // 2) + ": b " + "x" * (size // 2)


def run_giants(size: int) -> Iterator[Outcome]:
    """Analyse the giants at once and after an edit at their start, middle and end."""
    for isa in SETS:
        for name, text in giants(size):
            analyzer = Analyzer(load_isa(isa))
            start = time.process_time()
            analysis = analyzer.analyze(text)
            times = [time.process_time() - start]
            for place in (0, len(text) // 2, len(text)):
                start = time.process_time()
                analyzer.analyze(f"{text[:place]}x{text[place:]}", before=analysis)
                times.append(time.process_time() - start)
            yield Outcome(max(times), limit_of(text), f"{isa} {name!r}", text[:20])


def limit_of(text: str) -> float:
    """The seconds that the analysis of a text may take."""
    lines = max(len(LineIndex.of(text).starts), len(text) / LONGEST_LINE, LINES)
    return SECONDS * lines / LINES


def main() -> int:
    """Run it all and print what came out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--giant-size", type=int, default=1_000_000)
    options = parser.parse_args()
    parts = {
        "mutated texts": run(options.texts, options.seed),
        "beginnings": (o for text in example_kernels().values() for o in type_in(text, 5)),
        "giants": run_giants(options.giant_size),
    }
    slow = 0
    for name, outcomes in parts.items():
        start, count = time.process_time(), 0
        slowest: list[Outcome] = []
        for outcome in outcomes:
            count += 1
            slow += outcome.share > 1
            slowest = sorted([*slowest, outcome], key=lambda o: o.share)[-8:]
        print(f"{name}: {count} in {time.process_time() - start:.0f} s; the slowest:")
        for o in reversed(slowest):
            print(
                f"  {o.seconds:6.3f} s of {o.limit:6.2f} s  {o.what}  {o.text[:40]!r}", flush=True
            )
    print(f"{slow} over the limit")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())

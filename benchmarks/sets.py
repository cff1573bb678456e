"""Analysing long texts of the other instruction sets in this process, held against the IPU's."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import partial

from benchmarks import kernels, timing
from benchmarks.report import Target, milliseconds, number, print_table
from benchmarks.timing import Action
from ipu_asm import load_isa
from ipu_asm.analysis.analyzer import Analyzer

LINES = 10_000
"""Half of them stand there many times, half of them once."""

COLD_S = 3.0
"""Seconds in which a text that was never seen before has to be analysed."""

EDIT_RATIO = 2.0
"""How many times as long as in a text of the IPU an edit may take."""

_NEW_LINE = {"ipu": "acc;;\n"}
_NOP = "    nop\n"

# `<n>` is the number of the function; `<small>`, `<word>` and `<big>` are numbers.
_XDNA = """
\t.p2align\t4
\t.type\tf<n>,@function
f<n>:
\tmova\tr0, #28;\t\tnopb\t;\t\tmovxm\tls, #.LBB<n>_1
\tadd.nc\tlc, r1, #0;\t\tpaddb\t[p0], #<small>
\tmovxm\tle, #.LEND<n>
\tmovxm\tr5, #<big>
\tlda\tr2, [p3, #<word>];\t\tmovx\tr4, #12
\tnop                                     // <big>
\t.p2align\t4
.LBB<n>_1:
\tvlda\twl0, [p0], #<small>;\t\tvldb\twl2, [p1], #<small>;\t\tnops\t;\t\tmov\tm0, r1
\tvlda\twh0, [p0], #<small>;\t\tvldb\twh2, [p1], #<small>;\t\tmovxm\tr5, #<big>
\tlda\tr6, [p3, #<word>];\t\tadd\tr3, r3, #1
\tnop
\tnop
\tmovxm\tr9, #<big>
\tnop
\tnop
\tlshl\tr7, r6, r4;\t\tmova\tr8, #4
\tpadda\t[p4], #<small>;\t\tmov\tm2, r7
\tmovxm\tr5, #<big>;\t\tvmac.f\tACC, ACC, x0, x2, r0
\tvshuffle\tx4, x0, x2, r4
.LEND<n>:
\tnopa\t;\t\tnopb\t;\t\tvst\twl4, [p2], #<small>;\t\tnopxm\t;\t\tnopv
\tret\tlr
\tnop
\tmovxm\tr0, #<big>
\tnop
\tvst\twh4, [p2, #<small>]
\tst\tr6, [p5], #4                       // Delay Slot 1
.Lfunc_end<n>:
\t.size\tf<n>, .Lfunc_end<n>-f<n>
"""
_COLOSSUS = """
#define COUNT<n> m3
.section .text.f<n>, "ax"
.globl f<n>
.align 8
.worker
f<n>:
  ld32 $m0, $mvertex_base, $mzero, <small>
  ld32 $COUNT<n>, $mvertex_base, $mzero, <small> / 4
  { ld32 $m1, $mvertex_base, $mzero, <small> ; zero $a4:5 }
  { setzi $m4, <big> ; setzi $a0, <big> }
  add $m5, $m4, <small>      // <big>
  brz $COUNT<n>, .Lend<n>
  { rpt $COUNT<n>, (2f - 1f) / 8 - 1
    fnop }
1:
  { ld64step $a0:1, $mzero, $m0+=, <small> ; f32v2add $a4:5, $a4:5, $a2:3 }
  { ld64step $a2:3, $mzero, $m1+=, <small> ; f32v2mul $a0:1, $a6:B, $a0:1 }
2:
  {
    st64step $a4:5, $mzero, $m2+=, <small>
    f16v2add $a0, $a1, $a2
  }
  mul $m6, $m5, <big> & 0xff
  cmpult $m7, $m6, <small>
  brnz $m7, f<n>
.Lend<n>:
  { bri .Lend<n> ; f32v2max $a4:5, $a4:5, $a0:1 }
  exitz $mzero
.size f<n>, . - f<n>
"""


def run(quick: bool = False) -> list[Target]:
    """Measure, print, and return the targets."""
    texts = {
        "ipu": kernels.kernel(LINES),
        "xdna1": _text(_XDNA.replace("ACC", "bmh0"), 32),
        "xdna2": _text(_XDNA.replace("ACC", "dm0"), 64),
        "colossus": _text(_COLOSSUS, 1),
    }
    cold: dict[str, Action] = {name: partial(_cold, name, text) for name, text in texts.items()}
    typists = {name: _Typist(name, text) for name, text in texts.items()}
    letters: dict[str, Action] = {name: typist.letter for name, typist in typists.items()}
    lines: dict[str, Action] = {name: typist.line for name, typist in typists.items()}
    first = timing.interleave(2 if quick else 5, cold)
    timing.interleave(3, letters)  # the first edits fill what is remembered
    rounds = 15 if quick else 60
    measured = first, timing.interleave(rounds, letters), timing.interleave(rounds, lines)
    unit = timing.median([timing.unit_of_work() for _ in range(5)])
    _print(*measured)
    others = [name for name in texts if name != "ipu"]
    return [target for name in others for target in _targets(name, *measured, unit)]


def _text(function: str, step: int) -> str:
    """Functions made of one: the numbers of every other one are its own."""
    lines: list[str] = []
    each = len(function.strip("\n").splitlines())
    for count in range(LINES // each):
        lines += _function(function, step, count, count if count % 2 else 0)
    lines += [f"// {number} lines to go" for number in range(LINES - len(lines), 0, -1)]
    return "\n".join(lines) + "\n"


def _function(function: str, step: int, count: int, seed: int) -> list[str]:
    source = random.Random(f"sets {seed}")
    numbers: dict[str, Callable[[], int]] = {
        "n": lambda: count,
        "small": lambda: step * source.randrange(4),
        "word": lambda: 4 * source.randrange(8),
        "big": lambda: source.randrange(1 << 16),
    }
    text = re.sub(r"<(\w+)>", lambda match: str(numbers[match[1]]()), function.strip("\n"))
    return text.splitlines()


def _cold(name: str, text: str) -> float:
    return timing.timed(partial(Analyzer(load_isa(name)).analyze, text))


class _Typist:
    """Edits a text somewhere, and takes that back again."""

    def __init__(self, name: str, text: str) -> None:
        self._analyzer = Analyzer(load_isa(name))
        self._text = text
        self._places = [m.start() for m in re.finditer(r"(?<=[\n{] )[a-z]|(?<=\n\t)[a-z]", text)]
        self._places = self._places or [m.end() for m in re.finditer(r"\n(?=[a-z])", text)]
        self._random = random.Random(5)
        self._new_line = _NEW_LINE.get(name, _NOP)
        self._before = self._analyzer.analyze(text)

    def letter(self) -> float:
        """Spoil a mnemonic."""
        at = self._random.choice(self._places)
        return self._there_and_back(f"{self._text[:at]}q{self._text[at + 1 :]}")

    def line(self) -> float:
        """Insert an instruction on a line of its own."""
        at = self._text.rindex("\n", 0, self._random.choice(self._places)) + 1
        return self._there_and_back(self._text[:at] + self._new_line + self._text[at:])

    def _there_and_back(self, text: str) -> float:
        return sum(timing.timed(partial(self._type, each)) for each in (text, self._text)) / 2

    def _type(self, text: str) -> None:
        self._before = self._analyzer.analyze(text, before=self._before)


Seconds = dict[str, list[float]]


def _print(*measured: Seconds) -> None:
    rows = []
    for name in measured[0]:
        rows.append([name])
        for seconds in measured:
            rows[-1].append(milliseconds(timing.median(seconds[name])))
            rows[-1].append(number(timing.ratio(seconds, name, "ipu")))
    header = ("set", "cold ms", "/ipu", "a letter ms", "/ipu", "a line ms", "/ipu")
    print_table(f"analysis of {LINES:,} lines in one process, median", header, rows)


def _targets(
    name: str, first: Seconds, letters: Seconds, lines: Seconds, unit: float
) -> list[Target]:
    cold = timing.normalised(timing.median(first[name]), unit)
    return [
        Target(f"{name}, {LINES:,} lines cold, scaled s", cold, COLD_S),
        Target(f"{name}, a letter/the IPU's", timing.ratio(letters, name, "ipu"), EDIT_RATIO),
        Target(f"{name}, a line/the IPU's", timing.ratio(lines, name, "ipu"), EDIT_RATIO),
    ]

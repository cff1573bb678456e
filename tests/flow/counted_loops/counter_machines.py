"""Interpreters of the registers that count: a few instructions of Colossus and of the AI Engines.

They share nothing with `ipu_asm` but the syntax. A value that is loaded is drawn from a generator.
"""

from __future__ import annotations

import re
from random import Random
from typing import Callable, NamedTuple

MOST_STEPS = 3_000
_WORD = (1 << 32) - 1
_LABEL = re.compile(r"([\w.]+):")


class Run(NamedTuple):
    """The addresses that were executed, in order, and whether the program came to its end."""

    trace: list[int]
    is_complete: bool

    def entries(self, first: int, last: int) -> list[int]:
        """Return the iterations of each complete entry of a loop from `first` to `last`."""
        found: list[int] = []
        for before, address in zip([-1, *self.trace], self.trace):
            if address == first:
                if found and before == last:
                    found[-1] += 1
                else:
                    found.append(1)
        return found if self.is_complete else found[:-1]


class _Lines:
    def __init__(self, text: str) -> None:
        self.code: list[str] = []
        self.labels: dict[str, int] = {}
        for line in text.splitlines():
            label = _LABEL.fullmatch(line.strip())
            if label is not None:
                self.labels[label[1]] = len(self.code)
            elif line.strip():
                self.code.append(line.strip().strip("{}").strip())


def run_colossus(text: str, random: Random) -> Run:
    """Execute `setzi`, `add`, `mov`, `ld32`, branches, `rpt` with numbers, and `exitz`."""
    lines = _Lines(text)
    values: dict[str, int] = {}
    trace: list[int] = []
    repeated: list[int] = []  # first, last, iterations that are left
    at = 0
    while at < len(lines.code) and len(trace) < MOST_STEPS:
        trace.append(at)
        mnemonic, *words = lines.code[at].split(";")[0].replace(",", " ").split()
        following = at + 1
        if mnemonic == "exitz":
            return Run(trace, True)
        if mnemonic == "rpt":
            count = values.get(words[0], 0) if words[0][0] == "$" else int(words[0])
            repeated = [at + 1, at + 1 + int(words[1]), count]
            following = at + 1 if count else repeated[1] + 1
        elif repeated and at == repeated[1]:
            repeated[2] -= 1
            following = repeated[0] if repeated[2] > 0 else at + 1
            repeated = repeated if repeated[2] > 0 else []
        if mnemonic in ("brnz", "brz", "brnzdec"):
            value = values.get(words[0], 0)
            if (value == 0) is (mnemonic == "brz"):
                following = lines.labels[words[1]]
            if mnemonic == "brnzdec":
                values[words[0]] = (value - 1) & _WORD
        elif mnemonic == "bri":
            following = lines.labels[words[0]]
        else:
            _compute(values, mnemonic, words, lambda word: word.startswith("$"), random)
        at = following
    return Run(trace, False)


def run_engine(text: str, random: Random) -> Run:
    """Execute moves, `add`, `jnz`, `jz`, `jnzd`, `j`, `ret`, `lda`, and hardware loops."""
    lines = _Lines(text)
    values: dict[str, int] = {"ls": -1, "le": -1, "lc": 0}
    trace: list[int] = []
    jump: tuple[int, int] | None = None  # address after which, and target
    landing: list[tuple[int, str, int]] = []
    at = 0
    while 0 <= at < len(lines.code) and len(trace) < MOST_STEPS:
        for when, register, value in [each for each in landing if each[0] == len(trace)]:
            values[register] = value
            landing.remove((when, register, value))
        trace.append(at)
        mnemonic, *words = lines.code[at].replace(",", " ").replace("#", " ").split()
        words = [str(lines.labels.get(word, word)) for word in words]
        taken: int | None = None
        if mnemonic in ("jnz", "jz"):
            is_zero = values.get(words[0], 0) == 0
            taken = int(words[1]) if is_zero is (mnemonic == "jz") else None
        elif mnemonic == "jnzd":
            value = values.get(words[1], 0)
            taken = values[words[2]] if value else None
            values[words[0]] = (value - 1) & _WORD
        elif mnemonic == "j":
            taken = int(words[0])
        elif mnemonic == "ret":
            taken = len(lines.code)
        elif mnemonic == "lda":
            landing.append((len(trace) + 6, words[0], random.randrange(4)))
        else:
            _compute(values, mnemonic, words, lambda word: not word.lstrip("-").isdigit(), random)
        jump = jump if taken is None else (at + 5, taken)
        if jump is not None and at == jump[0]:
            at, jump = jump[1], None
        elif at == values["le"] and values["lc"] > 1:
            values["lc"] -= 1
            at = values["ls"]
        else:
            values["lc"] -= at == values["le"] and values["lc"] > 0
            at += 1
    return Run(trace, at == len(lines.code))


def _compute(
    values: dict[str, int],
    mnemonic: str,
    words: list[str],
    is_register: Callable[[str], bool],
    random: Random,
) -> None:
    if mnemonic == "ld32":
        values[words[0]] = random.randrange(4)
    elif mnemonic in ("setzi", "mov", "mova", "movx", "movxm", "add", "add.nc"):
        terms = [values.get(w, 0) if is_register(w) else int(w, 0) for w in words[1:]]
        values[words[0]] = sum(terms) & _WORD
    else:
        assert mnemonic in ("nop", "rpt"), mnemonic

"""A control run after an edit, and the findings about it, are those of the text."""

from __future__ import annotations

import re
from random import Random
from typing import Sequence

import pytest

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.flow.control_run.execution import control_run
from ipu_asm.flow.control_run.facts import control_facts
from ipu_asm.isa import load_isa
from ipu_asm.source.expansion import SourceSettings
from tests.flow.test_control_run import random_kernel as nested_loops
from tests.flow.test_unknown_registers import unknown_kernel
from tests.invariants import assert_same
from tests.lint.test_run_oracle import random_kernel as loads_and_stores

_MAKERS = (nested_loops, unknown_kernel, loads_and_stores)
_IPU = load_isa("ipu")


def kernel(seed: int) -> str:
    """Some kernels after each other, so that loops follow loops."""
    random = Random(seed)
    parts = [random.choice(_MAKERS)(random.randrange(1 << 30)) for _ in range(3)]
    renamed = [
        re.sub(r"\b(?!lr|cr|r\d)([a-z]+\d+)\b", rf"\1_{n}", part) for n, part in enumerate(parts)
    ]
    bodies = [re.sub(r"bkpt\s*;;\s*$", "acc;;\n", part) for part in renamed[:-1]]
    return "".join([*bodies, renamed[-1]])


def edited(text: str, random: Random) -> str:
    """The text with another number or register, or without a bundle, or with one twice."""
    places = list(re.finditer(r"(?<![\w.])-?\d+(?=;| )|(?<=lr)\d+|(?<=cr)\d+", text))
    if random.random() < 0.15 or not places:
        rows = text.split("\n")
        number = random.randrange(len(rows))
        rows[number : number + 1] = (
            [] if random.random() < 0.5 else [rows[number].split(":")[-1]] * 2
        )
        return "\n".join(rows)
    place = random.choice(places)
    is_register = text[place.start() - 1] == "r"
    new = random.randrange(10) if is_register else random.choice((0, 1, 3, 128, 384, -128, 512))
    return f"{text[: place.start()]}{new}{text[place.end() :]}"


def check(analysis: Analysis) -> None:
    """The facts are those of runs from scratch."""
    for facts in control_facts(analysis.program):
        assert facts.run == control_run(analysis.program, facts.presets, 2_000)


@pytest.mark.usefixtures("short_control_runs")
@pytest.mark.parametrize("seeds", [range(n, n + 5) for n in range(0, 30, 5)], ids=str)
def test_a_run_after_random_edits_is_that_of_the_text(seeds: Sequence[int]) -> None:
    for seed in seeds:
        random = Random(seed)
        settings = SourceSettings(configurations=({}, {"cr1": 0x100, "cr3": 384}))
        text, before = kernel(seed), None
        analyzer, fresh = Analyzer(_IPU), Analyzer(_IPU)
        for _ in range(25):
            analysis = analyzer.analyze(text, before=before, settings=settings)
            check(analysis)
            assert_same(analysis, fresh.analyze(text, settings=settings))
            before, text = analysis, edited(text, random)

"""Mistakes put into programs full of names and macros are found where they are, and only there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Callable, Iterator

import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.isa import load_isa

ANALYZER = Analyzer(load_isa("colossus"))
PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.S"))
_BUNDLE = re.compile(r"\{([^{}]*)\}")
_LOAD = re.compile(r"(ld(?:32|64)(?:step)?)\s+(\$[^\s,]+)(.*)", re.DOTALL)
_REPEATED = re.compile(
    r"\brpt\b[^{}]*\}?\s*(?:[\w.@\\()]+:\s*)+(?:\{[^{}]*\}\s*(?://[^\n]*\s*)?)*$"
)
_WIDE = re.compile(r"(?:f16v4|f32v2)(?!to)\w+|(?:and|or|andc)64")

# From the halves of a bundle what stands in its place; empty where the mistake cannot be made.
Mutation = Callable[[str, str], str]


def check_mutant(text: str, start: int, end: int, mutant: str, codes: set[str]) -> bool:
    """Whether a mistake in place of ``text[start:end]`` is found; nothing is found elsewhere."""
    findings = ANALYZER.analyze(text[:start] + mutant + text[end:]).diagnostics
    last = start + len(mutant)
    outside = [f for f in findings if not start <= f.span.start < last]
    assert outside == [], (mutant, outside)
    assert {finding.code for finding in findings} <= codes, (mutant, findings)
    return bool(findings)


def _bundles(text: str) -> Iterator[tuple[re.Match[str], str, str]]:
    """The bundles of two instructions that no macro makes."""
    for match in _BUNDLE.finditer(text):
        lines = re.sub(r"//[^\n]*", "", match[1])
        halves = [half.strip() for half in re.split(r"[\n;]", lines) if half.strip()]
        if len(halves) == 2 and not any(re.match(r"[.#\\A-Z]", half) for half in halves):
            yield match, halves[0], halves[1]


def two_of_one_lane(main: str, aux: str) -> str:
    return f"{{ fnop ; {aux} }}"


def halves_swapped(main: str, aux: str) -> str:
    return f"{{ {aux} ; {main} }}" if not main.startswith(("setzi", "mov")) else ""


def the_same_result(main: str, aux: str) -> str:
    load = _LOAD.fullmatch(main)
    written = re.match(r"(\S+)\s+(\$[^\s,]+)", aux)
    if load is None or written is None or written[1] == "uput":
        return ""
    is_wide = bool(_WIDE.fullmatch(written[1]))
    return f"{{ {load[1]} {written[2]}{load[3]}\n {aux} }}" if is_wide == ("64" in load[1]) else ""


@pytest.mark.parametrize(
    ("mutation", "codes"),
    [
        (two_of_one_lane, {"E201", "C101"}),
        (halves_swapped, {"C101"}),
        # A register that a name stands for may be of another width.
        (the_same_result, {"C102", "E104"}),
    ],
)
def test_a_mistake_in_a_bundle_is_found(mutation: Mutation, codes: set[str]) -> None:
    found = []
    for path in PROGRAMS:
        text = path.read_text(encoding="utf-8")
        for match, main, aux in _bundles(text):
            mutant = mutation(main, aux)
            if mutant:
                found.append(check_mutant(text, *match.span(), mutant, codes))
    assert len(found) >= 15
    assert sum(found) >= 0.95 * len(found)


@pytest.mark.parametrize("mutant", ["{ get $m0, $WSR ; fnop }", "{ br $lr\n fnop }", "nop\n nop"])
def test_what_cannot_be_repeated_is_found(mutant: str) -> None:
    found = []
    for path in PROGRAMS:
        text = path.read_text(encoding="utf-8")
        for match, _main, _aux in _bundles(text):
            if _REPEATED.search(text[: match.start()]):
                found.append(check_mutant(text, *match.span(), mutant, {"C103"}))
    assert len(found) >= 8
    assert all(found)


@pytest.mark.parametrize("name", ["$SUM", "\\to", "$a\\n", "$\\name"])
def test_two_writes_under_one_name_clash_whatever_it_means(name: str) -> None:
    text = "{ ld32 $m2, $m3, $mzero, 0 ; fnop }\n"
    mutant = f"{{ ld32 {name}, $m0, $m1, 0 ; f32add {name}, $a1, $a2 }}"
    whole = f'#include "names.h"\n.macro add to, n, name\n{text}.endm\n'
    start = whole.index(text)
    assert check_mutant(whole, start, start + len(text) - 1, mutant, {"C102"})

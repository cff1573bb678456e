"""What `--fix` may write: never another program than the one that the author meant."""

from __future__ import annotations

import re
import string
from functools import lru_cache
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.analysis.apply_fixes import apply_fixes
from ipu_asm.assembler.encode import AssemblyError, assemble
from ipu_asm.diagnostics import Applicability, Diagnostic, Fix
from ipu_asm.isa import load_isa
from ipu_asm.text import Span
from tests.vectors import records, words_of

NAME = re.compile(r"(?!0[xXbBoO]?[0-9a-fA-F_]*$)[A-Za-z0-9_.]*[A-Za-z][A-Za-z0-9_.]*")
LETTERS = string.ascii_letters + string.digits + "_."

_analyzer_for = lru_cache(lambda isa: Analyzer(load_isa(isa)))


class Program(NamedTuple):
    """A program that assembles to these words."""

    text: str
    words: list[int]


@lru_cache(maxsize=1)
def programs() -> tuple[Program, ...]:
    """Every recorded program that assembles."""
    every = [record for kind in ("encode", "exec", "faults", "break") for record in records(kind)]
    texts = {record["asm"]: words_of(record) for record in every if record.get("asm")}
    return tuple(Program(text, words) for text, words in texts.items() if words_or_none(text))


def words_or_none(text: str) -> list[int] | None:
    try:
        return assemble(text)
    except AssemblyError:
        return None


def fixed(text: str, most: Applicability = Applicability.SAFE, isa: str = "ipu") -> str:
    """The text after `--fix`, or after all fixes up to an applicability."""

    def is_wanted(finding: Diagnostic) -> bool:
        return finding.fix is not None and finding.fix.applicability <= most

    analyzer = _analyzer_for(isa)
    return apply_fixes(analyzer, analyzer.analyze(text), is_wanted).analysis.text


def fixes(text: str, isa: str = "ipu") -> list[Fix]:
    """The fixes of all findings of a text."""
    return [f.fix for f in _analyzer_for(isa).analyze(text).diagnostics if f.fix is not None]


def names_in(analysis: Analysis) -> list[Span]:
    """Where mnemonics, registers, keywords and labels stand, the latter at every mention."""
    program = analysis.program
    return [
        program.span(number, span)
        for number, bundle in enumerate(program.bundles)
        for word, span in zip(bundle.syntax.words, bundle.syntax.spans)
        if NAME.fullmatch(word)
    ]


def misspelt(text: str, name: Span, place: int, slip: str, letter: str) -> str:
    """The text with one slip in a name: a letter dropped, swapped, replaced or inserted."""
    at = name.start + place % (name.end - name.start)
    if slip == "drop":
        return text[:at] + text[at + 1 :]
    if slip == "swap":
        return text[:at] + text[at : at + 2][::-1] + text[at + 2 :]
    return text[:at] + letter + text[at + (slip == "replace") :]


SLIPS = st.sampled_from(["drop", "swap", "replace", "insert"])


def check_misspelt(program: Program, text: str) -> str:
    """What `--fix` does to a program with a slip in it: nothing, or it brings the words back.

    Tells what became of it: "other" for one that is another program now, "same" or "mended".
    """
    after = fixed(text)
    other = words_or_none(text)
    if other is not None:
        assert words_or_none(after) == other, text
        return "other"
    if after == text:
        return "same"
    assert words_or_none(after) == program.words, (text, after)
    return "mended"


@pytest.mark.parametrize(
    ("text", "isa"),
    [
        # Another instruction, register or keyword may be meant, or there are two as near.
        ("x: bgt lr0 lr1 x;;", "ipu"),
        ("x: ble lr0 lr1 x;;", "ipu"),
        ("x: bge lr0 lr1 x;;", "ipu"),
        ("acc.min aaq0; bkpt;;", "ipu"),
        ("acc.m; bkpt;;", "ipu"),
        ("set lrl 5; bkpt;;", "ipu"),
        ("exitzz $m0", "colossus"),
        ("start\n", "edgenpu"),
        ("x: bnez lr0 x;;", "ipu"),
        ("x: bltz lr0 x;;", "ipu"),
        ("agg min value cr0 aaq0; bkpt;;", "ipu"),
        # Operands are not written for nothing.
        ("ldr_mult_reg r0 lr0 cr0 128; bkpt;;", "ipu"),
        ("sub lr0 lr1 lr2 lr3; bkpt;;", "ipu"),
        ("str_acc_reg lr0 512 cr0; bkpt;;", "ipu"),
        ("bne lr0 lr1 my-loop;; bkpt;;", "ipu"),
        ("mult.v r0 lr0 lr0 lr0 lr0; bkpt;;", "ipu"),
        # Nobody knows what it was to silence.
        ("acc; bkpt;; # ipu: ignore[W999]", "ipu"),
    ],
)
def test_where_nobody_knows_what_is_meant_nothing_is_suggested(text: str, isa: str) -> None:
    assert fixes(text, isa) == []


@pytest.mark.parametrize(
    ("text", "isa", "title"),
    [
        ("acc first; bkpt;;", "ipu", "write `acc.first`"),
        ("acc.frist; bkpt;;", "ipu", "replace by `acc.first`"),
        ("agg summ value cr0 aaq0; bkpt;;", "ipu", "replace by `sum`"),
        ("ldr_mult_reg mem_bypas lr0 cr0; bkpt;;", "ipu", "replace by `mem_bypass`"),
        ("loop: acc; b lop;;", "ipu", "replace by `loop`"),
        ("set lr5 40000; bkpt;;", "ipu", "write `-25536`, which is the same"),
        (
            "break.ifeq lr0 -1; bkpt;; # ipu: ignore[H101]",
            "ipu",
            "write `65535`, which is the same",
        ),
        ("acc; bkpt;; # ipu: ignore[unused-lable]", "ipu", "replace by `unused-label`"),
        ("LAOD WB, 0x80000000, 65536\n", "edgenpu", "replace by `LOAD`"),
        ("f16v4ad $a0:1, $a0:1, $a2:3\n", "colossus", "replace by `f16v4add`"),
        ("ADD $m0, $m1, $m2\n", "colossus", "replace by `add`"),
        ("vldaa wl0, [p0, #0]\n", "xdna1", "replace by `vlda`"),
    ],
)
def test_a_good_guess_is_a_suggestion(text: str, isa: str, title: str) -> None:
    (fix,) = (fix for fix in fixes(text, isa) if fix.title == title)
    assert fix.applicability is Applicability.DISPLAY
    assert fixed(text, Applicability.UNSAFE, isa) == text


@pytest.mark.parametrize(
    ("text", "after"),
    [
        # Where a bundle or an instruction ends is for the author to say.
        ("set lr0 1; set lr1 2; set lr2 3; bkpt;;", "set lr0 1; set lr1 2;; set lr2 3; bkpt;;"),
        ("acc bkpt;;", "acc; bkpt;;"),
        ("acc;\nx: b x;;", "acc;;\nx: b x;;"),
        ("acc; ; bkpt;;", "acc;  bkpt;;"),
        ("acc;; ;; bkpt;;", "acc;;  bkpt;;"),
        # A comma may stand for a letter.
        ("add lr0 lr1, lr3; bkpt;;", "add lr0 lr1 lr3; bkpt;;"),
        ("set lr0 ,5; bkpt;;", "set lr0 5; bkpt;;"),
    ],
)
def test_where_instructions_and_bundles_end_is_unsafe(text: str, after: str) -> None:
    assert fixed(text) == text
    assert fixed(text, Applicability.UNSAFE) == after


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("ACC; MULT.EE r0 lr0 lr0 lr0; Bkpt;;", "acc; mult.ee r0 lr0 lr0 lr0; bkpt;;"),
        (
            "mult.ee r0, lr0,lr1 , lr2; set lr1, 5; bkpt;;",
            "mult.ee r0 lr0 lr1  lr2; set lr1 5; bkpt;;",
        ),
        ("acc; bkpt;; # ipu: ignore[W203]", "acc; bkpt;;"),
    ],
)
def test_what_can_mean_one_thing_only_is_mended(text: str, after: str) -> None:
    assert fixed(text) == after
    assert words_or_none(after) is not None


@pytest.mark.parametrize(
    "text",
    [
        # A single capital may stand for another letter.
        "x: bnE lr0 lr1 x;;",
        "mult.Ve r0 lr0 lr0 lr0 lr0; bkpt;;",
        # With a blank for the comma there would be too many operands.
        "set lr0 1,000; bkpt;;",
        "br lr1,; bkpt;;",
        "acc, bkpt;;",
        # The finding that is silenced comes back when the error is mended.
        "set lrl 40000;; bkpt;; # ipu: ignore[W203]",
    ],
)
def test_what_can_mean_two_things_is_left_alone(text: str) -> None:
    assert fixed(text) == text


def test_the_halves_of_a_bundle_are_swapped_where_both_are_right() -> None:
    text = "{ f32add $a1, $a1, $a2 ; add $m0, $m0, 1 }\n"
    after = "{ add $m0, $m0, 1 ; f32add $a1, $a1, $a2 }\n"
    assert fixed(text, isa="colossus") == after
    broken = "{ f32add $a1, $a1 ; add $m0, $m0, 1 }\n"
    assert fixed(broken, isa="colossus") == broken


@given(st.data())
def test_safe_fixes_never_change_the_words_of_a_program(data: st.DataObject) -> None:
    program = data.draw(st.sampled_from(programs()))
    assert words_or_none(fixed(program.text)) == program.words


@given(st.data(), SLIPS, st.sampled_from(LETTERS), st.integers(0, 40))
def test_a_misspelt_name_comes_back_or_the_file_is_as_it_was(
    data: st.DataObject, slip: str, letter: str, place: int
) -> None:
    program = data.draw(st.sampled_from(programs()))
    names = names_in(_analyzer_for("ipu").analyze(program.text))
    name = data.draw(st.sampled_from(names))
    check_misspelt(program, misspelt(program.text, name, place, slip, letter))

"""What people bring along from other assemblers is met with what to write here."""

from __future__ import annotations

import re
import sys
from functools import lru_cache

import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.diagnostics import Applicability, Diagnostic
from ipu_asm.isa import available_isas, load_isa
from ipu_asm.text import apply_edits

analyzer_for = lru_cache(lambda isa: Analyzer(load_isa(isa)))


def check_habit(isa: str, text: str, said: str, expected: str | None) -> Diagnostic:
    """The first finding says so, and suggests, without doing it, what makes the expected text."""
    finding = analyzer_for(isa).analyze(text).diagnostics[0]
    assert said in finding.message
    if expected is None:
        assert finding.fix is None
    else:
        assert finding.fix is not None
        assert finding.fix.applicability is Applicability.DISPLAY
        assert apply_edits(text, finding.fix.edits) == expected
    return finding


@pytest.mark.parametrize(
    ("text", "said", "expected"),
    [
        ("mov lr0 5; bkpt;;", "did you mean `set`?", "set lr0 5; bkpt;;"),
        ("MOV lr0 5; bkpt;;", "did you mean `set`?", "set lr0 5; bkpt;;"),
        ("mov lr0 lr1; bkpt;;", "`add` with a zero copies one", None),
        ("x: jmp x;;", "`b` goes to a label", "x: b x;;"),
        ("jmp lr0;;", "`br` to the address in a loop register", "br lr0;;"),
        ("acc; nop; bkpt;;", "is idle", "acc; bkpt;;"),
        ("nop; bkpt;;", "is idle", "bkpt;;"),
        ("acc; NOP;; bkpt;;", "is idle", "acc;; bkpt;;"),
        ("nop;; bkpt;;", "did you mean `acc_nop`?", "acc_nop;; bkpt;;"),
        ("halt;;", "`bkpt` ends a program", "bkpt;;"),
        ("inc lr0 1; bkpt;;", "did you mean `incr`?", "incr lr0 1; bkpt;;"),
        ("x: bgt lr0 lr1 x;;", "`blt` with the two registers swapped", None),
        ("x: ble lr0 lr1 x;;", "no branch is taken on less or equal", None),
        ("x: bge lr0 lr1 x;;", "no branch is taken on greater or equal", None),
        ("x: bltu lr0 lr1 x;;", "`blt` compares signed numbers", None),
        ("acc.min aaq0; bkpt;;", "no minima", None),
    ],
)
def test_a_mnemonic_of_other_assemblers(text: str, said: str, expected: str | None) -> None:
    finding = check_habit("ipu", text, said, expected)
    assert finding.name == "unknown-mnemonic"


@pytest.mark.parametrize(
    ("text", "said", "expected"),
    [
        ("set l0 5; bkpt;;", "did you mean `lr0`?", "set lr0 5; bkpt;;"),
        ("add lr1 c15 lr0; bkpt;;", "did you mean `cr15`?", "add lr1 cr15 lr0; bkpt;;"),
        # There are `lr3` and `cr3`, and no register number 16.
        ("add lr1 r3 lr0; bkpt;;", "found `r3`", None),
        ("set l16 5; bkpt;;", "found `l16`", None),
        ("set %lr0 5; bkpt;;", "written without `%`", "set lr0 5; bkpt;;"),
        ("set lr0 $10; bkpt;;", "written without `$`", "set lr0 10; bkpt;;"),
        ("set lr0 $ 10; bkpt;;", "written without `$`", None),
        (
            "set lr0 \u22125; bkpt;;",
            "expected `-`, found U+2212 (minus sign)",
            "set lr0 -5; bkpt;;",
        ),
        ("set lr0 \u20135; bkpt;;", "U+2013 (en dash)", "set lr0 -5; bkpt;;"),
        ("set lr0 \u2212 5; bkpt;;", "U+2212 (minus sign)", None),
        ("set\u00a0lr0 5; bkpt;;", "U+00A0 (no-break space)", "set lr0 5; bkpt;;"),
        ("set lr0 5\uff1b bkpt;;", "expected `;`, found U+FF1B", "set lr0 5; bkpt;;"),
        ("acc;\u200b bkpt;;", "U+200B (zero width space)", "acc; bkpt;;"),
    ],
)
def test_a_register_a_number_or_a_character_of_other_editors(
    text: str, said: str, expected: str | None
) -> None:
    check_habit("ipu", text, said, expected)


@pytest.mark.parametrize(
    ("isa", "text", "said", "expected"),
    [
        ("xdna1", "mova r0 #28\n", "operands are separated by `,`", "mova r0, #28\n"),
        ("xdna1", "mova r0, 28\n", "did you mean `#28`?", "mova r0, #28\n"),
        ("xdna2", "mova r0, $28\n", "did you mean `#28`?", "mova r0, #28\n"),
        ("xdna1", "mova r0, 2000\n", "found `2000`", None),
        ("xdna1", "nop # c\n", "comments begin with `//`", "nop // c\n"),
        ("xdna2", "mova r0, #28 # c\n", "comments begin with `//`", "mova r0, #28 // c\n"),
        ("xdna1", "mova %r0, #4\n", "written without `%`", "mova r0, #4\n"),
        ("xdna1", "halt\n", "`done` ends a program", "done\n"),
        ("colossus", "add m0, $m1, $m2\n", "did you mean `$m0`?", "add $m0, $m1, $m2\n"),
        ("colossus", "add $sp, %sp, 8\n", "did you mean `$sp`?", "add $sp, $sp, 8\n"),
        ("colossus", "ad $m0, $m1, $m2\n", "did you mean `add`?", "add $m0, $m1, $m2\n"),
        ("colossus", "x: jmp x\n", "did you mean `bri`?", "x: bri x\n"),
        ("colossus", "mv $m0, $m1\n", "`mov` copies a register", "mov $m0, $m1\n"),
        ("edgenpu", "NOP # c\n", "comments begin with `;`", "NOP ; c\n"),
        ("edgenpu", "LOAD WB, #0, 65536\n", "written without `#`", "LOAD WB, 0, 65536\n"),
    ],
)
def test_a_habit_in_another_instruction_set(
    isa: str, text: str, said: str, expected: str | None
) -> None:
    check_habit(isa, text, said, expected)


@pytest.mark.parametrize("isa", available_isas())
def test_what_is_advised_is_there_and_what_is_foreign_is_not(isa: str) -> None:
    known = load_isa(isa)
    for mnemonic, foreign in known.surface.foreign.mnemonics.items():
        assert known.spec(mnemonic) is None
        named = re.findall(r"`([^` ]+)[^`]*`", foreign.advice)
        assert all(known.spec(name) for name in (*named, *foreign.replacements))
        assert named or foreign.replacements


@pytest.mark.parametrize("word", ["\u00a0", "\uff1b", "l", "l0", "bgt", "$", "acc first "])
def test_a_long_text_of_such_things_costs_no_more_than_its_length(word: str) -> None:
    assert calls_for(f"set {word * 800} 5;;") < 12 * calls_for(f"set {word * 100} 5;;")


def calls_for(text: str) -> int:
    """How many functions an analysis of a text calls."""
    calls = 0

    def count_call(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    analyzer = Analyzer(load_isa("ipu"))
    sys.setprofile(count_call)
    try:
        analyzer.analyze(text)
    finally:
        sys.setprofile(None)
    return calls

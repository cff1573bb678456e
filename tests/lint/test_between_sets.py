"""A program between the two IPUs is told as such, with the spellings of its set."""

from __future__ import annotations

import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.analysis.doubtful_isa import with_isa_hint
from ipu_asm.config.isa_choice import IsaChoice
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.isa import load_isa

BETWEEN = (
    "SET lr0 0;;\nset lr1 5;;\nmult.ve.cyclic r0 lr0 lr1 lr2 lr3;;\nACC.ADD;;\nACC;;\n"
    "MULT.RC.VS lr0 0 lr0 cr15;;\nBKPT;;\n"
)


def findings(isa: str, text: str, is_explicit: bool = False) -> list[Diagnostic]:
    analysis = Analyzer(load_isa(isa)).analyze(text)
    return list(with_isa_hint(analysis, IsaChoice(isa, "ipu.toml", is_explicit)).diagnostics)


@pytest.mark.parametrize("isa", ["ipu", "ipu2"])
def test_one_hint_says_which_set_it_is_nearer_to(isa: str) -> None:
    (hint,) = [each for each in findings(isa, BETWEEN) if each.rule.code == "H109"]
    assert "4 in `ipu`, 3 in `ipu2` are right; it is nearer to `ipu`" in hint.message
    assert ("# isa: ipu" in hint.message) == (isa == "ipu2")


@pytest.mark.parametrize(
    "text", ["MULL r0;;\nADDD r1;;\nbkpt;;", "acc;; acc.first;; fooo;; bar;; baz;; set lr1 5;;"]
)
def test_a_program_with_mistakes_alone_has_no_such_hint(text: str) -> None:
    assert "H109" not in {each.rule.code for each in findings("ipu", text)}


@pytest.mark.parametrize(
    ("isa", "text", "written", "fix"),
    [
        ("ipu2", "ACC", "`ACC` is written `ACC.ADD` in `ipu2`", "ACC.ADD"),
        ("ipu2", "SET lr0 0", "`0` is written `cr0` in `ipu2`", "cr0"),
        (
            "ipu2",
            "MULT.VE.CYCLIC lr0 lr1 0 lr0 cr15",
            "`MULT.VE.CYCLIC` is written `MULT.RC.VE` in `ipu2`",
            "MULT.RC.VE",
        ),
        ("ipu", "ACC.ADD", "`ACC.ADD` is written `acc` in `ipu`", "acc"),
        (
            "ipu",
            "mult.ve.cyclic r0 lr0 lr1 lr2 lr3",
            "`mult.ve.cyclic` is written `mult.ve` in `ipu`",
            "mult.ve",
        ),
        (
            "ipu",
            "STR_POST_AAQ_REG lr0 cr2",
            "`STR_POST_AAQ_REG` is written `xmem.store_aaq_result` in `ipu`",
            "xmem.store_aaq_result",
        ),
    ],
)
def test_a_word_of_the_other_set_is_told_with_its_spelling(
    isa: str, text: str, written: str, fix: str
) -> None:
    (finding,) = findings(isa, f"{text};;", is_explicit=True)
    assert written in finding.message
    assert finding.fix is not None
    assert [edit.new_text for edit in finding.fix.edits] == [fix]

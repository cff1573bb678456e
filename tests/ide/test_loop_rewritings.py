"""Pipelining and rebasing are offered where a loop can become shorter."""

from __future__ import annotations

import pytest

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.ide.packing import RewritingOffer, rewriting_offers
from tests.ide.cursor import fixture
from tests.programs import example_kernels

ROWS = """\
# CR cr0 = 0, cr1 = 0x10000, cr2 = 0x20000
    set lr0 -128; set lr3 0;;
    set lr1 -512; set lr2 2048;;
row:
    incr lr0 128; ldr_mult_reg r0 lr0 cr0;;
    ldr_cyclic_mult_reg lr0 cr1 lr3; mult.ee r0 lr3 lr3 lr3; acc.first; agg max value cr5 aaq0;;
    acc.a$0dd_aaq aaq0;;
    incr lr1 512; str_acc_reg lr1 cr2; bne lr0 lr2 row;;
    bkpt;;
"""
STEPS = """\
    set lr1 0; set lr2 9;;
    set lr0 0; set lr3 0;;
row:
    ldr_mult_reg r0 lr0 cr0;;
    incr l$0r0 128;;
    incr lr3 128;;
    incr lr1 1;;
    bne lr1 lr2 row;;
    bkpt;;
"""
PIPELINE = "Pipeline this loop into 3 bundles an iteration, 1 fewer"
REBASE = "Update loop registers of the file less often"


def offers(text_with_cursor: str) -> list[RewritingOffer]:
    return rewriting_offers(*fixture(text_with_cursor))


def titles(text_with_cursor: str) -> list[str]:
    return [offer.title for offer in offers(text_with_cursor)]


def test_a_loop_whose_iterations_can_overlap_is_offered_to_be_pipelined() -> None:
    assert titles(ROWS) == [PIPELINE]
    assert offers(ROWS)[0].request == {"pipeline": 2}


def test_a_loop_that_only_updates_keep_long_is_offered_to_be_rebased() -> None:
    assert titles(STEPS) == [REBASE]
    assert offers(STEPS)[0].request == {"rebase": True}


@pytest.mark.parametrize(
    "text",
    [
        ROWS.replace("a$0dd", "add").replace("bkpt", "bk$0pt"),
        ROWS.replace("set lr2 2048", "set lr2 0"),  # one trip
        ROWS.replace("row:\n", "row:  # LOOP 17\n"),
        ROWS.replace("set lr2 2048", "add lr2 lr3 cr4"),  # trips are not known
        STEPS.replace("row:\n", "row: break;\n"),
        STEPS.replace("bne lr1 lr2 row", "bne lr1 lr2 -4"),
        STEPS.replace("bkpt;;", "br lr2;;"),
        STEPS + "acc;;\n" * 200,
        "{% set n = 9 %}\n" + STEPS.replace("lr2 9", "lr2 {{ n }}"),
    ],
)
def test_nothing_is_offered_where_it_is_refused_or_saves_nothing(text: str) -> None:
    assert titles(text) == []


@pytest.mark.parametrize("name", [n for n in example_kernels() if n.endswith(".s")])
def test_the_examples_have_no_offers(name: str) -> None:
    analysis = analyze(example_kernels()[name])
    program = analysis.program
    assert all(rewriting_offers(analysis, start + 1) == [] for start in program.starts)

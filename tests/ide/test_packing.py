"""Packing is offered where it saves bundles: for a block, a loop, the file."""

from __future__ import annotations

import io
import json

import pytest

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.flow.packing.pack import PackingError, plan_packing
from ipu_asm.ide.packing import RewritingOffer, packing_edits, packing_offers, rewriting_offers
from ipu_asm.ide.template_writing import WrittenTemplate
from ipu_asm.testbench import packing_process
from ipu_asm.text import Span, TextEdit, apply_edits
from tests.ide.cursor import fixture
from tests.programs import example_kernels

NESTED = """\
    set lr5 2;;
    set lr6 2;;
outer:
    set lr0 0;;
    incr lr1 1;;
inner:
    incr lr0 1;;
    acc;;
    bne lr0 lr5 inner;;
    bne lr1 lr6 outer;;
    bkpt;;
"""


def titles(text_with_cursor: str, isa: str = "ipu") -> list[str]:
    analysis, offset = fixture(text_with_cursor, isa)
    return [offer.title for offer in packing_offers(analysis, offset)]


def packed(text_with_cursor: str, number: int = 0) -> str:
    analysis, offset = fixture(text_with_cursor)
    offer = packing_offers(analysis, offset)[number]
    edits = plan_packing(analysis.effective_program, offer.blocks).edits
    return apply_edits(analysis.text, packing_edits(analysis, edits))


def test_the_block_the_loops_around_it_and_the_file_are_offered() -> None:
    assert titles(NESTED.replace("acc", "a$0cc")) == [
        "Pack this block into 2 bundles, 1 fewer",
        "Pack this loop into 4 bundles, 2 fewer",
        "Pack the file into 6 bundles, 3 fewer",
    ]


def test_a_loop_with_the_savings_of_its_block_is_not_offered_twice() -> None:
    text = "x: incr lr1 1;;\nacc;;\nb$0ne lr1 lr2 x;;\nbkpt;;\n"
    assert titles(text) == ["Pack this block into 2 bundles, 1 fewer"]


def test_nothing_is_offered_between_bundles() -> None:
    assert titles(f"# $0above\n{NESTED}") == []


@pytest.mark.parametrize(
    "text",
    ["$0set lr1 1; bkpt;;", "$0acc;; set lr1 1;; nonsense;;", "$0acc;; set lr1 1;; br lr1;;"],
)
def test_nothing_is_offered_where_nothing_is_saved_or_packing_is_refused(text: str) -> None:
    assert titles(text) == []


def test_another_instruction_set_has_no_offers() -> None:
    assert titles("$0SYNC\n", "edgenpu") == []


def test_only_the_chosen_blocks_change() -> None:
    assert packed(NESTED.replace("acc", "a$0cc")) == NESTED.replace(
        "incr lr0 1;;\n    acc;;", "incr lr0 1; acc;;"
    )


def test_a_block_of_a_template_is_offered_where_it_is_written_out() -> None:
    text = "set lr1 {{ 2 + 2 }};;\nacc;;\nx: incr lr2 1;;\nac$0c;;\nbne lr1 lr2 x;;\nbkpt;;\n"
    assert packed(text) == text.replace("incr lr2 1;;\nac$0c", "incr lr2 1; acc")
    plain = text.replace("$0", "")
    joined = plain.replace(";;\nacc;;", "; acc;;", 1)
    assert packed(plain.replace("set", "s$0et")) == joined  # the tag is kept


def test_a_template_with_several_programs_is_not_packed() -> None:
    contexts = "{# ipu: context n=1 #}{# ipu: context n=2 #}"
    text = f"{contexts}\nx: acc;;\ns$0et lr1 1;;\nbkpt;;\nset lr2 {{{{ n }}}};;\n"
    assert titles(text) == []
    with pytest.raises(PackingError, match="another program in each"):
        WrittenTemplate(analyze(text.replace("$0", "")))


def test_in_a_large_program_the_block_alone_is_offered() -> None:
    assert titles(NESTED.replace("acc", "a$0cc") + "acc;;\n" * 250) == [
        "Pack this block into 2 bundles, 1 fewer"
    ]


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


def rewriting_titles(text_with_cursor: str) -> list[str]:
    return [offer.title for offer in offers(text_with_cursor)]


def test_a_loop_whose_iterations_can_overlap_is_offered_to_be_pipelined() -> None:
    assert rewriting_titles(ROWS) == [PIPELINE]
    assert offers(ROWS)[0].request == {"pipeline": 2}


def test_a_loop_that_only_updates_keep_long_is_offered_to_be_rebased() -> None:
    assert rewriting_titles(STEPS) == [REBASE]
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
    assert rewriting_titles(text) == []


@pytest.mark.parametrize("name", [n for n in example_kernels() if n.endswith(".s")])
def test_the_examples_have_no_offers(name: str) -> None:
    analysis = analyze(example_kernels()[name])
    program = analysis.program
    assert all(rewriting_offers(analysis, start + 1) == [] for start in program.starts)


def test_a_loop_of_a_template_is_offered_to_be_pipelined_where_it_is_written_out() -> None:
    text = """\
# isa: ipu2
# CR cr2 = 0, cr3 = 0x100, cr4 = 0x200, cr5 = 64
{% set input = "lr1" %}
    LDR_MULT_REG r0 lr2 cr2;;
inputs:
    LDR_CYCLIC_MULT_REG lr0 cr3 lr2;;
    MULT.RC.VE lr2 {{ input }} 0 lr2 cr15; AC$0C.ADD;;
    INC lr0 1; INC {{ input }} 1;;
    BNE {{ input }} cr5 inputs;;
    BKPT;;
"""
    analysis, offset = fixture(text, "ipu2")
    [offer] = rewriting_offers(analysis, offset)
    assert offer.title == "Pipeline this loop into 1 bundle an iteration, 3 fewer"
    repeated = text.replace("inputs", "inputs{{ n }}")
    repeated = repeated.replace("inputs{{ n }}:", "{% for n in (1, 2) %}\ninputs{{ n }}:")
    repeated = repeated.replace("    BKPT", "{% endfor %}\n    BKPT")
    assert rewriting_offers(*fixture(repeated, "ipu2")) == []


IN_ORDER = (
    "f:\n// schedule loop r0 least 8 disjoint p0 p1 p2\nvlda wl0, [p0], #32\nvlda wl1, [p1], #32\n"
    "vlda wh0, [p0], #32\n$0vlda wh1, [p1], #32\nvadd.16 x2, x0, x1\nvst wl2, [p2], #32\n"
    "vst wh2, [p2], #32\n// end\nret lr\n" + "nop\n" * 5
)


def test_operations_in_order_are_offered_to_be_scheduled_and_are_proven(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    analysis, offset = fixture(IN_ORDER, "xdna1")
    (offer,) = rewriting_offers(analysis, offset)
    assert offer.title == "Schedule this loop into 2 bundles an iteration, 5 fewer"
    assert rewriting_offers(analysis, len(analysis.text) - 2) == []
    request = {"isa": "xdna1", "text": analysis.text, "configurations": [], **offer.request}
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(request)))
    packing_process.main()
    edits = json.loads(capsys.readouterr().out)["edits"]
    text = apply_edits(analysis.text, [TextEdit(Span(a, b), new) for a, b, new in edits])
    assert "// scheduled loop r0 least 8" in text
    # What is scheduled, or written without a mark, is not offered again.
    assert rewriting_offers(analyze(text, "xdna1"), offset) == []
    plain = analysis.text.replace("// schedule", "// once")
    assert rewriting_offers(analyze(plain, "xdna1"), plain.index("vadd")) == []

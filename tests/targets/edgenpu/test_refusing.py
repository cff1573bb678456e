"""What the EdgeNPU assembler refuses, where it points, and what it says."""

from __future__ import annotations

import pytest

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.assembler.encode import AssemblyError, assemble
from ipu_asm.diagnostics import Diagnostic, Severity
from ipu_asm.text import Span, apply_edits


def errors_in(text: str) -> tuple[Diagnostic, ...]:
    findings = analyze(text, "edgenpu").diagnostics
    return tuple(finding for finding in findings if finding.severity is Severity.ERROR)


def check_refused(marked: str, name: str, *said: str, fixed: str | None = None) -> None:
    """One error of that name at the text between ⟦ and ⟧, whose message has all of `said`.

    Applying its fix makes `fixed`; None means that there is no fix.
    """
    before, _, rest = marked.partition("⟦")
    culprit, _, after = rest.partition("⟧")
    text = before + culprit + after
    findings = errors_in(text)
    assert [(finding.name, finding.span) for finding in findings] == [
        (name, Span(len(before), len(before) + len(culprit)))
    ]
    assert [part for part in said if part not in findings[0].message] == []
    fix = findings[0].fix
    assert (apply_edits(text, fix.edits) if fix else None) == fixed
    with pytest.raises(AssemblyError) as error:
        assemble(text, "edgenpu")
    assert error.value.findings == findings


def test_a_near_mnemonic_is_offered() -> None:
    check_refused(
        "⟦CONVV⟧ AB[1], AB[0], WB[0]",
        "unknown-mnemonic",
        "did you mean `CONV`?",
        fixed="CONV AB[1], AB[0], WB[0]",
    )


def test_a_word_that_is_no_mnemonic_is_refused_without_a_guess() -> None:
    check_refused("here: ⟦MATMUL⟧ AB[1]", "unknown-mnemonic", "`MATMUL`")


@pytest.mark.parametrize(
    ("marked", "said"),
    [
        ("⟦CONV⟧ AB[1], AB[0]", "takes 3 to 5 operands"),
        ("⟦CONV⟧ desc=4", "missing: `dst`, `src_act`, `src_weight`"),
        ("⟦ADD⟧ AB[1], AB[0]", "takes 3 operands"),
        ("⟦LOAD⟧ WB, 0x80000000", "missing: `length`"),
        ("⟦STORE⟧", "found 0"),
    ],
)
def test_missing_operands_are_named(marked: str, said: str) -> None:
    check_refused(marked, "too-few-operands", said)


def test_surplus_operands_are_refused() -> None:
    check_refused(
        "ADD AB[1], AB[0], AB[2], ⟦AB[3]⟧, AB[4] ; sum",
        "too-many-operands",
        "takes 3 operands",
        "found 5",
    )
    check_refused("NOP 1, ⟦2⟧", "too-many-operands", "takes at most 1 operand")


def test_a_surplus_operand_stands_before_named_ones() -> None:
    check_refused(
        "FC AB[1], AB[0], WB[0], RELU, ⟦5⟧, out=3",
        "too-many-operands",
        "`in=` and `out=` only by name",
    )


def test_a_named_operand_is_written_once() -> None:
    check_refused(
        "CONV AB[1], AB[0], WB[0], desc=1, ⟦desc=2⟧, RELU",
        "too-many-operands",
        "`desc=` is written once",
    )


def test_a_window_cannot_be_given_without_its_name() -> None:
    check_refused(
        "POOL AB[1], AB[0], MAX, ⟦3x3⟧",
        "too-many-operands",
        "`kernel=` and `stride=` only by name, found `3x3`",
    )


@pytest.mark.parametrize(
    ("marked", "said"),
    [
        ("ADD AB[1], ⟦WB[0]⟧, AB[2]", "found `WB[0]`, a weight buffer"),
        ("CONV AB[1], AB[0], ⟦AB[0]⟧", "found `AB[0]`, an activation buffer"),
        ("CONV ⟦WB[1]⟧, AB[0], WB[0]", "expected an activation buffer (`AB[0]` to `AB[255]`)"),
        ("FC AB[1], ⟦WB[0]⟧, WB[0]", "operand `src_act`"),
        ("CONV AB[1], AB[0], ⟦WB⟧", "found `WB` without a number"),
        ("ADD AB[1], AB[0], ⟦AB[256]⟧", "found `AB[256]`"),
        ("ADD AB[1], AB[0], ⟦AB[-1]⟧", "found `AB[-1]`"),
        ("ADD AB[1], AB[0], ⟦AB[two]⟧", "found `AB[two]`"),
        ("ADD AB[1], AB[0], ⟦CB[2]⟧", "found `CB[2]`"),
        ("ADD AB[1], AB[0], ⟦2⟧", "found the number `2`"),
        ("ADD AB[1], AB[0], ⟦AB [ 300 ]⟧", "found `AB[300]`"),
    ],
)
def test_a_buffer_of_the_wrong_sort_or_number_is_refused(marked: str, said: str) -> None:
    check_refused(marked, "wrong-operand-type", said)


@pytest.mark.parametrize(
    ("marked", "said"),
    [
        ("LOAD ⟦AB[1]⟧, 0, 4", "whose number has no place in the field"),
        ("LOAD ⟦WB[x]⟧, 0, 4", "`WB` or `AB`"),
        ("LOAD ⟦CB⟧, 0, 4", "found `CB`"),
        ("STORE 0, ⟦WB[0]⟧, 4", "a weight buffer"),
        ("STORE 0, ⟦WB⟧, 4", "found `WB`"),
        ("STORE 0, ⟦AB⟧, 4", "without a number"),
    ],
)
def test_load_takes_a_whole_memory_and_store_an_activation_buffer(marked: str, said: str) -> None:
    check_refused(marked, "wrong-operand-type", said)


@pytest.mark.parametrize(
    ("marked", "said", "fixed"),
    [
        ("SYNC ⟦WAIT_DNA⟧", "did you mean `WAIT_DMA`?", "SYNC WAIT_DMA"),
        ("SYNC WAIT_DMA | ⟦IRQQ⟧", "did you mean `IRQ`?", "SYNC WAIT_DMA | IRQ"),
        ("SYNC ⟦nothing⟧", "`WAIT_DMA`, `WAIT_COMPUTE` and `IRQ`", None),
        ("CONV AB[1], AB[0], WB[0], RELU |⟦IRQ⟧", "found `IRQ`, a flag of `SYNC`", None),
        ("LOAD WB, 0, 4, ⟦RELU⟧|2D", "found `RELU`, a flag of `CONV`", None),
        ("ACT AB[1], AB[0], ⟦GLU⟧", "did you mean `GELU`?", "ACT AB[1], AB[0], GELU"),
        ("POOL AB[1], AB[0], ⟦MIN⟧", "`MAX`, `AVG` or `GLOBAL`", None),
        ("POOL AB[1], AB[0], ⟦3⟧", "a pooling type", None),
    ],
)
def test_an_unknown_word_is_refused_where_it_stands(
    marked: str, said: str, fixed: str | None
) -> None:
    check_refused(marked, "unknown-keyword", said, fixed=fixed)


@pytest.mark.parametrize(
    ("marked", "said", "fixed"),
    [
        (
            "CONV AB[1], AB[0], WB[0], ⟦dsc = 4⟧",
            "`CONV` has the named operand `desc=`, found `dsc=`",
            "CONV AB[1], AB[0], WB[0], desc=4",
        ),
        (
            "POOL AB[1], AB[0], ⟦size=3x3⟧",
            "`POOL` has the named operands `kernel=` and `stride=`",
            None,
        ),
        ("ADD AB[1], AB[0], ⟦src1=AB[2]⟧", "`ADD` has no named operands", None),
    ],
)
def test_an_operand_with_an_unknown_name_is_refused(
    marked: str, said: str, fixed: str | None
) -> None:
    check_refused(marked, "unknown-keyword", said, fixed=fixed)


@pytest.mark.parametrize(
    ("marked", "said"),
    [
        ("NOP ⟦4294967296⟧", "from 0 to 4294967295"),
        ("NOP ⟦-1⟧", "from 0 to 4294967295"),
        ("SYNC ⟦0x100000000⟧", "operand `barrier_id`"),
        ("CONV AB[1], AB[0], WB[0], desc=⟦0x100000000⟧", "operand `descriptor`"),
        ("FC AB[1], AB[0], WB[0], in=⟦65536⟧", "from 0 to 65535"),
        ("CONCAT AB[1], AB[0], AB[2], ⟦4⟧", "from 0 to 3"),
        ("SPLIT AB[1], AB[0], AB[2], axis = ⟦4⟧", "from 0 to 3"),
        ("LOAD WB, 0, ⟦0x1000000⟧", "from 0 to 16777215"),
        ("STORE 0, AB[0], ⟦-4⟧", "from 0 to 16777215"),
        ("POOL AB[1], AB[0], kernel=⟦16⟧x3", "a height from 0 to 15"),
        ("POOL AB[1], AB[0], stride=3x⟦16⟧", "a width from 0 to 15"),
        ("CONCAT AB[1], AB[0], AB[2], sizes=⟦16384⟧x1", "from 0 to 16383"),
        ("CONCAT AB[1], AB[0], AB[2], sizes=1x⟦99999999999⟧", "from 0 to 65535"),
    ],
)
def test_numbers_that_do_not_fit_are_refused(marked: str, said: str) -> None:
    check_refused(marked, "immediate-out-of-range", said)


@pytest.mark.parametrize(
    ("marked", "said"),
    [
        ("LOAD WB, ⟦0x80000001⟧, 4", "0x1 past `0x80000000`"),
        ("STORE ⟦0x8000FFFF⟧, AB[0], 4", "in steps of 64 KiB"),
        ("LOAD WB, ⟦65535⟧, 4", "0xffff past `0x00000000`"),
        ("LOAD WB, ⟦0x100000000⟧, 4", "from `0x00000000` to `0xffff0000`"),
        ("LOAD WB, ⟦-65536⟧, 4", "in steps of 64 KiB"),
    ],
)
def test_a_ddr_address_is_a_multiple_of_64_kib(marked: str, said: str) -> None:
    check_refused(marked, "immediate-out-of-range", said)


@pytest.mark.parametrize(
    ("marked", "said"),
    [
        ("LOAD WB, ⟦weights⟧, 4", "a DDR address"),
        ("LOAD WB, 0, ⟦16KB⟧", "no number in any base"),
        ("NOP ⟦010⟧", "begins with a zero"),
        ("NOP ⟦1x⟧", "a label or a number"),
        ("NOP ⟦a|b⟧", "a label or a number"),
        ("POOL AB[1], AB[0], kernel=⟦3⟧", "a height and a width such as `2x3`"),
        ("FC AB[1], AB[0], WB[0], in=⟦many⟧", "from 0 to 65535"),
    ],
)
def test_something_else_where_a_number_is_due_is_refused(marked: str, said: str) -> None:
    check_refused(marked, "wrong-operand-type", said)


def test_an_undefined_label_is_refused_and_a_near_one_offered() -> None:
    check_refused(
        "CONV AB[1], AB[0], WB[0], desc=⟦parms⟧\nparams: NOP",
        "undefined-label",
        "no label `parms`",
        fixed="CONV AB[1], AB[0], WB[0], desc=params\nparams: NOP",
    )
    check_refused("NOP ⟦Start⟧\nstart:", "undefined-label", fixed="NOP start\nstart:")


def test_a_label_is_defined_once() -> None:
    check_refused("a: NOP\n⟦a⟧:\nNOP", "duplicate-label", "second definition of `a`")


def test_a_program_of_more_than_2048_instructions_is_refused() -> None:
    text = "; long\n" + "NOP\n\n" * 2048
    check_refused(
        f"{text}last:\n⟦NOP⟧\nNOP",
        "program-too-large",
        "instruction memory holds 2048 instructions, found 2050",
    )


@pytest.mark.parametrize(
    ("marked", "said", "fixed"),
    [
        ("a: ⟦b⟧: NOP", "a line has one label at the most", None),
        ("NOP ⟦b⟧: NOP", "a label begins a line", "NOP\n b: NOP"),
        ("NOP 1 ⟦b⟧: NOP", "is a line break missing before it?", "NOP 1\n b: NOP"),
        ("ADD AB[1] ⟦AB⟧[2], AB[3]", "separated by `,`", "ADD AB[1], AB[2], AB[3]"),
        ("NOP 0x10⟦+5⟧", "separated by `,`", "NOP 0x10,+5"),
        ("ADD AB[1], AB[2]⟦,⟧", "not complete after `,`", None),
        ("ADD AB[1], AB[2], AB⟦[⟧ ; comment", "not complete after `[`", None),
        ("SYNC WAIT_DMA ⟦|⟧", "not complete after `|`", None),
        ("SYNC WAIT_DMA ⟦|⟧\n", "not complete after `|`", None),
        ("CONV AB[1], AB[0], WB[0], desc⟦=⟧", "not complete after `=`", None),
        ("ADD AB[1], AB[⟦,⟧ AB[2]", "found `,`", None),
        ("⟦5⟧: NOP", "found `5`", None),
        ("NOP 1 ⟦:⟧", "or the end of the line, found `:`", None),
        ("SYNC IRQ ⟦&⟧ WAIT_DMA", "flags are joined by `|`", None),
        ("ADD AB⟦(⟧1, AB[2], AB[3]", "brackets", None),
        ("ADD AB[⟦@⟧1], AB[2], AB[3]", "found `@`", None),
        ("ADD AB[1], ⟦@⟧, AB[3]", "found `@`", None),
        ("NOP ⟦$⟧", "registers and numbers are written without `$`", None),
        ("NOP ⟦-⟧ 5", "a sign belongs to the number", None),
        ("⟦//⟧", "comments begin with `;`", ";"),
        ("NOP⟦\f⟧", "U+000C", None),
        ("NOP\n⟦\ufeff⟧NOP", "byte-order mark", None),
    ],
)
def test_a_token_that_does_not_fit_is_refused(marked: str, said: str, fixed: str | None) -> None:
    check_refused(marked, "syntax-error", said, fixed=fixed)


def test_an_instruction_with_a_mistake_leaves_the_other_lines_alone() -> None:
    check_refused("start: NOP 1\nADD AB[1]⟦:⟧ AB[2]\nlater: NOP start\nNOP later", "syntax-error")


def test_an_empty_program_cannot_be_assembled() -> None:
    for text in ("", "\n\n", "; nothing", "label:\n"):
        assert analyze(text, "edgenpu").diagnostics == ()
        with pytest.raises(AssemblyError, match="a program has at least one instruction"):
            assemble(text, "edgenpu")

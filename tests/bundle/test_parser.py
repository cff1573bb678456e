"""Single bundles: their instructions, values and bits, and what is wrong with them."""

from __future__ import annotations

import pytest

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.parser import BundleParser, parser_for
from ipu_asm.diagnostics import Diagnostic, Severity
from ipu_asm.isa import load_isa
from ipu_asm.text import apply_edits
from tests.marked import unmarked


def check_bundle(marked: str, *names: str) -> Bundle:
    """The bundle of a text, with findings of these names, in any order, where the marks are."""
    text, places = unmarked(marked)
    bundle = BundleParser(load_isa("ipu")).bundle(text)
    found = sorted((finding.span, finding.name) for finding in bundle.findings)
    assert found == list(zip(places, names))
    assert len(names) == len(places)
    assert all(finding.severity is Severity.ERROR for finding in bundle.findings)
    for finding in bundle.findings:
        _check_style(finding)
    return bundle


def _check_style(finding: Diagnostic) -> None:
    """A message begins lower case or with a name, has no full stop, and one line."""
    message = finding.message
    assert message[0].islower() or message[0] == "`"
    assert not message.endswith(".")
    assert "\n" not in message
    assert len(message) < 300
    assert message.count("`") % 2 == 0


def fixed(marked: str, *names: str) -> str:
    """The text of a bundle after the fixes of its findings."""
    bundle = check_bundle(marked, *names)
    edits = [edit for f in bundle.findings if f.fix for edit in f.fix.edits]
    return apply_edits(bundle.syntax.text, edits)


def test_an_instruction_has_the_values_of_its_operands() -> None:
    (instruction,) = check_bundle("add lr3 CR2 lr1;;").instructions
    assert instruction.mnemonic == "add"
    assert instruction.words == ("add", "lr3", "CR2", "lr1")
    assert instruction.values == (3, 18, 1)
    assert [operand and operand.name for operand in instruction.operands] == [
        "dest", "src_a", "src_b",
    ]  # fmt: skip
    assert instruction.value("src_a") == 18
    assert instruction.value("reg") is None


def test_a_label_operand_has_its_text_for_a_value() -> None:
    bundle = check_bundle("acc; beq lr0 lr1 x;;")
    assert bundle.instructions[1].values == (0, 1, "x")
    assert bundle.instructions[1].labels == (2,)
    ((number, operand, low),) = bundle.label_uses
    assert (number, operand, low) == (1, 2, 0)


def test_a_wrong_operand_has_no_value_and_the_others_keep_theirs() -> None:
    (instruction,) = check_bundle("add lr3 ⟦r0⟧ lr1;;", "wrong-operand-type").instructions
    assert instruction.values == (3, None, 1)


def test_too_few_operands_may_be_any_of_them() -> None:
    (instruction,) = check_bundle("⟦add⟧ lr3 r0;;", "too-few-operands").instructions
    assert instruction.operands == (None, None)
    assert instruction.values == (None, None)


def test_surplus_operands_leave_the_others_their_values() -> None:
    (instruction,) = check_bundle("incr lr3 1 ⟦2⟧ 3;;", "too-many-operands").instructions
    assert instruction.values == (3, 1, None, None)


def test_an_unknown_mnemonic_has_no_spec() -> None:
    bundle = check_bundle("⟦nop⟧ lr1; acc;;", "unknown-mnemonic")
    assert [i.spec and i.spec.slot for i in bundle.instructions] == [None, "acc"]
    assert bundle.places[0] is None
    assert bundle.is_broken


def test_equal_instructions_are_one_object() -> None:
    parser = BundleParser(load_isa("ipu"))
    first = parser.bundle("acc; incr lr0 1;;").instructions[1]
    assert parser.bundle("x: incr  lr0 1;;").instructions[0] is first


def test_everybody_shares_one_parser() -> None:
    assert parser_for(load_isa("ipu")) is parser_for(load_isa("ipu"))


def test_instructions_that_do_nothing_are_idle() -> None:
    bundle = check_bundle("incr lr3 0; set lr3 0; acc_nop; xmem_nop; aaq;;")
    assert [i.is_idle for i in bundle.instructions] == [True, False, True, True, False]


def test_each_instruction_has_its_place_in_the_word() -> None:
    bundle = check_bundle("acc; set lr1 1; break; set lr2 1;;")
    assert bundle.places == (96, 53, 157, 21)
    assert bundle.instructions_of("lr") == [1, 3]
    assert bundle.instructions_of("mult") == []


def test_a_bundle_knows_the_slots_that_hang_on_its_address() -> None:
    assert [slot.name for slot in check_bundle("acc;;").open_slots] == ["cond"]
    assert check_bundle("acc; bkpt;;").open_slots == ()


def test_a_bundle_knows_how_control_leaves_it() -> None:
    bundles = ["acc;;", "break;;", "b x;;", "bne lr0 lr1 x; acc;;", "br lr0;;", "bkpt;;"]
    found = [check_bundle(text).flow for text in bundles]
    assert found == [None, None, "jump", "branch", "indirect", "halt"]


def test_only_instructions_take_an_address() -> None:
    for text, size in [("acc;;", 1), ("x: acc", 1), ("  # c", 0), ("", 0), ("\n", 0)]:
        assert check_bundle(text).size == size
    assert check_bundle("⟦x⟧:", "syntax-error").size == 0
    assert check_bundle("⟦@⟧;;", "syntax-error").size == 1


def test_a_bundle_with_more_findings_is_another_one() -> None:
    bundle = check_bundle("x: acc; b x;;")
    finding = check_bundle("⟦foo⟧;;", "unknown-mnemonic").findings[0]
    more = bundle.with_findings([finding])
    assert (bundle.findings, more.findings) == ((), (finding,))
    assert (more.word, more.label, more.label_uses, more.places) == (
        bundle.word, bundle.label, bundle.label_uses, bundle.places,
    )  # fmt: skip


def test_spans_of_a_bundle_cover_mnemonics_operands_and_the_first_token() -> None:
    text = " x: incr\tlr0  1; acc ;;"
    bundle = check_bundle(text)
    pieces = [bundle.first_token, bundle.span(0), bundle.span(0, 1), bundle.span(1)]
    assert [text[a:b] for a, b in pieces] == ["x", "incr", "1", "acc"]


def test_a_mnemonic_in_another_case_is_written_in_lower_case() -> None:
    assert fixed("⟦ACC.First⟧;;", "unknown-mnemonic") == "acc.first;;"


def test_a_misspelt_mnemonic_is_replaced_by_the_nearest() -> None:
    assert fixed("⟦acc.frist⟧;;", "unknown-mnemonic") == "acc.first;;"
    assert fixed("⟦mutl.ee⟧ r0 lr0 lr1 lr2;;", "unknown-mnemonic") == "mult.ee r0 lr0 lr1 lr2;;"
    assert fixed("⟦frobnicate⟧;;", "unknown-mnemonic") == "frobnicate;;"


def test_a_misspelt_keyword_is_replaced_by_the_nearest() -> None:
    assert fixed("agg ⟦summ⟧ value cr0 aaq0;;", "unknown-keyword") == "agg sum value cr0 aaq0;;"


def test_the_rest_of_a_mnemonic_is_joined_to_it_where_the_operands_fit() -> None:
    assert fixed("acc ⟦first⟧; bkpt;;", "too-many-operands") == "acc.first; bkpt;;"
    for text in ("acc ⟦max⟧; bkpt;;", "acc # c\n ⟦first⟧; bkpt;;"):
        assert fixed(text, "too-many-operands") == unmarked(text)[0]


def test_a_forgotten_separator_is_put_in() -> None:
    assert fixed("incr lr0 1 ⟦acc⟧;;", "too-many-operands") == "incr lr0 1; acc;;"
    assert fixed("acc\n ⟦mult_nop⟧ ; bkpt;;", "too-many-operands") == "acc;\n mult_nop ; bkpt;;"
    assert fixed("acc ⟦aaq⟧ bkpt;;", "too-many-operands") == "acc; aaq bkpt;;"
    assert fixed("acc ⟦b⟧;;", "too-many-operands") == "acc b;;"


def test_a_bundle_is_split_at_the_instruction_that_has_no_slot_left() -> None:
    assert fixed("acc; ⟦acc⟧; bkpt;;", "duplicate-slot") == "acc;; acc; bkpt;;"


def test_each_instruction_that_a_slot_has_no_place_for_is_found() -> None:
    text = "set lr0 1; set lr1 1; ⟦set⟧ lr2 1; ⟦set⟧ lr3 1; ⟦set⟧ lr4 1;;"
    names = ["duplicate-slot"] * 3
    said = [f.message.partition("found ")[2] for f in check_bundle(text, *names).findings]
    assert said == ["a third: `set`", "another: `set`", "another: `set`"]
    assert fixed(text, *names) == "set lr0 1; set lr1 1;; set lr2 1; set lr3 1;; set lr4 1;;"


def test_the_earlier_instructions_of_a_full_slot_are_related() -> None:
    text = "set lr0 1; acc; set lr1 1; ⟦set⟧ lr2 1;;"
    (finding,) = check_bundle(text, "duplicate-slot").findings
    assert [tuple(related.span) for related in finding.related] == [(0, 3), (16, 19)]


def test_the_first_write_of_a_register_is_related_to_the_second() -> None:
    (finding,) = check_bundle("set lr1 1; set ⟦LR1⟧ 2;;", "lr-write-conflict").findings
    assert [tuple(related.span) for related in finding.related] == [(4, 7)]


def test_a_missing_operand_is_named() -> None:
    (finding,) = check_bundle("⟦mult.ee⟧ r0 lr0;;", "too-few-operands").findings
    assert "`mask_offset`" in finding.message
    assert "`mask_shift`" in finding.message
    assert "found 2" in finding.message


def test_messages_state_the_constraint_and_then_what_was_found() -> None:
    (finding,) = check_bundle("incr lr0 ⟦70000⟧;;", "immediate-out-of-range").findings
    assert finding.message == (
        "operand `value`: expected a number from -32768 to 65535, found `70000`"
    )
    (finding,) = check_bundle("incr ⟦cr1⟧ 1;;", "wrong-operand-type").findings
    assert "`lr0` to `lr15`" in finding.message
    assert finding.message.endswith("found `cr1`, a config register")


def test_endless_words_are_cut_in_messages() -> None:
    check_bundle(f"⟦{'x' * 5000}⟧;;", "unknown-mnemonic")
    check_bundle(f"incr ⟦{'x' * 5000}⟧ 1;;", "wrong-operand-type")
    check_bundle(f"acc ⟦{'x' * 5000}⟧;;", "too-many-operands")
    check_bundle(f"agg ⟦{'x' * 5000}⟧ value cr0 aaq0;;", "unknown-keyword")
    check_bundle(f"x: ⟦{'x' * 5000}⟧: acc;;", "syntax-error")
    check_bundle(f"acc; ⟦{'x' * 5000}⟧: bkpt;;", "syntax-error")
    check_bundle(f"⟦{'@' * 5000}⟧ acc;;", "syntax-error")


def test_what_a_stray_character_spoils_is_not_counted() -> None:
    check_bundle("incr lr0 ⟦@⟧;;", "syntax-error")
    check_bundle("incr ⟦[lr0 1]⟧;;", "syntax-error")
    check_bundle("incr ⟦[⟧lr0 1;;", "syntax-error")
    check_bundle("incr ⟦@⟧ r0 1;;".replace("r0", "⟦r0⟧"), "syntax-error", "wrong-operand-type")


def test_a_comma_becomes_a_blank() -> None:
    assert fixed("incr lr0⟦,⟧ 1;;", "syntax-error") == "incr lr0 1;;"
    assert fixed("incr lr0⟦,⟧1;;", "syntax-error") == "incr lr0 1;;"


@pytest.mark.parametrize(
    ("isa", "line", "nearest", "other"),
    [
        ("colossus", "add $m0, $m0, 7/0", "`imm16`", "`add $mDst0, $mSrc0, $mSrc1`"),
        ("colossus", "add $m0, $m0, 08", "`imm16`", "`add $mDst0, $mSrc0, $mSrc1`"),
        ("colossus", "add $m0, $m0, $a0", "`mSrc1`", "`add $mDst0, $mSrc0, imm16`"),
        ("xdna1", "mov r0, #1+", "`imm`", "`mov dst:r|p|..., src:r|p|...`"),
        ("xdna2", "add r0, r0, x1", "`src2`", "`add dst:r, src:r, #imm`"),
    ],
)
def test_what_begins_as_a_number_is_compared_with_the_form_that_takes_one(
    isa: str, line: str, nearest: str, other: str
) -> None:
    (finding,) = BundleParser(load_isa(isa)).bundle(f"{line}\n").findings
    assert finding.message.startswith(f"operand {nearest}: ")
    assert other in finding.message

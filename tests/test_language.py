"""IPU assembly as its description has it, sentence by sentence."""

from __future__ import annotations

import pytest

from ipu_asm import assemble
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.diagnostics import Severity
from ipu_asm.isa import load_isa
from tests.marked import unmarked

FIRST = "acc.first;;\n"


def check_errors(marked: str, *names: str) -> None:
    """The errors of a text are of these names and stand, in this order, where the marks are."""
    text, places = unmarked(marked)
    analysis = Analyzer(load_isa("ipu")).analyze(text)
    errors = [d for d in analysis.diagnostics if d.severity is Severity.ERROR]
    assert [(error.name, error.span) for error in errors] == list(zip(names, places))
    assert len(names) == len(places)


def check_same_words(text: str, plain: str) -> None:
    """Two ways to write one program."""
    check_errors(text)
    assert assemble(text) == assemble(plain)


def fields(word: int, *bits: tuple[int, int]) -> list[int]:
    """The values of bit fields, each given by its highest and lowest bit."""
    return [word >> low & (1 << high - low + 1) - 1 for high, low in bits]


# Section 1: the bundle.


def test_a_slot_that_a_bundle_does_not_name_does_nothing() -> None:
    idle = "break_nop; xmem_nop; mult_nop; acc_nop; aaq_nop; incr lr0 0; incr lr0 0; b +1;;"
    check_same_words("acc_nop;;", idle)
    check_same_words("incr lr0 0;;", idle)
    check_same_words("incr lr0 0; incr lr0 0;;", idle)


def test_the_slots_of_a_bundle_are_named_in_any_order() -> None:
    check_same_words("acc; xmem_nop; b +1; break;;", "break; b +1; acc;;")


def test_operands_take_the_first_free_field_of_their_type() -> None:
    (word,) = assemble("str_acc_reg lr3 cr5;;")
    assert fields(word, (156, 154), (153, 152), (151, 148), (147, 144), (143, 140)) == [
        0, 0, 3, 0, 5,
    ]  # fmt: skip


def test_two_lr_instructions_fill_the_places_in_the_order_they_are_written_in() -> None:
    first, second = (84, 83), (52, 51)
    (word,) = assemble("set lr1 1; add lr2 lr3 lr4;;")
    assert fields(word, first, second) == [1, 2]
    (word,) = assemble("acc; add lr2 lr3 lr4; b +1; set lr1 1;;")
    assert fields(word, first, second) == [2, 1]
    (word,) = assemble("set lr1 1;;")
    assert fields(word, first, second) == [1, 0]


def test_without_a_branch_a_bundle_goes_on_at_the_next_address() -> None:
    words = assemble("acc;;\n" * 3)
    assert [fields(word, (20, 18), (9, 0)) for word in words] == [[5, 1], [5, 2], [5, 3]]


def test_the_last_bundle_of_memory_needs_a_branch_of_its_own() -> None:
    check_errors("acc;;\n" * 1023 + "bkpt;;")
    check_errors("acc;;\n" * 1023 + "b +0;;")
    check_errors("acc;;\n" * 1023 + "⟦acc⟧;;", "program-too-large")
    check_errors("acc;;\n" * 1023 + "x: b -1;;")
    check_errors("b x;;" + "acc;;\n" * 1022 + "⟦x⟧: acc; incr lr0 1;;", "program-too-large")


def test_a_program_is_too_large_from_the_first_bundle_past_the_end_on() -> None:
    check_errors("bkpt;;\n" * 1024 + "⟦acc⟧;;\n" + "acc;;" * 3, "program-too-large")
    check_errors("b +0;;\n" * 1024 + "# c\n⟦x⟧ : acc;;", "program-too-large")


# Section 3: operands.


@pytest.mark.parametrize(
    ("number", "value"),
    [
        ("0", 0), ("00", 0), ("0_0", 0), ("-0", 0), ("+7", 7), ("1_000", 1000),
        ("0x1F", 31), ("0X1f", 31), ("0x_ff", 255), ("+0xA_B", 0xAB), ("-0x8000", -32768),
        ("0o17", 15), ("0O1_7", 15), ("0b101", 5), ("0B1_0_1", 5), ("-0b1", -1),
        ("65535", -1), ("-1", -1), ("32768", -32768), ("-32768", -32768), ("0xFFFF", -1),
    ],
)  # fmt: skip
def test_numbers_are_written_as_in_python(number: str, value: int) -> None:
    check_same_words(f"set lr1 {number};;", f"set lr1 {value};;")


@pytest.mark.parametrize(
    "number",
    [
        "010", "0_1", "007", "-08", "1__0", "1_", "+1_", "0x", "0x_", "0xG", "0x1_", "0o8", "0b2",
        "12abc", "1.5", "5.", "1e3", "lr0", "_1", "x", "0x1.", "00x1",
    ],
)  # fmt: skip
def test_what_is_no_number_is_of_the_wrong_type(number: str) -> None:
    check_errors(f"set lr1 ⟦{number}⟧;;", "wrong-operand-type")


@pytest.mark.parametrize("number", ["65536", "-32769", "0x10000", "+99999999999", "1" + "0" * 5000])
@pytest.mark.parametrize("instruction", ["set", "incr", "break.ifeq"])
def test_an_immediate_has_sixteen_bits(instruction: str, number: str) -> None:
    check_errors(f"{instruction} lr1 ⟦{number}⟧;;", "immediate-out-of-range")


def test_leading_zeros_and_underscores_do_not_make_a_number_long() -> None:
    check_same_words(f"set lr1 0x{'0' * 500}_12;;", "set lr1 0x12;;")
    check_same_words(f"set lr1 {'0' * 500};;", "set lr1 0;;")
    check_errors(f"set lr1 ⟦0x{'B' * 500}⟧;;", "immediate-out-of-range")
    check_errors(f"set lr1 ⟦-0x{'b' * 500}⟧;;", "immediate-out-of-range")


def test_registers_and_keywords_are_written_in_any_case() -> None:
    check_same_words("incr LR3 1; ldr_mult_reg Mem_Bypass Lr1 cR2;;",
                     "incr lr3 1; ldr_mult_reg mem_bypass lr1 cr2;;")  # fmt: skip
    check_same_words("agg SUM Value_CR CR1 AAQ2; acc.stride 8 OFF On_Inv lR0;;",
                     "agg sum value_cr cr1 aaq2; acc.stride 8 off on_inv lr0;;")  # fmt: skip


def test_mnemonics_are_lower_case() -> None:
    check_errors("⟦ACC⟧; ⟦Incr⟧ lr0 1;;", "unknown-mnemonic", "unknown-mnemonic")


@pytest.mark.parametrize(
    "register", ["lr16", "lr00", "lr01", "lr", "cr0", "r0", "0", "lr1x", "lR99"]
)
def test_a_register_is_one_of_its_file(register: str) -> None:
    check_errors(f"incr ⟦{register}⟧ 1;;", "wrong-operand-type")


def test_some_operands_are_loop_or_config_registers() -> None:
    check_errors("add lr0 cr15 lr15;;")
    check_errors("add ⟦cr0⟧ cr15 ⟦aaq0⟧;;", "wrong-operand-type", "wrong-operand-type")


def test_a_keyword_is_one_of_its_type() -> None:
    check_errors("agg ⟦min⟧ ⟦values⟧ cr0 aaq0;;", "unknown-keyword", "unknown-keyword")
    check_errors("acc.stride ⟦9⟧ ⟦of⟧ ⟦on_expand⟧ lr0;;", *["unknown-keyword"] * 3)


def test_reserved_strides_have_codes() -> None:
    (word,) = assemble("acc.stride 64 reserved7 Reserved3 lr0;;")
    assert fields(word, (106, 105), (104, 102), (101, 100)) == [3, 7, 3]
    check_errors("acc.stride 8 ⟦reserved4⟧ ⟦reserved2⟧ lr0;;", *["unknown-keyword"] * 2)
    check_errors("acc.stride 8 ⟦reserved8⟧ ⟦reserved4⟧ lr0;;", *["unknown-keyword"] * 2)


# Section 3: labels as operands.


def test_a_distance_counts_from_the_bundles_own_address() -> None:
    check_same_words(f"{FIRST}b +0;;", f"{FIRST}x: b x;;")
    check_same_words(f"{FIRST}b -1;;", f"x: {FIRST}b x;;")
    check_same_words("b +0x1;; acc;;", "b x;; x: acc;;")
    check_same_words("b +0b1_0;; acc;; acc;;", "b x;; acc;; x: acc;;")


def test_a_target_lies_in_instruction_memory_but_perhaps_past_the_program() -> None:
    check_errors("b +1023;;")
    check_errors("b ⟦+1024⟧;;", "branch-out-of-range")
    check_errors("b ⟦-1⟧;;", "branch-out-of-range")
    check_errors(f"{FIRST}b ⟦+1023⟧;; b -2;;", "branch-out-of-range")
    check_errors(f"b ⟦+{'9' * 5000}⟧;;", "branch-out-of-range")
    check_errors(f"b ⟦-0x{'F' * 5000}⟧;;", "branch-out-of-range")


def test_a_label_past_the_end_of_memory_is_out_of_range() -> None:
    text = "b ⟦x⟧;;\n" + "bkpt;;\n" * 1023 + "⟦x⟧: bkpt;;"
    check_errors(text, "branch-out-of-range", "program-too-large")


def test_a_number_without_a_sign_is_a_label() -> None:
    check_errors("b ⟦5⟧;;", "undefined-label")
    check_same_words("5: b 5;;", "x: b x;;")
    check_same_words("acc;; 0x10: b 0x10;;", "acc;; x: b x;;")


def test_a_negative_number_is_a_distance_unless_it_is_a_label() -> None:
    check_same_words(f"{FIRST}{FIRST}-1: b -1;;", f"{FIRST}{FIRST}x: b x;;")
    check_same_words(f"{FIRST}-1: {FIRST}b -1;;", f"{FIRST}x: {FIRST}b x;;")
    check_same_words(f"{FIRST}-0x1: {FIRST}b -1;;", f"{FIRST}x: {FIRST}b x;;")
    check_same_words(f"-0x2: {FIRST}{FIRST}{FIRST}b -2;;", f"{FIRST}x: {FIRST}{FIRST}b x;;")


def test_a_positive_distance_can_be_no_label() -> None:
    check_errors("⟦+5⟧: b +5;;", "syntax-error")
    check_errors("⟦+0x5⟧: acc;;", "syntax-error")
    check_errors("+x: b +x;;")
    check_errors("+5x: b +5x;;")


@pytest.mark.parametrize(
    "label", ["acc", "lr0", "5", "0", "-x", "_", "bkpt", "a.b", "x.", "9a", "sum"]
)
def test_any_token_can_be_a_label(label: str) -> None:
    check_same_words(f"b +1;; {label}: b {label};;", "b +1;; x: b x;;")


def test_labels_are_case_sensitive() -> None:
    check_same_words("a: acc;; A: b a;; b A;;", "a: acc;; x: b a;; b x;;")
    check_errors("Loop: b ⟦loop⟧;;", "undefined-label")


def test_a_label_is_defined_once() -> None:
    check_errors("a: acc;; ⟦a⟧: b a;; ⟦a⟧: bkpt;;", "duplicate-label", "duplicate-label")
    check_same_words("a: acc;; b a;;", "acc;; b -1;;")


def test_a_label_may_stand_behind_its_use() -> None:
    check_same_words("b end;; acc;; end: bkpt;;", "b +2;; acc;; bkpt;;")


# Section 4: tokens.


def test_two_tokens_need_no_blank_where_a_sign_begins_the_second() -> None:
    check_same_words("set lr0+1;;", "set lr0 +1;;")
    check_same_words("incr lr0-0x1;;", "incr lr0 -1;;")
    check_same_words("b+1;;", "b +1;;")


def test_an_instruction_may_span_lines() -> None:
    check_same_words("set\n\n lr0\r\n\t0x10\n;acc\n;;", "set lr0 16; acc;;")


@pytest.mark.parametrize(
    "mark", ["#", "//", "# ;; acc;", "// a: b:", "#//", "///*", "# \u00e9\f\0"]
)
def test_a_comment_goes_to_the_end_of_the_line(mark: str) -> None:
    check_same_words(f"set lr0 {mark}\n 1{mark}\r\n;;{mark}", "set lr0 1;;")
    check_same_words(f"{mark}\n{mark}\nx {mark}\n: {mark}\nb{mark}\nx;{mark}\n;;", "x: b x;;")


@pytest.mark.parametrize(
    "character",
    [*",[](){}<>=*&^%$!?'\"`~|\\@", "\f", "\v", "\0", "\x1f", "\x7f", "\xa0", "\x85", "\u2028",
     "\u00e9", "\uff11", "\u0660", "\u200b", "\ufeff", "\ud800", "\U0001f600", "/", "+", "-", "."],
)  # fmt: skip
@pytest.mark.parametrize("text", ["acc ⟦{}⟧ ;;", "set lr0 ⟦{}⟧ 1;;", "⟦{}⟧ acc;;", "acc; ⟦{}⟧\n;;"])
def test_any_other_character_is_an_error_at_that_character(text: str, character: str) -> None:
    if character == "\ufeff" and text.startswith("⟦"):
        text = " " + text
    check_errors(text.format(character), "syntax-error")


@pytest.mark.parametrize(
    "text", ["acc⟦\r⟧;;", "acc;;⟦\r⟧", "⟦\r⟧\r\nacc;;", "set ⟦\r⟧ lr0\r\n 1;;"]
)
def test_a_lone_carriage_return_is_an_error(text: str) -> None:
    check_errors(text, "syntax-error")


def test_there_are_no_block_comments() -> None:
    check_errors("⟦/*⟧ acc */;;", "syntax-error")
    check_errors("⟦/*⟧ c */ acc;;", "syntax-error")


def test_a_byte_order_mark_at_the_very_start_is_skipped() -> None:
    check_same_words("\ufeffacc;;", "acc;;")
    check_same_words("\ufeffx: b x;;", "x: b x;;")
    check_errors("\ufeff⟦\ufeff⟧acc;;", "syntax-error")
    check_errors("\ufeff⟦ac⟧;;", "unknown-mnemonic")


# Section 4: instructions and bundles.


def test_the_last_end_mark_may_be_missing() -> None:
    for end in ("", "\n", " # c", ";", ";\n", " ; "):
        check_same_words(f"acc;; acc.first{end}", "acc;; acc.first;;")


def test_a_separator_may_stand_before_the_end_mark_with_white_space_between() -> None:
    for between in (" ", "\t", "\n", "\r\n", "# c\n", "//\n", " \n "):
        check_same_words(f"acc;{between};;", "acc;;")
    check_errors("acc;;⟦;⟧", "syntax-error")
    check_errors("acc;;⟦;⟧\nb -1;;", "syntax-error")
    check_errors("acc;;⟦;;⟧", "syntax-error")
    check_errors("acc;; ⟦;;⟧ bkpt;;", "syntax-error")
    check_errors("acc; ⟦;⟧ ;;", "syntax-error")
    check_errors("acc; ⟦;⟧ mult_nop;;", "syntax-error")


def test_a_bundle_has_at_least_one_instruction() -> None:
    check_errors("⟦;;⟧", "syntax-error")
    check_errors("⟦;⟧", "syntax-error")
    check_errors("⟦;⟧ acc;;", "syntax-error")
    check_errors("acc;;\n⟦;;⟧\n⟦;;⟧", "syntax-error", "syntax-error")


def test_a_label_stands_before_the_first_instruction_of_a_bundle() -> None:
    check_errors("x\n\n \t: acc; b x;;")
    check_errors("acc; ⟦x⟧: b x;;", "syntax-error")
    check_errors("acc ⟦x⟧: b x;;", "syntax-error")
    check_errors("x: ⟦y⟧: b x;;", "syntax-error")
    check_errors("⟦.⟧x: acc;;", "syntax-error")


def test_a_label_before_the_end_mark_or_the_end_of_the_file_names_nothing() -> None:
    check_errors("⟦x⟧: ;;", "syntax-error")
    check_errors("⟦x⟧:;; b x;;", "syntax-error")
    check_errors("acc;; b x;; ⟦x⟧:\n# end", "syntax-error")
    check_errors("acc;; b x;; ⟦x⟧:", "syntax-error")


@pytest.mark.parametrize("text", ["", "\n", " \t\r\n", "# only a comment", "\ufeff", "//\n#\n"])
def test_a_text_without_a_bundle_is_no_mistake_to_the_linter(text: str) -> None:
    check_errors(text)
    assert Analyzer(load_isa("ipu")).analyze(text).diagnostics == ()


# One broken bundle spoils one bundle.


def test_every_error_of_a_file_is_reported() -> None:
    check_errors(
        "⟦foo⟧ lr0;; incr lr0 ⟦x⟧;; acc;; b ⟦nowhere⟧;; ⟦@⟧ acc;; a: acc;; ⟦a⟧: b a;; ⟦bar⟧",
        "unknown-mnemonic", "wrong-operand-type", "undefined-label", "syntax-error",
        "duplicate-label", "unknown-mnemonic",
    )  # fmt: skip


def test_every_error_of_a_bundle_is_reported() -> None:
    check_errors(
        "⟦foo⟧; incr ⟦r0⟧ ⟦70000⟧; b ⟦x⟧; ⟦mult.ee⟧ r0; acc; ⟦acc.first⟧; aaq ⟦7⟧;;",
        "unknown-mnemonic", "wrong-operand-type", "immediate-out-of-range", "undefined-label",
        "too-few-operands", "duplicate-slot", "too-many-operands",
    )  # fmt: skip


def test_a_bundle_of_which_nothing_is_left_keeps_its_address() -> None:
    check_errors("⟦@⟧;; b -1;;", "syntax-error")
    check_errors("x: ⟦@⟧;; b x;;", "syntax-error")
    check_errors("⟦@⟧;; b ⟦-2⟧;;", "syntax-error", "branch-out-of-range")


def test_a_label_of_a_broken_bundle_counts_as_defined() -> None:
    check_errors("x: ⟦foo⟧;; b x;;", "unknown-mnemonic")
    check_errors("x: acc ⟦@⟧;; b x;;", "syntax-error")
    check_errors("acc; ⟦x⟧: aaq ⟦@⟧;; b x;;", "syntax-error", "syntax-error")


def test_a_bundle_carries_one_instruction_for_each_slot_but_two_for_lr() -> None:
    check_errors("acc; ⟦acc⟧; ⟦acc⟧;;", "duplicate-slot", "duplicate-slot")
    check_errors("acc; ⟦acc_nop⟧;;", "duplicate-slot")
    check_errors("set lr0 1; set lr1 1; ⟦set⟧ lr2 1;;", "duplicate-slot")
    check_errors("b +1; ⟦bkpt⟧; acc; ⟦reset_acc⟧;;", "duplicate-slot", "duplicate-slot")


def test_two_lr_instructions_write_two_registers() -> None:
    check_errors("set lr1 1; add ⟦lr1⟧ lr2 lr3;;", "lr-write-conflict")
    check_errors("set lr1 1; incr ⟦LR1⟧ 1;;", "lr-write-conflict")
    check_errors("add lr1 lr2 lr3; add lr2 lr1 lr1;;")
    check_errors("incr lr1 0; set lr1 5;;")
    check_errors("set lr1 5; incr lr1 -0;;")
    check_errors("set lr0 5; acc;;")


def test_a_third_write_of_a_register_is_told_of_once() -> None:
    check_errors(
        "set lr1 1; set ⟦lr1⟧ 2; ⟦set⟧ ⟦lr1⟧ 3;;",
        "lr-write-conflict", "duplicate-slot", "lr-write-conflict",
    )  # fmt: skip


def test_operands_are_counted() -> None:
    check_errors("⟦incr⟧ lr0;;", "too-few-operands")
    check_errors("⟦b⟧;;", "too-few-operands")
    check_errors("incr lr0 1 ⟦2⟧ 3;;", "too-many-operands")
    check_errors("acc ⟦lr0⟧;;", "too-many-operands")
    check_errors("acc\n⟦incr⟧ lr0 1;;", "too-many-operands")

"""What can be written at the cursor: what is offered, in which order, and what it does."""

from __future__ import annotations

import re

import pytest

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.diagnostics import Severity
from ipu_asm.ide.completion import SNIPPET, CompletionItem, instruction_snippet
from ipu_asm.ide.completion.completion import completions, resolve
from ipu_asm.ide.symbols.registers import free_registers
from ipu_asm.isa import load_isa
from ipu_asm.reports.pages import instruction_markdown
from ipu_asm.text import TextEdit, apply_edits
from tests.ide.cursor import fixture
from tests.ide.snippets import accepted

ISA = load_isa("ipu")


def check_completions(
    text_with_cursor: str,
    exactly: str | None = None,
    *,
    slots: str | None = None,
    replaced: str | None = None,
    isa: str = "ipu",
) -> dict[str, CompletionItem]:
    """Exactly these labels are offered in this order, or the instructions of exactly these slots.

    All items replace the same text.
    """
    analysis, offset = fixture(text_with_cursor, isa)
    items = [item for item in completions(analysis, offset) if item.kind != SNIPPET]
    labels = [item.label for item in items]
    assert labels == [item.label for item in sorted(items, key=lambda item: item.sort_text)]
    assert len(set(labels)) == len(labels)
    if exactly is not None:
        assert labels == exactly.split()
    if slots is not None:
        expected = {m for m, spec in ISA.instructions.items() if spec.slot in slots.split()}
        assert set(labels) == expected
    if replaced is not None:
        spans = {item.span for item in items}
        assert [analysis.text[span.start : span.end] for span in spans] == [replaced]
    return {item.label: item for item in items}


def check_documentation(text_with_cursor: str, label: str) -> str | None:
    """The item of that label is offered; its documentation."""
    analysis, offset = fixture(text_with_cursor)
    item = next(item for item in completions(analysis, offset) if item.label == label)
    return resolve(analysis, item.label, item.kind)


def registers(*names: str) -> str:
    """The registers of files of 16, in their order."""
    return " ".join(f"{name}{number}" for name in names for number in range(16))


def test_an_empty_bundle_may_begin_with_any_instruction() -> None:
    everything = " ".join(slot.name for slot in ISA.slots)
    check_completions("$0", slots=everything)
    check_completions("acc;;$0", slots=everything)
    check_completions("acc;;\n$0", slots=everything)
    check_completions("again: $0", slots=everything)


def test_only_instructions_of_free_slots_are_offered() -> None:
    check_completions("acc; mult_nop; $0;;", slots="break xmem aaq lr cond")
    check_completions("bkpt; xmem_nop; break; aaq; acc; $0", slots="mult lr")


def test_the_lr_slot_is_free_until_it_is_used_twice() -> None:
    full = "mult_nop; xmem_nop; break; aaq; acc; bkpt"
    check_completions(f"{full}; incr lr0 1; $0;;", slots="lr")
    check_completions(f"{full}; incr lr0 1; incr lr1 1; $0;;", "")


def test_the_instruction_that_is_being_written_leaves_its_slot_free() -> None:
    check_completions("bkpt; xmem_nop; break; aaq; acc; mu$0lt_nop", slots="mult lr")


@pytest.mark.parametrize(
    "text",
    [
        "$0\nbkpt;;",
        "$0bkpt;;",
        "# one\n$0\n# two\nx: bkpt;;",
        "acc;;\n$0\nloop:\nmult.ee r0 lr0 lr1 lr2; acc;;",
        "$0; acc;;",
        "{% for i in [1] %}\n$0\nacc;;\n{% endfor %}\n",
        "$0\nloop:\n{% if true %}\nbkpt;;\n{% else %}\nacc;;\n{% endif %}\n",
        "{% macro m() %}\n$0\nacc;;\n{% endmacro %}\n{{ m() }}\n",
    ],
)
def test_what_follows_the_cursor_hides_no_instruction(text: str) -> None:
    found = check_completions(text)
    assert {label for label, item in found.items() if item.kind == "instruction"} == {
        *ISA.instructions
    }


PROGRAMS = {
    "ipu": (
        "a: incr lr0 1;\n mult.ee r0 lr0 lr1 lr2; acc;;\n# note\nloop:\nbkpt;;\n",
        "{% macro m() %}\nacc;;\n{% endmacro %}\na: {{ m() }}\nbkpt;;\n",
        "{% for i in range(2) %}\nacc; incr lr0 1;;\n{% endfor %}\na: b a;;\n",
    ),
    "ipu2": ("a: INC lr0 1;\n LDR r0 lr0 cr0;;\nloop:\nBKPT;;\n", "a: {{ 'B' }} a;;\n"),
    "edgenpu": ("a:\n NOP\nb: NOP\n",),
    "xdna1": ("a:\n nopa; nopx\n.align 16\nb: nop\n",),
    "xdna2": ("a: nopa; nopx\n.align 16\nb:\n nop\n",),
    "colossus": ("a: nop\n{ nop\n fnop }\n#define X\nb: { nop ; fnop }\n",),
}


@pytest.mark.parametrize("isa", PROGRAMS)
def test_every_instruction_that_may_be_written_is_offered(isa: str) -> None:
    """Everywhere: on empty lines, after each mark inside of a line, and before instructions."""
    for text in PROGRAMS[isa]:
        places = [match.end() for match in re.finditer(r"^|[;:{}] |\Z", text, re.MULTILINE)]
        for before, after in ((text[:at], text[at:]) for at in places):
            for rest in (f"\n{after}", *([] if after[:1] in ("#", ".") else [after])):
                check_all_legal_are_offered(isa, before, rest)


def check_all_legal_are_offered(isa_name: str, before: str, after: str) -> None:
    """What is not offered between two texts is a mistake there, however it is ended."""
    isa = load_isa(isa_name)
    analysis = analyze(before + after, isa_name)
    offered = {item.label for item in completions(analysis, len(before))}
    hidden: dict[object, str] = {}
    for mnemonic, spec in isa.instructions.items():
        if mnemonic not in offered:
            # Instructions of the same slots are refused together.
            hidden.setdefault((*(form.slot for form in isa.forms(spec)), spec.traits), mnemonic)
    if error_messages(before + after, isa_name) or not hidden:
        return
    separator = isa.surface.separator.strip()
    for mnemonic in hidden.values():
        written = accepted(
            instruction_snippet(isa, isa.instructions[mnemonic], (), "a") or mnemonic
        )
        for end in ("", "\n", f"{separator} ", f"{separator * 2} "):
            changed = f"{before}{written}{end}{after}"
            assert error_messages(changed, isa_name), f"{mnemonic} is not offered in {changed!r}"


def error_messages(text: str, isa: str) -> list[str]:
    """The messages of the errors in a text."""
    found = analyze(text, isa).diagnostics
    return [finding.message for finding in found if finding.severity is Severity.ERROR]


@pytest.mark.parametrize("rest", ["; mult.ee r0 lr0 lr1 lr2;;", "\nmult.ee r0 lr0 lr1 lr2;;"])
def test_what_the_rest_of_the_bundle_leaves_free_comes_first(rest: str) -> None:
    order = list(check_completions(f"$0{rest}"))
    taken = {name for name, spec in ISA.instructions.items() if spec.slot == "mult"}
    assert set(order[-len(taken) :]) == taken


@pytest.mark.parametrize(
    ("text", "label", "detail", "result"),
    [
        (
            "acc;;\n$0\nlr: set lr0 1; bkpt;;",
            "b",
            "cond: Unconditional Branch",
            "acc;;\nb lr\nlr: set lr0 1; bkpt;;",
        ),
        (
            "x: acc;;\n$0\n# end\nset lr0 1;\nbkpt;;",
            "b",
            "slot taken in line 5: begins its own bundle",
            "x: acc;;\nb x;;\n# end\nset lr0 1;\nbkpt;;",
        ),
        (
            "acc; $0; bkpt;;",
            "acc.max",
            None,
            None,
        ),
        (
            "incr lr0 1; ac$0; acc; bkpt;;",
            "acc.max",
            "slot taken in line 1: ends the bundle here",
            "incr lr0 1; acc.max aaq0;; acc; bkpt;;",
        ),
        (
            "{% for i in [1] %}\n$0;\nacc;;\n{% endfor %}",
            "acc.max",
            "slot taken in line 3: begins its own bundle",
            "{% for i in [1] %}\nacc.max aaq0;;\nacc;;\n{% endfor %}",
        ),
        (
            "incr lr0 1; ac$0c lr0; acc;;",
            "acc.max",
            "slot taken in line 1: ends the bundle here",
            "incr lr0 1; acc.max lr0; acc;;",
        ),
    ],
)
def test_accepting_what_takes_a_later_slot_ends_the_bundle(
    text: str, label: str, detail: str | None, result: str | None
) -> None:
    item = check_completions(text).get(label)
    if item is None or detail is None or result is None:
        assert (item, detail, result) == (None, None, None)
        return
    edits = [TextEdit(item.span, accepted(item.snippet or item.insert_text))]
    edits += [TextEdit(item.removed, "")] if item.removed else []
    assert item.detail == detail
    assert apply_edits(text.replace("$0", ""), edits) == result


def test_the_whole_word_is_replaced() -> None:
    check_completions("mult$0", replaced="mult")
    check_completions("acc; mu$0lt.ee r0", replaced="mult.ee")
    check_completions("incr lr$01 2", replaced="lr1")
    check_completions("acc; $0", replaced="")


def test_what_kernels_are_made_of_comes_first_and_the_deprecated_last() -> None:
    items = check_completions("$0")
    order = list(items)
    assert order[:3] == ["incr", "set", "ldr_mult_reg"]
    assert order.index("mult.ve.aaq") < order.index("acc") < order.index("agg") < order.index("b")
    assert order.index("bkpt") < order.index("break") < order.index("acc_nop")
    assert order[-1] == "mult.ev"
    assert [item.label for item in items.values() if item.deprecated] == ["mult.ev"]


def test_a_mnemonic_says_what_it_is() -> None:
    item = check_completions("$0")["mult.ve.cr"]
    assert item.detail == "mult: Vector-Element Multiply (CR scalar)"
    assert item.insert_text == "mult.ve.cr"


def test_what_the_file_uses_comes_before_the_rest() -> None:
    used = "incr lr0 1; mult.ee r0 lr0 lr0 lr0; acc;;\n"
    assert list(check_completions(f"{used}$0"))[:4] == ["incr", "mult.ee", "acc", "set"]
    assert list(check_completions(f"{used}incr lr1 1; $0"))[:3] == ["mult.ee", "acc", "incr"]


def test_a_row_names_the_slots_that_are_free_for_it() -> None:
    assert check_completions("$0")["acc.max"].slots == "acc"
    assert check_forms("nopa; $0")["mov"].slots == "st or mv"
    assert check_edgenpu("$0")["CONV"].slots == ""


def test_a_snippet_offers_the_values_of_each_operand() -> None:
    items = check_completions("$0")
    dest, offset, base = "r0,r1,mem_bypass", *(registers(x).replace(" ", ",") for x in ("lr", "cr"))
    assert items["ldr_mult_reg"].snippet == (
        f"ldr_mult_reg ${{1|{dest}|}} ${{2|{offset}|}} ${{3|{base}|}}"
    )
    assert items["acc"].snippet is None


def test_an_address_has_a_placeholder_for_each_of_its_parts() -> None:
    pointers = ",".join(f"p{number}" for number in range(8))
    steps = ",".join(f"dj{number}" for number in range(8))
    snippet = check_forms("$0")["lda.s16"].snippet or ""
    assert snippet.endswith(f"[${{2|{pointers}|}}, ${{3|{steps}|}}]")


@pytest.mark.parametrize(
    ("text", "isa"),
    [
        ("$0;;\nbkpt;;", "ipu"),
        ("incr lr0 1; $0;;\nbkpt;;", "ipu"),
        ("x: acc;;\nincr lr0 1; mult.ee r0 lr1 lr1 lr1; $0;;\nbkpt;;", "ipu"),
        ("$0;;\nBKPT;;", "ipu2"),
        ("INC lr0 1; $0;;\nBKPT;;", "ipu2"),
        ("x: NOP\n$0\n", "edgenpu"),
        ("$0\n", "edgenpu"),
        ("$0\n", "xdna1"),
        ("nopa; $0\n", "xdna1"),
        ("$0\n", "xdna2"),
        ("x: $0\n", "xdna2"),
        ("$0\n", "colossus"),
        ("x:\n{ add $m0, $m1, $m2\n $0 }\n", "colossus"),
    ],
)
def test_an_accepted_instruction_is_no_mistake(text: str, isa: str) -> None:
    before, after = text.split("$0")
    items = check_completions(text, isa=isa)
    assert items
    for item in items.values():
        if item.deprecated:
            continue
        spec = load_isa(isa).spec(item.label)
        assert item.snippet or spec is None or all(o.optional for o in spec.operands), item.label
        written = before + accepted(item.snippet or item.insert_text) + after
        assert error_messages(written, isa) == [], written


def test_operands_that_are_there_are_kept() -> None:
    assert check_completions("ad$0d lr0 lr1 lr2;;")["sub"].snippet is None
    assert check_completions("ad$0\nacc;;")["sub"].snippet is not None
    assert check_completions("ad$0 ; acc;;")["sub"].snippet is not None


def test_who_types_capitals_finds_small_letters() -> None:
    assert check_completions("MU$0")["mult.ee"].filter_text == "MULT.EE"
    assert check_completions("incr L$0")["lr0"].filter_text == "LR0"
    assert check_completions("mu$0")["mult.ee"].filter_text == "mult.ee"


@pytest.mark.parametrize(
    "text", ["# $0", "acc; # mu$0", "acc;; // $0", "again$0: acc;;", "incr lr0 1 $0", "acc $0;;"]
)
def test_nothing_is_offered_in_comments_in_labels_and_behind_the_last_operand(text: str) -> None:
    check_completions(text, "")


@pytest.mark.parametrize("text", ["incr lr0 $0;;", "break.ifeq lr0 12$0;;", "nonsense $0"])
def test_nothing_is_offered_for_numbers_and_unknown_instructions(text: str) -> None:
    check_completions(text, "")


def test_a_register_operand_offers_its_files_in_their_order() -> None:
    check_completions("incr $0", registers("lr"))
    check_completions("str_acc_reg lr0 $0", registers("cr"))
    check_completions("add lr0 $0", registers("lr", "cr"))
    check_completions("ldr_mult_reg $0", "r0 r1 mem_bypass")


def test_a_keyword_operand_offers_its_words_with_their_meanings() -> None:
    items = check_completions("acc.stride 16 $0 off lr0", "off on on_inv on_expand on_inv_expand")
    assert items["on"].detail == "columns 0, 2, 4, ..."
    assert items["on"].kind == "keyword"


def test_a_register_says_what_the_file_calls_it_or_what_it_is() -> None:
    items = check_completions("# lr1 = the counter\nincr $0")
    assert items["lr1"].detail == "the counter"
    assert items["lr2"].detail == "loop register"
    assert items["lr1"].kind == "register"


def test_a_register_that_the_bundle_writes_already_comes_last_and_says_why() -> None:
    items = check_completions("incr lr3 1; set $0 5;;")
    assert list(items)[-1] == "lr3"
    assert items["lr3"].detail == "already written in this bundle by incr lr3 1"


def test_a_register_that_is_only_read_may_be_written_beside_it() -> None:
    items = check_completions("incr lr3 1; add lr0 $0")
    assert items["lr3"].detail == "loop register"
    assert check_completions("incr lr3 0; set $0 5;;")["lr3"].detail == "loop register"


def test_a_label_operand_offers_the_nearest_labels_first_and_then_distances() -> None:
    items = check_completions("far: acc;;\nacc;;\nacc;;\nnear: b $0;;\nnext: bkpt;;")
    assert list(items) == ["near", "next", "far", "-1", "+1"]
    assert items["far"].detail == "bundle 0, 3 bundles back"
    assert items["near"].detail == "bundle 3, this bundle"
    assert items["+1"].detail == "bundle 4, the next bundle"
    assert items["far"].kind == "label"


def test_a_distance_that_leads_out_of_memory_is_not_offered() -> None:
    check_completions("b $0", "+1")


def test_a_sign_begins_a_distance() -> None:
    check_completions("acc;; b +$0", "-1 +1", replaced="+")


def test_a_mnemonic_is_documented_by_its_page() -> None:
    spec = ISA.instructions["acc.max"]
    assert check_documentation("acc.m$0", "acc.max") == instruction_markdown(ISA, spec)


def test_a_register_is_documented_by_its_note_and_its_file() -> None:
    page = check_documentation("# lr1 = the counter\nincr $0", "lr1")
    assert page is not None
    assert page.startswith("**`lr1`** · the counter\n\nLoop register · `lr0` to `lr15` · 32 bits")


def test_a_label_is_documented_by_its_page() -> None:
    page = check_documentation("# all again\nx: acc;;\nb $0", "x")
    assert page is not None
    assert page.startswith("**`x`** · bundle 0\n\nall again\n\n```ipu-asm\nacc;;\n```")


def test_a_keyword_needs_no_more_than_its_meaning() -> None:
    assert check_documentation("acc.stride 16 $0", "on") is None
    assert check_documentation("b $0", "+1") is None


def check_edgenpu(
    text_with_cursor: str, exactly: str | None = None, replaced: str | None = None
) -> dict[str, CompletionItem]:
    """The same for EdgeNPU, whose operands stand between commas and have several tokens."""
    return check_completions(text_with_cursor, exactly, replaced=replaced, isa="edgenpu")


def test_a_line_that_is_an_instruction_may_begin_before_another() -> None:
    assert "CONV" in check_edgenpu("x: c$0\nNOP", replaced="c")
    assert "CONV" in check_edgenpu("$0 NOP")
    check_edgenpu("NOP $0", "")


def test_placeholders_stand_between_the_separators_of_the_instruction_set() -> None:
    items = check_edgenpu("$0")
    assert items["LOAD"].snippet == "LOAD ${1|WB,AB|}, ${2:0}, ${3:0}"
    assert check_edgenpu("co$0")["CONV"].filter_text == "conv"


def test_an_accepted_item_writes_what_its_absence_is_a_finding_of() -> None:
    items = check_edgenpu("$0")
    for name, shown in {
        "SYNC": "SYNC WAIT_DMA",
        "CONV": "CONV AB[0], AB[0], WB[0], desc=0",
    }.items():
        assert accepted(items[name].snippet or "") == shown
        assert analyze(f"{shown}\n", "edgenpu").diagnostics == ()


def test_operands_are_counted_by_commas_where_there_are_any() -> None:
    check_edgenpu("LOAD $0", "WB AB")
    check_edgenpu("LOAD WB$0", "WB AB", "WB")
    check_edgenpu("LOAD WB, $0", "")
    check_edgenpu("LOAD WB, 0x80000000, 64, $0", "2D ASYNC")
    check_edgenpu("LOAD WB, 0x80000000, 64, 2D | A$0", "2D ASYNC", "A")


def test_a_register_with_brackets_is_replaced_as_a_whole() -> None:
    assert "AB[2]" in check_edgenpu("CONV AB[$0", replaced="AB[")
    assert "WB[2]" in check_edgenpu("CONV AB[1], AB[0], WB[1$0], RELU", replaced="WB[1]")


def test_names_of_operands_are_offered_when_all_that_must_be_written_is() -> None:
    check_edgenpu("POOL AB[1], AB[0], $0", "MAX AVG GLOBAL kernel= stride=")
    check_edgenpu("POOL AB[1], AB[0], AVG, stride=2x2, $0", "kernel=")
    assert "kernel=" not in check_edgenpu("POOL AB[1], $0")


def test_behind_the_name_of_an_operand_its_values_are_offered() -> None:
    check_edgenpu("x: CONV AB[1], AB[0], WB[0], desc=$0", "x")
    check_edgenpu("FC AB[1], AB[0], WB[0], in=$0", "")


def check_forms(text_with_cursor: str, exactly: str | None = None) -> dict[str, CompletionItem]:
    """The same for a set whose mnemonics have several forms."""
    return check_completions(text_with_cursor, exactly, isa="xdna1")


def test_a_mnemonic_is_offered_once_wherever_one_of_its_forms_has_room() -> None:
    items = check_forms("$0")
    assert items["mov"].detail.startswith("lda or alu or mv: ") or " or " in items["mov"].detail
    assert "vmac.f" not in check_forms("vmul.f bmh0, x0, x2, r0; $0")
    assert "mov" in check_forms("nopa; nopx; $0")
    check_forms("nop; $0", "jl j jnz jz movxm nopxm")


def test_what_may_stand_inside_brackets_is_offered_by_all_forms_that_fit() -> None:
    strides = " ".join(f"dj{number}" for number in range(8))
    check_forms("vlda wl0, [p0, $0", strides)
    check_forms("vlda wl0, [p0, dj$0], #32", strides)
    assert {"p0", "sp"} <= set(check_forms("vlda wl0, [$0"))
    assert check_forms("vlda wl0, [p0], $0").keys() == {f"m{number}" for number in range(8)}


def test_labels_have_the_mark_that_their_operand_has() -> None:
    for text, written in (("j $0", "#x"), ("j #$0", "x"), ("j .$0", "#x"), ("j #.$0", "x")):
        assert check_forms(f"x:\n {text}\n")["x"].insert_text == written


def test_nothing_is_offered_in_directives_and_preprocessor_lines() -> None:
    check_completions("#define A$0 1\n", "", isa="colossus")
    check_completions(".globl $0\nx:\n", "", isa="colossus")
    check_forms(".section .te$0xt\n", "")


def test_a_bundle_in_braces_has_room_for_what_the_other_lane_takes() -> None:
    inside = check_completions("{ ld32 $a0, $m0, $mzero, 0\n  $0 }\n", isa="colossus")
    assert "f32add" in inside
    assert "st32" not in inside
    assert "st32" in check_completions("{ ld32 $a0, $m0, $mzero, 0 ; fnop }\n$0", isa="colossus")


def test_a_sign_that_begins_registers_is_part_of_the_word() -> None:
    items = check_completions("brz $$0".replace("$$0", "$" + "$0"), isa="colossus")
    assert items["$m0"].insert_text == "$m0"


def test_numbers_before_and_behind_are_offered_as_labels_the_nearest_first() -> None:
    text = "1: nop\n2: nop\n1: bri $0\n2: nop\n1: nop\n"
    items = check_completions(text, "1b 2b 2f 1f", isa="colossus")
    assert {item.kind for item in items.values()} == {"label"}
    assert [item.detail for item in items.values()] == ["line 3", "line 2", "line 4", "line 5"]
    check_completions("1: nop\n brz $m0, 1$0\n", "1b", replaced="1", isa="colossus")
    items = check_completions("1: nop\n j $0\n1: nop\n", isa="xdna2")
    assert {"#1b", "#1f"} <= {item.insert_text for item in items.values()}
    check_completions("1: nop\n add $m0, $m1, 1$0\n", isa="colossus", replaced="1")


@pytest.mark.parametrize(
    ("text", "label", "detail", "slots"),
    [
        ("set lr1 1;;\nset $0", "lr7", "free here: lr0, lr2 to lr15", "free"),
        ("# lr2 = row\nset lr1 1;;\nset $0", "lr2", "row", ""),
        ("set lr1 1;;\nset $0", "lr1", "loop register", ""),
        (
            "set $0;;\nset lr1 1;;\nbne lr1 lr0 +1;;\nbkpt;;",
            "lr1",
            "free here: lr1 to lr15",
            "free",
        ),
        ("x: set $0;;\nadd lr2 lr1 cr0;;\nset lr1 1;;\nb x;;", "lr1", "loop register", ""),
        ("incr $0", "lr1", "loop register", ""),
    ],
)
def test_a_destination_says_which_registers_are_free(
    text: str, label: str, detail: str, slots: str
) -> None:
    item = check_completions(text)[label]
    assert (item.detail, item.slots) == (detail, slots)


def test_a_register_that_is_read_through_its_pair_is_not_free() -> None:
    program = analyze("addb lrd6 cr8;;\nset lr6 cr0; set lr7 cr0;;\nbkpt;;\n", "ipu2").program
    others = [f"lr{number}" for number in range(16) if number not in (6, 7)]
    assert free_registers(program, 0) == others
    assert free_registers(program, 1) == [f"lr{number}" for number in range(16)]


@pytest.mark.parametrize(("text", "register"), [("lda l$0", "lr"), ("mov $0, r0", "lc")])
def test_an_operand_of_many_files_offers_the_registers_of_the_last_one(
    text: str, register: str
) -> None:
    for isa in ("xdna1", "xdna2"):
        assert register in check_completions(text, isa=isa)

"""What an editor shows about the thing under the cursor, the most useful first."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.assembler.encode import assemble
from ipu_asm.ide.completion.completion import completions
from ipu_asm.ide.hover import hover
from ipu_asm.isa import load_isa, manifests
from ipu_asm.reports.pages import instruction_markdown
from tests.ide.cursor import CURSOR, fixture
from tests.ide.snippets import accepted

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.s"))
IPU = load_isa("ipu")
LOOP = """\
# counts to lr1
# lr0 = the counter
# lr1, lr2 = how far, times two

    set lr0 0;;
    # what is done
    # each time
again:
    incr lr0 1;      # the next one
    bne lr0 lr1 again;;
    bkpt;;
"""


def check_hover(
    text_with_cursor: str, about: str | None, *paragraphs: str, isa: str = "ipu"
) -> str:
    """The hover is about that text and its page begins with these paragraphs; None for no hover."""
    analysis, offset = fixture(text_with_cursor, isa)
    found = hover(analysis, offset)
    if found is None:
        assert about is None
        return ""
    assert analysis.text[found.span.start : found.span.end] == about
    assert tuple(found.markdown.split("\n\n")[: len(paragraphs)]) == paragraphs
    return found.markdown


def at(text: str, what: str, number: int = 1, within: int = 0) -> str:
    """`text` with the cursor at the n-th `what`, or some characters within it."""
    start = [match.start() for match in re.finditer(re.escape(what), text)][number - 1] + within
    return text[:start] + CURSOR + text[start:]


@pytest.mark.parametrize(
    "text", ["acc; $0 bkpt;;", "acc;;# no$0te", "incr lr0 ,$0 1;;", "x :$0 acc;;"]
)
def test_blanks_comments_and_signs_have_no_page(text: str) -> None:
    check_hover(text, None)


def lines_before_more(page: str) -> list[str]:
    """The lines of a page above the link to the reference."""
    shown, more, _ = page.partition("[Operation, encoding and more](file://")
    assert more
    return [line for line in shown.splitlines() if line and "```" not in line]


@pytest.mark.parametrize("isa", manifests())
def test_no_hover_in_any_instruction_is_longer_than_twelve_lines(isa: str) -> None:
    end = f"{load_isa(isa).surface.bundle_end or ''}\n"
    longest, seen = 0, set[str]()
    for item in completions(analyze("", isa), 0):
        text = accepted(item.snippet or item.insert_text) + end
        analysis = analyze(text, isa)
        for word in re.finditer(r"[^\s,\[\]]+", text):
            if word[0] in seen:
                continue
            seen.add(word[0])
            found = hover(analysis, word.start())
            shown = found.markdown.partition("[Operation, ")[0] if found else ""
            lines = [line for line in shown.splitlines() if line and "```" not in line]
            longest = max(longest, len(lines))
    assert 3 <= longest <= 12


def test_a_mnemonic_shows_its_operands_here_and_leads_to_the_reference() -> None:
    page = check_hover("se$0t lr4 -256;;", "set", "```ipu-asm\nset lr4 -256\n```")
    assert "**Encoding**" not in page
    assert lines_before_more(page) == [
        "set lr4 -256",
        "**Set Loop Register** · slot `lr`",
        "Puts a constant of 16 bits, sign-extended to 32, into a loop register.",
        "- `reg` = `lr4`: Loop register to fill (lr0-lr15)",
        "- `value` = `-256` (`0xffffff00`): New value, 16 bits, sign-extended "
        "(32768 to 65535: -32768 to -1)",
    ]
    link = re.search(r"\(file://(.*)#L(\d+)\)", page)
    assert link is not None
    assert Path(link[1]).read_text(encoding="utf-8").splitlines()[int(link[2]) - 1] == "### `set`"


def test_the_signature_has_no_columns_of_the_file() -> None:
    check_hover("se$0t       lr4   -256;;", "set", "```ipu-asm\nset lr4 -256\n```")
    spread = "    ld32 $m0,  $m1, $mzero,   0\n"
    check_hover(
        at(spread, "ld32"), "ld32", "```colossus-asm\nld32 $m0, $m1, $mzero, 0\n```", isa="colossus"
    )


def test_an_incomplete_instruction_shows_its_syntax_and_what_is_missing() -> None:
    page = check_hover("in$0cr lr1;;", "incr", "```ipu-asm\nincr reg value\n```")
    assert [line.partition(":")[0] for line in lines_before_more(page)[-2:]] == [
        "- `reg` = `lr1`",
        "- `value`",
    ]


@pytest.mark.parametrize("isa", ["ipu", "ipu2", "edgenpu", "xdna2", "colossus"])
def test_every_page_of_a_mnemonic_has_at_most_twelve_lines(isa: str) -> None:
    for mnemonic, spec in load_isa(isa).instructions.items():
        text = spec.doc.example or spec.syntax
        start = re.search(rf"(?<![\w.]){re.escape(spec.mnemonic)}(?![\w.])", text)
        assert start is not None, mnemonic
        shown = f"{text[: start.start()]}{CURSOR}{text[start.start() :]}"
        page = check_hover(shown, spec.mnemonic, isa=isa)
        assert len(lines_before_more(page)) < 12, mnemonic


def test_without_an_installed_reference_the_whole_page_follows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ipu_asm.ide.pages.instruction.reference_link", lambda *_: None)
    page = check_hover("a$0cc;;", "acc", "```ipu-asm\nacc\n```")
    assert page.endswith(f"\n\n---\n\n{instruction_markdown(IPU, IPU.instructions['acc'])}")


@pytest.mark.parametrize(
    ("text", "register", "title"),
    [
        ("uput $FP_C$0TL, $a0", "$FP_CTL", "floating-point control; bits that raise an exception"),
        ("put $FP_INF$0MT, $m0", "$FP_INFMT", "number formats of quarter (8-bit) operands"),
        ("get $m0, $SCOUNT$0_L", "$SCOUNT_L", "cycle counter of the tile, lower 32 bits"),
        ("get $m0, $WORKER3_B$0ASE", "$WORKER3_BASE", "base address of the memory of worker 3"),
        ("get $m0, $COUNT_$0L", "$COUNT_L", "cycle counter, lower 32 bits (0x60)"),
    ],
)
def test_a_control_register_says_what_it_is(text: str, register: str, title: str) -> None:
    page = check_hover(f"{text}\n", register, isa="colossus")
    assert page.startswith(f"**`{register}`** · {title}")


def test_a_deprecated_instruction_says_what_to_write_instead() -> None:
    assert "**Deprecated:**" in check_hover("mult.$0ev r0 lr0 lr1 lr2;;", "mult.ev")


def test_an_unknown_mnemonic_shows_the_nearest() -> None:
    check_hover(
        "acc.fr$0ist;;",
        "acc.frist",
        "No instruction is called `acc.frist`; the nearest is:",
        "```ipu-asm\nacc.first\n```",
    )
    check_hover("ACC$0;;", "ACC", "No instruction is called `ACC`; the nearest is:")


def test_an_unknown_mnemonic_with_nothing_near_shows_nothing() -> None:
    check_hover("frobni$0cate;;", None)


def test_a_mnemonic_shows_first_what_happens_between_the_slots_of_its_bundle() -> None:
    text = "incr lr0 1; $0str_acc_reg lr0 cr0; acc; bne lr0 lr1 +1;;"
    page = check_hover(text, "str_acc_reg", "```ipu-asm\nstr_acc_reg lr0 cr0\n```")
    assert [line for line in lines_before_more(page) if "base" not in line][3:] == [
        "- `offset` = `lr0`: **new**: `incr lr0 1` comes first",
        "- `r_acc` is **old**: `acc` comes too late",
        "- In the whole run: 512 bytes at cr0 + 1 (0x1..0x200 from cr0); read by nobody through "
        "cr0; 1 time",
    ]


def test_a_writing_instruction_shows_who_sees_what_it_writes() -> None:
    text = "mult.ee r0 lr0 lr0 lr0; ac$0c; agg sum value cr0 aaq0; str_acc_reg lr0 cr0;;"
    assert lines_before_more(check_hover(text, "acc"))[-2:] == [
        "- `mult_res` is **new**: `mult.ee r0 lr0 lr0 lr0` comes first",
        "- `r_acc`, written here: `agg sum value cr0 aaq0` sees the **new** value, "
        "`str_acc_reg lr0 cr0` sees the **old** value",
    ]


def test_a_register_read_live_sees_what_its_bundle_writes() -> None:
    operand = IPU.instructions["str_acc_reg"].operands[0]
    loop = IPU.file_of_register["lr4"]
    check_hover(
        "incr lr4 256; str_acc_reg l$0r4 cr2;;",
        "lr4",
        "**`lr4`**",
        f"`offset` of `str_acc_reg`: {operand.description}",
        "Sees the **new** value: `incr lr4 256` comes first.",
        "Values before this bundle: 0; after it: 256",
        f"Loop register · `lr0` to `lr15` · {loop.summary}",
    )


def test_the_bundle_of_the_readme_shows_what_the_readme_says() -> None:
    text = "loop: incr lr4 1; mult.ve r0 lr4 lr0 lr0 lr1; acc; bne lr4 lr5 loop;;"
    multiplied = check_hover(at(text, "lr4", 2), "lr4")
    branch = check_hover(at(text, "lr4", 3), "lr4")
    assert "Sees the **new** value: `incr lr4 1` comes first." in multiplied
    assert "Sees the **old** value, from before this bundle: `incr lr4 1` comes too late." in branch


def test_a_branch_sees_the_value_from_before_its_bundle() -> None:
    check_hover(
        "bne l$0r0 lr1 +1; incr lr0 1;;",
        "lr0",
        "**`lr0`**",
        "`reg1` of `bne`: First loop register (lr0-lr15), value from before the bundle",
        "Sees the **old** value, from before this bundle: `incr lr0 1` comes too late.",
    )


def test_a_register_that_only_is_read_tells_when() -> None:
    live = check_hover("str_acc_reg $0lr0 cr0;;", "lr0")
    snapshot = check_hover("br lr$03;;", "lr3")
    host = check_hover("str_acc_reg lr0 $0cr0;;", "cr0")
    assert "A write in this bundle would be seen, but nothing here writes `lr0`" in live
    assert "Sees the value from before this bundle; a write in it would come too late." in snapshot
    assert "write" not in host


def test_a_written_register_tells_who_sees_the_new_value_and_who_the_old() -> None:
    readers = "str_acc_reg lr0 cr0; bne lr0 lr0 +1"
    seen = "`str_acc_reg lr0 cr0` sees the **new** value, `bne lr0 lr0 +1` sees the **old** value."
    written = check_hover(f"set $0lr0 1; {readers};;", "lr0")
    changed = check_hover(f"incr $0lr0 1; {readers};;", "lr0")
    alone = check_hover("set $0lr0 1; bkpt;;", "lr0")
    assert f"\n\nWritten here: {seen}\n\n" in written
    assert f"\n\nRead and written here: {seen}\n\n" in changed
    assert "\n\nWritten here; nothing else in this bundle reads it.\n\n" in alone


def test_several_instructions_that_see_the_same_are_named_together() -> None:
    page = check_hover("set $0lr0 1; str_acc_reg lr0 cr0; mult.ee r0 lr0 lr0 lr0;;", "lr0")
    assert "`str_acc_reg lr0 cr0` and `mult.ee r0 lr0 lr0 lr0` see the **new** value." in page


def test_an_instruction_that_does_nothing_writes_nothing() -> None:
    page = check_hover("incr lr0 0; str_acc_reg l$0r0 cr0;;", "lr0")
    assert "nothing here writes `lr0`" in page


def test_a_register_shows_what_the_head_of_the_file_calls_it() -> None:
    check_hover(at(LOOP, "lr0 0"), "lr0", "**`lr0`** · the counter")
    check_hover(at(LOOP, "lr1 again"), "lr1", "**`lr1`** · how far, times two")
    check_hover("# lr4-lr6: x*y\nadd lr0 lr1 l$0r5;;", "lr5", r"**`lr5`** · x\*y")


def test_a_register_in_capitals_is_the_same_register() -> None:
    check_hover("incr L$0R0 1;;", "LR0", "**`lr0`**")


def test_a_number_shows_its_other_bases_its_operand_and_range() -> None:
    check_hover(
        "set lr0 0x$01000;;",
        "0x1000",
        "**4096** · `0x1000` · `0b1_0000_0000_0000`",
        "`value` of `set` (a number from -32768 to 65535): New value, 16 bits, sign-extended "
        "(32768 to 65535: -32768 to -1); get larger numbers from a cr register, with add",
    )


def test_a_negative_number_shows_the_bits_that_are_stored() -> None:
    check_hover("incr lr0 -2$0;;", "-2", "**-2** · `0xfffe` · `0b1111_1111_1111_1110`")


def test_a_number_that_changes_when_it_is_stored_shows_what_becomes_of_it() -> None:
    stored = "Stored in 16 bits and read back as **{}**."
    bits = "`0xffff` · `0b1111_1111_1111_1111`"
    check_hover("set lr0 $065535;;", "65535", f"**65535** · {bits}", stored.format(-1))
    check_hover("break.ifeq lr0 $0-1;;", "-1", f"**-1** · {bits}", stored.format(65535))


def test_a_number_out_of_range_shows_its_range() -> None:
    page = check_hover("set lr0 7000$00;;", "70000", "**70000** does not fit")
    assert "(a number from -32768 to 65535)" in page


def test_a_keyword_shows_its_meaning() -> None:
    check_hover(
        "acc.stride 16 o$0n off lr0;;",
        "on",
        "**`on`** · columns 0, 2, 4, ...",
        "`horizontal_stride` of `acc.stride`: Columns to keep: off all, on even, on_inv odd ones; "
        "the _expand forms also fill each row with zeros to its old length",
    )
    check_hover("acc.stride 1$06 on off lr0;;", "16", "**`16`** · 8 rows of 16 elements")
    check_hover(
        "agg S$0UM value cr0 aaq0;;", "SUM", "**`sum`** · the sum of the accumulator's 128 words"
    )


def test_a_reserved_keyword_has_at_least_its_operand() -> None:
    check_hover(
        "acc.stride 16 on reserv$0ed3 lr0;;",
        "reserved3",
        "`vertical_stride` of `acc.stride`: Rows to keep: off all, on even, on_inv odd ones",
    )


def test_an_operand_of_an_incomplete_instruction_is_the_one_due_at_its_place() -> None:
    check_hover(
        "incr $0lr0;;", "lr0", "**`lr0`**", "`reg` of `incr`: Loop register to change (lr0-lr15)"
    )


def test_an_operand_too_many_is_what_it_is() -> None:
    page = check_hover("acc lr$00;;", "lr0", "**`lr0`**")
    assert "of `acc`" not in page
    check_hover("acc 1$02;;", "12", "**12** · `0xc` · `0b1100`")
    check_hover("acc some$0thing;;", None)


def test_a_label_shows_its_comment_its_bundle_and_its_branches() -> None:
    page = check_hover(
        at(LOOP, "again:"),
        "again",
        "**`again`** · bundle 1",
        "what is done\neach time",
        "Loop: 1 trip, 1 cycle of 3 (33 %)",
        "```ipu-asm\nincr lr0 1;      # the next one\nbne lr0 lr1 again;;\n```",
        "Its code branches to `again` (line 8)",
        "1 branch comes here: line 10",
    )
    assert page.endswith("line 10")


def test_a_branch_shows_where_it_leads() -> None:
    check_hover(
        at(LOOP, "again;;"),
        "again",
        "**`again`** · bundle 1, line 8 · this bundle",
        "what is done\neach time",
    )
    check_hover("x: acc;;\nacc;;\nb $0x;;", "x", "**`x`** · bundle 0, line 1 · 2 bundles back")
    check_hover("b $0x;;\nx: acc;;", "x", "**`x`** · bundle 1, line 2 · the next bundle")


def test_a_distance_shows_where_it_leads() -> None:
    check_hover(
        "b $0+2;;\nacc;;\nx: bkpt;;",
        "+2",
        "**`+2`** · bundle 2, line 3, label `x` · 2 bundles ahead",
        "```ipu-asm\nbkpt;;\n```",
    )
    check_hover("acc;; b $0-1;;", "-1", "**`-1`** · bundle 0, line 1 · 1 bundle back")
    check_hover("b +$02;;", "+2", "**`+2`** · 2 bundles ahead, past the last one")


def test_a_label_shows_where_its_own_code_branches_to_each_place_once() -> None:
    text = "x$0: acc;;\nb x;;\nb +2;;\nb x;;\nb y;;\nb gone;;\ny: b z;;\nz: acc; b +5;;"
    ways = "Its code branches to `x` (line 1), `+2` (line 5), `y` (line 7)"
    assert ways in check_hover(text, "x").split("\n\n")
    ways = "Its code branches to `+5` (past the last one)"
    assert ways in check_hover("acc;;\nx$0: acc; b +5;;", "x").split("\n\n")


def test_a_label_with_many_ways_on_names_the_first() -> None:
    branches = "".join(f"b +{distance};;\n" for distance in range(1, 15, 2))
    page = check_hover(f"x$0: acc;;\n{branches}" + "acc;;\n" * 9, "x")
    ways = "`+1` (line 3), `+3` (line 6), `+5` (line 9), `+7` (line 12), `+9` (line 15) and 2 more"
    assert f"Its code branches to {ways}" in page.split("\n\n")


def test_a_label_without_branches_says_so() -> None:
    assert check_hover("x$0: acc;;", "x").endswith("No branch comes here.")


def test_many_branches_are_counted_and_the_first_are_named() -> None:
    page = check_hover("x$0: acc;;\n" + "b x;;\n" * 7, "x")
    assert page.endswith("7 branches come here: lines 2, 3, 4, 5, 6 and 2 more")


def test_a_label_that_is_not_there_shows_what_may_be_written() -> None:
    check_hover(
        "b nowh$0ere;;",
        "nowhere",
        "`label` of `b`: A label, or +N or -N bundles from this one; must lie in 0 to 1023",
    )


def test_a_comment_beside_the_bundle_before_is_not_the_labels() -> None:
    check_hover("acc;; # one\nx$0: acc;;", "x", "**`x`** · bundle 1", "```ipu-asm\nacc;;\n```")


def test_the_end_of_a_bundle_shows_address_word_and_free_slots() -> None:
    word = assemble("acc;; incr lr0 1; bkpt;;")[1]
    check_hover(
        "acc;; incr lr0 1; bkpt;$0;",
        ";;",
        "**Bundle 1**",
        f"`0x{word:045x}`",
        "Free: `break`, `xmem`, `mult`, `acc`, `aaq`, `lr`.",
    )


def test_a_full_bundle_has_no_free_slot() -> None:
    full = "break; acc; aaq; xmem_nop; mult_nop; incr lr0 1; incr lr1 1; bkpt"
    assert check_hover(f"{full} $0;;", ";;").endswith("No slot is free.")


@pytest.mark.parametrize(
    "text", ["acc.frist;;", "b nowhere;;", "acc; acc;;", "acc lr0;;", "x: x: acc;;"]
)
def test_a_bundle_with_an_error_has_no_word(text: str) -> None:
    assert "0x" not in check_hover(text.replace(";;", " $0;;"), ";;", "**Bundle 0**")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_the_word_of_a_bundle_is_the_assemblers(example: Path) -> None:
    text = example.read_text(encoding="utf-8")
    words = iter(assemble(text))
    for number in range(1, text.count(";;") + 1):
        page = check_hover(at(text, ";;", number, within=1), ";;")
        assert f"`0x{next(words):045x}`" in page


def check_edgenpu(text_with_cursor: str, about: str, *paragraphs: str) -> str:
    """The same for EdgeNPU, whose operands have several tokens and whose lines are its bundles."""
    return check_hover(text_with_cursor, about, *paragraphs, isa="edgenpu")


def test_an_instruction_set_without_bundles_says_nothing_of_their_time() -> None:
    page = check_edgenpu("CONV $0AB[1], AB[0], WB[0]", "AB[1]", "**`AB[1]`**")
    assert "bundle" not in page
    page = check_edgenpu("CONV AB[1], AB[0], WB[0]$0\n", "WB[0]", "**`WB[0]`**")
    assert "Weight buffer · `WB[0]` to `WB[255]`" in page


def test_an_operand_of_several_tokens_is_one() -> None:
    check_edgenpu("CONV ab[ 0$01 ], AB[0], WB[0]", "ab[ 01 ]")
    check_edgenpu("CONV ab[ $01 ], AB[0], WB[0]", "ab[ 1 ]", "**`AB[1]`**")


def test_flags_show_the_meaning_of_each() -> None:
    check_edgenpu(
        "CONV AB[1], AB[0], WB[0], RELU | B$0IAS",
        "RELU | BIAS",
        "**`RELU`** · apply ReLU to the result",
        "**`BIAS`** · add a bias",
    )


def test_an_operand_with_a_name_is_known_by_it() -> None:
    page = check_edgenpu("FC AB[1], AB[0], WB[0], out=1$00", "out=10", "**10** · `0xa` · `0b1010`")
    assert "`out=` of `FC` (a number from 0 to 65535): Length of the result" in page
    assert "`out=` of `FC`" in check_edgenpu("FC AB[1], out=1$00", "out=10")


def test_a_number_of_which_a_part_is_stored_shows_that_part() -> None:
    stored = "Stored in 16 bits as `0x8000`."
    title = f"**2147483648** · `0x80000000` · `0b1000{'_0000' * 7}`"
    check_edgenpu("LOAD WB, 0x8000$00000, 64", "0x80000000", title, stored)


def test_the_end_of_a_line_shows_the_address_where_a_line_is_an_instruction() -> None:
    check_edgenpu("NOP\nNOP 5 $0\n", "\n", "**Instruction 1**")
    check_hover("NOP 5 ; wa$0it\n", None, isa="edgenpu")


def test_of_several_forms_the_one_that_is_meant_is_shown() -> None:
    page = check_hover("vl$0da wl0, [p0], #32", "vlda", isa="xdna1")
    assert page.startswith("```aie-asm\nvlda wl0, [p0], #32\n```\n\n**Vector Load in Unit A**")
    assert "- `dst` = `wl0`: register for the result; lands 7 bundles later" in page
    # Here the move makes way for another.
    assert "slot `mv`" in check_hover("nopx; m$0ov r0, r1", "mov", isa="xdna1")


def test_a_register_inside_an_operand_has_a_page_of_its_own() -> None:
    page = check_hover("vlda wl0, [p0, d$0j1]", "dj1", "**`dj1`**", isa="xdna1")
    assert "Stride register" in page
    check_hover("vlda wl0, [p0, #$032]", "[p0, #32]", isa="xdna1")
    check_hover("padda [p0], $0#0x20", "#0x20", "**32** · `0x20` · `0b10_0000`", isa="xdna1")


def test_a_label_behind_a_mark_leads_somewhere() -> None:
    page = check_hover("// what it is for\nx:\n nop\n j #$0x\n", "#x", isa="xdna1")
    assert page.startswith("**`x`** · bundle 0, line 2 · 1 bundle back\n\nwhat it is for\n\n")


def test_a_bundle_in_braces_is_shown_with_them() -> None:
    page = check_hover("f$0: { nop ; fnop }\nbri f\n", "f", isa="colossus")
    assert "```colossus-asm\n{ nop ; fnop }\n```" in page


def test_the_end_of_a_line_tells_which_slots_are_free_and_no_word() -> None:
    page = check_hover("vlda wl0, [p0, #32]; mov r0, r1 $0\nnop", "\n", "**Bundle 0**", isa="xdna1")
    assert page.endswith("Free: `ldb`, `st`, `alu`, `vec`.")


check_macro_page = partial(check_hover, isa="colossus")


def test_a_macro_shows_its_first_line_its_body_and_what_it_takes() -> None:
    text = (
        "// goes one step\n.macro STEP dst, src=$m2, n:req, more:vararg\n"
        "    add \\dst, \\src, \\n\n.endm\n"
    )
    page = (
        "**`STEP`** · macro, line 2",
        "goes one step",
        "```colossus-asm\n.macro STEP dst, src=$m2, n:req, more:vararg\n"
        "    add \\dst, \\src, \\n\n.endm\n```",
        "- `src`: `$m2` by default\n- `n`: required\n- `more`: takes all remaining arguments",
    )
    check_macro_page(f"{text} ST$0EP $m0\n", "STEP", *page)
    check_macro_page(text.replace("STEP", "ST$0EP"), "STEP", *page)


def test_a_long_macro_shows_its_first_line_only() -> None:
    text = ".macro LONG a\n" + " nop\n" * 30 + ".endm\n LO$0NG 1\n"
    code = "```colossus-asm\n.macro LONG a\n... 31 more lines\n```"
    check_macro_page(text, "LONG", "**`LONG`** · macro, line 1", code)


def test_a_value_in_an_operand_shows_its_definition_and_then_the_operand() -> None:
    check_macro_page(
        "#define OFF (4 + 2)\n add $m0, $m1, O$0FF\n",
        "OFF",
        "**`OFF`** · macro, line 1",
        "```colossus-asm\n#define OFF (4 + 2)\n```",
        "---",
        "`mSrc1` of `add`: a source",
    )
    check_macro_page("#define N 4\n nop // $0N\n", None)


def test_a_macro_with_several_definitions_names_their_lines() -> None:
    text = "#if A\n#define N 4\n#else\n#define N 5\n#endif\n .long $0N\n"
    check_macro_page(text, "N", "**`N`** · macro, lines 2, 4")


def test_an_argument_names_its_macro() -> None:
    body = ".macro STEP dst, n=4, m:req\n add \\dst, \\n, \\m\n.endm\n"
    title = "parameter of the macro `STEP`, line 1"
    check_macro_page(body.replace("\\dst", "\\$0dst"), "\\dst", f"**`dst`** · {title}")
    check_macro_page(body.replace("\\n", "$0\\n"), "\\n", f"**`n`** · {title}", "`4` by default.")
    check_macro_page(body.replace("\\m", "\\m$0"), "\\m", f"**`m`** · {title}", "Required.")
    check_macro_page(body.replace("n=4", "$0n=4"), "n", f"**`n`** · {title}", "`4` by default.")
    check_macro_page(".macro A x\n\\x\\()_y$0:\n nop\n.endm\n", "\\x\\()_y")
    check_macro_page(".macro A x\n\\$0x\\()_y:\n nop\n.endm\n", "\\x")
    check_macro_page(".macro A x\n vadd.8 x0, x1, \\$0x\n", "\\x", isa="xdna1")


def test_a_name_in_a_repetition_takes_its_values_in_turn() -> None:
    check_macro_page(
        ".irp r, $m0, $m1 // two\n mov \\$0r, $m2\n.endr\n",
        "\\r",
        "**`r`** · takes each value of `.irp` in turn",
        "Takes `$m0, $m1`.",
    )


def test_an_argument_of_no_body_shows_nothing_of_macros() -> None:
    check_macro_page(".macro A x\n.endm\n .long \\$0x\n", None)


ROW_HEAD = "# lr5 = row\nset lr5 0;;\n"
COLUMN_HEAD = f"{ROW_HEAD}# lr5 = column\nset lr4 0;;\n"


def check_role(text_with_cursor: str, role: str | None) -> None:
    """The register `lr5` has this role at the cursor, in hover or in completion's detail."""
    analysis, offset = fixture(text_with_cursor)
    found = hover(analysis, offset)
    if found is not None and found.markdown.startswith("**`lr5`**"):
        title = found.markdown.partition("\n")[0]
        assert title == (f"**`lr5`** · {role}" if role else "**`lr5`**")
    else:
        (item,) = (item for item in completions(analysis, offset) if item.label == "lr5")
        assert (item.detail == role) == (role is not None)


def test_hover_shows_the_note_nearest_above() -> None:
    check_role(f"{COLUMN_HEAD}incr l$0r5 1;;", "column")
    check_role(COLUMN_HEAD.replace("set lr5", "set l$0r5"), "row")
    check_role("incr l$0r5 1;;\n# lr5 = row\nacc;;", None)


def test_completion_shows_the_note_nearest_above() -> None:
    check_role(f"{COLUMN_HEAD}incr $0", "column")
    check_role(COLUMN_HEAD.replace("set lr5 0", "incr $0"), "row")
    check_role(f"{COLUMN_HEAD}acc; incr $0;; bkpt;;", "column")


def test_a_commented_out_instruction_gives_no_role() -> None:
    check_role(f"{ROW_HEAD}# lr5 = lr4 + 1\n# set lr5 3\nincr l$0r5 1;;", "row")


ADD = (Path(__file__).parents[2] / "examples" / "xdna1" / "add_int16.aie2").read_text()


def test_a_register_of_a_hardware_loop_is_free_in_some_of_its_cycles() -> None:
    page = check_hover(at(ADD, "wl0, [p0]"), "wl0", isa="xdna1")
    assert "`x0` is free in cycles 9-18 of an iteration of 12 bundles." in page
    assert "free" not in check_hover(at(ADD, "r0, #0"), "r0", isa="xdna1")


def test_a_read_before_a_landing_is_drawn() -> None:
    text = "vlda wl0, [p0], #32\nnop\nvst wl0, [p2], #32\nret lr\n" + "nop\n" * 5
    page = check_hover(at(text, "wl0", 2), "wl0", isa="xdna1")
    assert (
        "cycle  0  1  2  3  4  5  6  7\n"
        "vlda   -  -  -  -  -  -  -  W\n"
        "vst          R\n"
    ) in page  # fmt: skip
    assert "cycle" not in check_hover(at(text, "wl0", 1), "wl0", isa="xdna1")

"""Where labels and distances lead."""

from __future__ import annotations

import re

import pytest

from ipu_asm.ide.navigation import definition, definitions
from ipu_asm.ide.symbols.header_names import FileReading
from ipu_asm.text import Span
from tests.ide.cursor import CURSOR, fixture


def check_definition(
    text_with_cursor: str, origin: str | None, name: str = "", isa: str = "ipu"
) -> None:
    """The word at the cursor leads to `name`, the begin of what stands between ⟦ and ⟧.

    Without an origin it leads nowhere.
    """
    analysis, offset = fixture(text_with_cursor.replace("⟦", "").replace("⟧", ""), isa)
    found = definition(analysis, offset)
    if origin is None or found is None:
        assert (origin, found) == (None, None)
        return
    marked = text_with_cursor.replace(CURSOR, "")
    whole = Span(marked.index("⟦"), marked.index("⟧") - 1)
    text = analysis.text
    assert text[found.origin.start : found.origin.end] == origin
    assert (found.full_span, found.name) == (whole, Span(whole.start, whole.start + len(name)))
    assert text[found.name.start : found.name.end] == name


def test_a_branch_leads_to_its_label() -> None:
    check_definition("⟦again: acc;\n bkpt;;⟧\nb ag$0ain;;", "again", "again")


def test_a_branch_may_lead_forward() -> None:
    check_definition("b $0end;;\nacc;;\n⟦end: bkpt;;⟧", "end", "end")


def test_a_label_leads_to_itself() -> None:
    check_definition("acc;;\n⟦ag$0ain: acc;;⟧", "again", "again")


def test_the_second_of_two_labels_of_a_name_leads_to_itself_and_a_branch_to_the_first() -> None:
    check_definition("x: acc;;\n⟦x$0: acc;;⟧", "x", "x")
    check_definition("⟦x: acc;;⟧\nx: acc;;\nb x$0;;", "x", "x")


def test_a_distance_leads_to_the_first_instruction_there() -> None:
    check_definition("b +$02;;\nacc;;\n⟦incr lr0 1; bkpt;;⟧", "+2", "incr")
    check_definition("⟦acc;;⟧\nacc;;\nb -$02;;", "-2", "acc")
    check_definition("b +$01;;\nx: ⟦bkpt;;⟧", "+1", "bkpt")


def test_a_label_may_look_like_a_number_or_a_register() -> None:
    check_definition("⟦5: acc;;⟧\nb $05;;", "5", "5")
    check_definition("⟦lr0: acc;;⟧\nbne lr0 lr0 lr$00;;", "lr0", "lr0")


def test_a_branch_with_a_mistake_in_it_still_leads_to_its_label() -> None:
    check_definition("⟦again: acc;;⟧\nbne lr0 ag$0ain;;", "again", "again")
    check_definition("⟦again: acc;;⟧\nbne lr0, ? lr1 ag$0ain;;", "again", "again")


@pytest.mark.parametrize(
    "text",
    ["b now$0here;;", "b +$05;;", "b -$01;;", "incr lr$00 1;;", "a$0cc;;", "acc $0;;", "# b x$0"],
)
def test_what_is_not_there_leads_nowhere(text: str) -> None:
    check_definition(text, None)


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("set lr0 1;;\nx: ⟦incr lr0 1⟧;;\nbne lr1 lr2 x;;\nadd lr3 $0lr0 cr1;;", "2"),
        ("⟦set lr0 1⟧;;\nx: incr $0lr0 1;;\nadd lr3 lr0 cr1;;", "1"),
        ("set lr0 1;;\n⟦incr lr0 1⟧; ldr_mult_reg r0 $0lr0 cr0;;", "2"),
        ("⟦set lr0 1⟧;;\nincr lr0 1; bne lr0 $0lr0 +1;;\nbkpt;;", "1"),
        ("set $0lr0 1;;\n⟦add lr3 lr0 cr1⟧;;\nset lr0 2;;\nadd lr3 lr0 cr1;;", "2"),
        ("ldr_mult_reg $0r0 lr0 cr0; ⟦mult.ee r0 lr0 lr1 lr2⟧;;\nbkpt;;", "1"),
        ("⟦ldr_mult_reg r0 lr0 cr0⟧;;\nmult.ee r$00 lr0 lr1 lr2;;\nbkpt;;", "1"),
        ("{% for i in [1, 2] %}\n⟦set lr0 1⟧;;\n{% endfor %}\nadd lr3 lr0$0 cr1;;", "2"),
        ("add lr3 lr0 c$0r1;;", ""),
    ],
)
def test_a_register_leads_to_its_writes_and_a_write_to_its_reads(text: str, places: str) -> None:
    analysis, offset = fixture(text.replace("⟦", "").replace("⟧", ""))
    found = definitions([FileReading(analysis)], offset)
    lines = [analysis.source.lines.position(each.name.start).line + 1 for each in found]
    wanted = re.findall("⟦(.*?)⟧", text.replace(CURSOR, ""))
    shown = [analysis.text[each.full_span.start : each.full_span.end] for each in found]
    assert [*map(str, lines)][-1:] == places.split()[-1:]
    assert shown == wanted


def test_a_number_leads_nowhere_even_where_a_label_is_spelt_like_it() -> None:
    check_definition("128: incr lr0 12$08;;\nb 128;;", None)


def test_a_label_on_a_line_of_its_own_is_what_a_branch_leads_to() -> None:
    check_definition("⟦x:⟧\n nop\n j #$0x\n", "#x", "x", "xdna1")
    check_definition("⟦x:⟧\n nop\n.size $0x, 1\n", "x", "x", "xdna1")


def test_a_number_leads_to_the_nearest_label() -> None:
    check_definition("1: bri 1$0f\n⟦1: bri 1b⟧\n1: bri 1b\n", "1f", "1", "colossus")


def test_a_macro_leads_to_where_it_is_defined() -> None:
    check_definition(".macro ⟦STEP a⟧\n.endm\n$0STEP $m0\n", "STEP", "STEP", "colossus")
    check_definition("#define ⟦GO bri x⟧\n$0GO\n", "GO", "GO", "colossus")
    check_definition("$0OTHER\n", None, isa="colossus")


def test_a_value_leads_to_where_it_is_defined_wherever_it_stands() -> None:
    check_definition(
        "#define ⟦BASE m3 // here⟧\n add $m0, $BA$0SE, 1\n", "BASE", "BASE", "colossus"
    )
    check_definition("#define ⟦N 4⟧\n#if $0N > 2\n#endif\n", "N", "N", "colossus")
    check_definition('#define N 4\n.error "$0N"\n', None, isa="colossus")
    check_definition("#define N 4\n nop // $0N\n", None, isa="colossus")


def test_an_argument_leads_to_the_parameter_of_the_innermost_body() -> None:
    text = ".macro STEP ⟦dst, n=4⟧\n add \\d$0st, \\dst, \\n\n.endm\n"
    check_definition(text, "\\dst", "dst", "colossus")
    text = ".macro A r\n.irp ⟦r, $m0, $m1⟧\n mov \\$0r, $m2\n.endr\n.endm\n"
    check_definition(text, "\\r", "r", "colossus")
    check_definition(".macro A r\n mov \\$0x, $m2\n.endm\n", None, isa="colossus")
    check_definition(".macro ADD ⟦a⟧\n vadd.8 x0, x1, \\$0a\n.endm\n", "\\a", "a", "xdna1")

"""The expression under the pointer: `$0` in the lines here, the expression in `«»`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.debugger.expressions import expression_at


def check_hover(line: str) -> None:
    """The marked expression is found wherever in it the pointer is; nothing if none is marked."""
    text = line.replace("«", "").replace("»", "")
    column = text.index("$0")
    text = text.replace("$0", "")
    found = expression_at(text, column)
    marked = line.replace("$0", "")
    if "«" not in marked:
        assert found is None
    else:
        start, end = marked.index("«"), marked.index("»") - 1
        assert found == (start, end, text[start:end])


@pytest.mark.parametrize(
    "line",
    [
        "inner: incr «lr$01» 1; str_acc_reg lr5 cr0;;",
        "inner: incr «$0lr1» 1;;",
        "inner: incr «lr1$0» 1;;",
        "«in$0ner»: incr lr1 1;;",
        "    blt lr1 lr2 «inn$0er»;;",
        "incr lr1 1;; # «ac$0c[0..7]» holds the sum",
        "incr lr1 1;; # «acc[0$0..7]» holds the sum",
        "incr lr1 1;; # «mask[2][5$0]»",
        "# xmem[«cr$00» + lr1 .. +16]",
        "# «xm$0em[cr0 + lr1 .. +16]»",
        "# counts «lr1$0». Then",
        "# acc[0..«lr$01»]",
    ],
)
def test_a_register_a_label_or_an_element_is_found(line: str) -> None:
    check_hover(line)


@pytest.mark.parametrize(
    "line",
    [
        "$0",
        "incr lr1 $0  1;;",
        "set lr1 12$03;;",
        "set lr1 0x$01f;;",
        "acc.fi$0rst;;",
        "ac$0c.first;;",
        "mult.e$0e r0 lr1;;",
        "lr1 ;$0;",
    ],
)
def test_nothing_is_found_on_numbers_parts_of_mnemonics_and_between_words(line: str) -> None:
    check_hover(line)


@given(st.text(st.sampled_from("ab[]. 1é\n"), max_size=40), st.integers(-3, 45))
def test_what_is_found_lies_under_the_pointer(line: str, column: int) -> None:
    found = expression_at(line, column)
    if found is not None:
        assert found.start <= column <= found.end
        assert line[found.start : found.end] == found.text


@pytest.mark.parametrize("line", ["a[" * 4_000, "a" * 10_000, "a[x][y" * 1_600, "a" * 1_000_000])
def test_a_long_line_is_no_trouble(line: str) -> None:
    found = expression_at(line, len(line))
    assert found is None or found.end == len(line)

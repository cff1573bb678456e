"""Assertions are comments with a keyword, about the bundle on their line or below it."""

from __future__ import annotations

import pytest

from ipu_asm.expressions.tree import ExpressionError
from ipu_asm.flow.assertions.comments import AssertionKind, assertion_comments
from ipu_asm.flow.assertions.syntax import Region, parse_assertion
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.text import change_between

IPU = load_isa("ipu")
TEXT = """# CYCLES <= 100
# ASSERT lr0 == 0
set lr1 4;;   # ASSERT-AFTER lr1 == 4  # as the header says
loop:  # LOOP 5
    # ASSERT lr0 in 0..4   // the counter
    incr lr0 1;
    bne lr0 lr1 loop;;
bkpt;;
# LOG lr5
"""


def found(text: str) -> list[tuple[str, str, int | None]]:
    """The keyword, text and bundle of each assertion."""
    comments = assertion_comments(read_program(IPU, text))
    return [(each.kind.value, each.text, each.bundle) for each in comments]


def test_an_assertion_is_about_the_bundle_on_its_line_or_below_it() -> None:
    assert found(TEXT) == [
        ("CYCLES", "<= 100", 0),
        ("ASSERT", "lr0 == 0", 0),
        ("ASSERT-AFTER", "lr1 == 4", 0),
        ("LOOP", "5", 1),
        ("ASSERT", "lr0 in 0..4", 1),
        ("LOG", "lr5", None),
    ]


def test_the_span_of_an_assertion_is_its_text() -> None:
    for each in assertion_comments(read_program(IPU, TEXT)):
        assert TEXT[each.span.start : each.span.end] == each.text
        assert TEXT[each.keyword.start : each.keyword.end] == each.kind.value


@pytest.mark.parametrize(
    "prose",
    [
        "LOOP over the rows", "LOOP 128 times", "CYCLES: about 12", "CR usage", "CR 4 is the size",
        "REGION of weights", "ASSERTION lr0", "assert lr0 == 1", "the LOOP 12", "CYCLES per row 12",
    ],
)  # fmt: skip
def test_prose_is_no_assertion(prose: str) -> None:
    assert found(f"# {prose}\nacc;;\n") == []


def test_assertions_follow_edits() -> None:
    before = read_program(IPU, TEXT)
    assertion_comments(before)
    text = TEXT.replace("set lr1 4;;", "set lr1 4;; acc;;")
    after = read_program(IPU, text, None, before, change_between(TEXT, text))
    assert assertion_comments(after) == assertion_comments(read_program(IPU, text))


def test_a_region_has_a_base_a_range_and_an_access() -> None:
    region = parse_assertion(AssertionKind.REGION, "out = cr2 + 0..0x12000 write")
    assert isinstance(region, Region)
    assert (region.name, region.access) == ("out", "write")
    assert region.base is not None


@pytest.mark.parametrize(
    ("kind", "text", "message", "part"),
    [
        ("ASSERT", "lr5 =", "expected an operator or the end, found `=`", "="),
        ("ASSERT", "lr5 in 3", "expected `..` and the last value", ""),
        ("ASSERT", "", "expected a value, found the end", ""),
        ("REGION", "out = cr2 + 0", "expected `..` and the end of the region", ""),
        ("REGION", "out = cr2 + 0..4 wirte", "expected `read`, `write` or the end", "wirte"),
        ("CR", "cr4 = 64 | x", "expected a number, found `x`", "x"),
        ("CR", "cr4 = ", "a register has 1 to 16 values, found 0", " "),
        ("LOG", "lr5 )", "expected a value, found `)`", ")"),
    ],
)
def test_a_mistake_is_told_at_its_place(kind: str, text: str, message: str, part: str) -> None:
    with pytest.raises(ExpressionError) as error:
        parse_assertion(AssertionKind(kind), text)
    assert error.value.message.startswith(message)
    assert text[error.value.span.start : error.value.span.end] == part

"""Messages of log breakpoints: text with expressions in braces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.debugger.conditions import MAX_TEXT, parse_template
from ipu_asm.debugger.expressions import ExpressionError, LiveContext
from ipu_asm.emulator import IpuState
from tests.debugger.ipu_regions import VIEW

NAMES = {"row": "lr5 + 1", "late": "r0[lr5]"}


def machine() -> LiveContext:
    state = IpuState()
    state.regfile.set_lr(5, -3)
    state.regfile.set_register_bytes("r", 0, bytes(range(128)))
    return LiveContext(state, 7, {"loop": 3}, NAMES)


def check_message(template: str, expected: str) -> None:
    """The message, each time the same."""
    parsed = parse_template(template, VIEW.names)
    assert parsed.text(machine()) == expected
    assert parsed.text(machine()) == expected


def check_refused(template: str, message: str, span: str) -> None:
    """What is wrong with a template before anything runs, and where."""
    with pytest.raises(ExpressionError) as caught:
        parse_template(template, VIEW.names)
    assert caught.value.message == message
    assert template[slice(*caught.value.span)] == span


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("", ""),
        ("here", "here"),
        ("lr5 = {lr5}", "lr5 = -3 (0xfffffffd)"),
        ("{lr5,x}", "0xfffffffd"),
        ("{ row }{row,d}", "-2 (-0x2)-2"),
        ("{r0[0..3]}", "[0, 1, 2, 3]"),
        ("{r0}", "[0, 1, 2, 3, 4, 5, 6, 7, … 128 values]"),
        ("at {cycle}: {lr5 < 0}", "at 7: true"),
        ("{{lr5}} {{{lr5,d}}}", "{lr5} {-3}"),
        ("tab\tand\nline {loop}", "tab\tand\nline 3"),
    ],
)
def test_expressions_in_braces_are_replaced_by_their_values(template: str, expected: str) -> None:
    check_message(template, expected)


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("a {looop} b",
         "a {no register, label or name is called `looop`; did you mean `loop`?} b"),
        ("{1 / 0}, {lr5,d}", "{the divisor must not be zero, found 1 divided by 0}, -3"),
        ("{late}", "{`late` stands for `r0[lr5]`: an index is 0 to 127, found -3}"),
        ("{(0.5),x}", "{`x` shows bits, found the computed float 0.5; give it a type: `f32(...)`}"),
    ],
)  # fmt: skip
def test_what_has_no_value_says_so_in_the_message(template: str, expected: str) -> None:
    check_message(template, expected)


@pytest.mark.parametrize(
    ("template", "message", "span"),
    [
        ("a {lr5", "an expression ends with `}`, found the end; a brace alone is written `{{`",
         "{lr5"),
        ("a } b", "a brace that ends no expression is written `}}`, found `}`", "}"),
        ("a {}", "expected a value, found the end", ""),
        ("lr {lr5 + * 2}", "expected a value, found `*`", "*"),
        ("{lr5 lr6}", "expected an operator or the end, found `lr6`", "lr6"),
        ("x {lr5,q}",
         "a format is one of d, u, x, o, b, i8, u8, i16, u16, i32, u32, f32, e4m3, e5m2, fp8, "
         "found `q`", "q"),
        ("{a {b}", "an expression has names, numbers and operators, found `{`", "{"),
        ("x" * 4097, "a message has at most 4,096 characters, found 4,097", "x"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_template_is_told_before_it_is_used(
    template: str, message: str, span: str
) -> None:
    check_refused(template, message, span)


def test_a_message_has_an_end() -> None:
    text = parse_template("{1 << 4000}" * 300, VIEW.names).text(machine())
    assert len(text) == MAX_TEXT
    assert text.endswith("…")


def test_all_expressions_of_a_message_share_one_allowance() -> None:
    text = parse_template("{sum(xmem[0 .. +65536])} " * 20, VIEW.names).text(machine())
    assert text.startswith("0 0 0 {an expression looks at most at 400,000 elements, found more}")


@given(st.text(st.sampled_from("{}lr5,x +[]0"), max_size=40))
def test_any_template_is_refused_or_gives_a_message(template: str) -> None:
    mistake, text = None, ""
    try:
        text = parse_template(template, VIEW.names).text(machine())
    except ExpressionError as error:
        mistake = error
    assert len(text) <= MAX_TEXT
    if mistake is not None:
        assert 0 <= mistake.span.start <= mistake.span.end <= len(template)


@given(st.text(max_size=60))
def test_a_text_with_doubled_braces_is_itself(text: str) -> None:
    check_message(text.replace("{", "{{").replace("}", "}}"), text)

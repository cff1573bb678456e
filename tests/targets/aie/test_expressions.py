"""Immediates have the operators of the GNU assembler, are bounded, and evaluated by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.targets.aie.expressions import InvalidExpressionError, has_names, value_of


def check_value(text: str, value: int) -> None:
    assert value_of(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("32", 32), ("-32", -32), ("0x20", 32), ("0X2a", 42), ("0b101", 5), ("010", 8), ("0", 0),
        ("4*4*4*8", 512), ("(1<<3)|2", 10), ("1<<3|2", 10), ("-(2+3)*4", -20), ("7-2-1", 4),
        ("2+3*4", 14), ("(2+3)*4", 20), ("-7/2", -3), ("7/-2", -3), ("-7%2", -1), ("~0", -1),
        ("!3", 0), ("!0", 1), ("1<2", -1), ("2<=1", 0), ("3==3", -1), ("3!=3", 0), ("6&3^1", 3),
        ("1&&0||1", 1), ("--3", 3), ("+5", 5), ("1<<4>>2", 4), ("((((7))))", 7),
        ("1<<2+1", 5), ("1|2+4", 7), ("7&3==3", -1), ("2*3<<1", 12), ("6^2+1", 5), ("3<>3", 0),
        ("-8>>0", -8), ("-8>>1", (1 << 63) - 4), ("(-8>>1)&255", 252), ("-1>>63", 1),
    ],
)  # fmt: skip
def test_an_expression_has_the_value_that_the_gnu_assembler_gives_it(text: str, value: int) -> None:
    check_value(text, value)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "is not complete"),
        ("1+", "is not complete"),
        ("(1", "lacks a `)`"),
        ("1)", "does not fit at `)`"),
        ("1 2", "is no integer expression"),
        ("12 ", "is no integer expression"),
        ("1/0", "divides by zero"),
        ("1%(2-2)", "divides by zero"),
        ("1<<65", "shifts by 65"),
        ("1<<-1", "shifts by -1"),
        ("09", "has `09`, which begins with a zero and is not octal"),
        ("*3", "does not fit at `*`"),
        ("1" * 50, "is too large"),
        ("(" * 100 + "1" + ")" * 100, "is too deep"),
        ("-" * 100 + "1", "is too deep"),
        ("1" + "+1" * 200, "is too long"),
        ("9" * 30 + "*" + "9" * 30, "is too large"),
        ("1<<64<<64<<64", "is too large"),
    ],
)
def test_what_is_no_expression_says_why(text: str, wrong: str) -> None:
    with pytest.raises(InvalidExpressionError) as caught:
        value_of(text)
    assert str(caught.value) == wrong


@pytest.mark.parametrize("text", ["name", "name+4", ".L5", "4*size", '"a b"'])
def test_names_are_seen(text: str) -> None:
    assert has_names(text)


@pytest.mark.parametrize("text", ["1.5", "1e3", "2.0f", "0xg", "'a' 'b'"])
def test_floats_and_other_text_behind_a_digit_are_no_integers(text: str) -> None:
    assert not has_names(text)
    with pytest.raises(InvalidExpressionError):
        value_of(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [("';'", 59), ("','", 44), ("'#'+1", 36), ("'''", 39), (r"'\n'", 10), (r"'\\'", 92)],
)
def test_a_character_in_quotes_is_its_code(text: str, value: int) -> None:
    assert not has_names(text)
    assert value_of(text) == value


@pytest.mark.parametrize("text", ["0x1f", "0b11", "1+2", "(3)", "010"])
def test_numbers_are_no_names(text: str) -> None:
    assert not has_names(text)


@given(st.text(alphabet="0123456789xb()+-*/%<>=!&|^~ a", max_size=60))
def test_any_text_has_a_value_or_a_reason(text: str) -> None:
    value, reason = 0, ""
    try:
        value = value_of(text)
    except InvalidExpressionError as error:
        reason = str(error)
    assert reason or abs(value) <= 1 << 129

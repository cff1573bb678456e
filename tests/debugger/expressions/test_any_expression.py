"""Random expressions: whole numbers against a small reference, any text against crashes."""

from __future__ import annotations

import operator
import sys
from types import FrameType
from typing import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.debugger.expressions import ExpressionError, LiveContext, evaluate, parse
from ipu_asm.emulator import IpuState

CONTEXT = LiveContext(
    IpuState(), 0, {"loop": 1}, {"a": "b + b", "b": "c + c", "c": "xmem[0 .. +65536]"}
)
REFERENCE: dict[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "&": operator.and_,
    "|": operator.or_, "^": operator.xor, "<": operator.lt, "<=": operator.le,
    "==": operator.eq, "!=": operator.ne, "//": operator.floordiv, "%": operator.mod,
}  # fmt: skip
LONGEST_MESSAGE = 300
MOST_CALLS = 1_200_000
"""Calls of Python functions that reading and evaluating may take: about a tenth of a second."""
PIECES = [
    "lr0", "r0", "acc", "mask", "xmem", "a", "b", "c", "loop", "label", "sum", "max", "nan_count",
    "abs", "f32", "i8", "fp8", "not", "and", "or", "(", ")", "[", "]", ",", ":", "?", "..", "+",
    "-", "*", "**", "/", "//", "%", "&", "|", "^", "~", "<<", ">>", "<", "<=", "==", "!=", "!",
    "=", "0", "1", "127", "65535", "0x1f", "1.5", "1e9", "nan", "r0[0..7]", "mask[1]", "[1, 2]",
    "(1 << 4000)", "inf", "min", "int", "float", "argmax", "[nan]", "len", ",x", ",f32",
]  # fmt: skip


def check_ends(text: str, context: LiveContext = CONTEXT) -> ExpressionError | None:
    """A value or an ExpressionError with a span inside the text."""
    error = _mistake_in(text, context)
    if error is not None:
        assert 0 <= error.span.start <= error.span.end <= len(text)
        assert error.message
        assert error.message.isprintable()
        assert len(error.message) < LONGEST_MESSAGE
    return error


def check_ends_soon(text: str, context: LiveContext = CONTEXT) -> ExpressionError | None:
    """The same, with little work."""
    parse.cache_clear()
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        error = check_ends(text, context)
    finally:
        sys.setprofile(None)
    assert calls < MOST_CALLS
    return error


def _mistake_in(text: str, context: LiveContext) -> ExpressionError | None:
    try:
        evaluate(context, text).text()
    except ExpressionError as error:
        return error
    return None


Pair = tuple[str, int]


def _combined(children: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    def joined(left: Pair, sign: str, right: Pair) -> Pair:
        if sign in ("//", "%") and right[1] == 0:
            sign = "+"
        return f"({left[0]} {sign} {right[0]})", int(REFERENCE[sign](left[1], right[1]))

    def negated(child: Pair) -> Pair:
        return f"-{child[0]}", -child[1]

    def inverted(child: Pair) -> Pair:
        return f"~{child[0]}", ~child[1]

    pairs = st.builds(joined, children, st.sampled_from(sorted(REFERENCE)), children)
    return pairs | children.map(negated) | children.map(inverted)


NUMBERS = st.integers(0, 1 << 40).flatmap(
    lambda n: st.sampled_from([str(n), hex(n), bin(n), oct(n), f"{n:_}"]).map(lambda t: (t, n))
)


@given(st.recursive(NUMBERS, _combined, max_leaves=12))
def test_whole_numbers_are_computed_exactly(pair: Pair) -> None:
    text, expected = pair
    assert int(evaluate(CONTEXT, text).value.number) == expected


@given(st.text(max_size=60))
def test_any_text_has_a_value_or_a_mistake(text: str) -> None:
    check_ends(text)


@given(st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join))
def test_any_words_have_a_value_or_a_mistake(text: str) -> None:
    check_ends(text)


SLICE = "xmem[0 .. +65536]"
FLOATS = "xmem[0 .. +65536 : f32]"


def nested(before: str, times: int, inner: str, behind: str) -> str:
    return before * times + inner + behind * times


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_000, "(" * 4_000, "-" * 4_000, "!" * 4_000, "not " * 1_000, "[" * 4_000,
        "sum(" * 1_000, "1" + "+1" * 2_000, "1" + "**2" * 1_000, "lr0" + "[0]" * 1_300,
        "1?" * 2_000, "1" + " < 1" * 1_000, "9" * 4_096, "0x" + "f" * 4_000, "a + " * 20 + "a",
        f"sum({SLICE}) + " * 40 + "0", "[1] * 3 ** 80 ** 80", "1 or (" * 700,
        "0 < (" * 47 + "1" + ") < 1" * 47, "9 ** 9 ** 9 ** 9", "r0[" * 1_300, "f32(" * 40 + "r0",
        f"({SLICE} + 9) ** 41", "1+" * 500_000, " " * 1_000_000, "9" * 1_000_000,
        f"{SLICE} + 0" + ",i8" * 1_000, FLOATS + ",i8" * 1_000, f"int({FLOATS} + 1e300)",
        f"f32(i8({SLICE} + 0) + 0)", f"min({SLICE}, {SLICE}, {SLICE}, {SLICE})",
        f"xmem[{'9' * 200}]", f"xmem[0 .. +{'9' * 200}]", "xmem[1 << 4000 .. 1 << 3999]",
        f"{SLICE} < {SLICE} < {SLICE}", "[" + ",".join(["1 << 4095"] * 350) + "]",
        "１ + ２", "lr٣", "٣", "0x１", "1e٣", "lr0 ＋ 1", "\x00", "\ud800", "lr0\N{BOM}",
    ],
)  # fmt: skip
def test_hostile_expressions_are_refused_soon(text: str) -> None:
    assert check_ends_soon(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        nested("i8(mask[0][", 22, "0", "])"), nested("sum(mask[0][0 .. +1 + ", 9, "0", "])"),
        nested("i8(", 46, "pc", ")"), nested("[", 23, "0", "][0]"),
        nested("u32(i8(pc) + ", 20, "1", ")"),
        f"{SLICE} + {SLICE} + {SLICE}", f"({SLICE} & 7) << 100", f"abs({FLOATS}) ** 0.5",
        f"{FLOATS} % -0.1", f"e4m3({SLICE} + 0)", "sum(" + ",".join(["3 ** 2500"] * 400) + ")",
        "max(" + ",".join(["mask[0]"] * 400) + ")", "lr0" + ",x" * 2_000, "[" + "1," * 2_000 + "1]",
    ],
)  # fmt: skip
def test_the_most_laborious_expressions_end_soon(text: str) -> None:
    assert check_ends_soon(text) is None


def test_an_expression_is_no_more_work_than_it_is_long_however_its_parts_nest() -> None:
    names = {f"n{i}": f"n{i + 1} + n{i + 1}" for i in range(30)} | {"n30": "1"}
    names |= {f"m{i}": f"i8(mask[0][m{i + 1}])[0]" for i in range(30)} | {"m30": "1"}
    names |= {"long": "[" + "1 + 1," * 600 + "1]", "longer": "1 + " * 300_000 + "1"}
    names |= {f"l{i}": f"[{'-1,' * i}1]" for i in range(1_000)}
    context = LiveContext(IpuState(), 0, {}, names)
    many = ",".join(f"max(l{i})" for i in range(500, 850))
    for text in ("n0", "m0", "sum(" + "long," * 60 + "0)", "longer", f"max({many})"):
        assert check_ends_soon(text, context) is not None


def test_a_wrong_name_among_a_thousand_similar_ones_is_answered_soon() -> None:
    letters = "abcdefghijklmnopqrst"
    labels = {f"{letters[i % 20 :]}{letters[: i % 20]}{i:03}": i for i in range(1_000)}
    context = LiveContext(IpuState(), 0, labels)
    assert check_ends_soon(f"{letters}1x3", context) is not None
    error = check_ends_soon(f"{letters}00o", context)
    assert error is not None
    assert error.message.endswith(f"; did you mean `{letters}000`?")


def test_names_that_lead_through_one_another_are_followed_only_so_far() -> None:
    names = {f"n{i}": f"n{i + 1}" for i in range(1_000)} | {"n1000": "1"}
    deep = LiveContext(IpuState(), 0, {}, names)
    assert evaluate(deep, "n990").value.number == 1
    with pytest.raises(ExpressionError, match="nests at most"):
        evaluate(deep, "n0")


def _from_below(frames: int, text: str, context: LiveContext) -> ExpressionError | None:
    return check_ends(text, context) if not frames else _from_below(frames - 1, text, context)


def test_the_deepest_nesting_leaves_room_on_the_stack() -> None:
    names = {
        "a": nested("r0[0 .. +", 40, "b", "]"),
        "b": nested("r0[0 .. +", 20, "c", "]"),
        "c": nested("r0[0 .. +", 40, "1", "]"),
    }
    error = _from_below(150, "a", LiveContext(IpuState(), 0, {}, names))
    assert error is not None
    assert "nests at most" in error.message

"""Random expressions: whole numbers against a small reference, any text against crashes."""

from __future__ import annotations

import operator
import time
from typing import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ipu_asm.debugger.expressions import ExpressionError, LiveContext, evaluate
from ipu_asm.emulator import IpuState

CONTEXT = LiveContext(
    IpuState(), 0, {"loop": 1}, {"a": "b + b", "b": "c + c", "c": "xmem[0 .. +65536]"}
)
REFERENCE: dict[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "&": operator.and_,
    "|": operator.or_, "^": operator.xor, "<": operator.lt, "<=": operator.le,
    "==": operator.eq, "!=": operator.ne, "//": operator.floordiv, "%": operator.mod,
}  # fmt: skip
SLOWEST = 3.0
PIECES = [
    "lr0", "r0", "acc", "mask", "xmem", "a", "b", "c", "loop", "label", "sum", "max", "nan_count",
    "abs", "f32", "i8", "fp8", "not", "and", "or", "(", ")", "[", "]", ",", ":", "?", "..", "+",
    "-", "*", "**", "/", "//", "%", "&", "|", "^", "~", "<<", ">>", "<", "<=", "==", "!=", "!",
    "=", "0", "1", "127", "65535", "0x1f", "1.5", "1e9", "nan", "r0[0..7]", "mask[1]", "[1, 2]",
    "(1 << 4000)", "inf", "min", "int", "float", "argmax", "[nan]", "len", ",x", ",f32",
]  # fmt: skip


def check_ends(text: str) -> ExpressionError | None:
    """A value or an ExpressionError with a span inside the text, soon."""
    start = time.perf_counter()
    error = _mistake_in(text)
    assert time.perf_counter() - start < SLOWEST
    if error is not None:
        assert 0 <= error.span.start <= error.span.end <= len(text)
        assert error.message
        assert error.message.isprintable()
    return error


def _mistake_in(text: str) -> ExpressionError | None:
    try:
        evaluate(CONTEXT, text).text(None)
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


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join))
def test_any_words_have_a_value_or_a_mistake(text: str) -> None:
    check_ends(text)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_000, "(" * 4_000, "-" * 4_000, "!" * 4_000, "not " * 1_000, "[" * 4_000,
        "sum(" * 1_000, "1" + "+1" * 2_000, "1" + "**2" * 1_000, "lr0" + "[0]" * 1_300,
        "1?" * 2_000, "1" + " < 1" * 1_000, "9" * 4_096, "0x" + "f" * 4_000, "a + " * 20 + "a",
        "sum(xmem[0 .. +65536]) + " * 40 + "0", "[1] * 3 ** 80 ** 80", "1 or (" * 700,
        "0 < (" * 47 + "1" + ") < 1" * 47, "9 ** 9 ** 9 ** 9", "r0[" * 1_300, "f32(" * 40 + "r0",
        "(xmem[0 .. +65536] + 9) ** 41",
    ],
)  # fmt: skip
def test_hostile_expressions_are_refused_soon(text: str) -> None:
    assert check_ends(text) is not None


def test_names_that_lead_through_one_another_are_followed_only_so_far() -> None:
    names = {f"n{i}": f"n{i + 1}" for i in range(1_000)} | {"n1000": "1"}
    deep = LiveContext(IpuState(), 0, {}, names)
    assert evaluate(deep, "n990").value.number == 1
    with pytest.raises(ExpressionError, match="nests at most"):
        evaluate(deep, "n0")

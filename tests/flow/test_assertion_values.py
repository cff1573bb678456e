"""A condition is decided for all executions of a bundle as if each one were looked at."""

from __future__ import annotations

from itertools import product
from operator import mul

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.expressions.parser import parse
from ipu_asm.flow.assertions.values import Budget, Executions, Undecided, refutation
from ipu_asm.flow.control_run.trace import Progression
from ipu_asm.flow.control_run.values import unknown

NUMBERS = st.integers(-20, 20)
ATOMS = st.one_of(st.sampled_from(["lr0", "lr1", "top"]), st.integers(0, 40).map(str))
SUMS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*&"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(inner, st.integers(1, 9)).map(lambda t: f"({t[0]} % {t[1]})"),
        inner.map(lambda text: f"-{text}"),
    ),
    max_leaves=4,
)
RELATIONS = st.tuples(
    SUMS, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), SUMS
).map(" ".join)  # fmt: skip
RANGES = st.tuples(SUMS, st.integers(-9, 9), st.integers(0, 99)).map(
    lambda t: f"{t[0]} in {t[1]}..{t[2]}"
)
CONDITIONS = st.recursive(
    st.one_of(RELATIONS, RANGES),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(
            lambda t: f"({t[0]} {t[1]} {t[2]})"
        ),
        inner.map(lambda text: f"not ({text})"),
    ),
    max_leaves=3,
)
COUNTS = st.lists(st.integers(1, 6), max_size=2)


def progression(start: int, strides: list[int], counts: list[int]) -> Progression:
    return Progression(start, tuple(zip(strides, counts)))


@given(CONDITIONS, COUNTS, st.lists(NUMBERS, min_size=6, max_size=6))
def test_a_condition_is_refuted_just_if_one_execution_does(
    text: str, counts: list[int], numbers: list[int]
) -> None:
    values = {
        "lr0": progression(numbers[0], numbers[2:4], counts),
        "lr1": progression(numbers[1], numbers[4:6], counts),
    }
    points = []
    for place in product(*map(range, counts)):
        lr0 = numbers[0] + sum(map(mul, numbers[2:4], place))
        lr1 = numbers[1] + sum(map(mul, numbers[4:6], place))
        points.append({"lr0": lr0, "lr1": lr1, "top": 7})
    held = [bool(eval(_python(text), point)) for point in points]
    found = refutation(parse(text).node, Executions(values, {"top": 7}), Budget())
    assert (found is None) is all(held)
    if found is not None:
        assert not eval(_python(text), {"top": 7, **found})


def _python(text: str) -> str:
    """The same condition in Python, whose ranges exclude their ends."""
    words = text.split(" in ")
    for number, rest in enumerate(words[1:], 1):
        first, _, last = rest.partition("..")
        end = next((n for n, c in enumerate(last) if c in " )"), len(last))
        words[number] = f"range({first}, {last[:end]} + 1){last[end:]}"
    return " in ".join(words)


def test_many_executions_are_decided_by_their_extremes() -> None:
    values = {"lr0": Progression(0, ((1, 10**6), (0, 10**6)))}
    constants: dict[str, int] = {}
    assert (
        refutation(parse("lr0 in 0..999999").node, Executions(values, constants), Budget()) is None
    )
    assert (
        refutation(parse("lr0 * 128 % 128 == 0").node, Executions(values, constants), Budget())
        is None
    )
    found = refutation(parse("lr0 < 999999").node, Executions(values, constants), Budget())
    assert found == {"lr0": 999_999}


def test_what_depends_on_an_unknown_register_is_not_decided() -> None:
    values = {"lr0": Progression(unknown("cr1"), ((128, 4),)), "lr1": Progression(3, ((0, 4),))}
    for text in ("lr0 == 0", "lr0 % 128 == 0", "lr2 == 0", "sum(acc) == 0", "lr1 / 0 == 1"):
        with pytest.raises(Undecided):
            refutation(parse(text).node, Executions(values, {}), Budget())
    assert refutation(parse("lr1 == 3").node, Executions(values, {}), Budget()) is None


def test_a_difference_of_unknown_registers_may_be_known() -> None:
    base = {"lr0": Progression(unknown("cr1")), "cr1": Progression(unknown("cr1"))}
    assert refutation(parse("lr0 == cr1").node, Executions(base, {}), Budget()) is None
    assert refutation(parse("lr0 > cr1").node, Executions(base, {}), Budget()) is not None

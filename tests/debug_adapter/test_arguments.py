"""Arguments of requests become values of the types that handlers ask for, or are refused."""

from __future__ import annotations

import inspect
import typing
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_lsp.debug_adapter import requests
from ipu_lsp.debug_adapter.requests import (
    REQUESTS,
    ArgumentsError,
    camel_case,
    parse_arguments,
)
from ipu_lsp.transport import Json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
FIELDS = ["place", "numbers", "sureName", "ratio", "anything", "flag", "format", "either"]
REQUIRED_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "place": st.fixed_dictionaries({"line": st.integers()}),
    "sureName": st.text(),
}


class Place(NamedTuple):
    line: int
    column: int | None = None


def handler(
    session: object,
    *,
    place: Place,
    sure_name: str,
    numbers: list[int] | None = None,
    ratio: float = 0.5,
    flag: bool = False,
    anything: Any = None,
    format_: dict[str, int] | None = None,
    either: str | int | None = None,
) -> None:
    """Has a parameter of each sort."""


FIELDS_5000 = dict.fromkeys(map(str, range(5_000)))
RIGHT: Json = {"place": {"line": 3}, "sureName": "x"}


def check_refused(words: str, **fields: Any) -> None:
    """With these fields in the place of the right ones, the arguments are refused so."""
    with pytest.raises(ArgumentsError) as caught:
        parse_arguments(handler, {**RIGHT, **fields})
    assert words in str(caught.value)


def test_names_and_shapes_are_those_of_the_function() -> None:
    given_ = {
        "place": {"line": 3, "column": 4, "more": 1},
        "sureName": "x",
        "numbers": [1, 2],
        "format": {"hex": 1},
        "either": 7,
        "unknown": {},
    }
    assert parse_arguments(handler, given_) == {
        "place": Place(3, 4),
        "sure_name": "x",
        "numbers": [1, 2],
        "format_": {"hex": 1},
        "either": 7,
    }


def test_null_is_as_good_as_nothing() -> None:
    nothing = dict.fromkeys(["numbers", "ratio", "flag", "anything", "format", "either"])
    assert parse_arguments(handler, {**RIGHT, **nothing}) == parse_arguments(handler, RIGHT)


@pytest.mark.parametrize(
    ("words", "fields"),
    [
        ("`place` is an object, found `3`", {"place": 3}),
        ("`place` has `line`, found none", {"place": {}}),
        ("`place.line` is a whole number, found `3`", {"place": {"line": "3"}}),
        ("`place.column` is a whole number, found `true`", {"place": {"line": 1, "column": True}}),
        ("`arguments` has `sureName`, found none", {"sureName": None}),
        ("`sureName` is a text, found a list", {"sureName": ["x"]}),
        ("`numbers` is a list, found an object", {"numbers": {}}),
        ("`numbers[1]` is a whole number, found `1.5`", {"numbers": [1, 1.5]}),
        ("`numbers[0]` is a whole number, found `null`", {"numbers": [None]}),
        ("`numbers[0]` is a whole number, found `nan`", {"numbers": [float("nan")]}),
        ("`numbers[0]` is a whole number, found `inf`", {"numbers": [float("inf")]}),
        ("`numbers[0]` is a whole number, found `9223372036854775808`", {"numbers": [1 << 63]}),
        ("`ratio` is a number, found `half`", {"ratio": "half"}),
        ("`ratio` is a number, found `false`", {"ratio": False}),
        ("`flag` is true or false, found `1`", {"flag": 1}),
        ("`format` is an object, found a list", {"format": []}),
        ("`either` is a whole number, found a list", {"either": []}),
        ("`sureName` has at most 8,192 characters, found 8,193", {"sureName": "x" * 8_193}),
        ("`unknown` has at most 4,096 items, found 100,000", {"unknown": [{}] * 100_000}),
        ("`deep` has at most 4,096 fields, found 5,000", {"x": [{"deep": FIELDS_5000}]}),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_in_words(words: str, fields: Json) -> None:
    check_refused(words, **fields)


@pytest.mark.parametrize("value", ["x" * 41, 10**50, -(1 << 70)])
def test_what_is_long_is_not_repeated(value: object) -> None:
    check_refused("found " + ("a text" if isinstance(value, str) else ""), place={"line": value})


@pytest.mark.parametrize("arguments", [[], "x", 7, 1.5, True, False, ""])
def test_arguments_are_an_object(arguments: object) -> None:
    for function in (handler, lambda session: None):
        with pytest.raises(ArgumentsError, match="`arguments` is an object, found"):
            parse_arguments(function, arguments)


def test_no_arguments_are_enough_where_none_are_needed() -> None:
    assert parse_arguments(lambda session: None, None) == {}
    with pytest.raises(ArgumentsError, match="`arguments` has `place`, found none"):
        parse_arguments(handler, None)


@pytest.mark.parametrize("depth", [65, 500, 20_000])
def test_what_nests_too_deep_is_refused_wherever_it_stands(depth: int) -> None:
    value: Any = 0
    for number in range(depth):
        value = [value] if number % 2 else {"x": value}
    check_refused("`arguments` nest at most 64 deep", unknown=value)


def test_the_bytes_of_all_memory_are_not_too_long() -> None:
    given_ = {**RIGHT, "data": "A" * (1 << 22), "anything": ["x" * 8_192] * 100}
    assert parse_arguments(handler, given_)["anything"] == given_["anything"]


def test_one_parameter_may_take_everything() -> None:
    def all_of_it(session: object, *, raw_arguments: Json) -> None:
        """Wants the arguments themselves."""

    assert parse_arguments(all_of_it, {"x": [1]}) == {"raw_arguments": {"x": [1]}}
    with pytest.raises(ArgumentsError, match="`arguments` is an object"):
        parse_arguments(all_of_it, [1])


@given(
    st.fixed_dictionaries({}, optional=dict.fromkeys(FIELDS, JSON))
    | st.fixed_dictionaries(
        REQUIRED_FIELDS,
        optional={"numbers": st.lists(st.integers() | JSON, max_size=3), "either": JSON},
    )
    | JSON
)
def test_whatever_is_given_is_refused_or_has_the_right_types(given_: Any) -> None:
    try:
        values = parse_arguments(handler, given_)
    except ArgumentsError:
        return
    assert isinstance(values["place"], Place)
    assert isinstance(values["sure_name"], str)
    assert all(type(number) is int for number in values.get("numbers", []))
    assert type(values.get("either", "")) in (str, int)
    assert type(values.get("flag", True)) is bool
    assert type(values.get("ratio", 1)) in (int, float)


def test_every_handler_asks_for_types_that_can_be_checked() -> None:
    requests.load_all()
    for command, entry in REQUESTS.items():
        for name, kind in parameters(entry.handler).items():
            check_kind(kind, f"{command}: {name}")


def parameters(function: Any) -> Json:
    hints = typing.get_type_hints(function)
    names = list(inspect.signature(function).parameters)[1:]
    return {name: hints[name] for name in names}


def check_kind(kind: Any, where: str) -> None:
    """Values of the type can be told from others, wherever they are within it."""
    inner = [part for part in typing.get_args(kind) if part is not type(None)]
    if kind is Any or kind in (str, int, float, bool) or typing.get_origin(kind) is dict:
        return
    if isinstance(kind, type) and issubclass(kind, tuple):
        inner = [*typing.get_type_hints(kind).values()]
    assert inner, f"{where} is of the type {kind}"
    for part in inner:
        check_kind(part, where)


def test_names_are_spelled_as_the_protocol_does() -> None:
    names = ["hit_condition", "thread_id", "lines_start_at1", "line"]
    assert list(map(camel_case, names)) == ["hitCondition", "threadId", "linesStartAt1", "line"]

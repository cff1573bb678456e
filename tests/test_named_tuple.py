"""Our `NamedTuple` beside that of `typing`."""

from __future__ import annotations

import copy
import inspect
import pickle
import typing
from typing import Any, Callable

import pytest

from ipu_asm.named_tuple import NamedTuple


class Ours(NamedTuple):
    """A place."""

    row: int
    name: str = "a"
    others: tuple[int, ...] = ()

    @property
    def next_row(self) -> int:
        return self.row + 1


class Theirs(typing.NamedTuple):
    """A place."""

    row: int
    name: str = "a"
    others: tuple[int, ...] = ()


class Long(NamedTuple):
    a: int
    b: int
    c: int
    d: int
    e: int
    f: int
    g: int
    h: int
    i: int
    j: int
    k: int
    l: int = 12  # noqa: E741


def _outcome(act: Callable[[], Any]) -> object:
    """Return what a call returns or raises, as a text without the name of the class."""
    try:
        found = act()
    except (TypeError, ValueError) as error:
        found = f"{type(error).__name__} {error}"
    # `namedtuple` raises ValueError for unknown fields before Python 3.13.
    return repr(found).replace("ValueError Got", "TypeError Got").replace("Theirs", "Ours")


@pytest.mark.parametrize(
    "act",
    [
        lambda made: made(1),
        lambda made: made(1, others=(2,)),
        lambda made: made(1)._replace(name="b"),
        lambda made: made(1)._replace(unknown="b"),
        lambda made: made._make([1, 2, 3]),
        lambda made: made._make([1, 2]),
        lambda made: made(1)._asdict(),
        lambda made: made(1).name,
        lambda made: (made._fields, made._field_defaults, made.__match_args__),
        lambda made: (made.__mro__[1:], type(made), made.__doc__, made.__slots__),
        lambda made: typing.get_type_hints(made),
        lambda made: list(inspect.signature(made).parameters),
        lambda made: made(),
        lambda made: made(1, 2, 3, 4),
        lambda made: made(1, unknown=2),
        lambda made: hasattr(made(1), "__dict__"),
        lambda made: hash(made(1)) == hash((1, "a", ())) and made(1) < made(2),
        lambda made: copy.deepcopy(made(1, "b")),
    ],
)
def test_a_named_tuple_is_what_typing_makes(act: Callable[[Any], Any]) -> None:
    assert _outcome(lambda: act(Ours)) == _outcome(lambda: act(Theirs))


def test_named_tuples_have_methods_and_pickle() -> None:
    assert Ours(3).next_row == 4
    assert pickle.loads(pickle.dumps(Ours(3, "b"))) == Ours(3, "b")
    assert type(pickle.loads(pickle.dumps(Ours(3, "b")))) is Ours


def test_many_fields_are_as_good_as_few() -> None:
    made = Long(*range(11))
    assert (made.a, made.k, made.l, len(made)) == (0, 10, 12, 12)
    with pytest.raises(TypeError):
        Long(1, 2)  # type: ignore[call-arg]

"""`NamedTuple` as in `typing`, for classes that are made at every start.

`typing` compiles the constructor of each class from a text, and each annotation, 0.14 ms a class:
for the 180 classes of `ipu-lint` on a small file that was a third of its time from start to end.
Here constructors are copies of the functions below under other names of parameters, and annotations
stay texts, so that a class takes 0.01 ms. Objects are as fast to make and to read as those of
`typing`. What `typing` refuses at run time, such as a field without a default after one that has
a default, mypy finds.
"""

from __future__ import annotations

from collections import _tuplegetter, namedtuple  # type: ignore[attr-defined]
from types import FunctionType
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple

_tuple_new = tuple.__new__

# One for each number of fields.
_CONSTRUCTORS: tuple[Callable[..., Any], ...] = (
    lambda _cls: _tuple_new(_cls, ()),
    lambda _cls, a: _tuple_new(_cls, (a,)),
    lambda _cls, a, b: _tuple_new(_cls, (a, b)),
    lambda _cls, a, b, c: _tuple_new(_cls, (a, b, c)),
    lambda _cls, a, b, c, d: _tuple_new(_cls, (a, b, c, d)),
    lambda _cls, a, b, c, d, e: _tuple_new(_cls, (a, b, c, d, e)),
    lambda _cls, a, b, c, d, e, f: _tuple_new(_cls, (a, b, c, d, e, f)),
    lambda _cls, a, b, c, d, e, f, g: _tuple_new(_cls, (a, b, c, d, e, f, g)),
    lambda _cls, a, b, c, d, e, f, g, h: _tuple_new(_cls, (a, b, c, d, e, f, g, h)),
    lambda _cls, a, b, c, d, e, f, g, h, i: _tuple_new(_cls, (a, b, c, d, e, f, g, h, i)),
    lambda _cls, a, b, c, d, e, f, g, h, i, j: _tuple_new(_cls, (a, b, c, d, e, f, g, h, i, j)),
)


class _Methods:
    """What all named tuples have besides their fields; the methods are those of `namedtuple`."""

    @classmethod
    def _make(cls, iterable: Iterable[Any]) -> Any:
        """Return an object with the fields of an iterable. Raises TypeError for another number."""
        made: Any = _tuple_new(cls, iterable)  # type: ignore[type-var]
        if len(made) != len(cls._fields):  # type: ignore[attr-defined]
            expected = len(cls._fields)  # type: ignore[attr-defined]
            raise TypeError(f"Expected {expected} arguments, got {len(made)}")
        return made

    def _replace(self: Any, /, **changes: Any) -> Any:
        """Return a copy with other values in some fields. Raises TypeError for unknown fields."""
        made = self._make(map(changes.pop, self._fields, self))
        if changes:
            raise TypeError(f"Got unexpected field names: {list(changes)!r}")
        return made

    def _asdict(self: Any) -> dict[str, Any]:
        """Return the values by field."""
        return dict(zip(self._fields, self))

    def __repr__(self: Any) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self))
        return f"{type(self).__name__}({values})"

    def __getnewargs__(self: Any) -> tuple[Any, ...]:
        """Return the arguments with which copies and pickles make the object anew."""
        return tuple(self)


_SHARED = {
    name: _Methods.__dict__[name]
    for name in ("_make", "_replace", "_asdict", "__repr__", "__getnewargs__")
}


class _Meta(type):
    """Turns a class statement below `NamedTuple` into a subclass of `tuple`."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> type:
        types: Mapping[str, Any] = namespace.get("__annotations__", {})
        fields = tuple(types)
        defaults = {field: namespace.pop(field) for field in fields if field in namespace}
        return type(
            name,
            tuple(tuple if base is NamedTuple else base for base in bases),
            {
                "__slots__": (),
                "__match_args__": fields,
                "_fields": fields,
                "_field_defaults": defaults,
                "__new__": _constructor(name, types, tuple(defaults.values())),
                **_SHARED,
                **{field: _tuplegetter(place, None) for place, field in enumerate(fields)},
                **namespace,
            },
        )


def _constructor(name: str, types: Mapping[str, Any], defaults: tuple[Any, ...]) -> Any:
    """Return the function that makes an object of one argument a field."""
    if len(types) >= len(_CONSTRUCTORS):
        made = namedtuple(name, types, defaults=defaults).__new__
    else:
        template = _CONSTRUCTORS[len(types)]
        code = template.__code__.replace(co_varnames=("_cls", *types), co_name="__new__")
        made = FunctionType(code, template.__globals__, "__new__", defaults)
    made.__qualname__ = f"{name}.__new__"
    made.__annotations__ = dict(types)
    return made


if not TYPE_CHECKING:
    NamedTuple = type.__new__(_Meta, "NamedTuple", (), {})

"""Declared schemas of values from outside: tables of TOML, settings of editors, objects of JSON.

A field is a function that returns what a value means and raises `SettingError`, or a `Table` of
further fields. `read_table` returns the values that are right, and collects the mistakes in the
others with their places.

By hand: msgspec stops at the first mistake; cattrs reports all but would need a hook for each of
our sentences, and 30 ms to import, half a run on a small file.
"""

from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence

from ipu_asm.diagnostics.suggestions import hint_of, nearest_of
from ipu_asm.named_tuple import NamedTuple

_NOTHING = object()


class SettingError(Exception):
    """A value that its key does not allow, as a sentence: `expected a list, found 3`.

    `found` is the value, unless the message says what was found. `text` is the sentence with the
    value in another notation than that of TOML.
    """

    def __init__(self, message: str, found: object = _NOTHING, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.found = found
        self.hint = hint

    @property
    def has_value(self) -> bool:
        """Whether `found` is the value."""
        return self.found is not _NOTHING

    def __str__(self) -> str:
        return self.text(shown)

    def text(self, show: Callable[[Any], str]) -> str:
        """Return the sentence; `show` writes the value."""
        if not self.has_value:
            return self.message
        return f"{self.message}, found {show(self.found)}{self.hint}"


class Mistake(NamedTuple):
    """A mistake in the value, or in the name, of the key at a place."""

    place: tuple[str, ...]
    error: SettingError


class Table(NamedTuple):
    """A table with `fields`; or, with `each`, one whose keys users choose.

    `check` raises SettingError for a table that is not read at all, `check_key` for a key. `make`
    turns the values of the fields that are right into the value of the table; it may raise, too.
    An object of JSON may have other keys, which are ignored; null is not set, and an empty list is
    an empty object, as Lua sends it.
    """

    fields: Mapping[str, Field] = {}
    each: Field | None = None
    check: Callable[[Any], None] | None = None
    check_key: Callable[[str], None] | None = None
    make: Callable[[dict[str, Any]], Any] | None = None
    is_json: bool = False


Field = Callable[[Any], Any] | Table


def read_table(
    table: Table, value: Any, mistakes: list[Mistake], place: tuple[str, ...] = ()
) -> Any:
    """Return the values of a table by key, or what its `make` returns; None for no table."""
    if table.is_json and value == []:
        value = {}
    try:
        if not isinstance(value, dict) and table.check is None:
            noun = "an object" if table.is_json else "a table"
            raise SettingError(f"expected {noun}", value)
        if table.check is not None:
            table.check(value)
    except SettingError as error:
        mistakes.append(Mistake(place, error))
        return None
    values, tables = _read_fields(table, value, mistakes, place)
    for key, inner in tables.items():
        found = read_table(inner, value[key], mistakes, (*place, key))
        if found is not None:
            values[key] = found
    try:
        return table.make(values) if table.make else values
    except SettingError as error:
        mistakes.append(Mistake(place, error))
        return None


def _read_fields(
    table: Table, value: Mapping[str, Any], mistakes: list[Mistake], place: tuple[str, ...]
) -> tuple[dict[str, Any], dict[str, Table]]:
    """Return the values of simple fields, and the fields that are tables."""
    values: dict[str, Any] = {}
    tables: dict[str, Table] = {}
    if table.is_json:
        value = {key: value[key] for key in table.fields if value.get(key) is not None}
    for key, item in value.items():
        field = table.each or table.fields.get(key)
        try:
            if table.check_key is not None:
                table.check_key(key)
            if field is None:
                raise SettingError(f"unknown key; {_known(key, table.fields)}")
            if isinstance(field, Table):
                tables[key] = field
            else:
                values[key] = field(item)
        except SettingError as error:
            mistakes.append(Mistake((*place, key), error))
    order = [*table.fields] if table.each is None else [*tables]
    return values, {key: tables[key] for key in order if key in tables}


def _known(key: str, fields: Mapping[str, Field]) -> str:
    meant = nearest_of(key, fields)
    return f"did you mean `{meant}`?" if meant else f"there are {', '.join(fields)}"


def shortened(text: str, most: int = 60) -> str:
    """Return a text, cut to its first `most` characters."""
    return text if len(text) <= most else f"{text[:most]}..."


def shown(value: Any) -> str:
    """Return a value as a message about TOML shows it."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, str):
        return f'"{shortened(value)}"'
    text = str(value)
    return text.lower() if isinstance(value, bool) else shortened(text)


def flag(value: Any) -> bool:
    """Return true or false."""
    if isinstance(value, bool):
        return value
    raise SettingError("expected true or false", value)


def text(value: Any) -> str:
    if isinstance(value, str):
        return value
    raise SettingError("expected a string", value)


class OneOf:
    """The field whose value is one of some names; `make` turns the name into the value."""

    def __init__(self, names: Sequence[str], make: Callable[[str], Any] | None = None) -> None:
        self.names, self.make = names, make

    def __call__(self, value: Any) -> Any:
        if isinstance(value, str) and value in self.names:
            return self.make(value) if self.make else value
        hint = hint_of(value, self.names) if isinstance(value, str) else ""
        raise SettingError(f"expected one of {', '.join(self.names)}", value, hint)


def list_of_strings(noun: str) -> Callable[[Any], tuple[str, ...]]:
    """Return the field whose value is a list of strings; `noun` is what messages call it."""

    def read(value: Any) -> tuple[str, ...]:
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        raise SettingError(f"expected {noun}", value)

    return read

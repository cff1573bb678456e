"""DAP requests: the table of all, and their handlers, one module per subject.

Importing a module registers its handlers.
"""

from __future__ import annotations

import inspect
import json
import types
import typing
from enum import IntEnum
from functools import cache
from importlib import import_module
from typing import Any, Callable, Final, Mapping, Sized, TypeVar, Union

from ipu_asm.named_tuple import NamedTuple
from ipu_lsp.transport import Json

_MODULES: Final = (
    "lifecycle", "running", "breakpoints", "exceptions", "variables", "evaluation", "memory",
)  # fmt: skip


def load_all() -> None:
    """Import every module of handlers."""
    for name in _MODULES:
        import_module(f"{__name__}.{name}")


Handler = Callable[..., Any]
_F = TypeVar("_F", bound=Handler)


class Needs(IntEnum):
    """The precondition of a request; each level includes the previous ones."""

    NOTHING = 0
    CLIENT = 1
    """`initialize` was received."""
    PROGRAM = 2
    """A program is loaded."""
    STOPPED = 3
    """The machine is stopped."""


class RequestEntry(NamedTuple):
    """A request's handler, called with the session and keyword arguments, and its metadata."""

    handler: Handler
    needs: Needs
    capabilities: Mapping[str, Any]


REQUESTS: Final[dict[str, RequestEntry]] = {}


def request(
    command: str, needs: Needs = Needs.STOPPED, *announced: str, **details: Any
) -> Callable[[_F], _F]:
    """Register the handler of a request, with the boolean capabilities that it implies.

    `details` are capabilities with other values.
    """

    def register(handler: _F) -> _F:
        assert command not in REQUESTS
        REQUESTS[command] = RequestEntry(
            handler, needs, {**dict.fromkeys(announced, True), **details}
        )
        return handler

    return register


def capabilities() -> Json:
    merged: Json = {}
    for entry in REQUESTS.values():
        merged.update(entry.capabilities)
    return merged


class RequestError(Exception):
    """A request that fails; the message is displayed to the user if `is_shown`."""

    def __init__(self, message: str, is_shown: bool = False) -> None:
        super().__init__(message)
        self.is_shown = is_shown


class RequestCancelledError(Exception):
    """A request that was cancelled, by the client or while it was executed."""


class SourceArgument(NamedTuple):
    name: str | None = None
    path: str | None = None
    source_reference: int = 0


class SourceBreakpoint(NamedTuple):
    """A breakpoint on a line, or with `column` on a bundle in that line."""

    line: int
    column: int | None = None
    condition: str | None = None
    hit_condition: str | None = None
    log_message: str | None = None


class FunctionBreakpoint(NamedTuple):
    name: str
    condition: str | None = None
    hit_condition: str | None = None


class InstructionBreakpoint(NamedTuple):
    instruction_reference: str
    offset: int = 0
    condition: str | None = None
    hit_condition: str | None = None


class DataBreakpointRequest(NamedTuple):
    data_id: str
    access_type: str = "write"
    condition: str | None = None
    hit_condition: str | None = None


class FilterOptions(NamedTuple):
    filter_id: str
    condition: str | None = None


class ValueFormat(NamedTuple):
    hex: bool = False


class FrameFormat(NamedTuple):
    hex: bool = False
    line: bool = False
    module: bool = False


_NAMES: Final = {
    str: "a text", int: "a whole number", float: "a number", bool: "true or false",
    dict: "an object", list: "a list",
}  # fmt: skip
_MAX_INTEGER: Final = 1 << 63
_MAX_DEPTH: Final = 64
_MAX_ITEMS: Final = 4_096
_MAX_TEXT_LENGTH: Final = 1 << 13
_MAX_DATA_LENGTH: Final = 1 << 23
"""Maximum length of `data` in characters: base64 of all of xmem."""
_MAX_SHOWN_LENGTH: Final = 40


class ArgumentsError(Exception):
    """Request arguments that violate the protocol; the message says how."""


class ArgumentField(NamedTuple):
    """A field of an object: its name in JSON and in Python, its type, and its default."""

    json_name: str
    name: str
    kind: Any
    default: Any

    @property
    def is_required(self) -> bool:
        return self.default is inspect.Parameter.empty


def parse_arguments(function: Callable[..., Any], given: object) -> Json:
    """Return the keyword arguments for a function; unknown fields are dropped.

    A null field counts as missing. A single parameter `raw_arguments` receives the whole object.
    Raises `ArgumentsError`.
    """
    given = {} if given is None else given
    _check_size(given)
    parameters = _parameters(function)
    if [parameter.name for parameter in parameters] == ["raw_arguments"]:
        return {"raw_arguments": _value(dict, given, "arguments")}
    return _fields(parameters, given, "arguments")


def camel_case(name: str) -> str:
    if name == "client_id":
        return "clientID"  # the protocol spells other numbers `frameId`
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


@cache
def _parameters(function: Callable[..., Any]) -> tuple[ArgumentField, ...]:
    hints = typing.get_type_hints(function)
    return tuple(
        ArgumentField(camel_case(name.rstrip("_")), name, hints[name], parameter.default)
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    )


@cache
def _fields_of(shape: type) -> tuple[ArgumentField, ...]:
    hints = typing.get_type_hints(shape)
    defaults = shape._field_defaults  # type: ignore[attr-defined]
    return tuple(
        ArgumentField(
            camel_case(name.rstrip("_")), name, kind, defaults.get(name, inspect.Parameter.empty)
        )
        for name, kind in hints.items()
    )


def _fields(parameters: tuple[ArgumentField, ...], given: object, path: str) -> Json:
    if not isinstance(given, dict):
        raise ArgumentsError(f"`{path}` is an object, found {_found(given)}")
    values = {}
    for parameter in parameters:
        value = given.get(parameter.json_name)
        if value is not None:
            where = parameter.json_name if path == "arguments" else f"{path}.{parameter.json_name}"
            values[parameter.name] = _value(parameter.kind, value, where)
        elif parameter.is_required:
            raise ArgumentsError(f"`{path}` has `{parameter.json_name}`, found none")
    return values


def _value(kind: Any, value: object, path: str) -> object:
    """Check a value against a JSON type, a named tuple type, a list or an optional of these."""
    origin = typing.get_origin(kind)
    if origin in (Union, types.UnionType):
        kinds = [other for other in typing.get_args(kind) if other is not type(None)]
        return _one_of(kinds, value, path)
    if origin in (list, tuple):
        if not isinstance(value, list):
            raise ArgumentsError(f"`{path}` is a list, found {_found(value)}")
        element = typing.get_args(kind)[0]
        return [_value(element, item, f"{path}[{number}]") for number, item in enumerate(value)]
    if origin is dict:
        kind = dict
    if isinstance(kind, type) and issubclass(kind, tuple):
        return kind(**_fields(_fields_of(kind), value, path))
    if kind is Any or _is(kind, value):
        return value
    raise ArgumentsError(f"`{path}` is {_NAMES[kind]}, found {_found(value)}")


def _one_of(kinds: list[Any], value: object, path: str) -> object:
    for kind in kinds[:-1]:
        try:
            return _value(kind, value, path)
        except ArgumentsError:
            continue
    return _value(kinds[-1], value, path)


def _is(kind: type, value: object) -> bool:
    if kind is int:
        return type(value) is int and abs(value) < _MAX_INTEGER
    if kind is float:
        return type(value) in (int, float)
    return isinstance(value, kind)


def _check_size(given: object) -> None:
    """Raise `ArgumentsError` for excessive size or depth, which would only cost time."""
    level: list[tuple[str, object]] = [("arguments", given)]
    for _ in range(_MAX_DEPTH):
        inner: list[tuple[str, object]] = []
        for name, value in level:
            if isinstance(value, dict):
                _check_length(name, value, _MAX_ITEMS, "fields")
                inner += value.items()
            elif isinstance(value, list):
                _check_length(name, value, _MAX_ITEMS, "items")
                inner += [(name, item) for item in value]
            elif isinstance(value, str):
                most = _MAX_DATA_LENGTH if name == "data" else _MAX_TEXT_LENGTH
                _check_length(name, value, most, "characters")
        if not inner:
            return
        level = inner
    raise ArgumentsError(f"`arguments` nest at most {_MAX_DEPTH} deep, found more")


def _check_length(name: str, value: Sized, most: int, unit: str) -> None:
    if len(value) > most:
        raise ArgumentsError(f"`{name:.40}` has at most {most:,} {unit}, found {len(value):,}")


def _found(value: object) -> str:
    if value is None or isinstance(value, bool):
        return f"`{json.dumps(value)}`"
    name = _NAMES.get(type(value), type(value).__name__)
    if isinstance(value, (dict, list)) or len(text := str(value)) > _MAX_SHOWN_LENGTH:
        return name
    return f"`{text}`"

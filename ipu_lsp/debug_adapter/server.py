"""The main loop: handle messages, and execute a part of the program while none is waiting."""

from __future__ import annotations

import inspect
import json
import logging
import types
import typing
from functools import cache
from typing import Any, Callable, Final, Sized, Union

from ipu_asm.named_tuple import NamedTuple
from ipu_lsp.debug_adapter import requests
from ipu_lsp.debug_adapter.inbox import DebugInbox, number_of
from ipu_lsp.debug_adapter.outbox import CANCELLED, Outbox
from ipu_lsp.debug_adapter.request_table import (
    REQUESTS,
    Needs,
    RequestCancelledError,
    RequestEntry,
    RequestError,
)
from ipu_lsp.debug_adapter.session import DebugSession
from ipu_lsp.inbox import EndOfInput, MalformedMessage, Message
from ipu_lsp.json_types import Json
from ipu_lsp.transport import Channel, ClientDisconnectedError

_NAMES: Final = {
    str: "a text", int: "a whole number", float: "a number", bool: "true or false",
    dict: "an object", list: "a list",
}  # fmt: skip


_LARGEST: Final = 1 << 63


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
        """Whether the field has no default."""
        return self.default is inspect.Parameter.empty


log = logging.getLogger("ipu_lsp")


requests.load_all()


_WANTED = {
    Needs.CLIENT: "a session begins with `initialize`",
    Needs.PROGRAM: "no program is loaded: `launch` one first",
    Needs.STOPPED: "the program is running: `pause` it first",
}


def serve(channel: Channel, when_gone: Callable[[], None] = lambda: None) -> int:
    """Serve one client until it disconnects; return the exit status.

    `when_gone` is called on the reader thread at the end of input.
    """
    inbox, outbox = DebugInbox(), Outbox(channel.write)
    session = DebugSession(inbox, outbox)

    inbox.start_reader(channel.read, when_gone)
    try:
        while not session.is_over:
            if session.execution.is_running and inbox.is_empty:
                _guard(session, session.execution.advance)
            else:
                handle(session, inbox.take())
    except ClientDisconnectedError as error:
        log.info("the connection is closed: %s", error)
    finally:
        session.execution.close()
    return 0


def handle(session: DebugSession, message: Message) -> None:
    """Handle a message. Errors are reported to the client and do not end the session."""
    if isinstance(message, EndOfInput):
        log.info("the client has disconnected: %s", message.reason)
        session.is_over = True
    elif isinstance(message, MalformedMessage):
        # No warning: a client that does not read our standard error would block us.
        log.info("%s", message.reason)
        if session.client is not None:
            session.outbox.tell(f"{message.reason}\n", "stderr")
    else:
        _answer(session, message)


def _answer(session: DebugSession, request: Json) -> None:
    outbox, command = session.outbox, request.get("command")
    session.inbox.answering = number_of(request)
    try:
        outbox.respond(request, _body(session, command, request.get("arguments")))
    except RequestCancelledError:
        outbox.send_error(request, CANCELLED)
    except ArgumentsError as error:
        outbox.send_error(request, f"`{command}`: {error}")
    except RequestError as error:
        outbox.send_error(request, str(error), error.is_shown)
    except Exception as error:
        log.exception("`%s` failed", command)
        outbox.send_error(
            request, f"the adapter failed at `{command}`: {error!r}; its log has more"
        )
    session.inbox.answering = None
    _guard(session, session.flush)


def _body(session: DebugSession, command: object, arguments: object) -> Json | None:
    """Return the body of the response, None for an empty one."""
    if not isinstance(command, str):
        raise RequestError(f"a request has a `command`, found {type(command).__name__}")
    entry = REQUESTS.get(command)
    if entry is None:
        raise RequestError(f"a request is one that `initialize` announces, found `{command:.80}`")
    _check_state(session, entry)
    given = parse_arguments(entry.handler, arguments)
    if not session.execution.is_running:
        session.progress.begin(f"Answering `{command}`", session.inbox.answering)
    try:
        body: Json | None = entry.handler(session, **given)
        return body
    finally:
        if session.is_over or not session.execution.is_running:
            session.progress.end()


def _guard(session: DebugSession, action: Callable[[], None]) -> None:
    """Run an action that belongs to no request; an exception does not end the session."""
    try:
        action()
    except Exception as error:
        log.exception("the adapter failed")
        session.outbox.tell(f"the adapter failed: {error!r}; its log has more\n", "stderr")


def _check_state(session: DebugSession, entry: RequestEntry) -> None:
    if entry.needs > session.has:
        if session.execution.has_ended:
            raise RequestError("the program has ended: `restart` it, or start another session")
        missing = next(needs for needs in Needs if needs > session.has)
        raise RequestError(_WANTED[missing])


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
    """Convert `hit_condition` to the protocol's spelling `hitCondition`."""
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
    """The fields of a named tuple type."""
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
        return type(value) is int and abs(value) < _LARGEST
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

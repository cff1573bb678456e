"""JSON-RPC messages as bytes. Plain dicts and lists go through the C encoder untouched."""

from __future__ import annotations

import enum
from functools import lru_cache
from typing import Any, Iterable

from lsprotocol.converters import get_converter

from ipu_lsp.json_types import ascii_encoder
from ipu_lsp.server.inbox import MessageId
from ipu_lsp.transport import frame


class EncodedJson(str):
    """A result that is JSON already, for answers that are worth writing by hand."""

    __slots__ = ()


@lru_cache(maxsize=1)
def converter() -> Any:
    """Between JSON and the protocol's types."""
    return get_converter()


def notification(method: str, params: object) -> bytes:
    """A message that wants no answer; `params` is JSON, a type of the protocol, or None."""
    return frame(b'{"jsonrpc":"2.0","method":%b%b}' % (encoded(method), _parameters(params)))


def request(message_id: MessageId, method: str, params: object) -> bytes:
    """A question to the client."""
    return frame(
        b'{"jsonrpc":"2.0","id":%b,"method":%b%b}'
        % (encoded(message_id), encoded(method), _parameters(params))
    )


def result(message_id: MessageId, value: object) -> bytes:
    """The answer to a request."""
    return frame(b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (encoded(message_id), encoded(value)))


def error(message_id: MessageId | None, code: int, message: str) -> bytes:
    """The answer to a request that failed, or, without an id, to what was no request at all."""
    wrong = {"code": code, "message": message}
    return frame(b'{"jsonrpc":"2.0","id":%b,"error":%b}' % (encoded(message_id), encoded(wrong)))


def json_object(**members: str) -> EncodedJson:
    """An object whose members are JSON text already."""
    return EncodedJson("{" + ",".join(f'"{name}":{text}' for name, text in members.items()) + "}")


def json_array(items: Iterable[str]) -> EncodedJson:
    """An array of items that are JSON text already."""
    return EncodedJson("[" + ",".join(items) + "]")


def json_text(value: object) -> str:
    """A value as JSON text."""
    return encoded(value).decode("ascii")


def encoded(value: object) -> bytes:
    """JSON in ASCII, so that half a surrogate pair harms nobody on the way."""
    if isinstance(value, EncodedJson):
        return value.encode("ascii")
    return _encode(value).encode("ascii")


def _parameters(params: object) -> bytes:
    """The rest of a message with these parameters: nothing if there are none."""
    return b"" if params is None else b',"params":' + encoded(params)


def _plain(value: object) -> Any:
    if isinstance(value, enum.Enum):
        return value.value
    return converter().unstructure(value)


_encode = ascii_encoder(_plain)

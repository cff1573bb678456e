"""JSON-RPC messages as bytes. Plain dicts and lists are encoded by C code, without conversion."""

from __future__ import annotations

import enum
from functools import lru_cache
from typing import Any, Iterable

from lsprotocol.converters import get_converter

from ipu_lsp.transport import MessageId, ascii_encoder, frame, plain


class EncodedJson(str):
    """A result that is encoded already, for large results."""

    __slots__ = ()


@lru_cache(maxsize=1)
def converter() -> Any:
    """The converter between JSON and the protocol's types."""
    return get_converter()


def notification(method: str, params: object) -> bytes:
    """Encode a notification; `params` is JSON, a type of the protocol, or None."""
    return frame(b'{"jsonrpc":"2.0","method":%b%b}' % (encoded(method), _parameters(params)))


def request(message_id: MessageId, method: str, params: object) -> bytes:
    """Encode a request to the client."""
    return frame(
        b'{"jsonrpc":"2.0","id":%b,"method":%b%b}'
        % (encoded(message_id), encoded(method), _parameters(params))
    )


def result(message_id: MessageId, value: object) -> bytes:
    """Encode the response to a request."""
    return frame(b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (encoded(message_id), encoded(value)))


def error(message_id: MessageId | None, code: int, message: str) -> bytes:
    """Encode an error response; `message_id` is None if the request had no valid ID.

    Clients show the message as plain text.
    """
    wrong = {"code": code, "message": plain(message)}
    return frame(b'{"jsonrpc":"2.0","id":%b,"error":%b}' % (encoded(message_id), encoded(wrong)))


def json_object(**members: str) -> EncodedJson:
    """Return a JSON object whose members are encoded already."""
    return EncodedJson("{" + ",".join(f'"{name}":{text}' for name, text in members.items()) + "}")


def json_array(items: Iterable[str]) -> EncodedJson:
    """Return a JSON array whose items are encoded already."""
    return EncodedJson("[" + ",".join(items) + "]")


def json_text(value: object) -> str:
    """Encode a value as JSON text."""
    return encoded(value).decode("ascii")


def encoded(value: object) -> bytes:
    """Encode a value as JSON in ASCII, so that a lone surrogate can be sent."""
    if isinstance(value, EncodedJson):
        return value.encode("ascii")
    return _encode(value).encode("ascii")


def _parameters(params: object) -> bytes:
    """Return the member `params` of a message, empty if it has none."""
    return b"" if params is None else b',"params":' + encoded(params)


def _plain(value: object) -> Any:
    if isinstance(value, enum.Enum):
        return value.value
    return converter().unstructure(value)


_encode = ascii_encoder(_plain)

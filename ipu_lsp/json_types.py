"""The Python types of JSON messages, and the encoder that both servers send them with."""

from __future__ import annotations

import json
from typing import Any, Callable

Json = dict[str, Any]
"""A JSON object."""
MessageId = int | str
"""The id of a JSON-RPC request."""


def ascii_encoder(
    default: Callable[[object], Any] | None = None, *, allow_nan: bool = True
) -> Callable[[object], str]:
    """Return a function that encodes a value as compact JSON.

    The text is ASCII, so that a lone surrogate in a message can be sent. `default` converts values
    of types that JSON does not have.
    """
    return json.JSONEncoder(
        default=default, allow_nan=allow_nan, check_circular=False, separators=(",", ":")
    ).encode


def is_message_id(value: object) -> bool:
    """Return whether a value can be the ID of a request: an integer or a string, but no boolean."""
    return type(value) in (int, str)

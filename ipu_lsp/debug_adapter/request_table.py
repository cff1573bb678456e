"""Registry of DAP requests, each with the capabilities that it implies."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, Callable, Final, Mapping, TypeVar

from ipu_asm.named_tuple import NamedTuple
from ipu_lsp.json_types import Json

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
    """Return the capabilities for `initialize`, merged from all registered requests."""
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

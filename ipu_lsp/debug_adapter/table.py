"""The requests that the adapter answers, each with the capability that announces it."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, Callable, Final, Mapping, NamedTuple, TypeVar

from ipu_lsp.json_types import Json

Handler = Callable[..., Any]
_F = TypeVar("_F", bound=Handler)


class Needs(IntEnum):
    """What must be there before a request makes sense."""

    NOTHING = 0
    CLIENT = 1
    """The client has said `initialize`."""
    PROGRAM = 2
    """A program is loaded."""
    STANDING = 3
    """The machine stands still."""


class RequestEntry(NamedTuple):
    """A request: its handler, called with the session and keyword arguments."""

    handler: Handler
    needs: Needs
    capabilities: Mapping[str, Any]


REQUESTS: Final[dict[str, RequestEntry]] = {}


def request(
    command: str, needs: Needs = Needs.STANDING, *announced: str, **details: Any
) -> Callable[[_F], _F]:
    """Register the handler of a request, with the capabilities that are true because of it.

    `details` are capabilities that are more than true or false.
    """

    def register(handler: _F) -> _F:
        assert command not in REQUESTS
        REQUESTS[command] = RequestEntry(
            handler, needs, {**dict.fromkeys(announced, True), **details}
        )
        return handler

    return register


def capabilities() -> Json:
    """What `initialize` answers: exactly what the requests here can do."""
    merged: Json = {}
    for entry in REQUESTS.values():
        merged.update(entry.capabilities)
    return merged


class RequestError(Exception):
    """A request that cannot be done; the text says why, to the user if `is_shown`."""

    def __init__(self, message: str, is_shown: bool = False) -> None:
        super().__init__(message)
        self.is_shown = is_shown


class RequestCancelledError(Exception):
    """A request that the client, or somebody on the way, no longer wants answered."""

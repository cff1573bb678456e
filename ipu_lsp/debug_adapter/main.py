"""The command `ipu-dap`."""

from __future__ import annotations

from functools import partial
from typing import Callable, Sequence

from ipu_lsp.command import ServerCommand
from ipu_lsp.transport import Channel
from ipu_lsp.watchdog import end_in

_DESCRIPTION = "Debug adapter for accelerator assembly: runs kernels forwards and backwards."

GRACE_S = 5.0
"""Seconds in which the adapter must end after the client has disconnected; then it is killed."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve one client; return the exit status: 0 after the session, 2 for wrong usage."""
    return ServerCommand("ipu-dap", _DESCRIPTION).run(arguments, _load)


def _load() -> Callable[[Channel], int]:
    from ipu_lsp.debug_adapter.server import serve

    return partial(serve, when_gone=partial(end_in, GRACE_S))

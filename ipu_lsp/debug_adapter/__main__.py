"""The command `ipu-dap`, and the entry point of `python -m ipu_lsp.debug_adapter`."""

from __future__ import annotations

import sys
from functools import partial
from typing import Callable, Sequence

from ipu_lsp import ipu_dap
from ipu_lsp.command import ServerCommand, end_in
from ipu_lsp.transport import Channel

_DESCRIPTION = "Debug adapter for accelerator assembly: runs kernels forwards and backwards."

GRACE_S = 5.0
"""Seconds in which the adapter must end after the client has disconnected; then it is killed."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve one client; return the exit status: 0 after the session, 2 for wrong usage."""
    return ServerCommand("ipu-dap", _DESCRIPTION).run(arguments, _load)


def _load() -> Callable[[Channel], int]:
    from ipu_lsp.debug_adapter.server import serve

    return partial(serve, when_gone=partial(end_in, GRACE_S))


if __name__ == "__main__":
    sys.exit(ipu_dap())

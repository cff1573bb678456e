"""The command `ipu-lsp`."""

from __future__ import annotations

import gc
from typing import Callable, Sequence

from ipu_lsp.command import ServerCommand
from ipu_lsp.transport import Channel

_DESCRIPTION = "Language server for accelerator assembly."


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve one client. The exit status: 0 if it took its leave, 1 if it did not, 2 wrong usage."""
    return ServerCommand("ipu-lsp", _DESCRIPTION).run(arguments, _load)


def _load() -> Callable[[Channel], int]:
    from ipu_lsp.server.server import LspServer

    server = LspServer()
    # What was made up to here stays: not looking at it again makes every collection shorter.
    gc.freeze()
    return server.serve

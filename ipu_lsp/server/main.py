"""The command `ipu-lsp`."""

from __future__ import annotations

from typing import Callable, Sequence

from ipu_lsp.command import ServerCommand
from ipu_lsp.transport import Channel

_DESCRIPTION = "Language server for accelerator assembly."


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve one client; return 0 after a `shutdown` request, 1 without, 2 for wrong usage."""
    return ServerCommand("ipu-lsp", _DESCRIPTION).run(arguments, _load)


def _load() -> Callable[[Channel], int]:
    from ipu_lsp.server.server import LspServer

    return LspServer().serve

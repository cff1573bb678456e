"""The command `ipu-dap`."""

from __future__ import annotations

import gc
from functools import partial
from typing import Callable, Sequence

from ipu_lsp.command import ServerCommand
from ipu_lsp.transport import Channel
from ipu_lsp.watchdog import end_in

_DESCRIPTION = "Debug adapter for accelerator assembly: runs kernels forwards and backwards."

GRACE_S = 5.0
"""How long the adapter may take to end once its client is gone, before it is made to."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve one client. The exit status: 0 however it took its leave, 2 wrong usage."""
    return ServerCommand("ipu-dap", _DESCRIPTION).run(arguments, _load)


def _load() -> Callable[[Channel], int]:
    from ipu_lsp.debug_adapter.server import serve

    # What was made up to here stays: not looking at it again makes every collection shorter.
    gc.freeze()
    return partial(serve, when_gone=partial(end_in, GRACE_S))

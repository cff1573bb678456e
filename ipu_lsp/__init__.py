"""The language server and the debug adapter, and what both share: transport, inbox, commands.

They translate between protocols and `ipu_asm`, and decide nothing themselves. Begin with
`inbox.py`, by which both receive messages.
"""

from __future__ import annotations

from ipu_asm.start import run


def ipu_lsp() -> int:
    return run("ipu_lsp.server.server")


def ipu_dap() -> int:
    return run("ipu_lsp.debug_adapter.__main__")

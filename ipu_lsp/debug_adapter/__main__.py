"""Entry point of ``python -m ipu_lsp.debug_adapter``, the debug adapter."""

from __future__ import annotations

import sys

from ipu_lsp import ipu_dap

if __name__ == "__main__":
    sys.exit(ipu_dap())

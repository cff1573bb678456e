"""Entry point of ``python -m ipu_lsp``, the language server."""

from __future__ import annotations

import sys

from ipu_lsp import ipu_lsp

if __name__ == "__main__":
    sys.exit(ipu_lsp())
